"""The text a value has inside a key: one for each value, and where one is stated in their order."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from singletable.errors import InvalidValue


@dataclass(frozen=True, slots=True)
class Form:
    """How values of one type are written into keys, and read from them.

    Two forms are equal if they have one name: they write the same value in the same way.
    """

    name: str
    write: Callable[[Any], str] = field(compare=False)
    read: Callable[[str], object] = field(compare=False)
    shape: re.Pattern[str] = field(compare=False)
    # Whether texts sort as their values do.
    ordered: bool = True
    # Whether there is a form in which the highest comes first.
    turns: bool = False
    descending: bool = False
    # Whether the value can be had back from its text.
    exact: bool = True

    def could_be(self, text: str) -> bool:
        """Whether some value is written so."""
        return self.shape.fullmatch(text) is not None

    def parse(self, text: str) -> object:
        """The value that is written so; None if there is none."""
        if not self.could_be(text):
            return None
        try:
            value = self.read(text)
            return value if self.write(value) == text else None
        except (ValueError, KeyError, IndexError, OverflowError):
            return None


def digit_shape(shape: str) -> re.Pattern[str]:
    """A shape in which d is a digit, of those that Python and DynamoDB write."""
    return re.compile(shape.replace("d", "[0-9]"))


def wrong(expected: str, value: object) -> InvalidValue:
    """What is said of a value that is not of the type."""
    return InvalidValue(f"expected {expected}, but got {value!r} ({type(value).__name__})")


def name_of(annotation: object) -> str:
    """The type as one would write it."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
