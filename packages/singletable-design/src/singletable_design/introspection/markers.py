"""Recognize the marker items of unique values, and infer unique constraints from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dynamodb_engine.values import Item
from singletable.schema import Table
from singletable.schema.key_template import SEPARATOR, unescape
from singletable.schema.unique import OWNER
from singletable_design.introspection.entity_builder import EntityBuilder
from singletable_design.introspection.field_types import DataclassRegistry, is_word
from singletable_design.introspection.item_groups import ItemGroup, KeyShape, split_key
from singletable_design.introspection.spec import (
    ConcatParts,
    EntitySpec,
    FieldPart,
    KeyPart,
    TableSpec,
    UniqueSpec,
    UnmatchedItems,
)

REASON = (
    "They look like markers of unique values: each has the key of its owner. The store writes them "
    "if you declare Unique(…) with these keys on the owner's entity."
)


def pop_marker_groups(table: Table, groups: list[ItemGroup]) -> list[ItemGroup]:
    """Remove the groups of markers from `groups` and return them."""
    names = {f"{OWNER}{attribute.name}" for attribute in table.key_attributes}
    markers = [group for group in groups if all(names <= set(item) for item in group.items)]
    for group in markers:
        groups.remove(group)
    return markers


def unmatched_markers(group: ItemGroup) -> UnmatchedItems:
    """Return markers for which no unique constraint could be inferred."""
    return UnmatchedItems(group.shape, group.items, REASON)


def add_unique(spec: TableSpec, group: ItemGroup) -> TableSpec | None:
    """Return the table with a unique constraint inferred from these markers, or None."""
    for at, entity in enumerate(spec.entities):
        owners = {_key(spec.table, item): item for item in entity.items}
        keys = [_key(spec.table, item, OWNER) for item in group.items]
        if keys and all(key in owners for key in keys):
            unique = _infer_unique(spec.table, entity, [owners[key] for key in keys], group)
            if unique is None:
                return None
            changed = replace(entity, uniques=(*entity.uniques, unique))
            entities = [*spec.entities[:at], changed, *spec.entities[at + 1 :]]
            return replace(spec, entities=entities)
    return None


def _key(table: Table, item: Item, prefix: str = "") -> str:
    return str([item[f"{prefix}{attribute.name}"] for attribute in table.key_attributes])


def _infer_unique(
    table: Table, entity: EntitySpec, owners: Sequence[Item], group: ItemGroup
) -> UniqueSpec | None:
    values = {
        field.name: [owner.get(field.attribute) for owner in owners] for field in entity.fields
    }
    stored = {field.name: field for field in entity.fields if field.stored and field.role is None}
    builder = EntityBuilder(table, owners, None, DataclassRegistry(), fields=stored, values=values)
    used: list[FieldPart] = []
    sides = [
        _match_parts(builder, attribute.name, shape, separator, group, used)
        for attribute, shape, separator in zip(
            table.key_attributes, (group.pk, group.sk), group.separators, strict=False
        )
    ]
    pk, sk = (*sides, ())[:2]
    if pk is None or sk is None or len(used) != 1:
        return None
    known = {*(one.name for one in table.key_attributes), table.ttl}
    others = {name for item in group.items for name in item if not name.startswith(OWNER)} - known
    return None if others else UniqueSpec(f"one_{used[0].field}", used[0], pk, sk or None)


def _match_parts(
    builder: EntityBuilder,
    attribute: str,
    shape: KeyShape,
    separator: str,
    group: ItemGroup,
    used: list[FieldPart],
) -> tuple[KeyPart, ...] | None:
    parts: list[KeyPart] = []
    for at, constant in enumerate(shape):
        parts += [separator] if separator != SEPARATOR and at else []
        texts = [unescape(split_key(item, attribute, separator)[at]) for item in group.items]
        field = None if constant is not None else builder.find_key_field(texts, "")
        if constant is not None:
            parts.append(constant)
        elif field is not None:
            parts.append(replace(field, repeated=field in used))
            if field not in used:
                used.append(field)
        elif len(set(texts)) == 1 and is_word(texts[0]):
            parts.append(texts[0])
        else:
            return None
    return tuple(parts) if separator == SEPARATOR else ConcatParts(parts)
