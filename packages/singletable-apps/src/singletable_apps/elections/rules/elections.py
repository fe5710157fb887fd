"""Rules about elections: what their owners may do in which state, and which results are visible.

Open ballots are counted for everyone to see from the start. Secret ballots are counted after the
close, and nobody, auditors included, sees what another person cast.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from singletable_apps.elections.entities import (
    STATES,
    Election,
    Electorate,
    Publication,
    State,
    User,
)
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.proofs.documents import MIN_SECRET_BALLOTS
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.methods import PROPOSAL
from singletable_apps.elections.rules.names import is_same_name, quote
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.permissions import NotPermitted

MIN_CANDIDATES = 2
# With fewer voters, the results of a secret election say a lot about single ballots.
FEW_VOTERS = 5
_YEARS = range(1970, 9999)
TOO_FEW_BALLOTS = (
    f"Fewer than {MIN_SECRET_BALLOTS} people voted in secret, so the results would show how they "
    "voted. Nothing is published."
)
# Sums of votes show more than numbers of people do.
RARE_WEIGHT = "Totals can show how someone voted whose number of votes few others have."
_CLOSED = "This election is closed and can’t be changed anymore."


class Standing(StrEnum):
    """The state of an election as people see it, opening and closing times included."""

    SETUP = "setup"
    WAITING = "waiting"
    OPEN = "open"
    FIXED = "fixed"
    ENDED = "ended"
    CLOSED = "closed"


_BY_STATE = {
    State.SETUP: Standing.SETUP,
    State.EDITABLE: Standing.OPEN,
    State.FIXED: Standing.FIXED,
    State.CLOSED: Standing.CLOSED,
}
_STATUS: Mapping[Standing, str] = {
    Standing.SETUP: "Being set up",
    Standing.WAITING: "Voting opens later",
    Standing.OPEN: "Open for votes",
    Standing.FIXED: "Open for votes, locked",
    Standing.ENDED: "Voting has ended",
    Standing.CLOSED: "Closed",
}


def state_of(election: Election) -> State:
    """Return the state of the election."""
    return STATES[election.allow_edit, election.allow_vote]


def has_begun(election: Election, now: datetime) -> bool:
    """Return True if the opening time has passed or is not set."""
    return election.no_voting_before is None or election.no_voting_before <= now


def has_ended(election: Election, now: datetime) -> bool:
    """Return whether there is a closing time and it has passed."""
    return election.no_voting_after is not None and election.no_voting_after <= now


def title_of(first: Election) -> str:
    """Return the name of a whole ballot: its own, or that of the first question on it."""
    return first.ballot_name or first.name


def standing_of(election: Election, now: datetime) -> Standing:
    """Return the state that people see now."""
    if election.allow_vote and not has_begun(election, now):
        return Standing.WAITING
    if election.allow_vote and has_ended(election, now):
        return Standing.ENDED
    return _BY_STATE[state_of(election)]


def describe_status(election: Election, now: datetime) -> str:
    """Return the state of the election in words, considering its opening and closing times."""
    return _STATUS[standing_of(election, now)]


# Times.


def check_window(before: datetime | None, after: datetime | None) -> None:
    """Raise InvalidInput unless the times have time zones, and voting ends after it opens."""
    for field, time in (("no_voting_before", before), ("no_voting_after", after)):
        if time is None:
            continue
        if time.utcoffset() is None:
            raise InvalidInput(
                {field: f"Add a time zone, for example {time.isoformat()}Z for UTC."}
            )
        if time.year not in _YEARS:
            raise InvalidInput({field: f"Choose a year from {_YEARS.start} to {_YEARS.stop - 1}."})
    if before is not None and after is not None and before >= after:
        raise InvalidInput({"no_voting_after": "Choose a time after the opening."})


def check_closing_time(after: datetime | None, now: datetime) -> None:
    """Raise InvalidInput if the closing time has passed."""
    if after is not None and after <= now:
        raise InvalidInput({"no_voting_after": "Choose a time in the future, or none."})


# What owners may do.


def check_create_election(actor: User) -> None:
    """Raise NotPermitted unless the actor may create elections."""
    check_permission(actor, Permission.USE_APPLICATION)


def is_owner(user: User, election: Election) -> bool:
    """Return whether the user owns the election and may still manage elections."""
    return is_same_name(user.name, election.owner_name) and can_own(user)


def manages(user: User, election: Election) -> bool:
    """Return whether the user owns the election or manages it beside the owner.

    Managers may do what the owner may, but not delete it, hand it over, or name managers.
    """
    return is_owner(user, election) or (str(user.user_id) in election.managers and can_own(user))


def check_owner(actor: User, election: Election) -> None:
    """Raise NotPermitted unless the actor owns the election and may still manage elections."""
    if not is_same_name(actor.name, election.owner_name):
        raise NotPermitted(
            f"Only the owner of this election can do this. Ask {quote(election.owner_name)}."
        )
    check_permission(actor, Permission.USE_APPLICATION)


def check_manager(actor: User, election: Election) -> None:
    """Raise NotPermitted unless the actor owns the election or manages it."""
    if not manages(actor, election):
        check_owner(actor, election)


def check_shared(election: Election) -> None:
    """Raise WrongState at a question that shares its ballot with an earlier one."""
    if election.joint_with is not None:
        raise WrongState(
            "This question is on a ballot with others. They share voters, times, launch and close: "
            "go to the first question for these."
        )


def check_edit_settings(actor: User, election: Election) -> None:
    """Raise unless the actor may change secrecy, publication and times: only before the launch."""
    check_manager(actor, election)
    _check_not_closed(election)
    if state_of(election) is not State.SETUP:
        raise WrongState(
            "Settings can’t be changed after the launch, so that everyone votes under the same "
            "rules."
        )


def check_rename_election(actor: User, election: Election) -> None:
    """Raise unless the actor may rename the election."""
    _check_editable(actor, election, "name")


def has_final_candidates(election: Election) -> bool:
    """Return whether the candidates can no longer change.

    A ballot shows which candidates existed when it was cast. An owner who changed them between two
    ballots could tell the two apart in the results, so the candidates of a secret election are
    final from its launch. So are the two options of a proposal.
    """
    is_decided_by_them = election.secret_ballot or election.method == PROPOSAL
    return not election.allow_edit or (election.allow_vote and is_decided_by_them)


def check_set_candidates(actor: User, election: Election, *, count: int | None = None) -> None:
    """Raise unless the actor may set the candidates, `count` of them."""
    _check_editable(actor, election, "candidates")
    if has_final_candidates(election) and not election.secret_ballot:
        raise WrongState("The two options of a proposal are final from the launch.")
    if has_final_candidates(election):
        raise WrongState(
            "Ballots in this election are secret, so its candidates are final from the launch: "
            "changing them could show who cast which ballot."
        )
    if count is not None and election.allow_vote and count < MIN_CANDIDATES:
        raise WrongState(f"An open election needs at least {MIN_CANDIDATES} candidates.")


def check_wording(election: Election) -> None:
    """Raise WrongState after the launch: candidates, question and description keep their words."""
    if state_of(election) is not State.SETUP:
        raise WrongState(
            "The question, the description and the names of candidates can’t change after the "
            "launch: people vote on what they read."
        )


def check_set_voters(actor: User, election: Election) -> None:
    """Raise unless the actor may change the voter list."""
    _check_editable(actor, election, "voter list")
    check_shared(election)


def check_electorate(actor: User, election: Election, electorate: Electorate) -> None:
    """Raise unless the actor may choose this kind of voters, which is final from the launch."""
    check_set_voters(actor, election)
    if election.electorate is not electorate and state_of(election) is not State.SETUP:
        kind = "a roll" if election.electorate is Electorate.ROLL else "people with accounts"
        raise WrongState(
            f"This election was launched for {kind}. That can’t change while people vote."
        )


def check_roll(actor: User, election: Election) -> None:
    """Raise unless the actor may see the roll and write to the voters on it."""
    check_manager(actor, election)
    check_shared(election)
    if election.electorate is not Electorate.ROLL:
        raise WrongState(
            "This election has no roll: people with accounts vote in it. Choose a roll on the "
            "page of voters first."
        )


def check_invite(actor: User, election: Election, now: datetime) -> None:
    """Raise unless the actor may invite and remind voters: voting is open, or will be."""
    check_roll(actor, election)
    if state_of(election) is State.SETUP:
        raise WrongState("Launch the election first. Then voters can be invited.")
    if state_of(election) is State.CLOSED or has_ended(election, now):
        raise WrongState("Voting is over, so no one is invited or reminded anymore.")


def check_launch(
    actor: User,
    election: Election,
    now: datetime,
    *,
    is_weighted: bool = False,
    others: Sequence[Election] = (),
) -> None:
    """Raise unless the actor may open the election for votes, with `others` on its ballot."""
    check_manager(actor, election)
    check_shared(election)
    _check_ready(election, now, is_weighted=is_weighted)
    for each in others:
        try:
            _check_ready(each, now, is_weighted=is_weighted)
        except WrongState as error:
            raise WrongState(f"{quote(each.name)}: {error}") from error


def _check_ready(election: Election, now: datetime, *, is_weighted: bool) -> None:
    _check_not_closed(election)
    if state_of(election) is not State.SETUP:
        raise WrongState("This election has already been launched.")
    if election.candidate_count < MIN_CANDIDATES:
        raise WrongState(f"Add at least {MIN_CANDIDATES} candidates before you launch.")
    if election.method == PROPOSAL and election.candidate_count != 2:
        raise WrongState(
            "A proposal has two options: the first one accepts it, the second one rejects it. "
            f"There are {election.candidate_count}. Remove the others, or choose another method."
        )
    if election.candidate_count <= election.seats:
        raise WrongState(
            f"There are {election.seats} seats and {election.candidate_count} candidates, so "
            "everyone would be elected. Add candidates, or fill fewer seats."
        )
    if has_ended(election, now):
        raise WrongState("The closing time is in the past. Change or remove it before you launch.")
    if election.electorate is Electorate.ROLL and not election.voter_count:
        raise WrongState(
            "No one could vote: the roll is empty. Add voters first, or let people with accounts "
            "vote."
        )
    if is_weighted:
        _check_weighted_publication(election)


def _check_weighted_publication(election: Election) -> None:
    """Raise WrongState if ballots would be published from which weights, or voters, are missing."""
    if election.publication is Publication.TOTALS:
        return
    if election.secret_ballot:
        raise WrongState(
            "Some voters have a weight of their own, which would show who cast which ballot. "
            "Choose to publish totals only, in the settings."
        )
    if election.publication is Publication.ANONYMOUS:
        raise WrongState(
            "Voters have weights, so a list of rankings without names could not be recounted. "
            "Choose totals only, or rankings with tracking codes, in the settings."
        )


def check_lock(actor: User, election: Election) -> None:
    """Raise unless the actor may lock the open election against edits."""
    check_manager(actor, election)
    check_shared(election)
    _check_not_closed(election)
    match state_of(election):
        case State.SETUP:
            raise WrongState("This election hasn’t been launched yet. You can launch it locked.")
        case State.FIXED:
            raise WrongState("This election is already locked.")
        case _:
            return


def check_close(actor: User | None, election: Election, now: datetime) -> None:
    """Raise unless the election may be closed, by its owner or after its closing time."""
    if actor is not None:
        check_manager(actor, election)
        check_shared(election)
    if state_of(election) is State.CLOSED:
        raise WrongState("This election is already closed.")
    if state_of(election) is State.SETUP:
        raise WrongState("This election hasn’t been launched yet. Launch it, or delete it.")
    if election.no_voting_after is None:
        if actor is None:
            raise WrongState("This election has no closing time. Only its owner can close it.")
    elif not has_ended(election, now):
        raise WrongState(
            "This election closes by itself at its closing time, and can’t be closed early."
        )


def check_delete(actor: User, election: Election) -> None:
    """Raise NotPermitted unless the actor owns the election or is an administrator."""
    if not has_permission(actor.role, Permission.MANAGE_USERS):
        check_owner(actor, election)


def can_own(user: User) -> bool:
    """Return whether the user may own an election."""
    return has_permission(user.role, Permission.USE_APPLICATION)


def check_transfer(actor: User, election: Election, new_owner: User) -> None:
    """Raise unless the actor may transfer the election, and the new owner may own it."""
    if not has_permission(actor.role, Permission.MANAGE_USERS):
        check_owner(actor, election)
    if not can_own(new_owner):
        raise WrongState(
            f"{quote(new_owner.name)} can’t manage elections. Choose someone else, or ask an "
            "administrator to change their role.",
            field="owner",
        )


def _check_editable(actor: User, election: Election, part: str) -> None:
    check_manager(actor, election)
    _check_not_closed(election)
    if not election.allow_edit:
        raise WrongState(f"This election is locked: its {part} can’t be changed anymore.")


def _check_not_closed(election: Election) -> None:
    if state_of(election) is State.CLOSED:
        raise WrongState(_CLOSED)


# What is visible.


class ResultDetail(StrEnum):
    """The visible part of the ballots. The names of voters are public and need no setting."""

    TOTALS = "totals"
    RANKINGS = "rankings"
    CONFIRMATIONS = "confirmations"
    NAMES = "voters with ballots"


_DETAILS: Mapping[Publication, frozenset[ResultDetail]] = {
    Publication.TOTALS: frozenset({ResultDetail.TOTALS}),
    Publication.ANONYMOUS: frozenset({ResultDetail.TOTALS, ResultDetail.RANKINGS}),
    Publication.CONFIRMATIONS: frozenset(
        {ResultDetail.TOTALS, ResultDetail.RANKINGS, ResultDetail.CONFIRMATIONS}
    ),
}


def default_electorate(secret: bool) -> Electorate:
    """Return the default electorate: for a secret ballot, only people on the owner's roll."""
    return Electorate.ROLL if secret else Electorate.ACCOUNTS


