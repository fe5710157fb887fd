"""Several writes that happen together or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from singletable.errors import InvalidValue, TransactionCanceled, TransactionConflict
from singletable.operations import Get, TransactGetItem, TransactGetItems, TransactGetItemsOutput
from singletable.retry import Steps, send
from singletable.schema import Condition, Edit, ItemKey
from singletable.store.calls import (
    CallShape,
    PatternLike,
    about_addresses,
    about_items,
    about_update,
)
from singletable.store.commit import LONGEST_TOKEN, MOST_ACTIONS, commit_all
from singletable.store.context import Context
from singletable.store.items import (
    instance_of,
    planned_create,
    planned_delete,
    planned_put,
    planned_update,
    stamped,
)
from singletable.store.plan import Plan, plan_check
from singletable.store.ttl import is_alive
from singletable.store.validation import addresses_of, check_address, check_edits, model_of_item
from singletable.store.writes import Place, place_of
from singletable.values import Item

E = TypeVar("E")


class Transaction:
    """The writes of one transaction, collected inside a `with` block and made at its end.

    If the block raises, nothing is written. What must be read to plan the writes is read at the
    end, and demanded to be still so when they are made.
    """

    def __init__(
        self, context: Context, token: str | None, pattern: PatternLike | None = None
    ) -> None:
        if token is not None and not (isinstance(token, str) and 0 < len(token) <= LONGEST_TOKEN):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidValue(
                f"token: expected a text of 1 to {LONGEST_TOKEN} characters, but got {token!r}."
            )
        self._context = context
        self._token = token
        self._pattern = pattern
        self._planned: list[tuple[Any, Callable[[], Steps[Plan]]]] = []
        self._parts: list[CallShape] = []
        self._over = False

    def create(self, item: E, *, if_: Condition[E] | None = None) -> None:
        """Store an item that is not there yet."""
        model_of_item(item)
        self._parts.append(about_items("create", item, kind="create"))
        self._add(item, lambda: planned_create(self._context, item, if_))

    def put(self, item: E, *, if_: Condition[E] | None = None) -> None:
        """Store an item in place of the one with its key, if there is one."""
        model_of_item(item)
        self._parts.append(about_items("put", item, kind="put"))
        self._add(item, lambda: planned_put(self._context, item, if_, must_exist=False))

    def replace(self, item: E, *, if_: Condition[E] | None = None) -> None:
        """Store an item in place of one that is there."""
        model_of_item(item)
        self._parts.append(about_items("replace", item, kind="put"))
        self._add(item, lambda: planned_put(self._context, item, if_, must_exist=True))

    def update(self, address: ItemKey[E], *edits: Edit[E], if_: Condition[E] | None = None) -> None:
        """Change some fields of an item that is there."""
        check_address(address)
        check_edits(address.model, address, edits)
        self._parts.append(about_update(address, edits))
        self._add(None, lambda: _first(planned_update(self._context, address, edits, if_)))

    def delete(self, address: ItemKey[E], *, if_: Condition[E] | None = None) -> None:
        """Remove an item, if it is there."""
        check_address(address)
        self._parts.append(about_addresses("delete", address, kind="delete"))
        self._add(None, lambda: _first(planned_delete(self._context, address, if_)))

    def check(self, address: ItemKey[E], condition: Condition[E] | None = None) -> None:
        """Let the transaction happen only if the item is there, and meets the condition."""
        check_address(address)
        self._parts.append(about_addresses("check", address, kind="check"))

        def plan() -> Steps[Plan]:
            return plan_check(self._context, address, condition)
            yield

        self._add(None, plan)

    def question(self) -> CallShape:
        """What it does to which entities."""
        touches = dict.fromkeys(touch for part in self._parts for touch in part.accesses)
        patterns = frozenset(name for part in self._parts for name in part.patterns)
        if self._pattern is not None:
            patterns = frozenset([self._pattern.id])
        return CallShape("transaction", tuple(touches), patterns)

    def commit(self) -> Steps[None]:
        """Make all writes, or none."""
        self._over = True
        plans = yield from commit_all(self._context, self._plan, self._token)
        for (item, _), plan in zip(self._planned, plans, strict=True):
            if item is not None:
                stamped(item, plan)

    def _add(self, item: object, plan: Callable[[], Steps[Plan]]) -> None:
        if self._over:
            raise InvalidValue(
                "The transaction is over: its writes are made at the end of the `with` block."
            )
        self._planned.append((item, plan))

    def _plan(self) -> Steps[list[Plan]]:
        plans: list[Plan] = []
        for _, plan in self._planned:
            plans.append((yield from plan()))
        return plans


def transact_get(context: Context, addresses: tuple[ItemKey[Any], ...]) -> Steps[tuple[Any, ...]]:
    """The items at some addresses, as they stood at one moment; None where there is none."""
    asked = addresses_of(addresses)
    places = [place_of(context.table_name(one.model.table), one.key) for one in asked]
    # DynamoDB refuses an item that is asked for twice.
    once = dict(zip(places, asked, strict=True))
    if len(once) > MOST_ACTIONS:
        raise InvalidValue(
            f"At most {MOST_ACTIONS} items are read together, and {len(once)} were asked for. "
            "Read them with get_many(), if they need not be of one moment."
        )
    found: dict[Place, Item | None] = {}
    if once:
        gets = [TransactGetItem(Get(place[0], one.key)) for place, one in once.items()]
        got = yield from _read_together(context, TransactGetItems(gets))
        found = {place: one.item for place, one in zip(once, got.responses, strict=True)}
    now = context.clock()
    results: list[object] = []
    for address, place in zip(asked, places, strict=True):
        item = found[place]
        gone = item is None or not is_alive(address.model, item, now)
        results.append(None if item is None or gone else instance_of(address.model, item))
    return tuple(results)


def _read_together(context: Context, gets: TransactGetItems) -> Steps[TransactGetItemsOutput]:
    for attempt in range(context.retry_policy.max_attempts):
        try:
            return (yield from send(context.retry_policy, gets))
        except TransactionCanceled as error:
            codes = {reason.code for reason in error.reasons} - {"None"}
            if not codes <= {"TransactionConflict", "ThrottlingError"}:
                raise
        yield context.retry_policy.backoff(attempt, "conflict")
    raise TransactionConflict(
        f"The transactional read conflicted with writes {context.retry_policy.max_attempts} times "
        "in a row."
    )


def _first(planned: Steps[tuple[Plan, Item | None]]) -> Steps[Plan]:
    plan, _ = yield from planned
    return plan
