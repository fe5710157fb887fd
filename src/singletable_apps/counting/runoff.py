"""Count by instant runoff: round by round the last goes, until somebody has a majority.

The majority is of the ballots that still count for somebody. One candidate goes in a round. A tie
for last is broken by the seed's order, the later going first. Without a seed a tie that cannot
change who wins is broken by the order of the candidates, and any other tie ends the count: those
who may win are then reported as tied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.breaking import Outcomes, fewest_before
from singletable_apps.counting.explaining.runoff import explain_runoff
from singletable_apps.counting.first_choices import FirstChoices, Votes
from singletable_apps.counting.margin_of_rounds import margin_of_rounds
from singletable_apps.counting.result import BallotAccount, Number, Rule, final_order, places_of
from singletable_apps.counting.results.runoff import (
    BrokenBy,
    Mattered,
    Round,
    RunoffResult,
    Tie,
    Transfer,
)
from singletable_apps.counting.rules import EqualRanks, equal_ranks_rule
from singletable_apps.counting.tie_break import TieBreak

_RULES = (
    Rule("majority", "continuing", "More than half of the ballots that still count win."),
    Rule("elimination", "one", "In each round the one candidate with the fewest votes goes."),
    Rule(
        "order",
        "elimination",
        "Behind the winner stand those left in the last round by their votes, then the others, "
        "the last to go first.",
    ),
)


@dataclass(slots=True)
class _Count:
    """A count under way."""

    names: tuple[str, ...]
    votes: list[Votes] = field(default_factory=list[Votes])
    gone: list[int] = field(default_factory=list[int])
    ties: dict[int, Tie] = field(default_factory=dict[int, Tie])
    possible: frozenset[int] | None = None  # from the first tie on
    still_possible: frozenset[int] | None = None  # from the last
    winner: int | None = None


def instant_runoff(
    ballots: Ballots,
    *,
    equal_ranks: EqualRanks = "split",
    look_back: bool = False,
    seed: str | None = None,
) -> RunoffResult:
    """The rounds, and who wins. `look_back` lets earlier rounds break ties for last if they can."""
    names = ballots.candidates
    ties = None if seed is None else TieBreak.from_seed(names, seed)
    choices = FirstChoices(ballots, equal_ranks)
    count = _Count(names)
    if ballots.cast > ballots.blank:
        _run(count, choices, ties, look_back=look_back)
    rounds = _rounds(count)
    places = places_of([[names[each] for each in level] for level in _levels(count)])
    last = rounds[-1] if rounds else None
    result = RunoffResult(
        method="Instant runoff",
        candidates=names,
        rules=(*_RULES, equal_ranks_rule(equal_ranks), _ties_rule(ties, look_back=look_back)),
        account=BallotAccount(
            ballots.cast,
            ballots.blank,
            last.continuing if last else 0,
            last.exhausted if last else {},
        ),
        places=places,
        tie_break=ties,
        final_order=final_order(places, ties),
        rounds=rounds,
        possible_winners=_possible(count),
        ties_mattered=_mattered([tie.mattered for tie in count.ties.values()]),
    )
    if count.winner is not None and result.ties_mattered in (None, "no"):
        margin = margin_of_rounds(choices, count.votes, count.winner)
        result = replace(result, margin=margin)
    return replace(result, explanation=tuple(explain_runoff(result)))


def _run(count: _Count, choices: FirstChoices, ties: TieBreak | None, *, look_back: bool) -> None:
    """Rounds until somebody wins, or a tie ends them."""
    outcomes = Outcomes(choices)
    left = tuple(range(len(count.names)))
    lost = None
    while True:
        votes = choices.votes(left, lost)
        count.votes.append(votes)
        # Where all ballots are exhausted nobody has a majority, and the last one left wins.
        count.winner = left[0] if len(left) == 1 else votes.majority
        if count.winner is not None:
            return
        tied = votes.fewest
        if len(tied) > 1:
            possible = outcomes.winners(left, lost)
            if not count.ties:
                count.possible = possible
            count.still_possible = possible
            tied, broken_by = _broken(count, tied, possible, ties, look_back=look_back)
            names = tuple(count.names[each] for each in votes.fewest)
            count.ties[len(count.votes)] = Tie(names, broken_by, _matters(possible))
            if broken_by == "nothing":
                return
        count.gone.append(tied[0])
        left = tuple(each for each in left if each != tied[0])
        lost = votes.lost


def _broken(
    count: _Count,
    tied: list[int],
    possible: frozenset[int] | None,
    ties: TieBreak | None,
    *,
    look_back: bool,
) -> tuple[list[int], BrokenBy]:
    """Who goes, and by what."""
    if look_back:
        tied = fewest_before(tied, count.votes[:-1])
        if len(tied) == 1:
            return tied, "earlier rounds"
    if ties is not None:
        last = ties.last(count.names[each] for each in tied)
        return [count.names.index(last)], "seed"
    if possible is not None and len(possible) == 1:
        return [tied[-1]], "candidate order"
    return tied, "nothing"


def _matters(possible: frozenset[int] | None) -> Mattered:
    if possible is None:
        return "not known"
    return "yes" if len(possible) > 1 else "no"


def _mattered(ties: Sequence[Mattered]) -> Mattered | None:
    """Of all ties together: it is enough if one did."""
    for mattered in ("yes", "not known", "no"):
        if mattered in ties:
            return mattered
    return None


def _possible(count: _Count) -> tuple[str, ...] | None:
    if not count.votes:
        return count.names
    if not count.ties:
        return (count.names[count.winner],) if count.winner is not None else None
    if count.possible is None:
        return None
    return tuple(count.names[each] for each in sorted(count.possible))


def _levels(count: _Count) -> list[list[int]]:
    """Who shares which place, best first."""
    if not count.votes:
        return [list(range(len(count.names)))]
    last = count.votes[-1].of
    # If it could not be found out who may win, it may be all who are left.
    possible = last.keys() if count.still_possible is None else count.still_possible
    first = [count.winner] if count.winner is not None else sorted(possible)
    rest: dict[Number, list[int]] = {}
    for each, votes in last.items():
        if each not in first:
            rest.setdefault(votes, []).append(each)
    by_votes = [rest[votes] for votes in sorted(rest, reverse=True)]
    return [first, *by_votes, *([each] for each in reversed(count.gone))]


def _rounds(count: _Count) -> tuple[Round, ...]:
    rounds: list[Round] = []
    for at, votes in enumerate(count.votes):
        ended = at == len(count.votes) - 1
        gone = None if ended else count.gone[at]
        rounds.append(
            Round(
                at + 1,
                {count.names[each]: number for each, number in votes.of.items()},
                votes.continuing,
                votes.exhausted,
                count.names[count.winner] if ended and count.winner is not None else None,
                None if gone is None else count.names[gone],
                count.ties.get(at + 1),
                () if gone is None else _transfers(count, gone, votes, count.votes[at + 1]),
            )
        )
    return tuple(rounds)


def _transfers(count: _Count, gone: int, before: Votes, after: Votes) -> tuple[Transfer, ...]:
    """Where the votes of whoever went are in the next round."""
    source = count.names[gone]
    to_others = [
        Transfer(source, count.names[each], number - before.of[each])
        for each, number in after.of.items()
    ]
    to_nobody = [
        Transfer(source, None, number - before.exhausted[reason], reason)
        for reason, number in after.exhausted.items()
    ]
    return tuple(each for each in [*to_others, *to_nobody] if each.votes)


def _ties_rule(ties: TieBreak | None, *, look_back: bool) -> Rule:
    earlier = (
        "Of those tied for last, the one with fewer votes when they last differed goes; if they "
        "never did: "
        if look_back
        else ""
    )
    choice = "earlier rounds, then " if look_back else ""
    if ties is None:
        return Rule(
            "ties",
            f"{choice}reported",
            f"{earlier}A tie for last that cannot change who wins is broken by the order of the "
            "candidates, the later going first; any other ends the count, and all who may win are "
            "reported as tied.",
        )
    return Rule(
        "ties",
        f"{choice}seed",
        f"{earlier}A tie for last is broken by the order of SHA-256 over the published seed "
        f"'{ties.seed}' followed by the candidate's name, the later going first.",
    )
