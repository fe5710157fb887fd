"""The entities of a table, each drafted from the items of one group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from singletable.drafting.drafted import DraftEntity, DraftField, FieldPart
from singletable.drafting.entity_names import entity_names
from singletable.drafting.grouping import Group
from singletable.drafting.index_keys import index_keys, made_for_indexes
from singletable.drafting.keys import Known, primary_key, raw_key
from singletable.drafting.kinds import Kind, Records, kind_of
from singletable.drafting.making import Making
from singletable.drafting.names import free, snake
from singletable.schema import Table
from singletable.values import AttributeValue

_VERSIONS = ("version", "_version", "lock_version", "lockVersion", "_v")
_TTL_NAMES = ("ttl", "expiry", "expires", "expiration", "expiration_time")


def draft_entities(
    table: Table, groups: Sequence[Group], tag: str | None, records: Records
) -> list[DraftEntity]:
    """An entity for each group. Names that some entities have for a value help others to theirs."""
    names = entity_names(table, groups, records.taken)
    records.taken |= {*names}
    known = _known(
        [
            _draft(table, group, name, tag, Records(), {})
            for group, name in zip(groups, names, strict=True)
        ]
    )
    return [
        _draft(table, group, name, tag, records, known)
        for group, name in zip(groups, names, strict=True)
    ]


def _known(entities: Sequence[DraftEntity]) -> Known:
    """The names of fields by the words that stand before them in keys."""
    known: dict[str, list[str]] = defaultdict(list)
    for entity in entities:
        stored = {field.name for field in entity.fields if field.stored}
        for parts in (entity.key.pk, entity.key.sk or ()):
            for word, part in pairwise(parts):
                if isinstance(word, str) and isinstance(part, FieldPart) and part.field in stored:
                    known[word].append(part.field)
    return known


def _draft(
    table: Table, group: Group, name: str, tag: str | None, records: Records, known: Known
) -> DraftEntity:
    making = Making(table, group.items, tag if group.tag is not None else None, records)
    skipped = {one.name for one in table.key_attributes} | made_for_indexes(making)
    for attribute in dict.fromkeys(name for item in group.items for name in item):
        if attribute not in skipped and attribute != making.tag:
            _add(making, attribute)
    key = raw_key(making) if group.raw else primary_key(making, group.pk, group.sk, known)
    if group.raw:
        making.notes.append(f"The keys are kept as they are: {group.raw}")
    indexes = index_keys(making, key)
    return DraftEntity(
        name,
        None if making.tag is None or group.tag is None else (making.tag, group.tag),
        _ordered(making, key.pk, key.sk or ()),
        key,
        tuple(indexes),
        items=group.items,
        notes=tuple(making.notes),
    )


def _add(making: Making, attribute: str) -> None:
    """A field for an attribute of the items."""
    held = [_but_null(value) for value in making.column(attribute)]
    there = [value for value in held if value is not None]
    if attribute == making.table.ttl:
        _add_expiry(making, attribute, held, there)
        return
    kind = kind_of(attribute, there, making.records) if there else Kind("Any")
    if len(there) < sum(attribute in item for item in making.items):
        making.notes.append(
            f"{attribute!r} is NULL in some items; written again, it is left out instead."
        )
    counts = kind.text == "int" and attribute in _VERSIONS and len(there) == len(held)
    made = DraftField(
        "version" if counts and snake(attribute) == "version" else _name(making, attribute),
        attribute,
        kind,
        optional=len(there) < len(held) and kind.text != "Any",
        role="version" if counts and len({one["N"] for one in there}) > 1 else None,
    )
    if made.name == "version" and made.role is None:
        made = replace(made, name=free("version", making.fields))
    making.fields[made.name] = made
    making.held[made.name] = held


def _add_expiry(
    making: Making,
    attribute: str,
    held: Sequence[AttributeValue | None],
    there: Sequence[AttributeValue],
) -> None:
    if not there or not all("N" in one and one["N"].isdigit() for one in there):
        making.notes.append(
            f"{attribute!r} is the table's time to live, but some items hold no whole number of "
            "seconds there. It is kept as it is, and no field shows it."
        )
        return
    plain = snake(attribute)
    name = free("expires_at" if plain in _TTL_NAMES else plain, making.fields)
    made = DraftField(
        name, attribute, Kind("datetime"), optional=len(there) < len(held), role="expires"
    )
    making.fields[name] = made
    making.held[name] = list(held)


def _but_null(value: AttributeValue | None) -> AttributeValue | None:
    return None if value is None or "NULL" in value else value


def _name(making: Making, attribute: str) -> str:
    return free(snake(attribute), making.fields)


def _ordered(making: Making, *keys: Sequence[object]) -> tuple[DraftField, ...]:
    """The fields of the key first, those that the store keeps last."""
    in_key = [part.field for parts in keys for part in parts if isinstance(part, FieldPart)]
    names = dict.fromkeys((*in_key, *making.fields))
    fields = [making.fields[name] for name in names]
    return tuple(sorted(fields, key=lambda field: field.role is not None))
