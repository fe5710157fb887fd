"""The entities of a table, each drafted from the items of one group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from singletable.drafting.drafted import DraftEntity, DraftField, FieldPart, Role
from singletable.drafting.entity_names import entity_names
from singletable.drafting.expiry import NAMES
from singletable.drafting.grouping import Group
from singletable.drafting.index_keys import index_keys, made_for_indexes
from singletable.drafting.keys import Known, primary_key, raw_key
from singletable.drafting.kinds import Kind, Records, kind_of
from singletable.drafting.making import Making
from singletable.drafting.names import snake
from singletable.schema import Table
from singletable.values import AttributeValue

_VERSIONS = ("version", "_version", "lock_version", "lockVersion", "_v")


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
            # What begins the partition key goes by no word before it.
            for word, part in pairwise(("", *parts) if parts is entity.key.pk else parts):
                if isinstance(word, str) and isinstance(part, FieldPart) and part.field in stored:
                    known[word].append(part.field)
    return known


def _draft(
    table: Table, group: Group, name: str, tag: str | None, records: Records, known: Known
) -> DraftEntity:
    tag = tag if group.tag is not None else None
    making = Making(table, group.items, tag, records, group.called)
    if group.imagined:
        making.notes.append("There are no items of it; the types are those that were named.")
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
        items=() if group.imagined else group.items,
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
    optional = len(there) < len(held) and kind.text != "Any"
    counts = attribute in _VERSIONS and kind.text == "int" and not optional
    # What never changes counts nothing; it may be the version of a format.
    counts = counts and len({one["N"] for one in there}) > 1 and "version" not in making.fields
    name = "version" if counts else snake(attribute)
    role: Role | None = "version" if counts else None
    making.add(DraftField(name, attribute, kind, optional=optional, role=role), held)


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
    name = "expires_at" if plain in NAMES else plain
    optional = len(there) < len(held)
    making.add(DraftField(name, attribute, Kind("datetime"), optional, role="expires"), held)


def _but_null(value: AttributeValue | None) -> AttributeValue | None:
    return None if value is None or "NULL" in value else value


def _ordered(making: Making, *keys: Sequence[object]) -> tuple[DraftField, ...]:
    """The fields of the key first, those that the store keeps last."""
    in_key = [part.field for parts in keys for part in parts if isinstance(part, FieldPart)]
    names = dict.fromkeys((*in_key, *making.fields))
    fields = [making.fields[name] for name in names]
    return tuple(sorted(fields, key=lambda field: field.role is not None))
