"""What a difference is, and how to know one."""

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
    """A request to which a peer answers otherwise than AWS, and what the table holds before."""

    operation: Operation[Any]
    items: tuple[Item, ...] = ()
    table: Table = PLAIN


@dataclass(frozen=True)
class Habit:
    """Something that a peer does in every answer; it is left out before answers are compared."""

    peer: str
    what: str
    aws: str
    evidence: str
    example: Example
    leave_out: Callable[[Step], Step]


@dataclass(frozen=True)
class Difference:
    """Something that a peer does in some answers, and how to know those."""

    peer: str
    what: str
    aws: str
    evidence: str
    example: Example
    explains: Callable[[Step], bool]


def said(ours: str, theirs: str) -> Callable[[Step], bool]:
    """Whether both answers, told in one line, match."""
    return lambda step: bool(
        re.search(ours, _line(step.ours)) and re.search(theirs, _line(step.theirs))
    )


def decided(step: Step) -> bool:
    """Whether the answers differ in whether a condition holds, and in what follows from that."""
    failed, refused = 0, 0
    for answer in (step.ours, step.theirs):
        if isinstance(answer, Refused):
            failed += answer.code in _CONDITION_FAILED
            refused += answer.code not in _CONDITION_FAILED
    return refused == 0 or (refused == 1 and failed == 1)


def _line(answer: Answer) -> str:
    return f"{answer.code}: {answer.message}" if isinstance(answer, Refused) else "answered"
