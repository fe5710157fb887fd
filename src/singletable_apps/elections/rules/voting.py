"""Who may vote, when, and what a ballot can say.

A ballot that ranks nobody is a blank one: it is cast, counted as cast, and prefers nobody. To
cast it, candidates are listed without a rank; an empty list is refused, for it is more likely a
form that was sent by mistake.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from singletable_apps.counting import Ranking
from singletable_apps.elections.entities import Ballot, Election, State, User
from singletable_apps.elections.errors import InvalidInput, NotFound, NotPermitted, WrongState
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import has_begun, has_ended, state_of
from singletable_apps.elections.rules.names import (
    fold_name,
    format_time,
    is_same_name,
    quote,
    quote_names,
)
from singletable_apps.elections.rules.users import check_permission


def is_eligible(user: User, election: Election, listed: bool) -> bool:
    """Whether the user may vote in the election: all who may vote at all, or those listed."""
    return has_permission(user.role, Permission.VOTE) and (election.voter_count == 0 or listed)


def check_voter(actor: User, voter_name: str) -> None:
    """Refuse unless the ballot is the actor's own: nobody votes for another."""
    if not is_same_name(actor.name, voter_name):
        raise NotPermitted(
            f"Cannot cast ballot as {quote(voter_name)} when authenticated as "
            f"{quote(actor.name)}. Cast your own, or sign in as {quote(voter_name)}."
        )


def check_cast(
    user: User, election: Election, *, listed: bool, ballot: Ballot | None, now: datetime
) -> None:
    """Refuse unless the user may cast a ballot now; `ballot` is the one they cast before."""
    check_permission(user, Permission.VOTE)
    _check_open(election, now)
    if not is_eligible(user, election, listed):
        raise NotPermitted(
            f"{quote(user.name)} is not among the {election.voter_count:,} voters of election "
            f"{quote(election.name)}. Ask its owner, {quote(election.owner_name)}, to be added."
        )
    if ballot is not None:
        _check_changeable(election, ballot)


def check_withdraw(user: User, election: Election, *, ballot: Ballot | None, now: datetime) -> None:
    """Refuse unless the user may take their ballot back now."""
    check_permission(user, Permission.VOTE)
    _check_open(election, now)
    if ballot is None:
        raise NotFound(
            f"{quote(user.name)} has no ballot in election {quote(election.name)}, so there is "
            "nothing to withdraw."
        )
    _check_changeable(election, ballot)


def parse_ranking(lines: Sequence[tuple[str, int | None]], candidates: Sequence[str]) -> Ranking:
    """What a ballot says. Ranks may be equal and have gaps; None is not ranked."""
    if not lines:
        raise _no_ballot(
            "Rankings are empty. List at least one candidate; with no rank at all the ballot is "
            "a blank one."
        )
    known = {fold_name(name): name for name in candidates}
    exact = set(candidates)
    unknown = [name for name, _ in lines if name not in exact and _key(name) not in known]
    if unknown:
        raise _no_ballot(
            f"Rankings contain unknown candidates: {quote_names(unknown)}. "
            + (f"There are: {quote_names(candidates)}." if candidates else "There are none yet.")
        )
    ranked: dict[str, int | None] = {}
    for written, rank in lines:
        name = written if written in exact else known[_key(written)]
        if name in ranked:
            raise _no_ballot(
                f"{quote(name)} is ranked twice. Rank each candidate once, or not at all."
            )
        ranked[name] = _rank(name, rank)
    return Ranking.from_ranks(ranked)


def rank_pairs(ranking: Ranking) -> tuple[tuple[str, int], ...]:
    """The ranking as lines, best first, then by name; ranks are 1, 2, 3 without gaps."""
    return tuple(
        (name, rank) for rank, level in enumerate(ranking.levels, start=1) for name in level
    )


def drop_removed_candidates(
    ranking: Ranking, revision: int, candidates: Mapping[str, int]
) -> Ranking:
    """What of a ranking counts: those who are candidates, and were when it was cast.

    `revision` is the event that cast the ballot, and `candidates` has for each the event that made
    it one: who was removed and has come back is another candidate than who was ranked.
    """

    def counts(name: str) -> bool:
        return name in candidates and candidates[name] < revision

    return Ranking(tuple(tuple(filter(counts, level)) for level in ranking.levels))


def _check_open(election: Election, now: datetime) -> None:
    name = f"Election {quote(election.name)}"
    match state_of(election):
        case State.SETUP:
            raise WrongState(
                f"{name} is not accepting votes yet: it has not been launched. Wait until "
                f"{quote(election.owner_name)}, its owner, launches it."
            )
        case State.CLOSED:
            raise WrongState(
                f"{name} is no longer accepting votes: it has been finalized. See its result."
            )
        case _:
            pass
    if election.no_voting_before is not None and not has_begun(election, now):
        raise WrongState(
            f"{name} is not accepting votes yet: voting opens "
            f"{format_time(election.no_voting_before)}. "
            "Vote then."
        )
    if election.no_voting_after is not None and has_ended(election, now):
        raise WrongState(
            f"{name} is no longer accepting votes: voting ended "
            f"{format_time(election.no_voting_after)}. Wait for its result."
        )


def _check_changeable(election: Election, ballot: Ballot) -> None:
    if not election.allow_edit:
        raise WrongState(
            f"{quote(ballot.voter_name)} has voted in election {quote(election.name)} "
            f"({format_time(ballot.when_cast)}), which is fixed: the first ballot is final. "
            "Nothing needs to be done; it will be counted."
        )


def _key(name: str) -> str:
    return fold_name(" ".join(name.split()))


def _rank(name: str, rank: object) -> int | None:
    # True is an int to Python, and no rank to anybody.
    if rank is None or (isinstance(rank, int) and not isinstance(rank, bool) and rank > 0):
        return rank
    raise _no_ballot(
        f"The rank of {quote(name)} is {rank!r}; a rank is 1, 2, 3 … or none for not ranked."
    )


def _no_ballot(why: str) -> InvalidInput:
    return InvalidInput(why, field="rankings")
