"""What of an election may be seen, when, and by whom.

An open ballot is counted before all eyes from the beginning. A secret one is counted when it has
closed, and what somebody else cast is sealed for everybody, auditors included.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import NotPermitted, WrongState
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.elections import has_begun, has_ended, state_of
from singletable_apps.elections.rules.names import moment, quoted, same
from singletable_apps.elections.rules.people import check_may
from singletable_apps.elections.states import Publication, State


class Shown(StrEnum):
    """What can be published of the ballots; who has voted is no secret, and not among these."""

    TOTALS = "totals"
    RANKINGS = "rankings"
    CONFIRMATIONS = "confirmations"
    NAMES = "voters with ballots"


_BY_PUBLICATION: dict[Publication, frozenset[Shown]] = {
    Publication.TOTALS: frozenset({Shown.TOTALS}),
    Publication.ANONYMOUS: frozenset({Shown.TOTALS, Shown.RANKINGS}),
    Publication.CONFIRMATIONS: frozenset({Shown.TOTALS, Shown.RANKINGS, Shown.CONFIRMATIONS}),
}


def default_publication(secret: bool) -> Publication:
    """What is published if nobody has settled it: of a secret ballot the least."""
    return Publication.TOTALS if secret else Publication.CONFIRMATIONS


def check_tally(viewer: User, election: Election, now: datetime) -> None:
    """Refuse unless the viewer may see how the count stands."""
    check_may(viewer, Permission.VIEW_APPLICATION)
    why = _why_no_tally(election, now)
    if why is not None:
        raise WrongState(f"Election {quoted(election.name)} {why}")


def check_see_ballot(viewer: User, voter_name: str, election: Election, now: datetime) -> None:
    """Refuse unless the viewer may see what the voter has cast: their own they always may."""
    if same(viewer.name, voter_name):
        return
    if election.secret_ballot:
        raise NotPermitted(
            f"The ballots of election {quoted(election.name)} are secret, and that of "
            f"{quoted(voter_name)} is seen by {quoted(voter_name)} alone; you are signed in as "
            f"{quoted(viewer.name)}. Look at the tally once the election has been finalized."
        )
    check_tally(viewer, election, now)
    if Shown.NAMES not in may_list(election, now):
        raise NotPermitted(
            f"Of election {quoted(election.name)} only this is published: {election.publication}; "
            f"the ballot of {quoted(voter_name)} is seen by {quoted(voter_name)} alone. Look at "
            "the tally."
        )


def may_list(election: Election, now: datetime) -> frozenset[Shown]:
    """What may be shown of the ballots now: nothing while the tally is not visible."""
    if _why_no_tally(election, now) is not None:
        return frozenset()
    shown = _BY_PUBLICATION[election.publication]
    # A name beside a ballot is what an open ballot means, and what a secret one never shows.
    open_ballots = not election.secret_ballot and Shown.CONFIRMATIONS in shown
    return shown | {Shown.NAMES} if open_ballots else shown


def _why_no_tally(election: Election, now: datetime) -> str | None:
    match state_of(election):
        case State.CLOSED:
            return None
        case State.SETUP:
            return "has not started yet: it waits for launch. Look again when it has been launched."
        case State.EDITABLE | State.FIXED:
            pass
    if election.no_voting_before is not None and not has_begun(election, now):
        opens = moment(election.no_voting_before)
        return f"has not started yet: voting opens {opens}. Look again after that."
    if not election.secret_ballot:
        return None
    secret = "its ballots are secret, and are counted when it has been finalized"
    if election.no_voting_after is None:
        return f"is still accepting votes: {secret}. Wait until its owner finalizes it."
    ends = moment(election.no_voting_after)
    if has_ended(election, now):
        return f"has not been finalized yet, though voting ended {ends}: {secret}. Look again soon."
    return f"has not ended yet: {secret}, after {ends}. Look again after that."
