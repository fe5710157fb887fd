"""Put an instant runoff into the words and bars of a results page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranked_ballots import (
    Number,
    Round,
    RunoffResult,
    Tie,
    describe_margin,
    format_number,
    join_names,
    pluralize,
)
from ranked_ballots.pictures import color_classes
from singletable_apps.shared.results.views import ChartRow, Headline

# Larger numbers would not be readable; everything is in the table of rounds.
MAX_BARS = 12
MAX_ROUNDS = 9
MAX_TARGETS = 5
MAX_HEADLINE_NAMES = 3
MAX_TIED_NAMES = 6
# With at most this many rounds, all of them are unfolded.
UNFOLDED_ROUNDS = 3

_TIE_EFFECTS = {
    "yes": "This mattered: with another choice, another one could have won.",
    "no": "This did not affect who wins.",
    "not known": "There are too many possibilities to know whether this mattered.",
}


@dataclass(frozen=True, slots=True)
class Bar:
    """The votes of an option in a round, its gain, its fate ("wins", "out" or "") and its color."""

    name: str
    votes: Number
    gained: str
    fate: str
    color: str


@dataclass(frozen=True, slots=True)
class RoundBars:
    """A round as bars. `rest` describes the bars that are left out."""

    number: int
    continuing: Number
    needed: int
    bars: tuple[Bar, ...]
    rest: str
    exhausted: Number
    summary: str
    transfers: str
    is_unfolded: bool


@dataclass(frozen=True, slots=True)
class Ties:
    """The ties in sentences: those that mattered or may have, and the others.

    `by_order` is whether one of them was broken by the order derived from the poll id.
    """

    mattered: tuple[str, ...]
    others: tuple[str, ...]
    by_order: bool


def full_tie(runoff: RunoffResult) -> Round | None:
    """Return the round in which all that were left were tied, so that votes decided nothing."""
    for each in runoff.rounds:
        if each.tie is not None and len(each.tie.tied) == len(each.tally):
            is_open = set(runoff.possible_winners or ()) == set(each.tally)
            return each if is_open and each.tie.broken_by == "seed" else None
    return None


def runoff_headline(runoff: RunoffResult, *, is_final: bool, noun: str = "candidate") -> Headline:
    """Return the winner or leader with a reason. Candidates are called `noun`."""
    if not runoff.rounds:
        if is_final:
            return Headline(is_final, "No one voted", "The poll closed without votes.")
        return Headline(is_final, "No votes yet", "Results appear here with the first vote.")
    tied = full_tie(runoff)
    if tied is not None:
        title = f"{_short_list(list(tied.tally), noun)} are tied"
        return Headline(is_final, title, _why_tied(runoff, tied))
    winner = runoff.winner or ""
    # Quotes show where a long name ends.
    name = winner if len(winner) < 30 else f"“{winner}”"
    title = f"{name} {'wins' if is_final else 'leads'}"
    if runoff.ties_mattered in ("yes", "not known"):
        return Headline(is_final, f"{title} by a tie-break", _why_broken(runoff, noun))
    margin = runoff.margin
    close = "" if margin is None else describe_margin(margin, is_final=is_final, noun="vote")
    return Headline(is_final, title, _why_won(runoff), close)


def _short_list(names: Sequence[str], noun: str) -> str:
    return join_names(names) if len(names) <= MAX_HEADLINE_NAMES else pluralize(len(names), noun)


def _why_tied(runoff: RunoffResult, tied: Round) -> str:
    votes = pluralize(next(iter(tied.tally.values())), "vote")
    where = (
        ""
        if tied.number == 1
        else f" in round {tied.number}, and earlier rounds don’t separate them"
    )
    return f"They have {votes} each{where}. The tie-break order puts {runoff.winner} first."


def _why_won(runoff: RunoffResult) -> str:
    last = runoff.rounds[-1]
    winner = runoff.winner or ""
    votes, of = last.tally[winner], last.continuing
    if not of:
        return f"No votes are left, and {winner} is the last one left."
    if last.number > 1:
        return (
            f"In round {last.number}, {winner} has {format_number(votes)} of {format_number(of)} "
            "continuing votes: more than half."
        )
    if of == 1:
        return f"The only vote ranks {winner} first."
    first = f"{format_number(votes)} of {format_number(of)} votes rank {winner} first"
    return f"{first}: more than half."


def _why_broken(runoff: RunoffResult, noun: str) -> str:
    others = [name for name in runoff.possible_winners or () if name != runoff.winner]
    decisive = next(
        (each for each in runoff.rounds if each.tie is not None and each.tie.mattered != "no"),
        runoff.rounds[-1],
    )
    tied = decisive.tie.tied if decisive.tie is not None else others
    start = f"In round {decisive.number}, {_short_list(tied, noun)} were tied for last"
    if not others:
        return f"{start}, and that may have decided who wins."
    rivals = " or ".join(others) if len(others) <= MAX_HEADLINE_NAMES else f"{len(others)} others"
    return f"{start}, and the tie-break decided who wins. It could have been {rivals}."


def runoff_chart(runoff: RunoffResult) -> list[ChartRow]:
    """Return all options, best first, with their votes in the last round that they were in."""
    if not runoff.rounds:
        return []
    tie = full_tie(runoff)
    tied = set[str]() if tie is None else set(tie.tally)
    ends = {name: each for each in runoff.rounds for name in each.tally}
    if tie is not None:
        ends |= dict.fromkeys(tied, tie)
    votes = {name: ends[name].tally[name] for name in runoff.ranked_candidates}
    places = {**runoff.place_numbers, **dict.fromkeys(tied, 1)}

    def note(name: str) -> str:
        if name in tied:
            return "tied; first by the tie-break" if name == runoff.winner else "tied"
        end = ends[name]
        return f"out in round {end.number}" if end is not runoff.rounds[-1] else ""

    most = max(votes.values())
    return [
        ChartRow(places[name], name, count, most, pluralize(count, "vote"), note(name))
        for name, count in votes.items()
    ]


def round_bars(runoff: RunoffResult) -> list[RoundBars]:
    """Return all rounds, or the first one and the last ones."""
    names = runoff.ranked_candidates
    rounds = runoff.rounds
    if len(rounds) > MAX_ROUNDS:
        rounds = (rounds[0], *rounds[1 - MAX_ROUNDS :])
    colors = color_classes(runoff)
    return [_bars(runoff, each, names, rounds[-1].number, colors) for each in rounds]


def _bars(
    runoff: RunoffResult, each: Round, names: Sequence[str], last: int, colors: dict[str, str]
) -> RoundBars:
    present = [name for name in names if name in each.tally]
    # The option that drops out is the last one, and always shown.
    shown = present if len(present) <= MAX_BARS else [*present[: MAX_BARS - 1], present[-1]]
    left_out = [each.tally[name] for name in present if name not in shown]
    gained = _gains(runoff, each)
    fates = {each.winner: "wins", each.eliminated: "out"}
    bars = [
        Bar(name, each.tally[name], gained.get(name, ""), fates.get(name, ""), colors[name])
        for name in shown
    ]
    return RoundBars(
        each.number,
        each.continuing,
        int(each.continuing // 2) + 1,
        tuple(bars),
        _describe_rest(left_out),
        sum(each.exhausted.values()),
        _summarize(each),
        _describe_transfers(each),
        last <= UNFOLDED_ROUNDS or each.number in (1, last),
    )


def _gains(runoff: RunoffResult, each: Round) -> dict[str, str]:
    """Return the votes that each option gained from the one that dropped out before."""
    if each.number == 1:
        return {}
    before = runoff.rounds[each.number - 2]
    return {
        move.target: f"+{format_number(move.votes)}"
        for move in before.transfers
        if move.target is not None
    }


def _describe_rest(votes: list[Number]) -> str:
    if not votes:
        return ""
    low, high = format_number(min(votes)), format_number(max(votes))
    each = low if low == high else f"{low} to {high}"
    return f"{len(votes):,} more with {each} votes each; see the table."


def _summarize(each: Round) -> str:
    if each.winner is not None:
        won = "has a majority" if len(each.tally) > 1 else "is the last one left"
        return f"{each.winner} {won}"
    if each.tie is not None and len(each.tie.tied) == len(each.tally):
        return f"All are tied; {each.eliminated} drops out by the tie-break"
    return f"{each.eliminated} drops out"


def _describe_transfers(each: Round) -> str:
    """Say which option drops out with how many votes, and where those go."""
    if each.eliminated is None:
        return ""
    votes = each.tally[each.eliminated]
    if not votes:
        return f"{each.eliminated} has no votes and drops out."
    moves = sorted(
        ((move.votes, move.target) for move in each.transfers if move.target is not None),
        key=lambda move: -move[0],
    )
    targets = [f"{format_number(count)} to {name}" for count, name in moves[:MAX_TARGETS]]
    others = sum(count for count, _ in moves[MAX_TARGETS:])
    if others:
        targets.append(f"{format_number(others)} to others")
    exhausted = sum(move.votes for move in each.transfers if move.target is None)
    if exhausted:
        targets.append(f"{format_number(exhausted)} to none, having no further choice")
    fewest = "is tied for the fewest votes" if each.tie is not None else "has the fewest votes"
    return (
        f"{each.eliminated} {fewest} ({format_number(votes)}) and drops out. Its votes go on: "
        f"{join_names(targets)}."
    )


def describe_ties(runoff: RunoffResult) -> Ties:
    """Return the ties in sentences."""
    tied = [(each, each.tie) for each in runoff.rounds if each.tie is not None]
    return Ties(
        tuple(_describe_tie(each, tie) for each, tie in tied if tie.mattered != "no"),
        tuple(_describe_tie(each, tie) for each, tie in tied if tie.mattered == "no"),
        any(tie.broken_by == "seed" for _, tie in tied),
    )


def _describe_tie(each: Round, tie: Tie) -> str:
    names = join_names(tie.tied) if len(tie.tied) <= MAX_TIED_NAMES else f"all {len(tie.tied)}"
    votes = pluralize(each.tally[tie.tied[0]], "vote")
    if tie.broken_by == "earlier rounds":
        how = f"{each.eliminated} had fewer votes in an earlier round and dropped out."
    else:
        how = f"{each.eliminated} is last in the tie-break order and dropped out."
    return (
        f"Round {each.number}: {names} were tied for last with {votes} each. {how} "
        f"{_TIE_EFFECTS[tie.mattered]}"
    )
