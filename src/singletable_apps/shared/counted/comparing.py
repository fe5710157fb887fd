"""The same ballots by other methods, side by side, and what it means where they disagree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from singletable_apps.counting import Result, RunoffResult, SchulzeResult, join_names

# What each method asks of a ballot, for who wonders how they can disagree.
ASKS = {
    "schulze": "strongest chains of victories, head to head",
    "ranked pairs": "victories, the strongest first, unless they close a circle",
    "instant runoff": "first choices; whoever has the fewest leaves, until one has a majority",
    "borda": "points for every place on a ballot",
    "copeland": "how many of the others one beats",
    "plurality": "first choices, and nothing else",
}
MOST = 60


@dataclass(frozen=True, slots=True)
class Comparison:
    """Places by candidate and method, and a sentence about them.

    `columns` are names of methods with what each asks, the first decides; `rows` have a candidate,
    and its place by each: the first ones `of` so many, and whoever is first by some method.
    """

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    of: int
    agrees: bool
    sentence: str
    why: str


def comparison(results: Mapping[str, Result], settled: str, most: int = MOST) -> Comparison:
    """Methods by name, the one that decides first; `settled` says that it does, and why.

    Schulze is among them: it knows who beats whom.
    """
    places = [_places(result) for result in results.values()]
    names = in_order(next(iter(results.values())))
    rows = [(name, tuple(each[name] for each in places)) for name in names]
    rows = [row for at, row in enumerate(rows) if at < most or 1 in row[1]]
    columns = tuple((_title(method), ASKS[method]) for method in results)
    first = _by_winners(results)
    agrees = len(first) == 1
    why = "" if agrees else f"{_why(results['schulze'])} {settled}"
    return Comparison(columns, tuple(rows), len(names), agrees, _sentence(first), why)


def in_order(result: Result) -> list[str]:
    """All candidates, best first."""
    placed = [name for place in result.places for name in place.candidates]
    return list(result.final_order) or placed


def _places(result: Result) -> dict[str, int]:
    placed = {name: place.place for place in result.places for name in place.candidates}
    return placed | dict.fromkeys(could_win(result), 1)


def could_win(result: Result) -> tuple[str, ...]:
    """Who is first; where a tie was broken on the way, all who might have been."""
    if isinstance(result, RunoffResult) and result.ties_mattered == "yes":
        return result.possible_winners or result.winners
    return result.winners


def _by_winners(results: Mapping[str, Result]) -> dict[tuple[str, ...], list[str]]:
    """Who is first, and by which methods."""
    first: dict[tuple[str, ...], list[str]] = {}
    for method, result in results.items():
        first.setdefault(tuple(sorted(could_win(result))), []).append(_title(method))
    return first


def _sentence(first: dict[tuple[str, ...], list[str]]) -> str:
    if len(first) == 1:
        return f"All of them have {_first(*first)} in the first place."
    said = [f"{join_names(methods)}: {_first(names)}" for names, methods in first.items()]
    return f"They disagree about the first place. {'. '.join(said)}."


def _first(names: tuple[str, ...]) -> str:
    return join_names(names) if len(names) == 1 else f"a tie of {join_names(names)}"


def _why(schulze: Result) -> str:
    assert isinstance(schulze, SchulzeResult)
    among = schulze.smith_set
    if schulze.condorcet_winner is None and len(among) > 1:
        chooses = f"chooses among {join_names(among)} by" if len(among) < 7 else "asks"
        return (
            "That can be: nobody here beats everybody else head to head, so there is no one "
            f"answer in the ballots, and each method {chooses} a question of its own."
        )
    best = schulze.condorcet_winner
    here = "" if best is None else f" Here, more prefer {best} to each of the others than not."
    return (
        "That can be: the methods read the same ballots and ask different things of them. Those "
        "that look at first choices alone can pass over somebody whom most prefer to each of the "
        f"others.{here}"
    )


def _title(method: str) -> str:
    return method.title() if method != "instant runoff" else "Instant runoff"
