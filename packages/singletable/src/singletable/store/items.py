"""Read and write one item: get, find, create, put, replace, update, delete."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypeVar, cast

from dynamodb_engine.operations import GetItem, GetItemOutput
from dynamodb_engine.retry import send
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item, item_from_json
from singletable.errors import InternalError, InvalidValue, ItemMismatch, SingleTableError
from singletable.schema import Condition, Edit, ItemKey, UniqueValue, model_of
from singletable.store.commit import commit
from singletable.store.context import Context
from singletable.store.decoder import decode_result
from singletable.store.plan import Create, Delete, ItemChange, Plan, Put, Update
from singletable.store.raw_decoder import raw_decoder
from singletable.store.sequences import set_number, take_number
from singletable.store.ttl import is_visible
from singletable.store.validation import check_is, lacks_number, model_of_item

E = TypeVar("E")

# Which state of the item an update returns.
State: TypeAlias = Literal["old", "new"]


def get(context: Context, key: ItemKey[E], *, consistent: bool) -> Steps[E | None]:
    """Return the item, or None if it does not exist or has expired."""
    check_is(ItemKey, key)
    model = key.model
    get = GetItem(context.table_name(model.table), key.key, consistent_read=consistent or None)
    output: GetItemOutput = yield from send(context.retry_policy, get)
    raw = output.raw_item
    if raw is None:
        return None
    if "expires" in model.roles and not is_visible(context, model, item_from_json(raw)):
        return None
    return cast(E, raw_decoder(model)(raw))


def find(context: Context, value: UniqueValue[E]) -> Steps[E | None]:
    """Return the item that the marker of a unique value names, or None."""
    check_is(UniqueValue, value)
    model = model_of(value.entity)
    marker = model.uniques[value.unique]
    marker_key = marker.lookup_key(value.values)
    get_marker = GetItem(context.table_name(model.table), marker_key, consistent_read=True)
    output: GetItemOutput = yield from send(context.retry_policy, get_marker)
    if output.item is None:
        return None
    owner = ItemKey(value.entity, marker.owner(output.item), {})
    if _types(owner.key) != _types(marker_key):
        raise ItemMismatch("This marker of a unique value does not name its owner.", key=marker_key)
    item = yield from get(context, owner, consistent=True)
    # The owner may have changed its value since the marker was read.
    if item is None or marker.key(item.__dict__) != marker_key:
        return None
    return item


def _types(key: Item) -> dict[str, str]:
    return {name: next(iter(value)) for name, value in key.items()}


def create(context: Context, item: E, if_: Condition[E] | None) -> Steps[E]:
    """Store an item that does not exist yet."""
    model = model_of_item(item)
    created = item
    if lacks_number(model, item):
        created = yield from take_number(context, model, item, if_)
    plan, _ = yield from commit(context, Create(context, model, created, if_))
    if created is not item:
        set_number(model, item, created)
    return apply_stamps(item, plan)


def put(context: Context, item: E, if_: Condition[E] | None, *, must_exist: bool) -> Steps[E]:
    """Store an item over the one with its key."""
    change = Put(context, model_of_item(item), item, if_, must_exist=must_exist)
    plan, _ = yield from commit(context, change)
    return apply_stamps(item, plan)


def update(
    context: Context,
    key: ItemKey[E],
    edits: Sequence[Edit[E]],
    if_: Condition[E] | None,
    returning: State,
) -> Steps[E]:
    """Edit an existing item and return the new item, or the old one."""
    if returning not in ("old", "new"):
        raise InvalidValue(f"returning: expected 'old' or 'new', but got {returning!r}.")
    change = Update(context, key, edits, if_)
    plan, output = yield from commit(
        context, change, "ALL_OLD" if returning == "old" else "ALL_NEW"
    )
    if output is not None and output.raw_attributes is not None:
        try:
            return cast(E, raw_decoder(key.model)(output.raw_attributes))
        except ItemMismatch:
            item = item_from_json(output.raw_attributes)
            return cast(E, decode_result(key.model, item, "updated"))
    # A transaction returns no attributes.
    if returning == "old" and plan.before is not None:
        return cast(E, decode_result(key.model, plan.before, "updated"))
    item = yield from read_back(change, plan)
    return cast(E, decode_result(key.model, item, "updated"))


def read_back(change: ItemChange, plan: Plan) -> Steps[Item]:
    """Read the item after a transaction; if that fails, return the item that was planned."""
    try:
        stored = yield from change.read()
    except SingleTableError as error:
        if plan.after is None:
            key = change.item_key()
            raise InternalError(f"{key} was written, but cannot be read: {error}") from error
        stored = None
    return stored or plan.after or {}


def delete(context: Context, key: ItemKey[E], if_: Condition[E] | None) -> Steps[E | None]:
    """Delete an item and return it, or None if it did not exist."""
    plan, output = yield from commit(context, Delete(context, key, if_), "ALL_OLD")
    deleted = plan.before if output is None else output.attributes
    if deleted is None or not is_visible(context, key.model, deleted):
        return None
    return cast(E, decode_result(key.model, deleted, "deleted"))


def apply_stamps(item: E, plan: Plan) -> E:
    """Set the fields that the store sets on an instance, and return it."""
    item.__dict__.update(plan.stamps)
    return item
