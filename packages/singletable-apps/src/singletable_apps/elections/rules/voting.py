"""Rules about voting: eligibility, the content of ballots, and how they are counted.

A ballot that ranks nobody is blank: it counts as cast and prefers nobody. To cast one, candidates
are listed without a rank. An empty list is rejected: it is more likely a mistake.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from ranked_ballots import Ranking
from singletable_apps.elections.entities import Election, Electorate, State, User
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import has_begun, has_ended, state_of
from singletable_apps.elections.rules.names import fold_name, quote, quote_names
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.permissions import NotPermitted

UNCONFIRMED = (
    "People on the roll are found by their confirmed e-mail address, and yours is not confirmed. "
    "Confirm it first, or vote with your personal link."
)

SHARED_ADDRESS = (
    "Several people on the roll have your e-mail address, so an account can’t vote for one of "
    "them. Vote with the personal links that were sent to this address."
)


def is_eligible(user: User | None, election: Election, listed: bool) -> bool:
    """Return whether the user may vote in the election: all voters, or those on its list or roll.

    Someone with a personal link has no account: None.
    """
    allowed = user is None or has_permission(user.role, Permission.VOTE)
    for_everyone = election.voter_count == 0 and election.electorate is Electorate.ACCOUNTS
    return allowed and (for_everyone or listed)


def check_listed_voters(users: Sequence[User]) -> None:
    """Raise InvalidInput unless all users may vote, as a voter list requires."""
    names = [user.name for user in users if not has_permission(user.role, Permission.VOTE)]
    if names:
        message = (
            f"These people’s accounts can’t vote: {quote_names(names)}. Leave them out, or ask an "
            "administrator to change their roles."
        )
        raise InvalidInput({"voters": message})


def check_cast(
    user: User | None,
    election: Election,
    *,
    listed: bool,
    has_voted: bool,
    now: datetime,
    shares_address: bool = False,
) -> None:
    """Raise unless the user may cast a ballot now.

    `shares_address` if several people on the roll have their address.
    """
    if user is not None:
        check_permission(user, Permission.VOTE)
    _check_open(election, now)
    if not is_eligible(user, election, listed):
        owner = quote(election.owner_name)
        text = f"You’re not on the voter list of this election. Ask its owner, {owner}, to add you."
        if user is not None and election.electorate is Electorate.ROLL and not user.is_confirmed:
            # The same for everyone, so that it does not tell who is on the roll.
            text = UNCONFIRMED
        elif shares_address:
            text = SHARED_ADDRESS
        raise NotPermitted(text)
    if has_voted:
        _check_changeable(election)


def check_withdraw(
    user: User | None, election: Election, *, has_voted: bool, now: datetime
) -> None:
    """Raise unless the user may withdraw their ballot now."""
    if user is not None:
        check_permission(user, Permission.VOTE)
    _check_open(election, now)
    if not has_voted:
        raise NotFound("You haven’t voted in this election, so there is nothing to withdraw.")
    _check_changeable(election)


def parse_ranking(lines: Sequence[tuple[str, int | None]], candidates: Sequence[str]) -> Ranking:
    """Return the ranking of a ballot. Ranks may be equal and have gaps; None is not ranked."""
    if not lines:
        raise _invalid_ballot(
            "The ballot is empty. Rank at least one candidate; to cast a blank ballot, list "
            "candidates without ranks."
        )
    exact = set(candidates)
    by_folded = {fold_name(name): name for name in candidates}
    unknown = [name for name, _ in lines if name not in exact and _fold(name) not in by_folded]
    if unknown:
        raise _invalid_ballot(
            f"Not a candidate: {quote_names(unknown)}. The candidates are "
            f"{quote_names(candidates) if candidates else 'not set yet'}."
        )
    ranks: dict[str, int | None] = {}
    for text, rank in lines:
        name = text if text in exact else by_folded[_fold(text)]
        if name in ranks:
            raise _invalid_ballot(f"{quote(name)} is ranked twice. Rank each candidate once.")
        ranks[name] = _check_rank(name, rank)
    return Ranking.from_ranks(ranks)


def rank_pairs(ranking: Ranking) -> tuple[tuple[str, int], ...]:
    """Return candidates with ranks, best first, then by name. Ranks are 1, 2, 3 without gaps."""
    return tuple(
        (name, rank) for rank, level in enumerate(ranking.levels, start=1) for name in level
    )


def drop_removed_candidates(
    ranking: Ranking, revision: int, candidates: Mapping[str, int]
) -> Ranking:
    """Return the part of a ranking that counts: candidates from when it was cast until now.

    `revision` is the event that cast the ballot; `candidates` has the event that added each. A
    candidate who was removed and added again is not the one that was ranked.
    """

    def counts(name: str) -> bool:
        return name in candidates and candidates[name] < revision

    return Ranking(tuple(tuple(filter(counts, level)) for level in ranking.levels))


def _check_open(election: Election, now: datetime) -> None:
    match state_of(election):
        case State.SETUP:
            raise WrongState("Voting hasn’t started: this election hasn’t been launched yet.")
        case State.CLOSED:
            raise WrongState("Voting is over: this election is closed. See the results.")
        case _:
            pass
    if not has_begun(election, now):
        raise WrongState("Voting hasn’t opened yet.")
    if has_ended(election, now):
        raise WrongState("Voting has ended.")


def _check_changeable(election: Election) -> None:
    if not election.allow_edit:
        raise WrongState("You’ve already voted. In this election, ballots are final.")


def _fold(name: str) -> str:
    return fold_name(" ".join(name.split()))


def _check_rank(name: str, rank: object) -> int | None:
    # True is an int in Python.
    if rank is None or (isinstance(rank, int) and not isinstance(rank, bool) and rank > 0):
        return rank
    raise _invalid_ballot(
        f"The rank of {quote(name)} is {rank!r}. Use 1, 2, 3 …, or none for not ranked."
    )


def _invalid_ballot(message: str) -> InvalidInput:
    return InvalidInput({"rankings": message})
