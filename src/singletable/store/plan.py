"""What must be written for one change to one item, companions included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from singletable import expressions
from singletable.errors import NotFound
from singletable.expressions import (
    Add,
    At,
    Compare,
    Constant,
    Exists,
    NotExists,
    Or,
    Remove,
    Set,
    apply_update,
    value_at,
)
from singletable.schema import Attr, Condition, Edit, ItemKey, Model, ResolvedKey, counters_of
from singletable.store.companions import companions, watched
from singletable.store.context import Context
from singletable.store.held import held
from singletable.store.ttl import is_free, is_there
from singletable.store.validation import node_of
from singletable.store.write_errors import exists_already, not_met, refused, version_asked
from singletable.store.writes import Explain, Write, both
from singletable.values import Item


@dataclass(frozen=True, slots=True)
class Plan:
    """The writes of one change, the item itself first; and what the instance has after it."""

    writes: list[Write]
    stamps: Mapping[str, object]
    # The item as an update leaves it, as far as it was read.
    after: Item | None = None


def plan_create(
    context: Context,
    model: Model,
    instance: Any,
    if_: Condition[Any] | None,
    seen: Item | None = None,
) -> Plan:
    """Store an item where there is none."""
    now = context.clock()
    stamps = _stamps(model, instance, now, version=1)
    item = _item(model, {**instance.__dict__, **stamps})
    key = key_of(model, item)
    main = Write(
        "put",
        context.table_name(model.table),
        key,
        exists_already(model, _address(model, instance), now),
        item=item,
        condition=both(is_free(model, now), node_of(model, if_)),
        guard=_guard(model, seen, watched(model)) if reads_before_create(model) else None,
    )
    return Plan([main, *companions(context, model, key, seen, item, now)], stamps)


def plan_put(
    context: Context,
    model: Model,
    instance: Any,
    if_: Condition[Any] | None,
    seen: Item | None,
    *,
    must_exist: bool,
) -> Plan:
    """Store an item whether there is one or not, or only in place of one."""
    now = context.clock()
    field = model.role("version")
    read: int = instance.__dict__.get(field.name, 0) if field else 0
    stamps = _stamps(model, instance, now, version=read + 1)
    item = _item(model, {**instance.__dict__, **stamps})
    key, shown = key_of(model, item), _address(model, instance)
    condition = both(is_there(model, now) if must_exist else None, node_of(model, if_))
    explain: Explain
    if field is None:
        explain = refused(model, shown, now) if must_exist else not_met(model, shown)
    else:
        condition = both(condition, _is_version(model, field.attribute, read, now))
        explain = (
            refused(model, shown, now, read)
            if must_exist or read
            else exists_already(model, shown, now, versioned=True)
        )
    guard = None
    if reads_before_put(model):
        guard = _guard(model, seen, watched(model))
        if seen is not None:
            item, guard = _with_counts(model, item, seen, guard, stamps)
    main = Write(
        "put",
        context.table_name(model.table),
        key,
        explain,
        item=item,
        condition=condition,
        guard=guard,
    )
    return Plan([main, *companions(context, model, key, seen, item, now)], stamps)


def plan_delete(
    context: Context, address: ItemKey[Any], if_: Condition[Any] | None, seen: Item | None
) -> Plan:
    """Remove an item, if it is there."""
    model, now = address.model, context.clock()
    given = node_of(model, if_)
    condition = None if given is None else both(is_there(model, now), given)
    version = version_asked(model, given)
    guard = _guard(model, seen, watched(model)) if reads_before_delete(model) else None
    main = Write(
        "delete",
        context.table_name(model.table),
        address.key,
        refused(model, address, now, version) if version is not None else not_met(model, address),
        condition=condition,
        guard=guard,
    )
    return Plan([main, *companions(context, model, address.key, seen, None, now)], {})


def plan_check(context: Context, address: ItemKey[Any], condition: Condition[Any] | None) -> Plan:
    """Let a transaction happen only if an item is there, and meets a condition."""
    model, now = address.model, context.clock()
    given = node_of(model, condition)
    check = Write(
        "check",
        context.table_name(model.table),
        address.key,
        refused(model, address, now, version_asked(model, given)),
        condition=both(is_there(model, now), given),
    )
    return Plan([check], {})


def reads_before_create(model: Model) -> bool:
    """Whether a create must know what was there: an item whose time is over is still counted."""
    return bool(model.counts) and model.role("expires") is not None


def reads_before_put(model: Model) -> bool:
    """Whether a put must know what was there."""
    return reads_before_delete(model) or bool(counters_of(model.entity))


def reads_before_delete(model: Model) -> bool:
    """Whether a delete must know what was there."""
    return bool(model.uniques or model.counts)


def key_of(model: Model, item: Item) -> Item:
    """The key attributes of an item."""
    return {attribute.name: item[attribute.name] for attribute in model.table.key_attributes}


def unchanged(model: Model, seen: Item, fields: Sequence[str]) -> expressions.Condition | None:
    """The condition that these fields hold what was seen."""
    condition: expressions.Condition | None = None
    for name in sorted(fields):
        condition = both(condition, _still((model.fields[name].attribute,), seen))
    return condition


def _still(place: expressions.Path, seen: Item) -> expressions.Condition:
    value = value_at(place, seen)
    return NotExists(place) if value is None else Compare("=", At(place), Constant(value))


def _guard(model: Model, seen: Item | None, fields: set[str]) -> expressions.Condition:
    """The condition that what was read is still so."""
    pk = model.table.pk.name
    if seen is None:
        return NotExists((pk,))
    keys = set(model.key.fields)
    exists: expressions.Condition = Exists((pk,))
    return both(exists, unchanged(model, seen, sorted(fields - keys))) or exists


def _with_counts(
    model: Model,
    item: Item,
    seen: Item,
    guard: expressions.Condition,
    stamps: dict[str, object],
) -> tuple[Item, expressions.Condition]:
    """The item with the counts that are kept in it, which a put does not set back."""
    for path in counters_of(model.entity):
        count = value_at(path.document_path(), seen)
        if count is not None:
            item = apply_update((Set(path.document_path(), Constant(count)),), item)
            field = model.fields[path.field]
            stamps[path.field] = field.codec().decode(item[field.attribute])
        guard = both(guard, _still(path.document_path(), seen)) or guard
    return item, guard


def _is_version(model: Model, attribute: str, read: int, now: datetime) -> expressions.Condition:
    """The condition that an item has the version that was read."""
    same = Compare("=", At((attribute,)), Constant({"N": str(read)}))
    if read:
        return same
    # Items from before the field was declared have none; they count as version 0.
    return Or(Or(NotExists((attribute,)), same), is_free(model, now))


def _item(model: Model, values: Mapping[str, object]) -> Item:
    if model.has_checks:
        model.codec.check(values)
    return model.item(values)


def _stamps(model: Model, instance: Any, now: datetime, *, version: int) -> dict[str, object]:
    """What the store itself sets."""
    stamps: dict[str, object] = {}
    for role, field in model.roles.items():
        match role:
            case "version":
                stamps[field.name] = version
            case "updated":
                stamps[field.name] = _as_held(field, now)
            case "created" if instance.__dict__.get(field.name) is None:
                stamps[field.name] = _as_held(field, now)
            case _:
                pass
    return stamps


def _as_held(field: Attr[Any], now: datetime) -> object:
    """The time as it will be read again."""
    codec = field.codec()
    return codec.decode(codec.encode(now))


def _address(model: Model, instance: Any) -> ItemKey[Any]:
    values = {name: instance.__dict__.get(name) for name in model.key.fields}
    return ItemKey(model.entity, {}, values)


# FROM plan_update.py: What must be written to change some fields of an item, so that its index ke
#
# The attributes of an index key are made of several fields, and an update may name only some.
# The rest is read, the key is made anew, and the write demands that what was read is still so.


def must_read(address: ItemKey[Any], edits: Sequence[Edit[Any]]) -> bool:
    """Whether the update cannot be made without knowing the item."""
    model = address.model
    touched = _touched(model, edits)
    if touched & watched(model):
        return True
    return not _needed(model, touched) <= _known(address, edits)


def may_read(model: Model, fields: set[str]) -> bool:
    """Whether an update of these fields cannot be made without knowing the item."""
    if fields & watched(model):
        return True
    return not _needed(model, fields) <= fields | set(model.key.fields)


def plan_update(
    context: Context,
    address: ItemKey[Any],
    edits: Sequence[Edit[Any]],
    if_: Condition[Any] | None,
    seen: Item | None,
    *,
    read: bool,
) -> Plan:
    """Change an item that is there; `read` says whether it was looked for, and seen or not."""
    model, now = address.model, context.clock()
    given = node_of(model, if_)
    condition = both(is_there(model, now), given)
    if read and seen is None:
        raise NotFound(f"{address} is not there.")
    touched = _touched(model, edits)
    needed = _needed(model, touched)
    actions = [*(edit.action for edit in edits), *_stamps_plan_update(model, now)]
    guard, new = None, None
    together: list[Write] = []
    if seen is not None:
        new = apply_update(tuple(actions), seen)
        if touched & watched(model):
            needed |= watched(model)
            together = companions(context, model, address.key, seen, new, now, touched)
        guard = unchanged(model, seen, sorted(needed - set(model.key.fields)))
        actions += _index_actions(address, touched, new)
    elif needed:
        places = {model.fields[name].attribute for name in needed}
        known = tuple(action for action in actions if action.path[0] in places)
        actions += _index_actions(address, touched, apply_update(known, _base(address)))
    main = Write(
        "update",
        context.table_name(model.table),
        address.key,
        refused(model, address, now, version_asked(model, given)),
        actions=tuple(actions),
        condition=condition,
        guard=guard,
    )
    return Plan([main, *together], {}, new)


def _touched(model: Model, edits: Sequence[Edit[Any]]) -> set[str]:
    kept = {one.name for role, one in model.roles.items() if role in ("version", "updated")}
    return {edit.field for edit in edits} | kept


def _needed(model: Model, touched: set[str]) -> set[str]:
    """All fields of the index keys that the update touches."""
    needed: set[str] = set()
    for access in model.indexes.values():
        if _affected(model, access, touched):
            needed |= _depends_on(model, access)
    return needed


def _affected(model: Model, access: ResolvedKey, touched: set[str]) -> bool:
    return bool(access.dedicated_attributes) and bool(_depends_on(model, access) & touched)


def _depends_on(model: Model, access: ResolvedKey) -> set[str]:
    if access.when is None:
        return set(access.fields)
    tested = {path[0] for path in access.condition_paths}
    return set(access.fields) | {
        name for name, field in model.fields.items() if field.attribute in tested
    }


def _known(address: ItemKey[Any], edits: Sequence[Edit[Any]]) -> set[str]:
    """The fields whose values after the update are known without reading it."""
    known = set(address.values)
    for edit in edits:
        match edit.action:
            case Set(path, Constant()) | Remove(path) if len(path) == 1:
                known.add(edit.field)
            case _:
                pass
    updated = address.model.role("updated")
    return known if updated is None else known | {updated.name}


def _base(address: ItemKey[Any]) -> Item:
    """What is known of the item from its address alone."""
    fields = address.model.fields
    return {
        fields[name].attribute: fields[name].codec().encode(value)
        for name, value in address.values.items()
        if fields[name].stored
    }


def _stamps_plan_update(model: Model, now: object) -> list[expressions.Action]:
    actions: list[expressions.Action] = []
    for role, field in model.roles.items():
        if role == "version":
            actions.append(Add(field.document_path(), {"N": "1"}))
        if role == "updated":
            actions.append(Set(field.document_path(), Constant(field.codec().encode(now))))
    return actions


def _index_actions(address: ItemKey[Any], touched: set[str], new: Item) -> list[expressions.Action]:
    model = address.model
    actions: list[expressions.Action] = []
    for access in model.indexes.values():
        if not _affected(model, access, touched):
            continue
        values = held(model, new, access.fields, address.values)
        attributes = model.index_attributes(access, values, new)
        for name in access.dedicated_attributes:
            if name in attributes:
                actions.append(Set((name,), Constant(attributes[name])))
            else:
                actions.append(Remove((name,)))
    return actions
