"""One thing that is wrong with an operation: where, what is there, and which rule it breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Literal


class Layer(Enum):
    """Which of AWS's checks finds a fault; each operation goes through them in its own order."""

    TYPE = "the value is not of the member's Python type; AWS would not have read the request"
    ABSENT = "a required member is missing, and AWS has a sentence for it"
    NULL = "a required member is missing"
    LIMIT = "a length, a range, or a pattern that is part of the service's model"
    SHORT_NAME = "a table's name is too short or too long for a control-plane call"
    NAME = "a table's name has a wrong character, or its ARN a wrong part"
    CHOICE = "a word is not one of those allowed"
    NAMELESS = "as CHOICE, found by a newer check that names neither value nor member"
    MAP = "a map breaks a rule for all its names or all its values"
    EMPTY = "a structure that needs one of its members has none"
    CUSTOM = "a word is not one of those allowed, and AWS has a sentence for it"


@dataclass(frozen=True, slots=True)
class Path:
    """Where a member is, as the newer checks spell it and as the older do."""

    modern: str = ""
    classic: str = ""

    def field(self, name: str) -> Path:
        """The path to a field of the structure here."""
        return self._then(name, name[0].lower() + name[1:])

    def entry(self, key: str | int) -> Path:
        """The path to an element of the list or map here; lists count from 1."""
        return self._then(f"{key}.member", f"{key}.member")

    def _then(self, modern: str, classic: str) -> Path:
        if not self.modern:
            return Path(modern, classic)
        return Path(f"{self.modern}.{modern}", f"{self.classic}.{classic}")


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken rule. With `sentence`, AWS says just that; `text` is the rule in the usual form."""

    layer: Layer
    path: Path
    value: object = None
    text: str = ""
    sentence: str = ""
    shown_as: Literal["java", "json"] = "java"


NOT_NULL = "Member must not be null"
PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"


def longer(least: int) -> str:
    """The rule that a length breaks by being smaller."""
    return f"Member must have length greater than or equal to {least}"


def shorter(most: int | None) -> str:
    """The rule that a length breaks by being greater."""
    return f"Member must have length less than or equal to {most}"


def one_of(words: Iterable[str]) -> str:
    """The rule that a word breaks."""
    return f"Member must satisfy enum value set: [{', '.join(words)}]"


MAP_KEYS = f"Map keys must satisfy constraint: [{shorter(255)}, {longer(3)}, {PATTERN}]"


def map_values(least: int, most: int) -> str:
    """The rule that a map breaks by one of its lists."""
    return f"Map value must satisfy constraint: [{shorter(most)}, {longer(least)}]"
