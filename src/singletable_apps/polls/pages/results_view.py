"""A result as people read it: one file a part of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from singletable_apps.counting import (
    Number,
    Round,
    RunoffResult,
    Tie,
    describe_margin,
    format_number,
    join_names,
    pluralize,
)
from singletable_apps.counting.pictures import Picture, color_classes, draw_transfers
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.service import Outcome
from singletable_apps.polls.text import DECIDES
from singletable_apps.shared.results import (
    Download,
    Headline,
    MethodComparison,
    RoundTable,
    can_write_rounds,
    candidates_in_order,
    compare_methods,
    round_table,
    writable_formats,
)

MOST_NAMES = 3


def headline(outcome: Outcome) -> Headline:
    """What is said first about a poll."""
    eyebrow = "Result" if outcome.is_final else "So far"
    runoff = outcome.counts.runoff
    if not runoff.rounds:
        return _nobody(eyebrow, outcome.is_final)
    level = all_level(runoff)
    if level is not None:
        return Headline(eyebrow, _tied(level), _why_tied(runoff, level))
    verb = "wins" if outcome.is_final else "leads"
    name = _apart(runoff.winner or "")
    if runoff.ties_mattered in ("yes", "not known"):
        return Headline(eyebrow, f"{name} {verb} by a tie-break", _why_broken(runoff))
    margin = runoff.margin
    close = (
        "" if margin is None else describe_margin(margin, is_final=outcome.is_final, noun="vote")
    )
    return Headline(eyebrow, f"{name} {verb}", _why_won(runoff), close)


def all_level(runoff: RunoffResult) -> Round | None:
    """The round in which all who were left had the same, and nothing but the order chose one."""
    for each in runoff.rounds:
        if each.tie is not None and len(each.tie.tied) == len(each.tally):
            alike = set(runoff.possible_winners or ()) == set(each.tally)
            return each if alike and each.tie.broken_by == "seed" else None
    return None


def _nobody(eyebrow: str, is_final: bool) -> Headline:
    if is_final:
        return Headline(eyebrow, "Nobody voted", "The poll closed without a vote.")
    return Headline(eyebrow, "Nobody has voted yet", "The result is here as soon as somebody has.")


def _apart(name: str) -> str:
    """A long name in quotes, so that one sees where it ends."""
    return name if len(name) < 30 else f"“{name}”"


def _few(names: Sequence[str]) -> str:
    """The names, or how many there are: a verdict is read at a glance."""
    return join_names(names) if len(names) <= MOST_NAMES else f"{len(names)} options"


def _one_of(names: Sequence[str]) -> str:
    return " or ".join(names) if len(names) <= MOST_NAMES else f"any of {len(names)} others"


def _tied(level: Round) -> str:
    return f"{_few(list(level.tally))} are tied"


def _why_tied(runoff: RunoffResult, level: Round) -> str:
    votes = pluralize(next(iter(level.tally.values())), "vote")
    where = (
        ""
        if level.number == 1
        else f" in round {level.number}, and the rounds before do not tell them apart"
    )
    return (
        f"They have {votes} each{where}. If there has to be one, the order of ties below puts "
        f"{runoff.winner} first."
    )


def _why_won(runoff: RunoffResult) -> str:
    last = runoff.rounds[-1]
    winner = runoff.winner or ""
    votes, of = last.tally[winner], last.continuing
    if not of:
        return f"No vote counts any more, and {winner} is the last one left."
    if last.number > 1:
        return (
            f"In round {last.number} it has {format_number(votes)} of the {format_number(of)} "
            "votes that still "
            "count: more than half."
        )
    if of == 1:
        return "The one vote that was cast puts it first."
    return (
        f"{format_number(votes)} of {format_number(of)} votes put it first: more than "
        "half, at once."
    )


def _why_broken(runoff: RunoffResult) -> str:
    others = [name for name in runoff.possible_winners or () if name != runoff.winner]
    round_ = next(
        each for each in runoff.rounds if each.tie is not None and each.tie.mattered != "no"
    )
    assert round_.tie is not None
    level = f"In round {round_.number}, {_few(round_.tie.tied)} were level for last"
    if not others:
        return f"{level}, and who left may have decided who wins. How it was broken is below."
    return f"{level}, and who left decided who wins: it might have been {_one_of(others)}."


@dataclass(frozen=True, slots=True)
class Placed:
    """An option, its place, and what that rests on; those who are tied share a place."""

    place: int
    name: str
    meta: str


def places_of(runoff: RunoffResult) -> list[Placed]:
    """All options, the best first."""
    if not runoff.rounds:
        return []
    left = {each.eliminated: each for each in runoff.rounds}
    level = all_level(runoff)
    shared = {} if level is None else dict.fromkeys(level.tally, level)
    places = {name: place.place for place in runoff.places for name in place.candidates}
    places |= dict.fromkeys(shared, 1)
    return [
        Placed(places[name], name, _meta(runoff, name, shared, left))
        for name in candidates_in_order(runoff)
    ]


def _meta(
    runoff: RunoffResult, name: str, shared: dict[str, Round], left: dict[str | None, Round]
) -> str:
    if name in shared:
        return f"tied, with {pluralize(shared[name].tally[name], 'vote')}"
    last = runoff.rounds[-1]
    if name in last.tally:
        which = "the last" if last.number > 1 else "the only"
        return f"{pluralize(last.tally[name], 'vote')} in {which} round"
    return f"left in round {left[name].number}, with {pluralize(left[name].tally[name], 'vote')}"


# More bars in a round, or more rounds, tell nobody anything; every number is in the table.
MOST_BARS = 12
MOST_ROUNDS = 9
MOST_TARGETS = 5
ALL_OPEN = 3


@dataclass(frozen=True, slots=True)
class Bar:
    """The votes of an option in a round, the votes it gained, its fate, and its color class."""

    name: str
    votes: Number
    gained: str
    fate: str
    color: str


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
    names = candidates_in_order(runoff)
    rounds = runoff.rounds
    if len(rounds) > MOST_ROUNDS:
        rounds = (rounds[0], *rounds[1 - MOST_ROUNDS :])
    colors = color_classes(runoff)
    return [_bars(runoff, each, names, rounds[-1].number, colors) for each in rounds]


def _bars(
    runoff: RunoffResult, each: Round, names: list[str], last: int, colors: dict[str, str]
) -> Bars:
    there = [name for name in names if name in each.tally]
    # Who leaves stands last, and is always among those that are shown.
    shown = there if len(there) <= MOST_BARS else [*there[: MOST_BARS - 1], there[-1]]
    left_out = [each.tally[name] for name in there if name not in shown]
    gained = _gained(runoff, each)
    bars = [
        Bar(name, each.tally[name], gained.get(name, ""), _fate(each, name), colors[name])
        for name in shown
    ]
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
    if each.tie is not None and len(each.tie.tied) == len(each.tally):
        return f"All are tied; {each.eliminated} leaves by the tie-break"
    return f"{each.eliminated} leaves"


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


_MATTERED = {
    "yes": "It mattered: another choice could have let another option win.",
    "no": "It did not matter for who wins.",
    "not known": "Whether it mattered is not known: there are too many ways to look at.",
}
_MOST_NAMES = 6


@dataclass(frozen=True, slots=True)
class Ties:
    """Ties that mattered, or may have, and the others, in sentences.

    `by_order` is whether the order that the poll's id makes broke any of them.
    """

    mattered: tuple[str, ...]
    others: tuple[str, ...]
    by_order: bool


def ties_of(runoff: RunoffResult) -> Ties:
    """A sentence or two for each tie."""
    tied = [(each, each.tie) for each in runoff.rounds if each.tie is not None]
    return Ties(
        tuple(_sentence(each, tie) for each, tie in tied if tie.mattered != "no"),
        tuple(_sentence(each, tie) for each, tie in tied if tie.mattered == "no"),
        any(tie.broken_by == "seed" for _, tie in tied),
    )


def _sentence(each: Round, tie: Tie) -> str:
    names = join_names(tie.tied) if len(tie.tied) <= _MOST_NAMES else f"{len(tie.tied)} options"
    votes = pluralize(each.tally[tie.tied[0]], "vote")
    if tie.broken_by == "earlier rounds":
        how = f"{each.eliminated} had fewer in a round before, and left."
    else:
        how = f"No round before told them apart; {each.eliminated} is later in the order, and left."
    return (
        f"Round {each.number}: {names} were level for last, with {votes} each. {how} "
        f"{_MATTERED[tie.mattered]}"
    )


# A drawing of more rounds tells nobody anything: the last ones decide.
MOST_DRAWN = 12
MOST_COMPARED = 10


@dataclass(frozen=True, slots=True)
class Shown:
    """A result in the words, bars and tables of its page."""

    outcome: Outcome
    headline: Headline
    places: list[Placed]
    bars: list[Bars]
    table: RoundTable
    flow: Picture | None
    ties: Ties
    comparison: MethodComparison

    @property
    def poll(self) -> Poll:
        """The poll."""
        return self.outcome.poll

    @property
    def runoff(self) -> RunoffResult:
        """The count that decides."""
        return self.outcome.counts.runoff


def shown_of(outcome: Outcome) -> Shown:
    """The result as it is shown."""
    counts = outcome.counts
    runoff = counts.runoff
    bars = bars_of(runoff)
    return Shown(
        outcome,
        headline(outcome),
        places_of(runoff),
        bars,
        round_table(runoff, most=len(runoff.rounds)),
        draw_transfers(runoff, last=MOST_DRAWN) if len(bars) > 1 else None,
        ties_of(runoff),
        compare_methods(counts.by_method, DECIDES, MOST_COMPARED),
    )


EXPORT = "/api/polls/{}/export/{}"
_OFFERED = {
    "csv": Download("Rankings", "A spreadsheet: each ranking and its votes.", "csv", "csv"),
    "json": Download("The result", "All of this page as data, and every ranking.", "json", "json"),
    "abif": Download("ABIF", "Readable text that other programs can count.", "abif", "abif"),
    "rctab": Download("RCTab rounds", "RCVis draws the rounds from it.", "json", "rctab"),
}


def files_of(outcome: Outcome, vote_id: str = "") -> list[Download]:
    """Every file of the poll that can be written, for those who have voted if need be.

    ABIF has no way to say brackets, which are in some options; and RCTab's word for votes that
    went to nobody may be the name of one.
    """
    poll = outcome.poll
    who = f"?vote={vote_id}" if vote_id else ""
    can_hold = {*writable_formats(poll.candidates, []), "json"}
    if can_write_rounds(outcome.counts.runoff, poll.title):
        can_hold.add("rctab")
    return [
        Download(file.title, file.purpose, file.extension, EXPORT.format(poll.id, form) + who)
        for form, file in _OFFERED.items()
        if form in can_hold
    ]
