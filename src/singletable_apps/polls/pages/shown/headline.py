"""Who won, or leads, or that nobody has voted, in one line and a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from singletable_apps.counting import Round, RunoffResult, format_number, join_names, pluralize
from singletable_apps.polls.service import Outcome
from singletable_apps.shared.counted import Headline, margin_words

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
    close = "" if margin is None else margin_words(margin, final=outcome.is_final, thing="vote")
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
