"""Head to head as pictures need it: the order of the result, and the shade of each pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from singletable_apps.counting.result import Result
from singletable_apps.counting.results.ranked_pairs import RankedPairsResult
from singletable_apps.counting.results.schulze import SchulzeResult
from singletable_apps.counting.results.scores import CopelandResult

PairsResult: TypeAlias = SchulzeResult | RankedPairsResult | CopelandResult
Sign: TypeAlias = Literal["win", "lose", "level"]

SHADES = 5


@dataclass(frozen=True, slots=True)
class Cell:
    """How many prefer the row's candidate to the column's, and how many the other way round."""

    row: str
    column: str
    votes: int
    against: int

    @property
    def sign(self) -> Sign:
        """What the pair is for the row's candidate."""
        if self.votes == self.against:
            return "level"
        return "win" if self.votes > self.against else "lose"

    @property
    def shade(self) -> str:
        """The class of its colour: deeper the larger the winner's share of the two."""
        if self.sign == "level":
            return "level"
        ahead = abs(self.votes - self.against) * SHADES
        step = 1 + min(SHADES - 1, ahead // (self.votes + self.against))
        return f"{self.sign}-{step}"


def in_order(result: Result) -> tuple[str, ...]:
    """All candidates, best first: by the final order if there is one, else by places."""
    return result.final_order or tuple(name for place in result.places for name in place.candidates)


def place_of(result: Result) -> dict[str, int]:
    """The number of each candidate's place."""
    return {name: place.place for place in result.places for name in place.candidates}


def cell(result: PairsResult, row: str, column: str) -> Cell:
    """One pair."""
    a, b = result.candidates.index(row), result.candidates.index(column)
    return Cell(row, column, result.preferences[a][b], result.preferences[b][a])
