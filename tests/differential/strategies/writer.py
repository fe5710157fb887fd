"""The writer of one request: draws what it says, and keeps the aliases that it hands out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict, TypeVar

from hypothesis import strategies as st

from singletable.values import AttributeValue
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
    """What a request says of its aliases; nothing if it has none."""

    expression_attribute_names: dict[str, str] | None
    expression_attribute_values: dict[str, AttributeValue] | None


class Writer:
    """Writes expressions for one request, of features that the peer can be asked for."""

    def __init__(self, draw: st.DrawFn, features: Features) -> None:
        self.draw = draw
        self.features = features
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}

    @property
    def given(self) -> Given:
        """The aliases that were handed out."""
        return {
            "expression_attribute_names": self.names or None,
            "expression_attribute_values": self.values or None,
        }

    def has(self, feature: Feature) -> bool:
        """Whether the peer can be asked that."""
        return feature in self.features

    def wants(self, feature: Feature) -> bool:
        """Whether to ask that; never if the peer cannot be."""
        return feature in self.features and self.draw(_some)

    def chance(self) -> bool:
        """Now and then."""
        return self.draw(rarely)

    def pick(self, choices: Sequence[T]) -> T:
        """One of them."""
        return self.draw(st.sampled_from(choices))

    def attribute(self) -> str:
        """The name of an attribute that is no key."""
        return self.draw(attributes(self.features))

    def value(self, value: AttributeValue) -> str:
        """A `:` that stands for the value."""
        alias = f":v{len(self.values)}"
        self.values[alias] = value
        return alias

    def usual(self, attribute: str) -> str:
        """A `:` that stands for a value as the attribute usually has."""
        return self.value(self.draw(usual_values(attribute, self.features)))

    def name(self, name: str) -> str:
        """The name as it may stand in an expression: itself, or a `#` that stands for it."""
        if name != RESERVED and not self.chance():
            return name
        alias = next((known for known, meant in self.names.items() if meant == name), None)
        if alias is None:
            alias = f"#n{len(self.names)}"
            self.names[alias] = name
        return alias

    def path(self, head: str, nested: Feature) -> str:
        """A path that begins with the attribute; into a document if the peer can be asked that."""
        written = self.name(head)
        if head not in ("m", "l") or not self.wants(nested):
            return written
        for step in ("[" if head == "l" else ".", self.pick((".", "[", None))):
            if step == "[":
                written += f"[{self.draw(_positions)}]"
            elif step == ".":
                written += "." + self.name(self.draw(_inside))
        return written
