"""Read and write one item: get, find, create, put, replace, update, delete."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar, cast

from msgspec.structs import replace

from singletable.errors import InternalError, InvalidValue, ItemMismatch, SingleTableError
from singletable.operations import GetItem, GetItemOutput
from singletable.retry import Steps, send
from singletable.schema import Condition, Edit, ItemKey, UniqueValue, key_of, model_of
from singletable.store.commit import Planner, commit
from singletable.store.context import Context
from singletable.store.decoder import decode_item, decode_result
from singletable.store.old_keys import get_moved_item, plan_old_item
from singletable.store.plan import (
    Plan,
    effects_of,
    plan_check,
    plan_create,
    plan_delete,
    plan_put,
    plan_update,
    reads_before_delete,
    reads_before_put,
    reads_before_update,
)
from singletable.store.raw_decoder import raw_decoder
from singletable.store.sequences import check_number, lacks_number, set_number, take_number
from singletable.store.side_writes import skip_correct_markers
from singletable.store.ttl import is_visible
from singletable.store.validation import check_edits, check_key, check_unique_value, model_of_item
from singletable.store.versioned_writes import plan_for_version, read_item, read_on_retry
from singletable.values import Item, item_from_json

E = TypeVar("E")

# Which state of the item an update returns.
State: TypeAlias = Literal["old", "new"]


def get(context: Context, key: ItemKey[E], *, consistent: bool) -> Steps[E | None]:
    """Return the item, or None if it does not exist or has expired."""
    check_key(key)
    model = key.model
    get = GetItem(context.table_name(model.table), key.key, consistent_read=consistent or None)
    output: GetItemOutput = yield from send(context.retry_policy, get)
    raw = output.raw_item
    if raw is None:
        if not model.old_keys:
            return None
        return cast("E | None", (yield from _get_moved(context, key, consistent=consistent)))
    if "expires" in model.roles and not is_visible(context, model, item_from_json(raw)):
        return None
    return cast(E, raw_decoder(model)(raw))


def _get_moved(context: Context, key: ItemKey[Any], *, consistent: bool) -> Steps[Any]:
    item = yield from get_moved_item(context, key, consistent=consistent)
    if item is None or not is_visible(context, key.model, item):
        return None
    return decode_item(key.model, item)


def find(context: Context, value: UniqueValue[E]) -> Steps[E | None]:
    """Return the item that the marker of a unique value names, or None."""
    check_unique_value(value)
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
    if item is None and model.old_keys:
        # The item may have moved to its new key since the marker was read.
        output = yield from send(context.retry_policy, get_marker)
        owner = ItemKey(value.entity, marker.owner(output.item or {}), {})
        item = (yield from get(context, owner, consistent=True)) if owner.key else None
    # The marker of a released value still names its last owner.
    if item is None or marker.key(item.__dict__) != marker_key:
        return None
    return item


def _types(key: Item) -> dict[str, str]:
    return {name: next(iter(value)) for name, value in key.items()}


def create(context: Context, item: E, if_: Condition[E] | None) -> Steps[E]:
    """Store an item that does not exist yet."""
    model = model_of_item(item)
    if lacks_number(model, item):
        numbered = yield from take_number(context, model, item, if_)
        plan, _ = yield from commit(context, lambda: prepare_create(context, numbered, if_))
        set_number(model, item, numbered)
        return apply_stamps(item, plan)
    plan, _ = yield from commit(context, lambda: prepare_create(context, item, if_))
    return apply_stamps(item, plan)


def put(context: Context, item: E, if_: Condition[E] | None, *, must_exist: bool) -> Steps[E]:
    """Store an item over the one with its key."""
    plan, _ = yield from commit(context, put_planner(context, item, if_, must_exist=must_exist))
    return apply_stamps(item, plan)


def update(
    context: Context,
    key: ItemKey[E],
    edits: Sequence[Edit[E]],
    if_: Condition[E] | None,
    returning: State,
) -> Steps[E]:
    """Edit an existing item and return it, as it is or as it was."""
    if returning not in ("old", "new"):
        raise InvalidValue(f"returning: expected 'old' or 'new', but got {returning!r}.")
    plan, output = yield from commit(
        context,
        update_planner(context, key, edits, if_),
        "ALL_OLD" if returning == "old" else "ALL_NEW",
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
    item = yield from read_back(context, key, plan)
    return cast(E, decode_result(key.model, item, "updated"))


def read_back(context: Context, key: ItemKey[Any], plan: Plan) -> Steps[Item]:
    """Return the item after a transaction; as it was planned if it cannot be read."""
    try:
        stored = yield from read_item(context, key, consistent=True)
    except SingleTableError as error:
        if plan.after is None:
            raise InternalError(f"{key} was written, but cannot be read: {error}") from error
        stored = None
    return stored or plan.after or {}


def delete(context: Context, key: ItemKey[E], if_: Condition[E] | None) -> Steps[E | None]:
    """Delete an item and return it, or None if it did not exist."""
    plan, output = yield from commit(context, delete_planner(context, key, if_), "ALL_OLD")
    deleted = plan.before if output is None else output.attributes
    if deleted is None or not is_visible(context, key.model, deleted):
        return None
    return cast(E, decode_result(key.model, deleted, "deleted"))


def prepare_create(context: Context, item: object, if_: Condition[Any] | None) -> Steps[Plan]:
    """Plan a create, which reads nothing before it writes, except what may be under an old key."""
    model = model_of_item(item)
    if model.old_keys:
        plan = partial(plan_create, context, model, item, if_)
        moved = yield from plan_old_item(context, key_of(item), lambda _: plan())
        if moved is not None:
            return moved
    return plan_create(context, model, item, if_)


def put_planner(
    context: Context, item: object, if_: Condition[Any] | None, *, must_exist: bool
) -> Planner:
    """Return what plans a put, after reading the old item and its markers if necessary."""
    if model_of_item(item).versions is None:
        return lambda: _prepare_put(context, item, if_, must_exist=must_exist)
    return read_on_retry(
        lambda retry: _prepare_put(context, item, if_, must_exist=must_exist, retry=retry)
    )


def _prepare_put(
    context: Context,
    item: object,
    if_: Condition[Any] | None,
    *,
    must_exist: bool,
    retry: bool = False,
) -> Steps[Plan]:
    model = model_of_item(item)
    check_number(model, item)
    reads = reads_before_put(model)
    if model.old_keys:
        plan_old = partial(plan_put, context, model, item, if_, must_exist=must_exist)
        if (moved := (yield from plan_old_item(context, key_of(item), plan_old))) is not None:
            return moved
    if model.versions is not None and (reads or if_ is not None):
        plan_read = partial(plan_put, context, model, item, if_, must_exist=must_exist)
        plan_unread = None if reads or retry else partial(plan_read, None)
        return (yield from plan_for_version(context, key_of(item), plan_unread, plan_read))
    old = None
    if reads:
        old = yield from read_item(context, key_of(item), consistent=True)
    plan = plan_put(context, model, item, if_, old, must_exist=must_exist)
    if not model.uniques:
        return plan
    return replace(plan, writes=(yield from skip_correct_markers(context, plan.writes)))


def update_planner(
    context: Context,
    key: ItemKey[Any],
    edits: Sequence[Edit[Any]],
    if_: Condition[Any] | None,
) -> Planner:
    """Return what plans an update, after reading the old item if necessary."""
    check_key(key)
    if key.model.versions is None:
        return lambda: _prepare_update(context, key, edits, if_)
    return read_on_retry(lambda retry: _prepare_update(context, key, edits, if_, retry=retry))


def _prepare_update(
    context: Context,
    key: ItemKey[Any],
    edits: Sequence[Edit[Any]],
    if_: Condition[Any] | None,
    *,
    retry: bool = False,
) -> Steps[Plan]:
    check_edits(key.model, key, edits)
    if not edits:
        # Nothing to write: neither the version nor the timestamp changes.
        return (yield from _prepare_check(context, key, if_, retry=retry))
    effects, old = effects_of(key.model, edits), None
    must_read = reads_before_update(key, edits, effects)
    if key.model.old_keys:
        plan_old = partial(plan_update, context, key, edits, if_, effects=effects, was_read=True)
        if (moved := (yield from plan_old_item(context, key, plan_old))) is not None:
            return moved
    if key.model.versions is not None:
        plan = partial(plan_update, context, key, edits, if_, effects=effects)
        plan_unread = None if must_read or retry else partial(plan, None, was_read=False)
        return (
            yield from plan_for_version(context, key, plan_unread, partial(plan, was_read=True))
        )
    if must_read:
        old = yield from read_item(context, key, consistent=True)
    return plan_update(context, key, edits, if_, old, was_read=must_read, effects=effects)


def check_planner(context: Context, key: ItemKey[Any], condition: Condition[Any] | None) -> Planner:
    """Return what plans to check that an item exists, and satisfies a condition."""
    return read_on_retry(lambda retry: _prepare_check(context, key, condition, retry=retry))


def _prepare_check(
    context: Context, key: ItemKey[Any], condition: Condition[Any] | None, *, retry: bool
) -> Steps[Plan]:
    plan = partial(plan_check, context, key, condition)
    moved = yield from plan_old_item(context, key, lambda _: plan())
    if moved is not None:
        return moved
    if key.model.versions is None or condition is None:
        return plan()
    return (yield from plan_for_version(context, key, None if retry else plan, lambda _: plan()))


def delete_planner(context: Context, key: ItemKey[Any], if_: Condition[Any] | None) -> Planner:
    """Return what plans a delete, after reading the old item if necessary."""
    check_key(key)
    if key.model.versions is None:
        return lambda: _prepare_delete(context, key, if_)
    return read_on_retry(lambda retry: _prepare_delete(context, key, if_, retry=retry))


def _prepare_delete(
    context: Context, key: ItemKey[Any], if_: Condition[Any] | None, *, retry: bool = False
) -> Steps[Plan]:
    reads, old = reads_before_delete(key.model), None
    if key.model.old_keys:
        plan_old = partial(plan_delete, context, key, if_)
        if (moved := (yield from plan_old_item(context, key, plan_old))) is not None:
            return moved
    if key.model.versions is not None and (reads or if_ is not None):
        plan_read = partial(plan_delete, context, key, if_)
        plan_unread = None if reads or retry else partial(plan_read, None)
        return (yield from plan_for_version(context, key, plan_unread, plan_read))
    if reads:
        old = yield from read_item(context, key, consistent=True)
    return plan_delete(context, key, if_, old)


def apply_stamps(item: E, plan: Plan) -> E:
    """Set the fields that the store sets on an instance, and return it."""
    item.__dict__.update(plan.stamps)
    return item
