"""Plan a change of one item: the write of the item, its index keys, markers and counters.

The attributes of an index key are formatted from several fields, and an update may change only some
of them. Then the item is read first, the key is formatted again, and the write is guarded by the
condition that what was read has not changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any

from msgspec import Struct

from singletable import expressions
from singletable.errors import InvalidValue, NotFound
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
from singletable.schema import (
    Attr,
    Condition,
    Edit,
    ItemKey,
    Model,
    ResolvedKey,
    counters_of,
)
from singletable.schema.evolution import current_actions, depends_on_stored
from singletable.schema.item_encryption import seal_action
from singletable.store.context import Context
from singletable.store.decoder import decode_fields
from singletable.store.side_writes import plan_side_writes, side_write_fields
from singletable.store.ttl import item_absent, item_exists
from singletable.store.validation import condition_node
from singletable.store.write_errors import (
    already_exists,
    caller_condition_failed,
    expected_version,
    missing_or_changed,
)
from singletable.store.writes import ErrorFactory, Write, both, same_value
from singletable.values import Item


class Plan(Struct, frozen=True):
    """The writes of one change, the item itself first.

    `stamps` are the fields that the store sets: version and timestamps.
    """

    writes: list[Write]
    stamps: Mapping[str, object]
    # The item as it was, if it was read first; and as it will be after an update.
    before: Item | None = None
    after: Item | None = None


def plan_create(
    context: Context,
    model: Model,
    instance: Any,
    if_: Condition[Any] | None,
    *,
    keep_stamps: bool = False,
) -> Plan:
    """Plan to create an item; `keep_stamps` keeps the version and times that it already has."""
    now = context.clock()
    stamps = _stamps(model, instance, now, version=1, keep=keep_stamps)
    item = _encode(model, {**instance.__dict__, **stamps} if stamps else instance.__dict__)
    key = key_attributes(model, item)
    write = Write(
        "put",
        context.table_name(model.table),
        key,
        already_exists(model, _ShownKey(model, instance), now),
        item=item if model.versions is None else model.stored(item),
        condition=both(item_absent(model, now), condition_node(model, if_)),
    )
    return Plan([write, *plan_side_writes(context, model, key, None, item, now)], stamps)


def plan_put(
    context: Context,
    model: Model,
    instance: Any,
    if_: Condition[Any] | None,
    old: Item | None,
    *,
    must_exist: bool,
) -> Plan:
    """Plan to store an item over the one with its key; with `must_exist`, only over one."""
    now = context.clock()
    field = model.role("version")
    version: int = instance.__dict__.get(field.name, 0) if field else 0
    stamps = _stamps(model, instance, now, version=version + 1)
    item = _encode(model, {**instance.__dict__, **stamps})
    key, shown = key_attributes(model, item), _ShownKey(model, instance)
    condition = both(item_exists(model, now) if must_exist else None, condition_node(model, if_))
    error: ErrorFactory
    if field is None:
        error = (
            missing_or_changed(model, shown, now)
            if must_exist
            else caller_condition_failed(model, shown)
        )
    else:
        condition = both(condition, _has_version(model, field.attribute, version, now))
        error = (
            missing_or_changed(model, shown, now, version)
            if must_exist or version
            else already_exists(model, shown, now, versioned=True)
        )
    guard = None
    if reads_before_put(model):
        guard = _guard(model, old, side_write_fields(model))
        if old is not None:
            item, guard = _keep_counters(model, item, old, guard, stamps)
    write = Write(
        "put",
        context.table_name(model.table),
        key,
        error,
        item=item if model.versions is None else model.stored(item),
        condition=condition,
        guard=guard,
    )
    return Plan([write, *plan_side_writes(context, model, key, old, item, now)], stamps)


def plan_update(
    context: Context,
    key: ItemKey[Any],
    edits: Sequence[Edit[Any]],
    if_: Condition[Any] | None,
    old: Item | None,
    *,
    was_read: bool,
    effects: UpdateEffects | None = None,
) -> Plan:
    """Plan to edit an existing item; `old` is the item if it `was_read`, or None if missing."""
    model, now = key.model, context.clock()
    caller_condition = condition_node(model, if_)
    condition = both(item_exists(model, now), caller_condition)
    if was_read and old is None:
        raise NotFound(f"{key} does not exist.")
    effects = effects or effects_of(model, edits)
    edited, needed = effects.changed, effects.index_fields
    computed = _computed_fields(model, edits)
    actions = edit_actions(key, edits, old)
    if model.roles:
        actions += _stamp_actions(model, now)
    guard, new = None, None
    side_writes: list[Write] = []
    if old is not None:
        new = apply_update(tuple(actions), old)
        if effects.side_fields:
            needed |= effects.side_fields
            side_writes = plan_side_writes(context, model, key.key, old, new, now, edited)
        needed |= computed
        guard = _unchanged(model, old, sorted(needed - set(model.key.fields)))
        actions += _index_actions(key, edited, new)
    elif needed:
        attributes = {one for name in needed for one in model.fields[name].stored_names}
        known = tuple(action for action in actions if action.path[0] in attributes)
        actions += _index_actions(key, edited, apply_update(known, _key_fields_item(key)))
    write = Write(
        "update",
        context.table_name(model.table),
        key.key,
        missing_or_changed(model, key, now, expected_version(model, caller_condition)),
        actions=tuple(actions),
        condition=condition,
        guard=guard,
    )
    return Plan([write, *side_writes], {}, old, new)


def edit_actions(
    key: ItemKey[Any], edits: Sequence[Edit[Any]], old: Item | None = None
) -> list[expressions.Action]:
    """Return the actions of the edits, with encrypted values sealed for the item with this key.

    `old` is the item if it was read.
    """
    model = key.model
    actions = [edit.action for edit in edits]
    if model.evolved:
        current = None if old is None else model.current(model.decrypted(old))
        actions = current_actions(model.evolved, actions, current)
    if model.encrypted:
        actions = [seal_action(model.encrypted, action, key.key) for action in actions]
    return actions


def plan_delete(
    context: Context, key: ItemKey[Any], if_: Condition[Any] | None, old: Item | None
) -> Plan:
    """Plan to delete an item, if it exists."""
    model, now = key.model, context.clock()
    caller_condition = condition_node(model, if_)
    version = expected_version(model, caller_condition)
    write = Write(
        "delete",
        context.table_name(model.table),
        key.key,
        caller_condition_failed(model, key)
        if version is None
        else missing_or_changed(model, key, now, version),
        condition=None
        if caller_condition is None
        else both(item_exists(model, now), caller_condition),
        guard=_guard(model, old, side_write_fields(model)) if reads_before_delete(model) else None,
    )
    return Plan([write, *plan_side_writes(context, model, key.key, old, None, now)], {}, old)


def plan_check(context: Context, key: ItemKey[Any], condition: Condition[Any] | None) -> Plan:
    """Plan to check that an item exists, and satisfies a condition, in a transaction."""
    model, now = key.model, context.clock()
    caller_condition = condition_node(model, condition)
    check = Write(
        "check",
        context.table_name(model.table),
        key.key,
        missing_or_changed(model, key, now, expected_version(model, caller_condition)),
        condition=both(item_exists(model, now), caller_condition),
    )
    return Plan([check], {})


def reads_before_put(model: Model) -> bool:
    """Return whether a put reads the old item."""
    return reads_before_delete(model) or bool(counters_of(model.entity))


def reads_before_delete(model: Model) -> bool:
    """Return whether a delete reads the old item."""
    return bool(model.uniques or model.counts)


def reads_before_update(
    key: ItemKey[Any], edits: Sequence[Edit[Any]], effects: UpdateEffects
) -> bool:
    """Return whether this update, with these effects, reads the old item."""
    if _computed_fields(key.model, edits):
        return True
    if effects.side_fields or not effects.index_fields:
        return bool(effects.side_fields)
    return not effects.index_fields <= _known_fields(key, edits)


def reads_before_edits(model: Model, fields: AbstractSet[str], *, known: bool) -> bool:
    """Return whether an update of these fields reads the old item.

    With `known` all of them are set to values; without, at least one depends on the stored item,
    as after add() or set_if_missing().
    """
    values = {*model.key.fields, *(fields if known else ())}
    updated = model.role("updated")
    if updated is not None:
        values.add(updated.name)
    if not known and any(field.name in fields for field in model.evolved.values()):
        return True
    effects = _update_effects(model, frozenset(fields))
    return bool(effects.side_fields) or not effects.index_fields <= values


def unknown_index_fields(key: ItemKey[Any], edits: Sequence[Edit[Any]]) -> set[str]:
    """Return the fields of index keys that cannot be computed without the stored item."""
    return all_index_fields(key.model) - _known_fields(key, edits)


def all_index_fields(model: Model) -> set[str]:
    """Return the fields of index keys that the store formats, and of their conditions."""
    return {
        name
        for access in model.indexes.values()
        if access.dedicated_attributes
        for name in _dependencies(model, access)
    }


def changed_fields(model: Model, edited: Iterable[str]) -> set[str]:
    """Return the fields that an update of `edited` changes, with those that the store sets."""
    stamped = {field.name for role, field in model.roles.items() if role in ("version", "updated")}
    return {*edited, *stamped}


def key_attributes(model: Model, item: Item) -> Item:
    """Return the key attributes of an item."""
    table = model.table
    pk, sk = table.pk.name, table.sk
    return {pk: item[pk]} if sk is None else {pk: item[pk], sk.name: item[sk.name]}


class _ShownKey(Struct, frozen=True):
    """The key of an instance for error messages, formatted only when there is an error."""

    model: Model
    instance: Any

    def __str__(self) -> str:
        values = {name: self.instance.__dict__.get(name) for name in self.model.key.fields}
        return str(ItemKey(self.model.entity, {}, values))


def _encode(model: Model, values: Mapping[str, object]) -> Item:
    if model.has_checks:
        model.codec.check(values)
    return model.item(values)


def _guard(model: Model, old: Item | None, fields: set[str]) -> expressions.Condition:
    """Return the condition that these fields have not changed since the item was read."""
    pk = model.table.pk.name
    if old is None:
        return NotExists((pk,))
    exists: expressions.Condition = Exists((pk,))
    return both(exists, _unchanged(model, old, sorted(fields - set(model.key.fields)))) or exists


def _unchanged(model: Model, old: Item, fields: Sequence[str]) -> expressions.Condition | None:
    condition: expressions.Condition | None = None
    for name in fields:
        for attribute in model.fields[name].stored_names:
            condition = both(condition, same_value((attribute,), old))
    return condition


def _keep_counters(
    model: Model,
    item: Item,
    old: Item,
    guard: expressions.Condition,
    stamps: dict[str, object],
) -> tuple[Item, expressions.Condition]:
    """Return the item with the counters of `old`, which a put must not reset."""
    for path in counters_of(model.entity):
        count = value_at(path.document_path(), old)
        if count is not None:
            item = apply_update((Set(path.document_path(), Constant(count)),), item)
            field = model.fields[path.field]
            stamps[path.field] = field.codec().decode(item[field.attribute])
        guard = both(guard, same_value(path.document_path(), old)) or guard
    return item, guard


def _has_version(
    model: Model, attribute: str, version: int, now: datetime
) -> expressions.Condition:
    """Return the condition of optimistic locking."""
    same = Compare("=", At((attribute,)), Constant({"N": str(version)}))
    if version:
        return same
    # Items that are older than the version field have none, which is version 0.
    return Or(Or(NotExists((attribute,)), same), item_absent(model, now))


def _stamps(
    model: Model, instance: Any, now: datetime, *, version: int, keep: bool = False
) -> dict[str, object]:
    """Return the fields that the store sets: the version, and times as they will be read.

    `keep` keeps the version and the time of the last write that the instance has.
    """
    stamps: dict[str, object] = {}
    for role, field in model.roles.items():
        value = instance.__dict__.get(field.name)
        if role == "version":
            stamps[field.name] = value if keep and value else version
        elif role in ("created", "updated") and (value is None or (role == "updated" and not keep)):
            stamps[field.name] = _as_stored(field, now)
        elif role in ("created", "updated", "expires") and isinstance(value, datetime):
            stamps[field.name] = _as_stored(field, value)
    return stamps


def _as_stored(field: Attr[Any], time: datetime) -> object:
    """Return the time with the precision that it will have when it is read."""
    codec = field.codec()
    try:
        return codec.decode(codec.encode(time))
    except InvalidValue as error:
        raise InvalidValue(error.text, str(field)) from None


def _stamp_actions(model: Model, now: object) -> list[expressions.Action]:
    actions: list[expressions.Action] = []
    for role, field in model.roles.items():
        if role == "version":
            actions.append(Add(field.document_path(), {"N": "1"}))
        if role == "updated":
            actions.append(Set(field.document_path(), Constant(field.codec().encode(now))))
    return current_actions(model.evolved, actions, None) if model.evolved else actions


class UpdateEffects(Struct, frozen=True):
    """What an update of some fields changes.

    `changed` are the fields, with those that the store sets; `index_fields` are all fields of the
    index keys that change. `side_fields` are all fields that markers and counters depend on, or
    none if no marker or counter changes.
    """

    changed: frozenset[str]
    index_fields: frozenset[str]
    side_fields: frozenset[str]


def effects_of(model: Model, edits: Sequence[Edit[Any]]) -> UpdateEffects:
    """Return what these edits change."""
    return _update_effects(model, frozenset([edit.field for edit in edits]))


# Updates of the same fields of an entity are planned alike.
_EFFECTS: dict[tuple[type, frozenset[str]], UpdateEffects] = {}


def _update_effects(model: Model, edited: frozenset[str]) -> UpdateEffects:
    effects = _EFFECTS.get((model.entity, edited))
    if effects is None:
        changed, side_fields = frozenset(changed_fields(model, edited)), side_write_fields(model)
        effects = _EFFECTS[model.entity, edited] = UpdateEffects(
            changed,
            frozenset(_index_fields(model, changed)),
            frozenset(side_fields if changed & side_fields else ()),
        )
    return effects


def _index_fields(model: Model, edited: AbstractSet[str]) -> set[str]:
    """Return all fields of the index keys that an update of these fields changes."""
    fields: set[str] = set()
    for access in model.indexes.values():
        if _is_affected(model, access, edited):
            fields |= _dependencies(model, access)
    return fields


def _is_affected(model: Model, access: ResolvedKey, edited: AbstractSet[str]) -> bool:
    return bool(access.dedicated_attributes) and bool(_dependencies(model, access) & edited)


def _dependencies(model: Model, access: ResolvedKey) -> set[str]:
    """Return the fields of an index key, and of the condition on which it is set."""
    if access.when is None:
        return set(access.fields)
    tested = {path[0] for path in access.condition_paths}
    return set(access.fields) | {
        name for name, field in model.fields.items() if field.attribute in tested
    }


def _computed_fields(model: Model, edits: Sequence[Edit[Any]]) -> frozenset[str]:
    """Return the edited fields that are computed from a value stored under an old name."""
    if not model.evolved:
        return frozenset()
    return frozenset(
        edit.field
        for edit in edits
        if edit.action.path[0] in model.evolved and depends_on_stored(edit.action)
    )


def _known_fields(key: ItemKey[Any], edits: Sequence[Edit[Any]]) -> set[str]:
    """Return the fields that the update sets to known values, without reading the item."""
    known = set(key.values)
    for edit in edits:
        match edit.action:
            case Set(path, Constant()) | Remove(path) if len(path) == 1:
                known.add(edit.field)
            case _:
                pass
    updated = key.model.role("updated")
    return known if updated is None else known | {updated.name}


def _key_fields_item(key: ItemKey[Any]) -> Item:
    """Return the attributes that are known from the key alone."""
    fields = key.model.fields
    return {
        fields[name].attribute: fields[name].codec().encode(value)
        for name, value in key.values.items()
        if fields[name].stored
    }


def _index_actions(
    key: ItemKey[Any], edited: AbstractSet[str], new: Item
) -> list[expressions.Action]:
    """Return the actions that set or remove the index keys that the update changes."""
    model = key.model
    actions: list[expressions.Action] = []
    for access in model.indexes.values():
        if not _is_affected(model, access, edited):
            continue
        values = decode_fields(model, new, access.fields, key.values)
        attributes = model.index_attributes(access, values, model.current(new))
        for name in access.dedicated_attributes:
            if name in attributes:
                actions.append(Set((name,), Constant(attributes[name])))
            else:
                actions.append(Remove((name,)))
    return actions
