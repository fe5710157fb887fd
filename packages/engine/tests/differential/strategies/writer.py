"""Writes the expressions of one request and keeps their placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, TypeVar

from hypothesis import strategies as st

from dynamodb_engine.values import AttributeValue
from tests.differential.features import Feature
from tests.differential.strategies.universe import (
    INSIDE,
    RESERVED,
    Features,
    attributes,
    rarely,
    usual_values,
)

T = TypeVar("T")

_some = st.booleans()
_inside = st.sampled_from(INSIDE)
_positions = st.integers(0, 3)


class Given(TypedDict):
    """The placeholders of a request; empty if it has none."""

    expression_attribute_names: dict[str, str] | None
    expression_attribute_values: dict[str, AttributeValue] | None


class Writer:
    """Writes expressions for one request, using features that the peer supports."""

    def __init__(self, draw: st.DrawFn, features: Features) -> None:
        self.draw = draw
        self.features = features
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}

    @property
    def given(self) -> Given:
        """Return the placeholders in use."""
        return {
            "expression_attribute_names": self.names or None,
            "expression_attribute_values": self.values or None,
        }

    def has(self, feature: Feature) -> bool:
        """Return whether the peer supports the feature."""
        return feature in self.features

    def wants(self, feature: Feature) -> bool:
        """Draw whether to use the feature; never if the peer does not support it."""
        return feature in self.features and self.draw(_some)

    def chance(self) -> bool:
        """Draw a boolean that is rarely true."""
        return self.draw(rarely)

    def pick(self, choices: Sequence[T]) -> T:
        """Draw one of them."""
        return self.draw(st.sampled_from(choices))

    def attribute(self) -> str:
        """Draw the name of a non-key attribute."""
        return self.draw(attributes(self.features))

    def value(self, value: AttributeValue) -> str:
        """Return a `:` placeholder for the value."""
        alias = f":v{len(self.values)}"
        self.values[alias] = value
        return alias

    def usual(self, attribute: str) -> str:
        """Return a `:` placeholder for a usual value of the attribute."""
        return self.value(self.draw(usual_values(attribute, self.features)))

    def name(self, name: str) -> str:
        """Return the name itself, or a `#` placeholder for it."""
        if name != RESERVED and not self.chance():
            return name
        alias = next((known for known, meant in self.names.items() if meant == name), None)
        if alias is None:
            alias = f"#n{len(self.names)}"
            self.names[alias] = name
        return alias

    def path(self, head: str, nested: Feature) -> str:
        """Draw a path that starts with the attribute, possibly into a document."""
        written = self.name(head)
        if head not in ("m", "l") or not self.wants(nested):
            return written
        for step in ("[" if head == "l" else ".", self.pick((".", "[", None))):
            if step == "[":
                written += f"[{self.draw(_positions)}]"
            elif step == ".":
                written += "." + self.name(self.draw(_inside))
        return written
