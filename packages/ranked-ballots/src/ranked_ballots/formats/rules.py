"""Rules for messy ballots, with the meanings that election offices use, and their application."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from ranked_ballots.errors import FormatError
from ranked_ballots.ranking import Ranking

Overvotes: TypeAlias = Literal["keep", "skip", "exhaust", "refuse"]
Repeats: TypeAlias = Literal["first", "exhaust", "refuse"]
Malformed: TypeAlias = Literal["stop", "refuse"]
Unlisted: TypeAlias = Literal["as the file says", "leave out"]
# A rank from 1, and the candidates marked on it.
Mark: TypeAlias = tuple[int, Sequence[str]]

OVERVOTE_SKIPPED = "overvoted rank skipped"
OVERVOTE_EXHAUSTED = "exhausted at an overvote"
OVERVOTE_UNNAMED = "overvoted rank skipped, because it names no one"
REPEAT_DROPPED = "repeated candidate counted once"
REPEAT_EXHAUSTED = "exhausted at a repeated candidate"
SKIP_IGNORED = "skipped ranks ignored"
SKIP_EXHAUSTED = "exhausted at skipped ranks"
OVERVOTE_REJECTED = "overvoted"
REPEAT_REJECTED = "ranks a candidate twice"


@dataclass(frozen=True, slots=True)
class BallotRules:
    """How marks become a ranking.

    `overvotes`, several candidates on one rank: "keep" them as equal, "skip" the rank, "exhaust"
    the ballot there, or "refuse" the ballot. `repeats`, a candidate on several ranks: the "first"
    counts, or "exhaust", or "refuse". `skipped` is how many ranks in a row may be empty before the
    ballot is exhausted; None is any number. `malformed`, a ballot that cannot be read: "stop" with
    an error, or "refuse" and report it. `delimiter` separates several names in a cell. `unlisted`
    applies to formats that can rank all unlisted candidates last.
    """

    overvotes: Overvotes = "keep"
    repeats: Repeats = "first"
    skipped: int | None = None
    malformed: Malformed = "stop"
    delimiter: str | None = None
    unlisted: Unlisted = "as the file says"

    def __post_init__(self) -> None:
        _check_choice("overvotes", self.overvotes, get_args(Overvotes))
        _check_choice("repeats", self.repeats, get_args(Repeats))
        _check_choice("malformed", self.malformed, get_args(Malformed))
        _check_choice("unlisted", self.unlisted, get_args(Unlisted))
        if self.skipped is not None and self.skipped < 0:
            raise FormatError(f"`skipped` is {self.skipped}; expected 0, 1, 2 … or None.")


def _check_choice(rule: str, choice: str, choices: tuple[str, ...]) -> None:
    if choice not in choices:
        expected = ", ".join(f"'{each}'" for each in choices)
        raise FormatError(f"`{rule}` is '{choice}'; expected one of {expected}.")


@dataclass(frozen=True, slots=True)
class CleanedBallot:
    """The ranking that the marks make, the rules that changed it, and why it is rejected."""

    ranking: Ranking
    changed: tuple[str, ...] = ()
    rejected: str | None = None


def clean_ballot(
    marks: Sequence[Mark], rules: BallotRules, unnamed: frozenset[int]
) -> CleanedBallot:
    """Apply the rules to the marks of a ballot.

    `unnamed` are overvoted ranks whose candidates are not known. Rank by rank, skipped ranks are
    checked first, then repeats, then overvotes: the order that RCTab uses.
    """
    levels: list[list[str]] = []
    changed: dict[str, None] = {}
    seen: set[str] = set()
    last = 0
    for rank, marked in sorted(marks, key=lambda mark: mark[0]):
        names = list(dict.fromkeys(marked))
        if rank - last > 1:
            if rules.skipped is not None and rank - last > rules.skipped + 1:
                changed[SKIP_EXHAUSTED] = None
                break
            changed[SKIP_IGNORED] = None
        last = rank
        repeated = [name for name in names if name in seen]
        if repeated and rules.repeats == "refuse":
            return CleanedBallot(Ranking(), (), REPEAT_REJECTED)
        if repeated and rules.repeats == "exhaust":
            changed[REPEAT_EXHAUSTED] = None
            break
        if rules.repeats == "exhaust":
            seen.update(names)
        if len(names) > 1 or rank in unnamed:
            if rules.overvotes == "refuse":
                return CleanedBallot(Ranking(), (), OVERVOTE_REJECTED)
            if rules.overvotes == "exhaust":
                changed[OVERVOTE_EXHAUSTED] = None
                break
            if rules.overvotes == "skip":
                changed[OVERVOTE_SKIPPED] = None
                continue
            if rank in unnamed:
                changed[OVERVOTE_UNNAMED] = None
        if repeated:
            changed[REPEAT_DROPPED] = None
        levels.append([name for name in names if name not in repeated])
        seen.update(names)
    return CleanedBallot(Ranking.from_levels(levels), tuple(changed))