def default_publication(secret: bool) -> Publication:
    """Return the default publication: for secret ballots, the least."""
    return Publication.TOTALS if secret else Publication.CONFIRMATIONS


def check_view_tally(viewer: User | None, election: Election, now: datetime) -> None:
    """Raise unless the viewer may see the current count; None has a personal link to it."""
    if viewer is not None:
        check_permission(viewer, Permission.VIEW_APPLICATION)
    reason = _why_no_tally(election, now)
    if reason is not None:
        raise WrongState(reason)


def check_view_ballot(viewer: User, voter_name: str, election: Election, now: datetime) -> None:
    """Raise unless the viewer may see the voter's ballot. Everyone may see their own."""
    if is_same_name(viewer.name, voter_name):
        return
    if election.secret_ballot:
        raise NotPermitted(
            f"Ballots in this election are secret. Only {quote(voter_name)} can see this one."
        )
    check_view_tally(viewer, election, now)
    if ResultDetail.NAMES not in visible_details(election, now):
        raise NotPermitted(
            "This election doesn’t publish who cast which ballot. Only "
            f"{quote(voter_name)} can see this one."
        )


def shows_rounds(election: Election, visible: frozenset[ResultDetail]) -> bool:
    """Return whether every viewer of the results sees the rounds of an instant runoff."""
    is_by_rounds = election.method == "instant runoff"
    return not election.secret_ballot or is_by_rounds or ResultDetail.RANKINGS in visible


