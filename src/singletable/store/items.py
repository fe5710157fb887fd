"""One item: get, put, create, replace, update, delete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypeVar, cast

from singletable.errors import ItemMismatch
from singletable.operations import GetItem, ItemGot
from singletable.schema import Address, Condition, Edit, Model, address_of, model_of
from singletable.store.alive import is_alive
from singletable.store.commit import carry_out
from singletable.store.context import Context
from singletable.store.plan import (
    Plan,
    plan_create,
    plan_delete,
    plan_put,
    reads_before_put,
)
from singletable.store.plan_update import must_read, plan_update
from singletable.store.steps import Steps
from singletable.values import Item

E = TypeVar("E")

State: TypeAlias = Literal["old", "new"]


def get(context: Context, address: Address[E], *, consistent: bool) -> Steps[E | None]:
    """The item at an address, if there is one and its time is not over."""
    item = yield from read(context, address, consistent=consistent)
    if item is None or not is_alive(address.model, item, context.clock()):
        return None
    return instance(address, item)


def create(context: Context, item: E, if_: Condition[E] | None) -> Steps[E]:
    """Store an item that is not there yet."""
    model = model_of(type(item))

    def replan() -> Steps[Plan]:
        return plan_create(context, model, item, if_)
        yield

    plan, _ = yield from carry_out(context, replan)
    return _stamped(item, plan)


def put(context: Context, item: E, if_: Condition[E] | None, *, must_exist: bool) -> Steps[E]:
    """Store an item in place of the one with its key."""
    model = model_of(type(item))

    def replan() -> Steps[Plan]:
        seen = None
        if reads_before_put(model):
            seen = yield from read(context, address_of(item), consistent=True)
        return plan_put(context, model, item, if_, seen, must_exist=must_exist)

    plan, _ = yield from carry_out(context, replan)
    return _stamped(item, plan)


def update(
    context: Context,
    address: Address[E],
    edits: Sequence[Edit[E]],
    if_: Condition[E] | None,
    returning: State,
) -> Steps[E]:
    """Change some fields of an item that is there."""
    reads = must_read(address, edits)
    seen: Item | None = None

    def replan() -> Steps[Plan]:
        nonlocal seen
        if reads:
            seen = yield from read(context, address, consistent=True)
        return plan_update(context, address, edits, if_, seen)

    _, written = yield from carry_out(
        context, replan, "ALL_OLD" if returning == "old" else "ALL_NEW"
    )
    if written is not None and written.attributes is not None:
        return instance(address, written.attributes)
    # A transaction gives nothing back.
    if returning == "old" and seen is not None:
        return instance(address, seen)
    item = yield from read(context, address, consistent=True)
    return instance(address, item or {})


def delete(context: Context, address: Address[E], if_: Condition[E] | None) -> Steps[E | None]:
    """Remove an item and give it back; None if there was none."""
    model = address.model
    seen: Item | None = None

    def replan() -> Steps[Plan]:
        nonlocal seen
        if reads_before_put(model):
            seen = yield from read(context, address, consistent=True)
        return plan_delete(context, address, if_, seen)

    _, written = yield from carry_out(context, replan, "ALL_OLD")
    old = seen if written is None else written.attributes
    if old is None or not is_alive(model, old, context.clock()):
        return None
    return instance(address, old)


def read(context: Context, address: Address[Any], *, consistent: bool) -> Steps[Item | None]:
    """The item at an address as it is, even if its time is over."""
    got: ItemGot = yield GetItem(
        context.name(address.model.table), address.key, consistent_read=consistent or None
    )
    return got.item


def instance(address: Address[E], item: Item) -> E:
    """The instance that an item holds, which must be of the address's entity."""
    return cast(E, instance_of(address.model, item))


def instance_of(model: Model, item: Item) -> Any:
    """The instance that an item holds, which must be of this entity."""
    if model.tag is not None and item.get(model.tag[0]) not in (None, {"S": model.tag[1]}):
        raise ItemMismatch(
            f"expected an item tagged {model.tag[0]} = {model.tag[1]!r}, but got "
            f"{item[model.tag[0]]}.",
            model.name,
        )
    return model.instance(item)


def _stamped(item: E, plan: Plan) -> E:
    item.__dict__.update(plan.stamps)
    return item
