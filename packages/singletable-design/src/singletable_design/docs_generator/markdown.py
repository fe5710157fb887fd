"""Markdown of generated documentation: escaping, code, tables, types and conditions."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from dynamodb_engine.expressions import Condition, render_condition
from dynamodb_engine.values import AttributeValue, content_of

_SPECIAL = re.compile(r"([\\`*_\[\]<>#&|~])")
_TICKS = re.compile(r"`+")


def escape(text: str) -> str:
    """Escape all characters that are special in Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """Format a text as code; a text with backticks gets a longer fence."""
    text = " ".join(text.split())
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if longest else ""
    # A bar ends a table cell even in code, unless it is escaped.
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Format a table; the columns numbered in `right` are right-aligned."""
    rules = ("---:" if at in right else "---" for at in range(len(titles)))
    lines = [f"| {' | '.join(titles)} |", f"|{'|'.join(rules)}|"]
    lines += [f"| {' | '.join(cells)} |" for cells in rows]
    return "\n".join(lines)


def join_lines(lines: Iterable[str]) -> str:
    """Join lines within a table cell."""
    return "<br>".join(lines)


_PLACEHOLDER = re.compile(r"[#:]\w+")


def type_text(kind: Any) -> str:
    """Return a type as written in Python: `list[str]`, `"open" | "sent"`."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is type(None):
        return "None"
    if origin is Annotated:
        return type_text(inner[0])
    if origin is Literal:
        return " | ".join(f'"{one}"' if isinstance(one, str) else repr(one) for one in inner)
    if origin in (Union, types.UnionType):
        return " | ".join(type_text(one) for one in inner)
    if origin is not None and inner:
        outer = getattr(origin, "__name__", str(origin))
        return f"{outer}[{', '.join('…' if one is ... else type_text(one) for one in inner)}]"
    return getattr(kind, "__name__", str(kind))


def condition_text(condition: Condition) -> str:
    """Return a condition with names and values instead of placeholders."""
    made = render_condition(condition)
    words = {**made.names, **{name: _value(value) for name, value in made.values.items()}}
    return _PLACEHOLDER.sub(lambda found: words.get(found[0], found[0]), made.text)


def _value(value: AttributeValue) -> str:
    return f'"{value["S"]}"' if "S" in value else str(content_of(value))
