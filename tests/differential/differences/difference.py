"""A known difference and how to recognize it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from singletable.operations import Operation, Projection
from singletable.values import Item
from tests.differential.answer import Answer, Refused, Step
from tests.differential.strategies.tables import Index, Keys, Table

_CONDITION_FAILED = ("ConditionalCheckFailedException", "TransactionCanceledException")
PLAIN = Table(Keys("pk", None), {"pk": "S"})
NUMBERED = Table(Keys("pk", None), {"pk": "N"})
INDEXED = Table(
    Keys("pk", "sk"),
    {"pk": "S", "sk": "S", "la": "S", "ga": "S"},
    indexes=(
        Index("local", Keys("pk", "la"), Projection("KEYS_ONLY"), False),
        Index("global", Keys("ga", None), Projection("KEYS_ONLY"), True),
    ),
)


@dataclass(frozen=True)
class Example:
    """A request that a peer answers differently than AWS, and the items before it."""

    operation: Operation[Any]
    items: tuple[Item, ...] = ()
    table: Table = PLAIN


@dataclass(frozen=True)
class Habit:
    """Something a peer does in every response; it is removed before comparing."""

    peer: str
    what: str
    aws: str
    evidence: str
    example: Example
    leave_out: Callable[[Step], Step]


@dataclass(frozen=True)
class Difference:
    """Something a peer does in some responses, and how to recognize them."""

    peer: str
    what: str
    aws: str
    evidence: str
    example: Example
    explains: Callable[[Step], bool]


def said(ours: str, theirs: str) -> Callable[[Step], bool]:
    """Return whether both responses, printed on one line, match the patterns."""
    return lambda step: bool(
        re.search(ours, _line(step.ours)) and re.search(theirs, _line(step.theirs))
    )


def decided(step: Step) -> bool:
    """Return whether the responses differ only because a condition does or does not hold."""
    failed, refused = 0, 0
    for answer in (step.ours, step.theirs):
        if isinstance(answer, Refused):
            failed += answer.code in _CONDITION_FAILED
            refused += answer.code not in _CONDITION_FAILED
    return refused == 0 or (refused == 1 and failed == 1)


def _line(answer: Answer) -> str:
    return f"{answer.code}: {answer.message}" if isinstance(answer, Refused) else "answered"
