"""Rolls: voters without accounts, their personal links and their invitations."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Path, Response

from singletable_apps.elections.api import schemas
from singletable_apps.elections.api.dependencies import (
    Service,
    Viewer,
    slice_page,
    user_router,
)
from singletable_apps.elections.entities import User
from singletable_apps.elections.service import Elections
from singletable_apps.elections.web import WRONG_STATE, NameInPath
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.web import (
    NOT_FOUND,
    Edit,
    IfMatch,
    Page,
    Pagination,
    etag,
)

router = user_router("rolls", NOT_FOUND, WRONG_STATE)
VoterNumber: TypeAlias = Annotated[int, Path(ge=1, le=10**9, description="`number` on the roll.")]


@router.get("/elections/{name}/roll")
def list_roll(
    user: Viewer, service: Service, name: NameInPath, page: Pagination, response: Response
) -> Page[schemas.RollVoter]:
    """List the people on the roll by name. Only the owner of the election sees it."""
    response.headers["ETag"] = etag(service.context.read.get_election(name).revision)
    rows, cursor = slice_page(page, service.rolls.rows(user, name), service)
    return page.answer([schemas.RollVoter.of(row) for row in rows], cursor)


@router.put("/elections/{name}/roll")
def replace_roll(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.RollPeople, edit: IfMatch
) -> schemas.VoterList:
    """Replace the roll. People who stay keep their links; those who have voted must stay.

    Before the launch, this also replaces a list of user names.
    """
    return _save(user, service, name, sent, edit, replaces=True)


@router.post("/elections/{name}/roll")
def add_to_roll(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.RollPeople, edit: IfMatch
) -> schemas.VoterList:
    """Add people to the roll, or change their names, groups and weights."""
    return _save(user, service, name, sent, edit, replaces=False)


def _save(
    user: User,
    service: Elections,
    name: str,
    sent: schemas.RollPeople,
    edit: Edit,
    *,
    replaces: bool,
) -> schemas.VoterList:
    parsed = sent.lines()
    if parsed.problems:
        found = [f"Person {each.line}: {each.text}" for each in parsed.problems[:10]]
        raise InvalidInput({"people": " ".join(found)})
    saved = service.rolls.save(
        user, name, parsed.lines, replaces=replaces, check_revision=edit.check
    )
    edit.answer(saved.revision)
    return schemas.VoterList(everybody=False, voter_count=saved.voter_count)


@router.delete("/elections/{name}/roll/{number:int}", status_code=204)
def remove_from_roll(user: Viewer, service: Service, name: NameInPath, number: VoterNumber) -> None:
    """Remove someone who has not voted."""
    service.rolls.remove(user, name, number)


@router.post("/elections/{name}/roll/{number:int}/link")
def renew_link(
    user: Viewer, service: Service, name: NameInPath, number: VoterNumber
) -> schemas.PersonalLink:
    """Replace the personal link of a voter, and send it. The old one stops working."""
    voter = service.rolls.renew_link(user, name, number)
    election = service.context.read.get_election(name)
    code, link = service.rolls.code(election, voter), service.rolls.link(election, voter)
    return schemas.PersonalLink(code=code, link=link)


@router.post("/elections/{name}/roll/invitations")
def invite_voters(user: Viewer, service: Service, name: NameInPath) -> schemas.Queued:
    """Invite everyone on the roll who was not invited."""
    return schemas.Queued(queued=service.rolls.invite(user, name))


@router.post("/elections/{name}/roll/reminders")
def remind_voters(user: Viewer, service: Service, name: NameInPath) -> schemas.Queued:
    """Remind everyone who was invited and has not voted, at most once a day."""
    return schemas.Queued(queued=service.rolls.remind(user, name))
