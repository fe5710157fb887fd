"""The rounds as bars: what each option has, what makes a majority, who leaves, and where to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from singletable_apps.counting import (
    Number,
    Round,
    RunoffResult,
    format_number,
    join_names,
    pluralize,
)
from singletable_apps.polls.pages.shown.headline import all_level
from singletable_apps.shared.counted import in_order

# More bars in a round, or more rounds, tell nobody anything; every number is in the table.
MOST_BARS = 12
MOST_ROUNDS = 9
MOST_TARGETS = 5
ALL_OPEN = 3


@dataclass(frozen=True, slots=True)
class Bar:
    """What an option has in a round, how much of it is new, and its fate: wins, leaves, or none."""

    name: str
    votes: Number
    gained: str
    fate: str


@dataclass(frozen=True, slots=True)
class Bars:
    """A round: so many votes count, so many make a majority; `rest` stands for bars left out."""

    number: int
    continuing: Number
    needed: int
    bars: tuple[Bar, ...]
    rest: str
    exhausted: Number
    summary: str
    moved: str
    is_open: bool


def bars_of(runoff: RunoffResult) -> list[Bars]:
    """The first round and the last ones, or all of them."""
    names = in_order(runoff)
    level = all_level(runoff)
    # What comes after a tie of all is the work of the order, and of no vote.
    rounds = runoff.rounds if level is None else runoff.rounds[: level.number]
    if len(rounds) > MOST_ROUNDS:
        rounds = (rounds[0], *rounds[1 - MOST_ROUNDS :])
    if level is not None:
        rounds = (*rounds[:-1], replace(level, eliminated=None, transfers=()))
    return [_bars(runoff, each, names, rounds[-1].number) for each in rounds]


def _bars(runoff: RunoffResult, each: Round, names: list[str], last: int) -> Bars:
    there = [name for name in names if name in each.tally]
    # Who leaves stands last, and is always among those that are shown.
    shown = there if len(there) <= MOST_BARS else [*there[: MOST_BARS - 1], there[-1]]
    left_out = [each.tally[name] for name in there if name not in shown]
    gained = _gained(runoff, each)
    bars = [Bar(name, each.tally[name], gained.get(name, ""), _fate(each, name)) for name in shown]
    return Bars(
        each.number,
        each.continuing,
        int(each.continuing // 2) + 1,
        tuple(bars),
        _rest(left_out),
        sum(each.exhausted.values()),
        _summary(each),
        _moved(each),
        last <= ALL_OPEN or each.number in (1, last),
    )


def _gained(runoff: RunoffResult, each: Round) -> dict[str, str]:
    """What came from whoever left in the round before."""
    if each.number == 1:
        return {}
    before = runoff.rounds[each.number - 2]
    return {
        move.target: f"+{format_number(move.votes)}"
        for move in before.transfers
        if move.target is not None
    }


def _fate(each: Round, name: str) -> str:
    return "wins" if name == each.winner else "leaves" if name == each.eliminated else ""


def _rest(votes: list[Number]) -> str:
    if not votes:
        return ""
    low, high = format_number(min(votes)), format_number(max(votes))
    range_ = low if low == high else f"{low} to {high}"
    return f"{pluralize(len(votes), 'more option')} with {range_} votes each are in the table."


def _summary(each: Round) -> str:
    if each.winner is not None:
        return f"{each.winner} has a majority" if len(each.tally) > 1 else f"{each.winner} is left"
    return "All are level" if each.eliminated is None else f"{each.eliminated} leaves"


def _moved(each: Round) -> str:
    """Who leaves with how many votes, and where they go."""
    if each.eliminated is None:
        return ""
    votes = each.tally[each.eliminated]
    if not votes:
        return f"{each.eliminated} has no votes, and leaves; none move."
    moves = sorted(
        ((move.votes, move.target) for move in each.transfers if move.target is not None),
        key=lambda move: -move[0],
    )
    said = [f"{format_number(count)} to {name}" for count, name in moves[:MOST_TARGETS]]
    others = sum(count for count, _ in moves[MOST_TARGETS:])
    if others:
        said.append(f"{format_number(others)} to others")
    gone = sum(move.votes for move in each.transfers if move.target is None)
    if gone:
        said.append(f"{format_number(gone)} to nobody, for want of a further choice")
    level = "as few votes as any other" if each.tie is not None else "the fewest votes"
    return f"{each.eliminated} has {level}, {format_number(votes)}, and leaves: {join_names(said)}."
