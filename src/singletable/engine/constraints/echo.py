"""A value as AWS shows it in an error: as Java prints it or, in one place, as JSON."""

from __future__ import annotations

from typing import Literal, cast

import msgspec
from msgspec import Struct

# Fields that hold attribute values by name, or lists of such maps; everything else is plain data.
ITEMS = frozenset({"item", "key", "keys", "expression_attribute_values"})
# The members of AWS's own class, among them some that its interface does not have.
ATTRIBUTE_VALUE = (
    *("s", "n", "b", "iNT", "dECIMAL", "dOUBLE", "sS", "nS", "bS"),
    *("iNTSET", "dECIMALSET", "dOUBLESET", "m", "l", "nULL", "bOOL"),
)
# Members that AWS's classes have and ours have not.
UNSEEN = {"PutRequest": ", workloadProfileName=null"}
# Deeper values are cut: nobody reads them, and Python does not like to recurse so far.
DEEPEST = 60


def shown(value: object, shown_as: Literal["java", "json"]) -> str:
    """The value in quotes, or null."""
    if value is None:
        return "null"
    return f"'{as_json(value) if shown_as == 'json' else as_java(value)}'"


def as_json(value: object) -> str:
    """The value as compact JSON, with the names of the wire."""
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return as_java(value)


def as_java(value: object, items: bool = False, depth: int = 0) -> str:
    """The value as Java's toString prints it; with `items`, maps of maps are attribute values."""
    if depth > DEEPEST:
        return "..."
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Struct():
            return _struct(value, depth)
        case list():
            elements = cast("list[object]", value)
            return f"[{', '.join(as_java(each, items, depth + 1) for each in elements)}]"
        case dict():
            entries = cast("dict[object, object]", value)
            each = _attribute if items else as_java
            shown = (f"{name}={each(entry, depth=depth + 1)}" for name, entry in entries.items())
            return f"{{{', '.join(shown)}}}"
        case str() | float():
            return str(value)
        case int() if value.bit_length() <= 64:
            return str(value)
        case _:
            return f"{type(value).__name__}@"  # Python alone can bring it, and might not print it


def _struct(value: Struct, depth: int) -> str:
    name = type(value).__name__
    names = zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
    fields = ", ".join(
        f"{_lowered(wire)}={as_java(getattr(value, field), field in ITEMS, depth + 1)}"
        for field, wire in names
    )
    return f"{name}({fields}{UNSEEN.get(name, '')})"


def _attribute(value: object, depth: int) -> str:
    if depth > DEEPEST:
        return "..."
    if not isinstance(value, dict):
        return as_java(value, depth=depth)
    entries = cast("dict[object, object]", value)
    held = {_lowered(str(name)): entry for name, entry in entries.items()}
    fields: list[str] = []
    for name in ATTRIBUTE_VALUE:
        entry = held.get(name)
        if name == "l" and isinstance(entry, list):
            elements = cast("list[object]", entry)
            shown = f"[{', '.join(_attribute(each, depth + 1) for each in elements)}]"
        else:
            shown = as_java(entry, name == "m", depth + 1)
        fields.append(f"{name}={shown}")
    return f"AttributeValue({', '.join(fields)})"


def _lowered(name: str) -> str:
    return name[:1].lower() + name[1:]