def visible_details(election: Election, now: datetime) -> frozenset[ResultDetail]:
    """Return which parts of the ballots are visible now: nothing before the tally."""
    if _why_no_tally(election, now) is not None:
        return frozenset()
    details = _DETAILS[election.publication]
    # Open ballots have a name beside them; secret ballots never do.
    if not election.secret_ballot and ResultDetail.CONFIRMATIONS in details:
        return details | {ResultDetail.NAMES}
    return details


def closed_at(election: Election) -> datetime | None:
    """Return when the election was closed, or None."""
    if election.statement is None:
        return None
    return datetime.fromisoformat(json.loads(election.statement)["closed_at"])


def is_withheld(election: Election) -> bool:
    """Return whether results stay hidden because so few ballots would reveal people's votes."""
    if not election.secret_ballot or election.statement is None:
        return False
    return 0 < int(json.loads(election.statement)["ballots"]) < MIN_SECRET_BALLOTS


def _why_no_tally(election: Election, now: datetime) -> str | None:
    match state_of(election):
        case State.CLOSED:
            return TOO_FEW_BALLOTS if is_withheld(election) else None
        case State.SETUP:
            return "There are no results yet: this election hasn’t been launched."
        case State.EDITABLE | State.FIXED:
            pass
    if not has_begun(election, now):
        return "There are no results yet: voting hasn’t opened."
    if not election.secret_ballot:
        return None
    if has_ended(election, now):
        return "Voting has ended. Results will be ready in a moment."
    return (
        "Voting is still open. Ballots are secret, so results are shown after the election is "
        "closed."
    )
