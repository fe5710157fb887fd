"""Rolls: voters without accounts, their invitations, and what they do with personal links."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

from fastapi import Depends, Path, Request, Response

from singletable_apps.elections.api import schemas
from singletable_apps.elections.api.dependencies import (
    Service,
    Viewer,
    slice_page,
    user_router,
)
from singletable_apps.elections.api.voting import CAST, REPLAYED
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.poll_book import LinkVoter
from singletable_apps.elections.rules.elections import describe_status
from singletable_apps.elections.rules.roll import parse_roll, split_text
from singletable_apps.elections.service import Elections
from singletable_apps.elections.web import KEY_REUSED, WRONG_STATE, NameInPath, open_link
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.frame import state_of
from singletable_apps.shared.web import (
    NOT_FOUND,
    TOO_MANY_REQUESTS,
    Edit,
    IdempotencyKey,
    IfMatch,
    Page,
    Pagination,
    api_router,
    etag,
    responses,
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


@router.post("/elections/{name}/roll/preview")
def preview_roll(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.RollText
) -> schemas.RollPreview:
    """Read a list, find all its problems, and tell what it would change. Nothing is saved."""
    parsed = parse_roll(split_text(sent.text))
    change = service.rolls.compare(user, name, parsed.lines, replaces=sent.replace)
    return schemas.RollPreview.of(parsed, change)


@router.put("/elections/{name}/roll")
def replace_roll(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.RollPeople, edit: IfMatch
) -> schemas.VoterList:
    """Replace the roll. People who stay keep their links; those who have voted must stay.

    Before the launch, this also replaces a list of user names.
    """
    return _save(user, service, name, sent, edit, replaces=True)


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


@router.post("/elections/{name}/roll")
def add_to_roll(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.RollPeople, edit: IfMatch
) -> schemas.VoterList:
    """Add people to the roll, or change their names, groups and weights."""
    return _save(user, service, name, sent, edit, replaces=False)


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


# Voters without accounts.

links_router = api_router("personal links", NOT_FOUND, TOO_MANY_REQUESTS)


class _Session(NamedTuple):
    election: Election
    voter: LinkVoter
    service: Elections


def _session(
    request: Request,
    code: Annotated[
        str, Path(max_length=100, description="The code of a personal link, in any case.")
    ],
) -> _Session:
    return _Session(*open_link(request, code), state_of(request).service)


Session: TypeAlias = Annotated[_Session, Depends(_session)]


@links_router.get("/links/{code}")
def read_link(session: Session) -> schemas.LinkSession:
    """Return what the link is for: the election, its candidates, and whether you have voted."""
    election, voter, service = session
    context = service.context
    record = context.book.record(election)
    return schemas.LinkSession.from_object(
        election,
        election_name=election.name,
        voter_name=voter.entry.name,
        weight=voter.entry.votes,
        status=describe_status(election, context.clock()),
        candidates=list(record.choices),
        has_voted=voter.entry.voter_id in record.ballots,
    )


@links_router.post(
    "/links/{code}/ballot",
    status_code=201,
    responses={**responses(WRONG_STATE, KEY_REUSED), 201: {"headers": CAST}},
)
def cast_by_link(
    session: Session, sent: schemas.NewBallot, key: IdempotencyKey, response: Response
) -> schemas.OwnBallot:
    """Cast your ballot, or change it while the election can be edited."""
    lines = [(line.candidate_name, line.rank) for line in sent.rankings]
    cast = session.service.voting.cast(session.voter, session.election.name, lines, key)
    if cast.is_repeat:
        response.headers[REPLAYED] = "true"
    return schemas.OwnBallot.of(cast)


@links_router.get("/links/{code}/ballot")
def read_ballot_by_link(session: Session) -> schemas.OwnBallot:
    """Return your ballot with its receipt; after the close, with the proof."""
    found = session.service.voting.own_ballot(session.voter, session.election.name)
    return schemas.OwnBallot.of(found)


@links_router.delete("/links/{code}/ballot", status_code=204, responses=responses(WRONG_STATE))
def withdraw_by_link(session: Session) -> None:
    """Withdraw your ballot, as if it had never been cast."""
    session.service.voting.withdraw(session.voter, session.election.name)


@links_router.get("/links/{code}/tally", responses=responses(WRONG_STATE))
def read_tally_by_link(session: Session) -> schemas.Tally:
    """Count the ballots and explain the result. Secret ballots are counted after the close."""
    tally = session.service.results.tally(session.voter, session.election.name)
    return schemas.Tally.of(tally)
