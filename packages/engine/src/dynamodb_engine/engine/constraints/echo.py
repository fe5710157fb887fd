"""Echo a value as AWS does in errors: as Java prints it or, in one place, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, cast

import msgspec
from msgspec import Struct

# Fields that hold attribute values by name, or lists of such maps; everything else is plain data.
ITEM_FIELDS = frozenset({"item", "key", "keys", "expression_attribute_values"})
# The members of AWS's own class, including some that its API does not have.
ATTRIBUTE_VALUE = (
    *("s", "n", "b", "iNT", "dECIMAL", "dOUBLE", "sS", "nS", "bS"),
    *("iNTSET", "dECIMALSET", "dOUBLESET", "m", "l", "nULL", "bOOL"),
)
# Members that AWS's classes have and ours do not.
HIDDEN_MEMBERS = {"PutRequest": ", workloadProfileName=null"}
# Deeper values are cut off because Python limits recursion, longer ones to keep messages short.
MAX_DEPTH = 60
MAX_LENGTH = 16 * 1024


def echo(value: object, style: Literal["java", "json"]) -> str:
    """Return the value in quotes, or null."""
    if value is None:
        return "null"
    return f"'{_echo_json(value) if style == 'json' else echo_java(value)}'"


def _echo_json(value: object) -> str:
    try:
        return msgspec.json.encode(value)[:MAX_LENGTH].decode(errors="ignore")
    except (TypeError, ValueError, RecursionError):
        return echo_java(value)


def echo_java(value: object, items: bool = False, depth: int = 0) -> str:
    """Return the value as Java's toString prints it.

    With `items`, maps of maps are attribute values.
    """
    if depth > MAX_DEPTH:
        return "..."
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Struct():
            return _echo_struct(value, depth)
        case list():
            elements = cast("list[object]", value)
            return f"[{_join(echo_java(each, items, depth + 1) for each in elements)}]"
        case dict():
            entries = cast("dict[object, object]", value)
            echo_entry = _echo_attribute if items else echo_java
            parts = (
                f"{name}={echo_entry(each, depth=depth + 1)}" for name, each in entries.items()
            )
            return f"{{{_join(parts)}}}"
        case str():
            return value[:MAX_LENGTH]
        case float():
            return str(value)
        case int() if value.bit_length() <= 64:
            return str(value)
        case _:
            # Only Python code can pass such a value, and it may be impossible to print.
            return f"{type(value).__name__}@"


def _echo_struct(value: Struct, depth: int) -> str:
    name = type(value).__name__
    names = zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
    fields = ", ".join(
        f"{_lower_first(wire)}={echo_java(getattr(value, field), field in ITEM_FIELDS, depth + 1)}"
        for field, wire in names
    )
    return f"{name}({fields}{HIDDEN_MEMBERS.get(name, '')})"


def _echo_attribute(value: object, depth: int) -> str:
    if depth > MAX_DEPTH:
        return "..."
    if not isinstance(value, dict):
        return echo_java(value, depth=depth)
    entries = cast("dict[object, object]", value)
    members = {_lower_first(str(name)): entry for name, entry in entries.items()}
    fields: list[str] = []
    for name in ATTRIBUTE_VALUE:
        member = members.get(name)
        if name == "l" and isinstance(member, list):
            elements = cast("list[object]", member)
            text = f"[{_join(_echo_attribute(each, depth + 1) for each in elements)}]"
        else:
            text = echo_java(member, name == "m", depth + 1)
        fields.append(f"{name}={text}")
    return f"AttributeValue({', '.join(fields)})"


def _join(parts: Iterable[str]) -> str:
    """Join the parts until the text reaches the maximum length of an echo."""
    joined: list[str] = []
    length = 0
    for part in parts:
        if length > MAX_LENGTH:
            joined.append("...")
            break
        joined.append(part)
        length += len(part)
    return ", ".join(joined)


def _lower_first(name: str) -> str:
    return name[:1].lower() + name[1:]
