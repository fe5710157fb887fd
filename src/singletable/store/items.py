"""One item: get, put, create, replace, update, delete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypeVar, cast

from singletable.errors import InvalidValue, ItemMismatch
from singletable.operations import GetItem, GetItemOutput
from singletable.retry import Steps, send
from singletable.schema import Condition, Edit, ItemKey, Model, UniqueValue, key_of, model_of
from singletable.store.commit import carry_out
from singletable.store.context import Context
from singletable.store.kept import without_right_markers
from singletable.store.plan import (
    Plan,
    must_read,
    plan_create,
    plan_delete,
    plan_put,
    plan_update,
    reads_before_create,
    reads_before_delete,
    reads_before_put,
)
from singletable.store.ttl import is_seen
from singletable.store.validation import check_address, check_edits, check_taken, model_of_item
from singletable.values import Item

E = TypeVar("E")

State: TypeAlias = Literal["old", "new"]


def get(context: Context, address: ItemKey[E], *, consistent: bool) -> Steps[E | None]:
    """The item at an address, if there is one and its time is not over."""
    check_address(address)
    item = yield from read(context, address, consistent=consistent)
    if item is None or not is_seen(context, address.model, item):
        return None
    return instance(address, item)


def create(context: Context, item: E, if_: Condition[E] | None) -> Steps[E]:
    """Store an item that is not there yet."""
    plan, _ = yield from carry_out(context, lambda: planned_create(context, item, if_))
    return stamped(item, plan)


def put(context: Context, item: E, if_: Condition[E] | None, *, must_exist: bool) -> Steps[E]:
    """Store an item in place of the one with its key."""
    plan, _ = yield from carry_out(
        context, lambda: planned_put(context, item, if_, must_exist=must_exist)
    )
    return stamped(item, plan)


def update(
    context: Context,
    address: ItemKey[E],
    edits: Sequence[Edit[E]],
    if_: Condition[E] | None,
    returning: State,
) -> Steps[E]:
    """Change some fields of an item that is there."""
    if returning not in ("old", "new"):
        raise InvalidValue(f"returning: expected 'old' or 'new', but got {returning!r}.")
    seen: Item | None = None

    def replan() -> Steps[Plan]:
        nonlocal seen
        plan, seen = yield from planned_update(context, address, edits, if_)
        return plan

    plan, written = yield from carry_out(
        context, replan, "ALL_OLD" if returning == "old" else "ALL_NEW"
    )
    if written is not None and written.attributes is not None:
        return instance(address, written.attributes)
    # A transaction gives nothing back.
    if returning == "old" and seen is not None:
        return instance(address, seen)
    item = yield from read(context, address, consistent=True)
    return instance(address, item or plan.after or {})


def delete(context: Context, address: ItemKey[E], if_: Condition[E] | None) -> Steps[E | None]:
    """Remove an item and give it back; None if there was none."""
    seen: Item | None = None

    def replan() -> Steps[Plan]:
        nonlocal seen
        plan, seen = yield from planned_delete(context, address, if_)
        return plan

    _, written = yield from carry_out(context, replan, "ALL_OLD")
    old = seen if written is None else written.attributes
    if old is None or not is_seen(context, address.model, old):
        return None
    return instance(address, old)


def planned_create(context: Context, item: object, if_: Condition[Any] | None) -> Steps[Plan]:
    """The plan to store an item that is not there yet."""
    model = model_of_item(item)
    seen = None
    if reads_before_create(model):
        seen = yield from read(context, key_of(item), consistent=True)
    return plan_create(context, model, item, if_, seen)


def planned_put(
    context: Context, item: object, if_: Condition[Any] | None, *, must_exist: bool
) -> Steps[Plan]:
    """The plan to store an item in place of the one with its key."""
    model = model_of_item(item)
    seen = None
    if reads_before_put(model):
        seen = yield from read(context, key_of(item), consistent=True)
    plan = plan_put(context, model, item, if_, seen, must_exist=must_exist)
    return (yield from without_right_markers(context, plan))


def planned_update(
    context: Context,
    address: ItemKey[Any],
    edits: Sequence[Edit[Any]],
    if_: Condition[Any] | None,
) -> Steps[tuple[Plan, Item | None]]:
    """The plan to change some fields of an item, and the item if it had to be read."""
    check_address(address)
    check_edits(address.model, address, edits)
    reads, seen = must_read(address, edits), None
    if reads:
        seen = yield from read(context, address, consistent=True)
    return plan_update(context, address, edits, if_, seen, read=reads), seen


def planned_delete(
    context: Context, address: ItemKey[Any], if_: Condition[Any] | None
) -> Steps[tuple[Plan, Item | None]]:
    """The plan to remove an item, and the item if it had to be read."""
    check_address(address)
    seen = None
    if reads_before_delete(address.model):
        seen = yield from read(context, address, consistent=True)
    return plan_delete(context, address, if_, seen), seen


def read(context: Context, address: ItemKey[Any], *, consistent: bool) -> Steps[Item | None]:
    """The item at an address as it is, even if its time is over."""
    get = GetItem(
        context.table_name(address.model.table), address.key, consistent_read=consistent or None
    )
    got: GetItemOutput = yield from send(context.retry_policy, get)
    return got.item


def instance(address: ItemKey[E], item: Item) -> E:
    """The instance that an item holds, which must be of the address's entity."""
    return cast(E, instance_of(address.model, item))


def instance_of(model: Model, item: Item) -> Any:
    """The instance that an item holds, which must be of this entity."""
    if model.tag is not None:
        tag = item.get(model.tag[0])
        if tag is not None and tag.get("S") != model.tag[1]:
            raise ItemMismatch(
                f"expected an item tagged {model.tag[0]} = {model.tag[1]!r}, but got {tag}.",
                model.name,
            )
    return model.instance(item)


def stamped(item: E, plan: Plan) -> E:
    """The instance, with what the store set."""
    item.__dict__.update(plan.stamps)
    return item


# FROM unique.py: Find an item by a unique value: the marker names its owner.


def find(context: Context, taken: UniqueValue[E]) -> Steps[E | None]:
    """The item that has a unique value; None if nobody has it, or had it and gave it up."""
    check_taken(taken)
    model = model_of(taken.entity)
    marker = model.uniques[taken.unique]
    key = marker.lookup_key(taken.values)
    get_marker = GetItem(context.table_name(model.table), key, consistent_read=True)
    got: GetItemOutput = yield from send(context.retry_policy, get_marker)
    if got.item is None:
        return None
    owner = marker.owner(got.item)
    item = yield from get(context, ItemKey(taken.entity, owner, {}), consistent=True)
    if item is None or marker.key(item.__dict__) != key:
        return None
    return item
