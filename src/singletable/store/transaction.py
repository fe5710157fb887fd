"""Several writes that happen together or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from singletable.operations import Get, TransactGetItem, TransactGetItems, TransactionRead
from singletable.schema import Address, Condition, Edit, address_of, model_of
from singletable.store.alive import is_alive
from singletable.store.commit import commit_all
from singletable.store.context import Context
from singletable.store.items import instance_of, read
from singletable.store.plan import (
    Plan,
    plan_check,
    plan_create,
    plan_delete,
    plan_put,
    reads_before_put,
)
from singletable.store.plan_update import must_read, plan_update
from singletable.store.steps import Steps

E = TypeVar("E")


class Transaction:
    """The writes of one transaction, collected inside a `with` block and made at its end.

    If the block raises, nothing is written. What must be read to plan the writes is read at the
    end, and demanded to be still so when they are made.
    """

    def __init__(self, context: Context, token: str | None) -> None:
        self._context = context
        self._token = token
        self._planned: list[tuple[Any, Callable[[], Steps[Plan]]]] = []

    def create(self, item: E, *, if_: Condition[E] | None = None) -> None:
        """Store an item that is not there yet."""

        def plan() -> Steps[Plan]:
            return plan_create(self._context, model_of(type(item)), item, if_)
            yield

        self._planned.append((item, plan))

    def put(self, item: E, *, if_: Condition[E] | None = None) -> None:
        """Store an item in place of the one with its key, if there is one."""
        self._put(item, if_, must_exist=False)

    def replace(self, item: E, *, if_: Condition[E] | None = None) -> None:
        """Store an item in place of one that is there."""
        self._put(item, if_, must_exist=True)

    def update(self, address: Address[E], *edits: Edit[E], if_: Condition[E] | None = None) -> None:
        """Change some fields of an item that is there."""

        def plan() -> Steps[Plan]:
            seen = None
            if must_read(address, edits):
                seen = yield from read(self._context, address, consistent=True)
            return plan_update(self._context, address, edits, if_, seen)

        self._planned.append((None, plan))

    def delete(self, address: Address[E], *, if_: Condition[E] | None = None) -> None:
        """Remove an item, if it is there."""

        def plan() -> Steps[Plan]:
            seen = None
            if reads_before_put(address.model):
                seen = yield from read(self._context, address, consistent=True)
            return plan_delete(self._context, address, if_, seen)

        self._planned.append((None, plan))

    def check(self, address: Address[E], condition: Condition[E] | None = None) -> None:
        """Let the transaction happen only if the item is there, and meets the condition."""

        def plan() -> Steps[Plan]:
            return Plan([plan_check(self._context, address, condition)], {})
            yield

        self._planned.append((None, plan))

    def commit(self) -> Steps[None]:
        """Make all writes, or none."""
        plans = yield from commit_all(self._context, self._plan, self._token)
        for (item, _), plan in zip(self._planned, plans, strict=True):
            if item is not None:
                item.__dict__.update(plan.stamps)

    def _put(self, item: E, if_: Condition[E] | None, *, must_exist: bool) -> None:
        model = model_of(type(item))

        def plan() -> Steps[Plan]:
            seen = None
            if reads_before_put(model):
                seen = yield from read(self._context, address_of(item), consistent=True)
            return plan_put(self._context, model, item, if_, seen, must_exist=must_exist)

        self._planned.append((item, plan))

    def _plan(self) -> Steps[list[Plan]]:
        plans: list[Plan] = []
        for _, plan in self._planned:
            plans.append((yield from plan()))
        return plans


def get_together(context: Context, addresses: tuple[Address[Any], ...]) -> Steps[tuple[Any, ...]]:
    """The items at some addresses, as they stood at one moment; None where there is none."""
    gets = [
        TransactGetItem(Get(context.name(address.model.table), address.key))
        for address in addresses
    ]
    got: TransactionRead = yield TransactGetItems(gets)
    now = context.clock()
    found: list[object] = []
    for address, response in zip(addresses, got.responses, strict=True):
        item = response.item
        gone = item is None or not is_alive(address.model, item, now)
        found.append(None if item is None or gone else instance_of(address.model, item))
    return tuple(found)
