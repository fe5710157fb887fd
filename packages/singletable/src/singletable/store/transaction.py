"""Transactions: several writes, or reads, that happen together or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from msgspec.structs import replace as struct_replace

from dynamodb_engine.operations import (
    Get,
    TransactGetItem,
    TransactGetItems,
    TransactGetItemsOutput,
)
from dynamodb_engine.retry import is_transient, send
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, NotFound, TransactionCanceled, TransactionConflict
from singletable.schema import Condition, Counter, Edit, ItemKey, key_of
from singletable.schema.fields import StorableItem
from singletable.store.calls import CallShape, PatternLike, call_shape, observe
from singletable.store.commit import (
    MAX_TOKEN_LENGTH,
    MAX_TRANSACTION_ITEMS,
    PlannedChange,
    commit_all,
)
from singletable.store.context import Context
from singletable.store.decoder import decode_item
from singletable.store.items import apply_stamps
from singletable.store.pending_writes import PendingWrites
from singletable.store.plan import Check, Create, Delete, Plan, Put, Update
from singletable.store.sequences import parent_key, set_number, take_number
from singletable.store.ttl import is_expired
from singletable.store.upsert import Upsert
from singletable.store.validation import check_keys, lacks_number, model_of_item
from singletable.store.writes import ItemId, item_id, merge_writes

E = TypeVar("E")
S = TypeVar("S", bound=StorableItem)


class Transaction:
    """The writes of one transaction, collected in a `with` block and committed at its end.

    One that `store.begin()` returns is committed by steps instead: `yield from tx.commit()`.

    If the block raises, nothing is written. Items that must be read to plan the writes are read at
    the end, and the transaction checks that they have not changed. Several writes of one item are
    merged: each one sees the item as those before it leave it.
    """

    def __init__(
        self, context: Context, token: str | None, pattern: PatternLike | None = None
    ) -> None:
        if token is not None and not (
            isinstance(token, str) and 0 < len(token) <= MAX_TOKEN_LENGTH  # pyright: ignore[reportUnnecessaryIsInstance]
        ):
            raise InvalidValue(
                f"token: expected a string of 1 to {MAX_TOKEN_LENGTH} characters, but got "
                f"{token!r}."
            )
        self._pending = PendingWrites()
        self._context = replace(context, pending=self._pending)
        self._token = token
        self._pattern = pattern
        self._changes: list[tuple[Any, PlannedChange]] = []
        self._shapes: list[Callable[[], CallShape]] = []  # only observers need them
        self._is_over = False
        # What lacks a number until the commit: the item, and its change.
        self._unnumbered: list[tuple[Any, Create]] = []

    def create(self, item: S, *, if_: Condition[S] | None = None) -> None:
        """Store an item that does not exist yet."""
        model = model_of_item(item)
        self._shapes.append(lambda: call_shape("create", item))
        change = Create(self._context, model, item, if_)
        self._add(item, change)
        if lacks_number(model, item):
            self._unnumbered.append((item, change))

    def put(self, item: S, *, if_: Condition[S] | None = None) -> None:
        """Store an item, over the one with its key if there is one."""
        model = model_of_item(item)
        self._shapes.append(lambda: call_shape("put", item))
        self._add(item, Put(self._context, model, item, if_))

    def replace(self, item: S, *, if_: Condition[S] | None = None) -> None:
        """Store an item over an existing one."""
        model = model_of_item(item)
        self._shapes.append(lambda: call_shape("replace", item))
        self._add(item, Put(self._context, model, item, if_, must_exist=True))

    def update(self, key: ItemKey[E], *edits: Edit[E], if_: Condition[E] | None = None) -> None:
        """Edit some fields of an existing item."""
        change = Update(self._context, key, edits, if_)
        self._shapes.append(lambda: call_shape("update", key, edits=edits))
        self._add(None, change)

    def upsert(
        self,
        key: ItemKey[E],
        *edits: Edit[E],
        on_create: Sequence[Edit[E]] = (),
        if_: Condition[E] | None = None,
    ) -> None:
        """Edit an item, or create it if it does not exist."""
        change = Upsert(self._context, key, edits, on_create, if_)
        edits = (*change.edits, *change.on_create)  # the list of the caller may change
        self._shapes.append(lambda: call_shape("upsert", key, edits=edits))
        self._add(None, change)

    def delete(self, key: ItemKey[E], *, if_: Condition[E] | None = None) -> None:
        """Delete an item, if it exists."""
        change = Delete(self._context, key, if_)
        self._shapes.append(lambda: call_shape("delete", key))
        self._add(None, change)

    def check(self, key: ItemKey[E], condition: Condition[E] | None = None) -> None:
        """Commit only if the item exists, and satisfies the condition."""
        change = Check(self._context, key, condition)
        self._shapes.append(lambda: call_shape("check", key))
        self._add(None, change)

    def shape(self) -> CallShape:
        """Return the shape of the transaction: the shapes of its changes, joined."""
        shapes = [make_shape() for make_shape in self._shapes]
        accesses = dict.fromkeys(access for shape in shapes for access in shape.accesses)
        patterns = frozenset(name for shape in shapes for name in shape.patterns)
        if self._pattern is not None:
            patterns = frozenset([self._pattern.id])
        return CallShape("transaction", tuple(accesses), patterns)

    def commit(self) -> Steps[None]:
        """Return the steps that apply all writes, or none."""
        self._check_open()
        self._is_over = True
        return observe(self._context.observers, self._commit(), self.shape)

    def _commit(self) -> Steps[None]:
        yield from self._take_numbers()
        plans = yield from commit_all(self._context, self._plan, self._token)
        for (item, _), plan in zip(self._changes, plans, strict=True):
            if item is not None:
                apply_stamps(item, plan)
        for item, change in self._unnumbered:
            set_number(change.model, item, change.item)

    def _check_open(self) -> None:
        if self._is_over:
            raise InvalidValue(
                "The transaction is over: it is committed at the end of the `with` block, or by "
                "commit()."
            )

    def _add(self, item: object, change: PlannedChange) -> None:
        self._check_open()
        self._changes.append((item, change))

    def _take_numbers(self) -> Steps[None]:
        """Take the numbers of new items, before the transaction."""
        numbered: dict[int, Any] = {}
        for item, change in self._unnumbered:
            model = change.model
            if id(item) in numbered:
                change.item = numbered[id(item)]
            if not lacks_number(model, change.item):
                continue  # assigned since
            try:
                change.item = yield from take_number(self._context, model, item, change.if_)
                numbered[id(item)] = change.item
            except NotFound as error:
                sequence = cast(Counter, model.sequence)
                key = parent_key(sequence, item)
                if any(_has_key(one, key) for one, _ in self._changes):
                    raise NotFound(
                        f"{error} This transaction would create it, but numbers are taken before a "
                        f"transaction is sent. Create it before, or assign {model.name}."
                        f"{sequence.name} and {sequence.path} yourself.",
                        key=key.key,
                    ) from None
                raise

    def _plan(self) -> Steps[list[Plan]]:
        try:
            return (yield from self._plan_in_order())
        except TransactionConflict:
            # An item has an older schema version than planned for; now it is read before.
            return (yield from self._plan_in_order())

    def _plan_in_order(self) -> Steps[list[Plan]]:
        """Plan each change for the items as those before it leave them."""
        self._pending.clear()
        plans: list[Plan] = []
        for _, change in self._changes:
            plan = yield from change.prepare()
            self._pending.add(merge_writes(plan.writes))
            plans.append(struct_replace(plan, writes=[]))
        if plans:
            plans[0].writes.extend((yield from self._pending.merge(self._context.retry_policy)))
        return plans


def transact_get(context: Context, keys: tuple[ItemKey[Any], ...]) -> Steps[tuple[Any, ...]]:
    """Return the items in a consistent snapshot; None for a missing one."""
    checked = check_keys(keys)
    ids = [item_id(context.table_name(key.model.table), key.key) for key in checked]
    # DynamoDB rejects a transaction that has an item twice.
    distinct = {id_: key.key for id_, key in zip(ids, checked, strict=True)}
    if len(distinct) > MAX_TRANSACTION_ITEMS:
        raise InvalidValue(
            f"A transaction reads at most {MAX_TRANSACTION_ITEMS} items, but this one has "
            f"{len(distinct)}. Use get_many() if you do not need a consistent snapshot."
        )
    items: dict[ItemId, Item | None] = {}
    if distinct:
        gets = [TransactGetItem(Get(id_[0], key)) for id_, key in distinct.items()]
        output = yield from _transact_get_items(context, TransactGetItems(gets))
        items = {id_: one.item for id_, one in zip(distinct, output.responses, strict=True)}
    now = context.clock()
    results: list[object] = []
    for key, id_ in zip(checked, ids, strict=True):
        item = items[id_]
        if item is None or is_expired(key.model, item, now):
            results.append(None)
        else:
            results.append(decode_item(key.model, item))
    return tuple(results)


def _transact_get_items(
    context: Context, operation: TransactGetItems
) -> Steps[TransactGetItemsOutput]:
    for attempt in range(context.retry_policy.max_attempts):
        try:
            return (yield from send(context.retry_policy, operation))
        except TransactionCanceled as error:
            if not is_transient(error):
                raise
        yield context.retry_policy.backoff(attempt, "conflict")
    raise TransactionConflict(
        f"The transactional read conflicted with writes {context.retry_policy.max_attempts} times "
        "in a row."
    )


def _has_key(item: object, key: ItemKey[Any]) -> bool:
    if type(item) is not key.entity or lacks_number(key.model, item):
        return False
    return key_of(item).key == key.key
