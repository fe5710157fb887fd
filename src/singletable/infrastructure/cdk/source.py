"""Calls in Python's source code, and how they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Raw:
    """Source that is written as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function, with arguments by place and by name; None is left out."""

    function: str
    by_place: Sequence[Source]
    by_name: Mapping[str, Source | None]


Source: TypeAlias = "str | int | bool | Raw | Call | Sequence[Source] | Mapping[str, Source]"


def written(value: Source, indent: int = 0, before: int = 0) -> str:
    """The source: on one line if it fits behind `before` characters, or else one part a line."""
    parts = _parts(value)
    if parts is None:
        return value.text if isinstance(value, Raw) else _literal(value)
    opening, closing, inner = parts
    line = f"{opening}{', '.join(label + written(one) for label, one in inner)}{closing}"
    if indent + before + len(line) < WIDTH or not inner:
        return line
    lines = [
        f"{' ' * (indent + 4)}{label}{written(one, indent + 4, len(label) + 1)},"
        for label, one in inner
    ]
    return "\n".join([opening, *lines, f"{' ' * indent}{closing}"])


def _literal(value: object) -> str:
    """A text in double quotes, as formatters have it; the rest as Python shows it."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _parts(value: Source) -> tuple[str, str, list[tuple[str, Source]]] | None:
    """What a value is made of: how it opens, how it closes, and the labelled parts between."""
    match value:
        case Call(function, by_place, by_name):
            inner = [("", one) for one in by_place]
            inner += [(f"{name}=", one) for name, one in by_name.items() if one is not None]
            return f"{function}(", ")", inner
        case str() | int() | Raw():
            return None
        case Mapping():
            return "{", "}", [(f"{_literal(key)}: ", one) for key, one in value.items()]
        case _:
            return "[", "]", [("", one) for one in value]
