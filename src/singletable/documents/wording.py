"""Types and conditions in words."""

from __future__ import annotations

import re
import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from singletable.expressions import Condition, render_condition
from singletable.values import AttributeValue, content_of

_PLACEHOLDER = re.compile(r"[#:]\w+")


def type_words(kind: Any) -> str:
    """A type as one writes it: `list[str]`, `"open" | "sent"`."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is type(None):
        return "None"
    if origin is Annotated:
        return type_words(inner[0])
    if origin is Literal:
        return " | ".join(f'"{one}"' if isinstance(one, str) else repr(one) for one in inner)
    if origin in (Union, types.UnionType):
        return " | ".join(type_words(one) for one in inner)
    if origin is not None and inner:
        outer = getattr(origin, "__name__", str(origin))
        return f"{outer}[{', '.join('…' if one is ... else type_words(one) for one in inner)}]"
    return getattr(kind, "__name__", str(kind))


def condition_words(condition: Condition) -> str:
    """A condition with names and values in place of their placeholders."""
    made = render_condition(condition)
    words = {**made.names, **{name: _value(value) for name, value in made.values.items()}}
    return _PLACEHOLDER.sub(lambda found: words.get(found[0], found[0]), made.text)


def _value(value: AttributeValue) -> str:
    return f'"{value["S"]}"' if "S" in value else str(content_of(value))
