"""Markers of unique values: items that hold the key of their owner, and belong to its entity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from singletable.drafting.drafted import (
    DraftEntity,
    DraftTable,
    DraftUnique,
    FieldPart,
    Part,
    Unplaced,
)
from singletable.drafting.grouping import Column, Group, parts_of
from singletable.drafting.kinds import Records
from singletable.drafting.making import Making
from singletable.drafting.text import is_word
from singletable.schema import Table
from singletable.schema.key_template import unescape
from singletable.schema.unique import OWNER
from singletable.values import Item

WHY = (
    "They look like the markers of unique values: each names the key of its owner. They come by "
    "themselves once Unique(…) is declared on the entity that owns them, with these keys."
)


def take_markers(table: Table, groups: list[Group]) -> list[Group]:
    """Take the groups of markers out."""
    names = {f"{OWNER}{attribute.name}" for attribute in table.key_attributes}
    markers = [group for group in groups if all(names <= set(item) for item in group.items)]
    for group in markers:
        groups.remove(group)
    return markers


def left_alone(group: Group) -> Unplaced:
    """Markers whose owners are not known well enough."""
    return Unplaced(group.shape, group.items, WHY)


def with_unique(drafted: DraftTable, group: Group) -> DraftTable | None:
    """The draft with a unique value that has these markers; None if none is found that has."""
    for at, entity in enumerate(drafted.entities):
        owners = {_key(drafted.table, item): item for item in entity.items}
        keys = [_key(drafted.table, item, OWNER) for item in group.items]
        if keys and all(key in owners for key in keys):
            unique = _unique(drafted.table, entity, [owners[key] for key in keys], group)
            if unique is None:
                return None
            made = replace(entity, uniques=(*entity.uniques, unique))
            entities = [*drafted.entities[:at], made, *drafted.entities[at + 1 :]]
            return replace(drafted, entities=entities)
    return None


def _key(table: Table, item: Item, prefix: str = "") -> str:
    return str([item[f"{prefix}{attribute.name}"] for attribute in table.key_attributes])


def _unique(
    table: Table, entity: DraftEntity, owners: Sequence[Item], group: Group
) -> DraftUnique | None:
    held = {field.name: [owner.get(field.attribute) for owner in owners] for field in entity.fields}
    stored = {field.name: field for field in entity.fields if field.stored and field.role is None}
    making = Making(table, owners, None, Records(), fields=stored, held=held)
    used: list[FieldPart] = []
    pk = _parts(making, table.pk.name, group.pk, group, used)
    sk = () if table.sk is None else _parts(making, table.sk.name, group.sk, group, used)
    if pk is None or sk is None or len(used) != 1:
        return None
    known = {*(one.name for one in table.key_attributes), table.ttl}
    others = {name for item in group.items for name in item if not name.startswith(OWNER)} - known
    return None if others else DraftUnique(f"one_{used[0].field}", used[0], pk, sk or None)


def _parts(
    making: Making, attribute: str, column: Column, group: Group, used: list[FieldPart]
) -> tuple[Part, ...] | None:
    parts: list[Part] = []
    for at, fixed in enumerate(column):
        texts = [unescape(parts_of(item, attribute)[at]) for item in group.items]
        told = None if fixed is not None else making.telling(texts, "")
        if fixed is not None:
            parts.append(fixed)
        elif told is not None:
            parts.append(replace(told, again=told in used))
            if told not in used:
                used.append(told)
        elif len(set(texts)) == 1 and is_word(texts[0]):
            parts.append(texts[0])
        else:
            return None
    return tuple(parts)
