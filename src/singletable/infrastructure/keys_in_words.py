"""Keys and projections in words, in which two are the same if they are the same."""

from __future__ import annotations

from collections.abc import Iterable

from singletable.operations import AttributeDefinition, KeySchemaElement, Projection

_TYPES = {"S": "text", "N": "number", "B": "binary"}


def key_in_words(schema: Iterable[KeySchemaElement], types: Iterable[AttributeDefinition]) -> str:
    """`'PK' (text), sorted by 'SK' (text)`."""
    kinds = {one.attribute_name: one.attribute_type for one in types}
    sides: dict[str, list[str]] = {"HASH": [], "RANGE": []}
    for element in schema:
        name = element.attribute_name
        kind = _TYPES.get(kinds.get(name, ""), "of unknown type")
        sides[element.key_type].append(f"{name!r} ({kind})")
    partition, sort = (", ".join(side) for side in sides.values())
    return f"{partition}, sorted by {sort}" if sort else partition


def projection_in_words(projection: Projection) -> str:
    """`all attributes`, `keys alone` or the attributes beside the keys."""
    match projection.projection_type:
        case "KEYS_ONLY":
            return "keys alone"
        case "INCLUDE":
            return f"keys with {', '.join(map(repr, sorted(projection.non_key_attributes or ())))}"
        case _:
            return "all attributes"
