"""The names by which calls are counted: the access pattern that a call is, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from singletable.store import Call, CallShape

UNDECLARED = "undeclared"


class Named(Protocol):
    """A pattern, as far as it is counted."""

    @property
    def id(self) -> str:
        """The name by which it is known among all catalogs."""
        ...


class PatternMatcher(Protocol):
    """What knows which pattern a call is: a catalog."""

    def recognize(self, question: CallShape) -> Named | None:
        """The pattern; None if it is none of its own."""
        ...


def pattern_of(catalogs: Sequence[PatternMatcher], call: Call) -> str:
    """The pattern that a call is, among all that are known."""
    for catalog in catalogs:
        found = catalog.recognize(call.shape)
        if found is not None:
            return found.id
    return UNDECLARED


def outcome_of(call: Call) -> str:
    """`ok`, or the name of what the call raised."""
    return "ok" if call.error is None else type(call.error).__name__
