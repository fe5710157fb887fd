"""The names by which calls are counted: the access pattern that a call is, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from singletable.store import Call, Question

UNDECLARED = "undeclared"


class Named(Protocol):
    """A pattern, as far as it is counted."""

    @property
    def id(self) -> str:
        """The name by which it is known among all catalogues."""
        ...


class Recognises(Protocol):
    """What knows which pattern a call is: a catalogue."""

    def recognise(self, question: Question) -> Named | None:
        """The pattern; None if it is none of its own."""
        ...


def pattern_of(catalogues: Sequence[Recognises], call: Call) -> str:
    """The pattern that a call is, among all that are known."""
    for catalogue in catalogues:
        found = catalogue.recognise(call.question)
        if found is not None:
            return found.id
    return UNDECLARED


def outcome_of(call: Call) -> str:
    """`ok`, or the name of what the call raised."""
    return "ok" if call.error is None else type(call.error).__name__
