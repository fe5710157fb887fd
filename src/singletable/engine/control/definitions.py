"""Attribute definitions: they name the key attributes, at creation all of them and no others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from singletable.engine.control.listing import listed, listed_exactly
from singletable.engine.control.states import indexes_shown
from singletable.engine.table_record import TableRecord
from singletable.errors import ValidationError
from singletable.operations import AttributeDefinition, KeySchemaElement
from singletable.values import INVALID


def names(elements: Iterable[AttributeDefinition | KeySchemaElement]) -> list[str]:
    """The names of attributes, in order."""
    return [element.attribute_name for element in elements]


def check_unique(definitions: Sequence[AttributeDefinition]) -> None:
    """Raise if an attribute is defined twice, be it with the same type."""
    seen: set[str] = set()
    for name in names(definitions):
        if name in seen:
            raise ValidationError(f"Attribute Name is duplicated: {name}")
        seen.add(name)


def check_defined(
    key_schema: Sequence[KeySchemaElement], definitions: Sequence[AttributeDefinition]
) -> None:
    """Raise unless every attribute of a key is defined."""
    keys, defined = names(key_schema), names(definitions)
    if not set(keys) <= set(defined):
        raise ValidationError(
            f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: {listed(keys)}, AttributeDefinitions: {listed_exactly(defined)}"
        )


def check_used(
    key_schemas: Iterable[Sequence[KeySchemaElement]], definitions: Sequence[AttributeDefinition]
) -> None:
    """Raise if a definition is of no key, on a table that has indexes."""
    used = [name for key_schema in key_schemas for name in names(key_schema)]
    defined = names(definitions)
    if not set(defined) <= set(used):
        raise ValidationError(
            f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: "
            f"{listed_exactly(defined)}, keys used: {listed(used)}"
        )


def sorted_definitions(definitions: Iterable[AttributeDefinition]) -> list[AttributeDefinition]:
    """The definitions as AWS shows them: by name."""
    return sorted(definitions, key=lambda definition: definition.attribute_name)


def merged(
    stored: Sequence[AttributeDefinition],
    given: Sequence[AttributeDefinition],
    key_schema: Sequence[KeySchemaElement],
) -> list[AttributeDefinition]:
    """What is defined once an index is added: a type that is in use stays, unused ones go."""
    known = set(names(stored))
    needed = set(names(key_schema)) - known
    new = {d.attribute_name: d for d in given if d.attribute_name in needed}
    return sorted_definitions([*stored, *new.values()])


def definitions_in_use(record: TableRecord, now: float) -> list[AttributeDefinition]:
    """The definitions of attributes that are a key of the table or of one of its indexes."""
    indexes = [*record.local_indexes, *indexes_shown(record, now)]
    schemas = [record.key_schema, *(index.key_schema for index in indexes)]
    used = {name for key_schema in schemas for name in names(key_schema)}
    return [d for d in record.attribute_definitions if d.attribute_name in used]


def tidied(record: TableRecord, now: float) -> TableRecord:
    """The record without indexes that are gone, and without definitions that nothing uses."""
    return replace(
        record,
        attribute_definitions=definitions_in_use(record, now),
        global_indexes=tuple(indexes_shown(record, now)),
    )
