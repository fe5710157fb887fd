"""What may be done with an election, by whom, and in which state of it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from singletable_apps.elections.entities import STATES, Election, Publication, State, User
from singletable_apps.elections.errors import InvalidInput, NotPermitted, WrongState
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.names import format_time, is_same_name, quote
from singletable_apps.elections.rules.users import check_permission

YEARS = range(1970, 9999)


def has_begun(election: Election, now: datetime) -> bool:
    """Whether the window is open, or was."""
    return election.no_voting_before is None or election.no_voting_before <= now


def has_ended(election: Election, now: datetime) -> bool:
    """Whether the window is open no more."""
    return election.no_voting_after is not None and election.no_voting_after <= now


def check_window(before: datetime | None, after: datetime | None) -> None:
    """Refuse unless the window is one: it ends after it begins, and says in which zone."""
    for field, when in (("no_voting_before", before), ("no_voting_after", after)):
        if when is None:
            continue
        if when.utcoffset() is None:
            raise InvalidInput(
                f"{field} is {when.isoformat()}, without a time zone, and so another moment in "
                f"every place. Write the zone too, like {when.isoformat()}Z for UTC.",
                field=field,
            )
        if when.year not in YEARS:
            raise InvalidInput(
                f"{field} is in the year {when.year}; it must be from {YEARS.start} to "
                f"{YEARS.stop - 1}. Choose a moment in these years, or none.",
                field=field,
            )
    if before is not None and after is not None and before >= after:
        raise InvalidInput(
            f"Voting would end ({format_time(after)}) no later than it begins "
            f"({format_time(before)}). "
            "Choose a later end, or an earlier beginning.",
            field="no_voting_after",
        )


FEWEST_CANDIDATES = 2


def state_of(election: Election) -> State:
    """Where the election stands."""
    return STATES[election.allow_edit, election.allow_vote]


def describe_status(election: Election, now: datetime) -> str:
    """Where the election stands, in words, its window included."""
    if election.allow_vote:
        if election.no_voting_before is not None and not has_begun(election, now):
            return f"Voting opens {format_time(election.no_voting_before)}"
        if has_ended(election, now):
            return "Voting has ended, not yet finalised"
    return STATUS[state_of(election)]


def check_create_election(actor: User) -> None:
    """Refuse unless the actor may create elections."""
    check_permission(actor, Permission.USE_APPLICATION)


def check_owner(actor: User, election: Election) -> None:
    """Refuse unless the election is the actor's, and they may still use the application."""
    if not is_same_name(actor.name, election.owner_name):
        raise NotPermitted(
            f"{_the(election)} is owned by {quote(election.owner_name)}, and only its owner may "
            f"do this; you are signed in as {quote(actor.name)}. Ask the owner."
        )
    check_permission(actor, Permission.USE_APPLICATION)


def check_edit_settings(actor: User, election: Election) -> None:
    """Refuse unless the actor may set secrecy, publication and the window: before launch."""
    check_owner(actor, election)
    _check_not_closed(election)
    if state_of(election) is not State.SETUP:
        raise WrongState(
            f"{_the(election)} is closed for edits once launched, so that nobody votes under rules "
            "that change. Create another election for other settings."
        )


def check_rename_election(actor: User, election: Election) -> None:
    """Refuse unless the actor may give the election another name."""
    _check_editable(actor, election, "name")


def check_set_candidates(actor: User, election: Election, *, count: int | None = None) -> None:
    """Refuse unless the actor may set the candidates, of whom there would be `count`."""
    _check_editable(actor, election, "candidates")
    if count is not None and election.allow_vote and count < FEWEST_CANDIDATES:
        raise WrongState(
            f"{_the(election)} is launched, and can not go on with less than {FEWEST_CANDIDATES} "
            f"candidates, would have {count}. Keep more of them, or delete the election."
        )


