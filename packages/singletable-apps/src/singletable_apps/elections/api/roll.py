"""Rolls: voters without accounts, their personal links and their invitations."""

from __future__ import annotations

from typing import Annotated, TypeAlias, cast

from fastapi import Path

from singletable_apps.elections.api import schemas
from singletable_apps.elections.api.dependencies import (
    ChangeElection,
    ElectionChange,
    OnElection,
    slice_page,
)
from singletable_apps.elections.service.rolls import RollEdit
from singletable_apps.elections.web import WRONG_STATE
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.web import NOT_FOUND, SIGNED_IN, TAGGED, Page, Pagination, api_router

router = api_router("rolls", *SIGNED_IN, NOT_FOUND, WRONG_STATE)
VoterNumber: TypeAlias = Annotated[int, Path(ge=1, le=10**9, description="`number` on the roll.")]


@router.get("/elections/{name}/roll", responses=TAGGED)
def list_roll(on: OnElection, page: Pagination) -> Page[schemas.RollVoter]:
    """List the people on the roll by name. Only managers of the election may."""
    on.tag()
    rows, cursor = slice_page(page, on.service.rolls.rows(on.user, on.name), on.service)
    return page.answer([schemas.RollVoter.of(row) for row in rows], cursor)


@router.put("/elections/{name}/roll")
def replace_roll(on: ChangeElection, sent: schemas.RollPeople) -> schemas.VoterList:
    """Replace the roll. Remaining people keep their links; voters with ballots must remain.

    Before the launch, this also replaces a list of user names.
    """
    return _save(on, sent, replaces=True)


@router.post("/elections/{name}/roll")
def add_to_roll(on: ChangeElection, sent: schemas.RollPeople) -> schemas.VoterList:
    """Add people to the roll, or change their groups and weights.

    Someone with another name, but the address of a person on the roll, is added only together with
    that person; otherwise it could be a new name of the same person.
    """
    return _save(on, sent, replaces=False)


def _save(on: ElectionChange, sent: schemas.RollPeople, *, replaces: bool) -> schemas.VoterList:
    parsed = sent.lines()
    if parsed.problems:
        found = [f"Person {each.line}: {each.text}" for each in parsed.problems[:10]]
        raise InvalidInput({"people": " ".join(found)})
    saved = on.service.rolls.save(
        on.user, on.name, parsed.lines, replaces=replaces, check_revision=on.edit.check
    )
    on.edit.answer(saved.revision)
    return schemas.VoterList(everybody=False, voter_count=saved.voter_count)


@router.patch("/elections/{name}/roll/{number:int}")
def edit_roll_voter(
    on: ChangeElection, number: VoterNumber, sent: schemas.RollChanges
) -> schemas.RollVoter:
    """Change someone on the roll: after voting the group only, after locking the address only.

    After the launch, another address replaces the link and gets an invitation.
    """
    rolls, edit = on.service.rolls, cast(RollEdit, sent.sent())
    on.edit.answer(rolls.edit(on.user, on.name, number, edit, on.edit.check).revision)
    return schemas.RollVoter.of(rolls.row(on.user, on.name, number))


@router.delete("/elections/{name}/roll/{number:int}", status_code=204)
def remove_from_roll(on: OnElection, number: VoterNumber) -> None:
    """Remove a voter before they vote."""
    on.service.rolls.remove(on.user, on.name, number)


@router.post("/elections/{name}/roll/{number:int}/link")
def renew_link(on: OnElection, number: VoterNumber) -> schemas.PersonalLink:
    """Replace the personal link of a voter, and send it. The old one stops working."""
    rolls, election = on.service.rolls, on.service.context.read.get_election(on.name)
    voter = rolls.renew_link(on.user, on.name, number)
    return schemas.PersonalLink(code=rolls.code(election, voter), link=rolls.link(election, voter))


@router.post("/elections/{name}/roll/invitations")
def invite_voters(on: OnElection) -> schemas.Queued:
    """Invite everyone on the roll without an invitation."""
    return schemas.Queued(queued=on.service.rolls.invite(on.user, on.name))


@router.post("/elections/{name}/roll/reminders")
def remind_voters(on: OnElection) -> schemas.Queued:
    """Remind invited people yet to vote, at most once a day."""
    return schemas.Queued(queued=on.service.rolls.remind(on.user, on.name))
