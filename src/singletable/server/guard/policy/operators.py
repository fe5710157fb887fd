"""Condition operators: how a test compares, and what it makes of a key that is not there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Scope: TypeAlias = Literal["", "ForAllValues", "ForAnyValue"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one operator's name stands for."""

    wildcards: bool = False
    ignore_case: bool = False
    negated: bool = False


COMPARISONS = {
    "StringEquals": Comparison(),
    "StringNotEquals": Comparison(negated=True),
    "StringEqualsIgnoreCase": Comparison(ignore_case=True),
    "StringNotEqualsIgnoreCase": Comparison(ignore_case=True, negated=True),
    "StringLike": Comparison(wildcards=True),
    "StringNotLike": Comparison(wildcards=True, negated=True),
}
NULL = "Null"


@dataclass(frozen=True, slots=True)
class Compares:
    """A test of a key's values against patterns."""

    key: str
    scope: Scope
    if_exists: bool
    negated: bool
    patterns: tuple[re.Pattern[str], ...]

    def holds(self, values: Sequence[str]) -> bool:
        """Whether the test holds for the values that the key has in a request."""
        if not values:
            # As AWS has it: "all of none" is true, "any of none" is false whatever else is said,
            # and what is not there equals nothing.
            return self.scope == "ForAllValues" or (
                self.scope != "ForAnyValue" and (self.if_exists or self.negated)
            )
        held = [self._holds_for(value) for value in values]
        return any(held) if self.scope == "ForAnyValue" else all(held)

    def _holds_for(self, value: str) -> bool:
        return self.negated != any(pattern.fullmatch(value) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class IsNull:
    """A test of whether a key is there at all."""

    key: str
    absent: bool

    def holds(self, values: Sequence[str]) -> bool:
        """Whether the key is absent, or there, as the test says."""
        return self.absent == (not values)


Test: TypeAlias = Compares | IsNull
