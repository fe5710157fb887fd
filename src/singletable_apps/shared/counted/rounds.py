"""The rounds of an instant runoff as a table: a row for each candidate, a column for each round."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from singletable_apps.counting import RunoffResult, format_number

# A drawing or a table of more rounds tells nobody anything.
MOST_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Cell:
    """What a candidate has in a round, and what becomes of it there: wins, goes, or nothing."""

    votes: str
    fate: str = ""


@dataclass(frozen=True, slots=True)
class Rounds:
    """Numbers of rounds, a row for each candidate, and the ballots that count for nobody."""

    numbers: tuple[int, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    exhausted: tuple[str, ...]


def rounds_of(result: RunoffResult, most: int = MOST_ROUNDS) -> Rounds:
    """The first rounds, or all of them."""
    rounds = result.rounds[:most]
    names = [name for place in result.places for name in place.candidates]
    rows = [
        (
            name,
            tuple(
                _cell(each.tally.get(name), name, each.winner, each.eliminated) for each in rounds
            ),
        )
        for name in names
    ]
    gone = tuple(format_number(sum(each.exhausted.values())) for each in rounds)
    return Rounds(tuple(each.number for each in rounds), tuple(rows), gone)


def _cell(
    votes: int | Fraction | None, name: str, winner: str | None, eliminated: str | None
) -> Cell:
    if votes is None:
        return Cell("")
    fate = "wins" if name == winner else "leaves" if name == eliminated else ""
    return Cell(format_number(votes), fate)
