"""Placeholders for the names and values of a request, handed out as its expressions are written."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.expressions.nodes import Path
from singletable.values import AttributeValue, content_of, item_to_json, type_of


@dataclass(frozen=True, slots=True)
class RenderedExpression:
    """A text, with the names and values that its placeholders stand for."""

    text: str
    names: dict[str, str]
    values: dict[str, AttributeValue]


class Aliases:
    """Hands out placeholders, the same for the same name or value. One serves a whole request."""

    __slots__ = ("_of_name", "_of_value", "names", "values")

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}
        self._of_name: dict[str, str] = {}
        self._of_value: dict[object, str] = {}

    def name(self, name: str) -> str:
        """The `#name` for an attribute name."""
        alias = self._of_name.setdefault(name, f"#n{len(self.names)}")
        self.names[alias] = name
        return alias

    def value(self, value: AttributeValue) -> str:
        """The `:value` for a value."""
        content = content_of(value)
        same = (type_of(value), content) if isinstance(content, str) else item_to_json({"": value})
        alias = self._of_value.setdefault(same, f":v{len(self.values)}")
        self.values[alias] = value
        return alias

    def path(self, path: Path) -> str:
        """The path, with dots and brackets."""
        steps = [f".{self.name(s)}" if isinstance(s, str) else f"[{s}]" for s in path]
        return "".join(steps)[1:]

    def rendered(self, text: str) -> RenderedExpression:
        """The text with all placeholders handed out so far."""
        return RenderedExpression(text, dict(self.names), dict(self.values))
