"""What becomes of messy ballots: the choices, with the meanings that election offices give them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from singletable_apps.counting.errors import FormatError

Overvotes: TypeAlias = Literal["keep", "skip", "exhaust", "refuse"]
Repeats: TypeAlias = Literal["first", "exhaust", "refuse"]
Malformed: TypeAlias = Literal["stop", "refuse"]
Unlisted: TypeAlias = Literal["as the file says", "leave out"]


@dataclass(frozen=True, slots=True)
class BallotRules:
    """How marks become a ranking.

    `overvotes`, several candidates on one rank: "keep" them as equal, "skip" the rank, "exhaust"
    the ballot there, or "refuse" the ballot. `repeats`, a candidate on several ranks: the "first"
    counts, or "exhaust", or "refuse". `skipped` is how many ranks in a row may be left empty
    before the ballot is exhausted; None is any number. `malformed`: a ballot that makes no sense
    "stop"s the reading, or is "refuse"d and reported. `delimiter` parts the names in a cell that
    has several. `unlisted` is about formats that may rank everybody else last.
    """

    overvotes: Overvotes = "keep"
    repeats: Repeats = "first"
    skipped: int | None = None
    malformed: Malformed = "stop"
    delimiter: str | None = None
    unlisted: Unlisted = "as the file says"

    def __post_init__(self) -> None:
        _check("overvotes", self.overvotes, get_args(Overvotes))
        _check("repeats", self.repeats, get_args(Repeats))
        _check("malformed", self.malformed, get_args(Malformed))
        _check("unlisted", self.unlisted, get_args(Unlisted))
        if self.skipped is not None and self.skipped < 0:
            raise FormatError(f"{self.skipped} ranks in a row cannot be skipped; 0 is the least.")


def _check(about: str, chosen: str, choices: tuple[str, ...]) -> None:
    if chosen not in choices:
        listed = ", ".join(f"'{choice}'" for choice in choices)
        raise FormatError(f"The rule for {about} is '{chosen}'; there are: {listed}.")