def check_set_voters(actor: User, election: Election) -> None:
    """Refuse unless the actor may set who may vote."""
    _check_editable(actor, election, "voters")


def check_launch(actor: User, election: Election, now: datetime) -> None:
    """Refuse unless the actor may let voting begin."""
    check_owner(actor, election)
    _check_not_closed(election)
    if state_of(election) is not State.SETUP:
        raise WrongState(f"{_the(election)} is launched already. {_now(election, now)}")
    if election.candidate_count < FEWEST_CANDIDATES:
        raise WrongState(
            f"Election can not be launched with less than {FEWEST_CANDIDATES} candidates, has "
            f"{election.candidate_count}. Add candidates to {quote(election.name)} first."
        )
    if election.no_voting_after is not None and has_ended(election, now):
        raise WrongState(
            f"{_the(election)} can not be launched: its voting ended "
            f"{format_time(election.no_voting_after)}. Choose a later end, or none."
        )


def check_lock(actor: User, election: Election) -> None:
    """Refuse unless the actor may end all edits while votes are accepted."""
    check_owner(actor, election)
    _check_not_closed(election)
    match state_of(election):
        case State.SETUP:
            raise WrongState(
                f"{_the(election)} has not been launched yet. Launch it without edits instead."
            )
        case State.FIXED:
            raise WrongState(f"{_the(election)} is fixed already; nothing needs to be done.")
        case _:
            return


def check_close(actor: User | None, election: Election, now: datetime) -> None:
    """Refuse unless the election may be closed, by its owner, or, once ended, by nobody at all."""
    if actor is not None:
        check_owner(actor, election)
    if state_of(election) is State.CLOSED:
        raise WrongState(f"{_the(election)} is finalized already; nothing needs to be done.")
    if state_of(election) is State.SETUP:
        raise WrongState(
            f"{_the(election)} can not be finalized: it has not been launched yet. Launch it, or "
            "delete it."
        )
    if election.no_voting_after is None:
        if actor is None:
            raise WrongState(
                f"{_the(election)} has no end date, so only its owner, "
                f"{quote(election.owner_name)}, can finalize it."
            )
    elif not has_ended(election, now):
        raise WrongState(
            f"{_the(election)} accepts votes until {format_time(election.no_voting_after)}. Only "
            "elections with no end date can be manually finalized before; wait until then."
        )


def check_delete(actor: User, election: Election) -> None:
    """Refuse unless the actor owns the election, or moderates."""
    if not has_permission(actor.role, Permission.MANAGE_USERS):
        check_owner(actor, election)


def check_transfer(actor: User, election: Election, new_owner: User) -> None:
    """Refuse unless the actor may give the election away, and the new owner could use it."""
    if not has_permission(actor.role, Permission.MANAGE_USERS):
        check_owner(actor, election)
    if not has_permission(new_owner.role, Permission.USE_APPLICATION):
        raise WrongState(
            f"{quote(new_owner.name)} can not own an election: this needs the permission "
            f"{Permission.USE_APPLICATION}, and their role is {new_owner.role}. Choose another, or "
            "have their role changed first.",
            field="owner",
        )


def _check_editable(actor: User, election: Election, what: str) -> None:
    check_owner(actor, election)
    _check_not_closed(election)
    if not election.allow_edit:
        raise WrongState(
            f"{_the(election)} is closed for edits once launched as fixed: its {what} can not "
            "change any more. Create another election instead."
        )


def _check_not_closed(election: Election) -> None:
    if state_of(election) is State.CLOSED:
        raise WrongState(
            f"{_the(election)} can not be edited once it has been finalized. Create another "
            "election instead."
        )


def _the(election: Election) -> str:
    return f"Election {quote(election.name)}"


def _now(election: Election, now: datetime) -> str:
    return f"It is now: {describe_status(election, now)}."


# FROM visibility.py: What of an election may be seen, when, and by whom.
#
# An open ballot is counted before all eyes from the beginning. A secret one is counted when it has
# closed, and what somebody else cast is sealed for everybody, auditors included.


