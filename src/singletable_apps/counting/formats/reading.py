"""What reading a file gives: the ballots, and an account of each of them."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.counting.ballots import Ballots


@dataclass(frozen=True, slots=True)
class Adjustment:
    """How many ballots met a rule, and where the first of them is."""

    rule: str
    ballots: int
    first: str

    def __str__(self) -> str:
        return f"{self.ballots:,} (first: {self.first}): {self.rule}"


@dataclass(frozen=True, slots=True)
class BallotFile:
    """The ballots of a file; as many were read as are cast in `ballots` and are `refused`.

    `changed` are those that are counted otherwise than marked, by rule; a ballot may be under
    several. `notes` are what else a reader of the file left out.
    """

    ballots: Ballots
    format: str
    read: int
    changed: tuple[Adjustment, ...] = ()
    refused: tuple[Adjustment, ...] = ()
    notes: tuple[str, ...] = ()
    title: str = ""

    def account(self) -> tuple[str, ...]:
        """Where each ballot went, in lines."""
        lines = [f"{self.read:,} ballots read ({self.format}), {self.ballots.cast:,} kept"]
        lines += [f"changed: {each}" for each in self.changed]
        lines += [f"refused: {each}" for each in self.refused]
        return (*lines, *self.notes)
