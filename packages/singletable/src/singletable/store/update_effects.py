"""The effects of a write: the index keys, markers and counters that change, and the read it needs.

The attributes of an index key are formatted from several fields, and an update may change only some
of them. Then the item is read first, and the key is formatted again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from msgspec import Struct

from dynamodb_engine import expressions
from dynamodb_engine.expressions import Constant, Remove, Set
from dynamodb_engine.values import Item
from singletable.errors import ItemMismatch
from singletable.schema import Edit, ItemKey, Model, ResolvedKey, counters_of
from singletable.store.decoder import decode_fields
from singletable.store.side_writes import side_write_fields


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
    """Return what these edits change: the same for all updates of the same fields."""
    edited = frozenset([edit.field for edit in edits])
    effects: UpdateEffects | None = model.derived.get((effects_of, edited))
    if effects is None:
        effects = model.derived[effects_of, edited] = _find_effects(model, edited)
    return effects


def _find_effects(model: Model, edited: frozenset[str]) -> UpdateEffects:
    changed, side_fields = frozenset(changed_fields(model, edited)), side_write_fields(model)
    return UpdateEffects(
        changed,
        frozenset(_index_fields(model, changed)),
        frozenset(side_fields if changed & side_fields else ()),
    )


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
    # A plan also asks for models that are not declared, about which nothing is remembered.
    effects = _find_effects(model, frozenset(fields))
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


def with_index_only(model: Model, item: Item) -> Item:
    """Return the item with attributes for the fields that only a key in an index has.

    Edits are applied to these attributes, which are not stored.
    """
    attributes: Item = {}
    for name in model.index_only:
        field, value = model.fields[name], model.key_only_value(name, item)
        if value is not None:
            attributes[field.attribute] = field.codec().encode(value)
    return {**without_index_only(model, item), **attributes}


def without_index_only(model: Model, item: Item) -> Item:
    """Return the item without attributes for the fields that only a key in an index has."""
    hidden = {model.fields[name].attribute for name in model.index_only}
    return {name: value for name, value in item.items() if name not in hidden}


def stored_actions(model: Model, actions: Sequence[expressions.Action]) -> list[expressions.Action]:
    """Return the actions without those on fields that are only in an index key."""
    hidden = {model.fields[name].attribute for name in model.index_only}
    return [action for action in actions if action.path[0] not in hidden]


def index_actions(
    key: ItemKey[Any], edited: AbstractSet[str], new: Item, old: Item | None = None
) -> list[expressions.Action]:
    """Return the actions that set or remove the index keys that the update changes.

    `new` has attributes for the fields that only a key in an index has. Raises ItemMismatch if the
    keys of the stored item, `old`, are not those that its fields render.
    """
    model = key.model
    actions: list[expressions.Action] = []
    for access in model.indexes.values():
        if not _is_affected(model, access, edited):
            continue
        if old is not None and access.checked:
            names = {name for one in model.indexes.values() for name in one.fields}
            values = decode_fields(model, old, names)
            try:
                model.check_index_keys(old, values, [access])
            except ItemMismatch as error:
                error.key = key.key
                raise
        known: dict[str, object] = dict(key.values)
        for name in model.index_only:
            field, value = model.fields[name], new.get(model.fields[name].attribute)
            known[name] = None if value is None else field.codec().decode(value)
        values = decode_fields(model, new, access.fields, known)
        attributes = model.index_attributes(access, values, new)
        for name in access.dedicated_attributes:
            if name in attributes:
                actions.append(Set((name,), Constant(attributes[name])))
            else:
                actions.append(Remove((name,)))
    return actions
