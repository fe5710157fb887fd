"""Items under a former format of their key: where they are, and how a write moves them.

Rule 1. Programs that declare an old key never create an item under it. So if there is no item under
        the old key, there never will be, and a write is planned as usual, for the new key.
Rule 2. The write of an item under an old key is one transaction: it puts the item under the new
        key, which must be free, and deletes the old one, which must not have changed. Markers of
        unique values are handed over.
Rule 3. A read of an item looks under the new key, the old keys, and again under the new one, where
        another program may have moved the item meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from singletable.errors import InvalidValue
from singletable.expressions import NotExists, apply_update, holds
from singletable.retry import Steps
from singletable.schema import ItemKey, Model, ResolvedKey
from singletable.store.context import Context
from singletable.store.plan import Plan, plan_delete
from singletable.store.side_writes import plan_side_writes, release_old_values
from singletable.store.versioned_writes import PlanWrite, read_item, unchanged
from singletable.values import Item, key_bytes


def old_keys_of(key: ItemKey[Any]) -> list[Item]:
    """Return the old keys that an item with this key may have."""
    candidates = (_attributes(old, key.values) for old in key.model.old_keys)
    return [candidate for candidate in candidates if candidate is not None]


def _attributes(old: ResolvedKey, values: Mapping[str, object]) -> Item | None:
    try:
        return old.attributes(values)
    except InvalidValue:
        return None  # the new key was declared for such values


def has_key(model: Model, item: Item, key: ItemKey[Any]) -> bool:
    """Return whether an item under an old key is the one with this key.

    A part that was added to the key is not in the old one, so several items have that.
    """
    rendered = model.key.attributes(model.values(item)) or {}
    return rendered.keys() == key.key.keys() and all(
        key_bytes(rendered[name]) == key_bytes(value) for name, value in key.key.items()
    )


def find_old_item(
    context: Context, key: ItemKey[Any], *, consistent: bool = True
) -> Steps[Item | None]:
    """Return the stored item if it is under an old key, even if it has expired."""
    model = key.model
    for candidate in old_keys_of(key):
        table = context.table_name(model.table)
        item = yield from context.read(table, candidate, consistent=consistent)
        if item is not None and has_key(model, item, key):
            return item
    return None


def get_moved_item(context: Context, key: ItemKey[Any], *, consistent: bool) -> Steps[Item | None]:
    """Return an item that was not found under its new key."""
    found = yield from find_old_item(context, key, consistent=consistent)
    if found is None:
        found = yield from read_item(context, key, consistent=True)
    return found


def choose_item(
    key: ItemKey[Any], item: Item | None, candidates: Sequence[Item | None]
) -> Item | None:
    """Return the item under the new key, or else the one of the candidates that has this key."""
    if item is not None:
        return item
    model = key.model
    return next((one for one in candidates if one and has_key(model, one, key)), None)


def plan_old_item(context: Context, key: ItemKey[Any], plan: PlanWrite) -> Steps[Plan | None]:
    """Plan the write of an item under an old key; None if it is not under one.

    `plan` plans it as if the item were under the new key.
    """
    if not key.model.old_keys:
        return None
    stored = yield from find_old_item(context, key)
    if stored is None:
        return None
    current = key.model.rekeyed(stored)
    return plan_move(context, key, plan(current), current, stored)


def plan_move(context: Context, key: ItemKey[Any], plan: Plan, current: Item, stored: Item) -> Plan:
    """Return the plan for an item under an old key, given the plan for it under the new key."""
    model = key.model
    write = plan.writes[0]
    if write.condition is not None and not holds(write.condition, current):
        raise write.error(current)
    old_key: ItemKey[Any] = ItemKey(model.entity, model.table_key(stored), key.values)
    guard = unchanged(model, stored)
    if write.kind == "check":
        check = replace(write, key=old_key.key, condition=None, guard=guard)
        return Plan([check], plan.stamps, current, plan.after)
    deletion = plan_delete(context, old_key, None, current)
    deletion.writes.extend(release_old_values(context, model, stored, current, context.clock()))
    delete = replace(deletion.writes[0], condition=None, guard=guard, error=write.error)
    if write.kind == "delete":
        return Plan([delete, *deletion.writes[1:]], plan.stamps, current)
    item = write.item
    if item is None:
        item = model.stored(apply_update(write.actions, current))
    put = replace(
        write,
        kind="put",
        item=item,
        actions=(),
        condition=None,
        guard=NotExists((model.table.pk.name,)),
    )
    new = model.upgraded(item)
    side_writes = plan_side_writes(context, model, key.key, None, new, context.clock())
    writes = [put, *side_writes, delete, *deletion.writes[1:]]
    return Plan(writes, plan.stamps, current, new)