class ResultDetail(StrEnum):
    """What can be published of the ballots; who has voted is no secret, and not among these."""

    TOTALS = "totals"
    RANKINGS = "rankings"
    CONFIRMATIONS = "confirmations"
    NAMES = "voters with ballots"


_BY_PUBLICATION: dict[Publication, frozenset[ResultDetail]] = {
    Publication.TOTALS: frozenset({ResultDetail.TOTALS}),
    Publication.ANONYMOUS: frozenset({ResultDetail.TOTALS, ResultDetail.RANKINGS}),
    Publication.CONFIRMATIONS: frozenset(
        {ResultDetail.TOTALS, ResultDetail.RANKINGS, ResultDetail.CONFIRMATIONS}
    ),
}


def default_publication(secret: bool) -> Publication:
    """What is published if nobody has settled it: of a secret ballot the least."""
    return Publication.TOTALS if secret else Publication.CONFIRMATIONS


def check_view_tally(viewer: User, election: Election, now: datetime) -> None:
    """Refuse unless the viewer may see how the count stands."""
    check_permission(viewer, Permission.VIEW_APPLICATION)
    why = _why_no_tally(election, now)
    if why is not None:
        raise WrongState(f"Election {quote(election.name)} {why}")


def check_view_ballot(viewer: User, voter_name: str, election: Election, now: datetime) -> None:
    """Refuse unless the viewer may see what the voter has cast: their own they always may."""
    if is_same_name(viewer.name, voter_name):
        return
    if election.secret_ballot:
        raise NotPermitted(
            f"The ballots of election {quote(election.name)} are secret, and that of "
            f"{quote(voter_name)} is seen by {quote(voter_name)} alone; you are signed in as "
            f"{quote(viewer.name)}. Look at the tally once the election has been finalized."
        )
    check_view_tally(viewer, election, now)
    if ResultDetail.NAMES not in visible_details(election, now):
        raise NotPermitted(
            f"Of election {quote(election.name)} only this is published: {election.publication}; "
            f"the ballot of {quote(voter_name)} is seen by {quote(voter_name)} alone. Look at "
            "the tally."
        )


def visible_details(election: Election, now: datetime) -> frozenset[ResultDetail]:
    """What may be shown of the ballots now: nothing while the tally is not visible."""
    if _why_no_tally(election, now) is not None:
        return frozenset()
    shown = _BY_PUBLICATION[election.publication]
    # A name beside a ballot is what an open ballot means, and what a secret one never shows.
    open_ballots = not election.secret_ballot and ResultDetail.CONFIRMATIONS in shown
    return shown | {ResultDetail.NAMES} if open_ballots else shown


def _why_no_tally(election: Election, now: datetime) -> str | None:
    match state_of(election):
        case State.CLOSED:
            return None
        case State.SETUP:
            return "has not started yet: it waits for launch. Look again when it has been launched."
        case State.EDITABLE | State.FIXED:
            pass
    if election.no_voting_before is not None and not has_begun(election, now):
        opens = format_time(election.no_voting_before)
        return f"has not started yet: voting opens {opens}. Look again after that."
    if not election.secret_ballot:
        return None
    secret = "its ballots are secret, and are counted when it has been finalized"
    if election.no_voting_after is None:
        return f"is still accepting votes: {secret}. Wait until its owner finalizes it."
    ends = format_time(election.no_voting_after)
    if has_ended(election, now):
        return f"has not been finalized yet, though voting ended {ends}: {secret}. Look again soon."
    return f"has not ended yet: {secret}, after {ends}. Look again after that."


STATUS: dict[State, str] = {
    State.SETUP: "Waiting for launch",
    State.EDITABLE: "Waiting for votes (editable)",
    State.FIXED: "Waiting for votes (fixed)",
    State.CLOSED: "Closed",
}
