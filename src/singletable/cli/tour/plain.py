"""Plain Python values as attribute values, and attribute values as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from singletable.values import AttributeValue, Item, content_of

Plain: TypeAlias = "str | int | bool | Sequence[Plain] | Mapping[str, Plain] | None"
PlainItem: TypeAlias = dict[str, Plain]


def to_item(attributes: Mapping[str, Plain]) -> Item:
    """The attributes in wire form."""
    return {name: to_value(value) for name, value in attributes.items()}


def to_value(plain: Plain) -> AttributeValue:
    """One value in wire form."""
    match plain:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": plain}
        case str():
            return {"S": plain}
        case int():
            return {"N": str(plain)}
        case Mapping():
            return {"M": to_item(plain)}
        case _:
            return {"L": [to_value(member) for member in plain]}


def shown(value: AttributeValue) -> str:
    """The value for a table cell: text without quotes, a list with commas, a map by its values."""
    match value:
        case {"L": members}:
            return ", ".join(shown(member) for member in members)
        case {"M": members}:
            return " ".join(shown(member) for member in members.values())
        case {"NULL": _}:
            return "null"
        case {"BOOL": truth}:
            return "true" if truth else "false"
        case _:
            return str(content_of(value))


def quoted(value: AttributeValue) -> str:
    """The value inside an expression: text in quotes, the rest as it is shown."""
    return f'"{value["S"]}"' if "S" in value else shown(value)


def key_text(key: Item) -> str:
    """A key in one line: PK=USER#alice SK=METADATA."""
    return " ".join(f"{name}={shown(value)}" for name, value in key.items())


def several(count: float, noun: str) -> str:
    """The count with its noun: 1 item, 2 items, 0.5 read units."""
    return f"{count:,.10g} {noun}" if count == 1 else f"{count:,.10g} {noun}s"
