"""Put a count into words and tables: headline, margin, places, rounds, and other methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ranked_ballots import (
    Number,
    Result,
    Round,
    RunoffResult,
    SchulzeResult,
    StvResult,
    StvRound,
    format_decimal,
    format_number,
    join_names,
)

# More rounds are not readable as a table or a drawing.
MAX_ROUNDS = 20
MAX_COMPARED = 60

METHOD_SUMMARIES = {
    "schulze": "the strongest chain of head-to-head wins",
    "ranked pairs": "head-to-head wins, the strongest first, skipping any that would form a circle",
    "instant runoff": "first choices; the last one drops out until one has a majority",
    "borda": "points for every place on a ballot",
    "copeland": "the number of head-to-head wins",
    "plurality": "first choices only",
}


@dataclass(frozen=True, slots=True)
class Headline:
    """The headline of a result, final or so far: the winner, the reason and the margin."""

    is_final: bool
    title: str
    why: str
    margin: str = ""

    @property
    def eyebrow(self) -> str:
        """Return the label above the headline."""
        return "Result" if self.is_final else "So far"

    @property
    def announcement(self) -> str:
        """What screen readers announce during live updates: it changes only with the outcome."""
        return f"{self.eyebrow}: {self.title}"


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A bar in the chart of places: `value` of `maximum`, with the number in words.

    `lost_tie` if a tie-break gave the place to someone else. `is_elected` to one of several seats.
    """

    place: int
    name: str
    value: int | Fraction
    maximum: int | Fraction
    label: str
    note: str = ""
    lost_tie: bool = False
    is_elected: bool = False

    @property
    def is_first(self) -> bool:
        """Return whether this is a winner, or the leader so far."""
        return self.is_elected or (self.place == 1 and not self.lost_tie)


@dataclass(frozen=True, slots=True)
class MethodComparison:
    """The place of each candidate by each method, and what to make of it.

    `columns` are (method, summary); the first method decides. `rows` are (candidate, places): the
    best of `candidate_count` candidates, and everyone who is first by some method.
    """

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    candidate_count: int
    agrees: bool
    sentence: str
    explanation: str


def compare_methods(
    results: Mapping[str, Result],
    deciding: str,
    most: int = MAX_COMPARED,
    *,
    winners: Sequence[str] | None = None,
    noun: str = "candidate",
) -> MethodComparison:
    """Compare results by method, the deciding method first; Schulze has to be among them.

    `deciding` is a sentence that says which method decides, shown where the methods disagree.
    `winners` are those of the deciding method if a tie-break chose them, as the page says above.
    """
    won = [possible_winners(result) for result in results.values()]
    if winners is not None:
        won[0] = tuple(winners)
    places = [
        result.place_numbers | dict.fromkeys(first, 1)
        for result, first in zip(results.values(), won, strict=True)
    ]
    names = next(iter(results.values())).ranked_candidates
    rows = [(name, tuple(each[name] for each in places)) for name in names]
    rows = [row for at, row in enumerate(rows) if at < most or 1 in row[1]]
    columns = tuple((_title(method), METHOD_SUMMARIES[method]) for method in results)
    by_winners: dict[tuple[str, ...], list[str]] = {}
    for method, first in zip(results, won, strict=True):
        by_winners.setdefault(tuple(sorted(first)), []).append(_title(method))
    agrees = len(by_winners) == 1
    explanation = "" if agrees else f"{_why_they_disagree(results['schulze'], noun)} {deciding}"
    sentence = _sentence(by_winners)
    return MethodComparison(columns, tuple(rows), len(names), agrees, sentence, explanation)


def possible_winners(result: Result) -> tuple[str, ...]:
    """Return the winners; if a tie that mattered was broken, all possible winners."""
    if isinstance(result, RunoffResult) and result.ties_mattered == "yes":
        return result.possible_winners or result.winners
    return result.winners


def _sentence(by_winners: dict[tuple[str, ...], list[str]]) -> str:
    if len(by_winners) == 1:
        (winners,) = by_winners
        if len(winners) == 1:
            return f"Every method has the same winner: {winners[0]}."
        return f"Every method has the same tie for first: {join_names(winners)}."
    parts = [
        f"{join_names(methods)}: {_winner(winners)}" for winners, methods in by_winners.items()
    ]
    return f"The methods disagree. {'. '.join(parts)}."


def _winner(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"a tie between {join_names(names)}"


def _why_they_disagree(schulze: Result, noun: str) -> str:
    assert isinstance(schulze, SchulzeResult)
    circle = schulze.smith_set
    if schulze.condorcet_winner is None and len(circle) > 1:
        among = f" among {join_names(circle)}" if len(circle) < 7 else ""
        return (
            f"That happens when no {noun} beats all others head to head: each method then has "
            f"its own way to choose{among}."
        )
    best = schulze.condorcet_winner
    here = "" if best is None else f" Here, most voters prefer {best} to each other {noun}."
    return (
        "That happens because each method looks at the ballots differently. Methods that look at "
        f"first choices can miss one that most voters prefer to each of the others.{here}"
    )


def _title(method: str) -> str:
    return method.title() if method != "instant runoff" else "Instant runoff"


@dataclass(frozen=True, slots=True)
class RoundCell:
    """The votes of a candidate in a round, and the outcome there: "wins", "elected", "out", ""."""

    votes: str
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class RoundTable:
    """The rounds of a count: a row per candidate, the exhausted ballots, and the quotas of STV."""

    numbers: tuple[int, ...]
    rows: tuple[tuple[str, tuple[RoundCell, ...]], ...]
    exhausted: tuple[str, ...]
    quotas: tuple[str, ...] = ()


def round_table(result: RunoffResult | StvResult, most: int = MAX_ROUNDS) -> RoundTable:
    """Return the first `most` rounds as a table."""
    rounds = result.rounds[:most]
    names = [name for place in result.places for name in place.candidates]
    return RoundTable(
        tuple(each.number for each in rounds),
        tuple((name, tuple(_round_cell(each, name) for each in rounds)) for name in names),
        tuple(_format_votes(each, each.exhausted_total) for each in rounds),
        tuple(format_decimal(each.quota) for each in rounds if isinstance(each, StvRound)),
    )


def _round_cell(each: Round | StvRound, name: str) -> RoundCell:
    if name not in each.tally:
        return RoundCell("")
    outcome = "out" if name == each.eliminated else ""
    if isinstance(each, StvRound):
        outcome = "elected" if name in each.elected else outcome
    elif name == each.winner:
        outcome = "wins"
    return RoundCell(_format_votes(each, each.tally[name]), outcome)


def _format_votes(each: Round | StvRound, votes: Number) -> str:
    return format_decimal(votes) if isinstance(each, StvRound) else format_number(votes)
