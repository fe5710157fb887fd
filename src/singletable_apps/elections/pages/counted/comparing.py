"""The same ballots by other methods, side by side, and what it means where they disagree."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.elections.pages.counted.model import Count
from singletable_apps.elections.pages.counted.pairs import in_order
from singletable_apps.shared.counting import Result, RunoffResult
from singletable_apps.shared.counting.words import listed

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

    `columns` are names of methods with what each asks; `rows` have a candidate, and its place by
    each.
    """

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    agrees: bool
    sentence: str
    why: str


def comparison(count: Count) -> Comparison:
    """All methods on the ballots of this count."""
    places = [
        {name: place.place for place in result.places for name in place.candidates}
        for result in count.results.values()
    ]
    rows = [(name, tuple(each[name] for each in places)) for name in in_order(count.result)[:MOST]]
    columns = tuple((_title(method), ASKS[method]) for method in count.results)
    first = _by_winners(count)
    agrees = len(first) == 1
    return Comparison(columns, tuple(rows), agrees, _sentence(first), "" if agrees else _why(count))


def _by_winners(count: Count) -> dict[tuple[str, ...], list[str]]:
    """Who is first, and by which methods."""
    first: dict[tuple[str, ...], list[str]] = {}
    for method, result in count.results.items():
        first.setdefault(tuple(sorted(_could_win(result))), []).append(_title(method))
    return first


def _could_win(result: Result) -> tuple[str, ...]:
    """Who is first; where the seed broke a tie on the way, all who might have been."""
    if isinstance(result, RunoffResult) and result.ties_mattered == "yes":
        return result.possible_winners or result.winners
    return result.winners


def _sentence(first: dict[tuple[str, ...], list[str]]) -> str:
    if len(first) == 1:
        return f"All of them have {_first(*first)} in the first place."
    said = [f"{listed(methods)}: {_first(names)}" for names, methods in first.items()]
    return f"They disagree about the first place. {'. '.join(said)}."


def _first(names: tuple[str, ...]) -> str:
    return listed(names) if len(names) == 1 else f"a tie of {listed(names)}"


def _why(count: Count) -> str:
    among = count.result.smith_set
    if count.result.condorcet_winner is None and len(among) > 1:
        chooses = f"chooses among {listed(among)} by" if len(among) < 7 else "asks"
        return (
            "That can be: nobody here beats everybody else head to head, so there is no one "
            f"answer in the ballots, and each method {chooses} a question of its own. "
            "Schulze decides, as was settled before the election opened."
        )
    return (
        "That can be: the methods read the same ballots and ask different things of them. Those "
        "that look at first choices alone can pass over somebody whom most prefer to each of the "
        "others. Schulze decides, as was settled before the election opened."
    )


def _title(method: str) -> str:
    return method.title() if method != "instant runoff" else "Instant runoff"
