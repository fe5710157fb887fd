"""What may be done with an election, by whom, and in which state of it."""

from __future__ import annotations

from datetime import datetime

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import Invalid, NotPermitted, WrongState
from singletable_apps.elections.roles import Permission, has
from singletable_apps.elections.rules.names import moment, quoted, same
from singletable_apps.elections.rules.people import check_may
from singletable_apps.elections.states import STATES, STATUS, State

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
            raise Invalid(
                f"{field} is {when.isoformat()}, without a time zone, and so another moment in "
                f"every place. Write the zone too, like {when.isoformat()}Z for UTC.",
                field=field,
            )
        if when.year not in YEARS:
            raise Invalid(
                f"{field} is in the year {when.year}; it must be from {YEARS.start} to "
                f"{YEARS.stop - 1}. Choose a moment in these years, or none.",
                field=field,
            )
    if before is not None and after is not None and before >= after:
        raise Invalid(
            f"Voting would end ({moment(after)}) no later than it begins ({moment(before)}). "
            "Choose a later end, or an earlier beginning.",
            field="no_voting_after",
        )


FEWEST_CANDIDATES = 2


def state_of(election: Election) -> State:
    """Where the election stands."""
    return STATES[election.allow_edit, election.allow_vote]


def status_of(election: Election, now: datetime) -> str:
    """Where the election stands, in words, its window included."""
    if election.allow_vote:
        if election.no_voting_before is not None and not has_begun(election, now):
            return f"Voting opens {moment(election.no_voting_before)}"
        if has_ended(election, now):
            return "Voting has ended, not yet finalised"
    return STATUS[state_of(election)]


def check_create(actor: User) -> None:
    """Refuse unless the actor may create elections."""
    check_may(actor, Permission.USE_APPLICATION)


def check_owner(actor: User, election: Election) -> None:
    """Refuse unless the election is the actor's, and they may still use the application."""
    if not same(actor.name, election.owner_name):
        raise NotPermitted(
            f"{_the(election)} is owned by {quoted(election.owner_name)}, and only its owner may "
            f"do this; you are signed in as {quoted(actor.name)}. Ask the owner."
        )
    check_may(actor, Permission.USE_APPLICATION)


def check_settings(actor: User, election: Election) -> None:
    """Refuse unless the actor may set secrecy, publication and the window: before launch."""
    check_owner(actor, election)
    _check_not_closed(election)
    if state_of(election) is not State.SETUP:
        raise WrongState(
            f"{_the(election)} is closed for edits once launched, so that nobody votes under rules "
            "that change. Create another election for other settings."
        )


def check_rename(actor: User, election: Election) -> None:
    """Refuse unless the actor may give the election another name."""
    _check_editable(actor, election, "name")


def check_candidates(actor: User, election: Election, *, count: int | None = None) -> None:
    """Refuse unless the actor may set the candidates, of whom there would be `count`."""
    _check_editable(actor, election, "candidates")
    if count is not None and election.allow_vote and count < FEWEST_CANDIDATES:
        raise WrongState(
            f"{_the(election)} is launched, and can not go on with less than {FEWEST_CANDIDATES} "
            f"candidates, would have {count}. Keep more of them, or delete the election."
        )


def check_voters(actor: User, election: Election) -> None:
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
            f"{election.candidate_count}. Add candidates to {quoted(election.name)} first."
        )
    if election.no_voting_after is not None and has_ended(election, now):
        raise WrongState(
            f"{_the(election)} can not be launched: its voting ended "
            f"{moment(election.no_voting_after)}. Choose a later end, or none."
        )


def check_fix(actor: User, election: Election) -> None:
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


def check_finalise(actor: User | None, election: Election, now: datetime) -> None:
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
                f"{quoted(election.owner_name)}, can finalize it."
            )
    elif not has_ended(election, now):
        raise WrongState(
            f"{_the(election)} accepts votes until {moment(election.no_voting_after)}. Only "
            "elections with no end date can be manually finalized before; wait until then."
        )


def check_delete(actor: User, election: Election) -> None:
    """Refuse unless the actor owns the election, or moderates."""
    if not has(actor.role, Permission.MANAGE_USERS):
        check_owner(actor, election)


def check_handover(actor: User, election: Election, new_owner: User) -> None:
    """Refuse unless the actor may give the election away, and the new owner could use it."""
    if not has(actor.role, Permission.MANAGE_USERS):
        check_owner(actor, election)
    if not has(new_owner.role, Permission.USE_APPLICATION):
        raise WrongState(
            f"{quoted(new_owner.name)} can not own an election: this needs the permission "
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
    return f"Election {quoted(election.name)}"


def _now(election: Election, now: datetime) -> str:
    return f"It is now: {status_of(election, now)}."
