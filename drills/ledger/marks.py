"""What was asked and what was told, in the order in which it happened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


class Outcome(IntEnum):
    """What a mark tells of a step."""

    STARTED = 0
    KEPT = 1
    REFUSED = 2
    REOPENED = 3


class Step(NamedTuple):
    """The step of a client: what it does there follows from the seed."""

    client: int
    number: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A step was started, was acknowledged, or was refused."""

    step: Step
    outcome: Outcome


# What was lost before it stays lost, and what follows follows what was left.
REOPENED = Mark(Step(0, 1 << 30), Outcome.REOPENED)
