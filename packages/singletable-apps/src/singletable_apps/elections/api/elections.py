"""Elections: create, edit, launch, lock, close and delete them; candidates and voters."""

from __future__ import annotations

from typing import Annotated, cast
from urllib.parse import quote

from fastapi import Query, Request, Response

from singletable_apps.elections.api import schemas
from singletable_apps.elections.api.dependencies import Service, Viewer, user_router
from singletable_apps.elections.entities import Election, Electorate, User
from singletable_apps.elections.service import Elections
from singletable_apps.elections.service.lifecycle import ElectionEdit
from singletable_apps.elections.web import TAKEN, WRONG_STATE, NameAsked, NameInPath
from singletable_apps.shared.accounts import SensitiveAction
from singletable_apps.shared.frame import Recent
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    Edit,
    IfMatch,
    Page,
    Pagination,
    PictureLink,
    api_router,
    etag,
    responses,
)

router = user_router("elections")
_TEXT = {"type": "string"}
CREATED = {
    "Location": {"description": "The URL of the election.", "schema": _TEXT},
    "ETag": {"description": "The current tag, for If-Match.", "schema": _TEXT},
}


@router.get("/elections", responses=responses(NOT_FOUND))
def list_elections(
    user: Viewer,
    service: Service,
    page: Pagination,
    owner: Annotated[
        NameAsked | None, Query(description="Only the elections of this user.")
    ] = None,
) -> Page[schemas.Election]:
    """List elections by name."""
    now = service.context.clock()
    if owner is None:
        some = service.queries.elections(user, page.limit, page.cursor)
        found, cursor = some.items, some.cursor
    else:
        found, cursor = service.queries.elections_of(user, owner, page.limit, page.cursor)
    return page.answer([schemas.Election.of(one, now) for one in found], cursor)


@router.post(
    "/elections", status_code=201, responses={**responses(TAKEN), 201: {"headers": CREATED}}
)
def create_election(
    user: Viewer,
    service: Service,
    sent: schemas.NewElection,
    request: Request,
    response: Response,
) -> schemas.Election:
    """Create an election. It is in setup until you launch it."""
    created = service.lifecycle.create(user, sent.name, sent.settings())
    return _answer_created(created, service, request.url.path, response)


def _answer_created(
    created: Election, service: Elections, elections: str, response: Response
) -> schemas.Election:
    response.headers["Location"] = f"{elections}/{quote(created.name, safe='')}"
    response.headers["ETag"] = etag(created.revision)
    return schemas.Election.of(created, service.context.clock())


@router.get("/elections/{name}", responses=responses(NOT_FOUND))
def read_election(
    user: Viewer, service: Service, name: NameInPath, response: Response
) -> schemas.Election:
    """Return an election. If its closing time has passed, it is closed first."""
    found = service.results.close_if_due(name)
    response.headers["ETag"] = etag(found.revision)
    return schemas.Election.of(found, service.context.clock())


@router.patch("/elections/{name}", responses=responses(NOT_FOUND, TAKEN, WRONG_STATE))
def edit_election(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.ElectionChanges, edit: IfMatch
) -> schemas.Election:
    """Change the name, the settings, or both: all changes are saved, or none."""
    edited = service.lifecycle.edit(user, name, cast(ElectionEdit, sent.sent()), edit.check)
    return _answer(edited, edit, service)


@router.post(
    "/elections/{name}/copy",
    status_code=201,
    responses={**responses(NOT_FOUND, TAKEN), 201: {"headers": CREATED}},
)
def copy_election(
    user: Viewer,
    service: Service,
    name: NameInPath,
    sent: schemas.NewCopy,
    request: Request,
    response: Response,
) -> schemas.Election:
    """Create an election with the texts, settings and candidates of one of yours, without dates."""
    created = service.lifecycle.copy(user, name, sent.name, with_voters=sent.with_voters)
    return _answer_created(created, service, request.url.path.rsplit("/", 2)[0], response)


@router.post(
    "/elections/{name}/questions",
    status_code=201,
    responses={**responses(NOT_FOUND, TAKEN, WRONG_STATE), 201: {"headers": CREATED}},
)
def add_question(
    user: Viewer,
    service: Service,
    name: NameInPath,
    sent: schemas.NewQuestion,
    request: Request,
    response: Response,
) -> schemas.Election:
    """Put another question on the ballot: an election with the same voters, launch and close."""
    created = service.lifecycle.add_question(user, name, sent.name)
    return _answer_created(created, service, request.url.path.rsplit("/", 2)[0], response)


@router.put("/elections/{name}/managers", responses=responses(NOT_FOUND, WRONG_STATE))
def set_managers(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.Managers, edit: IfMatch
) -> schemas.Election:
    """Replace the managers, who may do what the owner may, except for this and the end of it."""
    changed = service.lifecycle.set_managers(user, name, sent.managers, edit.check)
    return _answer(changed, edit, service)


@router.get("/elections/{name}/texts", responses=responses(NOT_FOUND))
def read_texts(
    user: Viewer, service: Service, name: NameInPath, response: Response
) -> schemas.Texts:
    """Return the question and the description."""
    response.headers["ETag"] = etag(service.context.read.get_election(name).revision)
    return schemas.Texts.from_object(service.queries.texts(user, name))


@router.put("/elections/{name}/texts", responses=responses(NOT_FOUND, WRONG_STATE))
def set_texts(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.Texts, edit: IfMatch
) -> schemas.Texts:
    """Replace the question and the description, until the election is locked."""
    election = service.lifecycle.describe(user, name, sent.question, sent.description, edit.check)
    edit.answer(election.revision)
    return schemas.Texts.from_object(service.queries.texts(user, election.name))


@router.delete("/elections/{name}", status_code=204, responses=responses(NOT_FOUND))
def delete_election(
    user: Viewer, service: Service, name: NameInPath, edit: IfMatch, recent: Recent
) -> None:
    """Delete an election with everything in it. For its owner and administrators.

    For a closed election, this requires a sign-in within the last five minutes.
    """
    if service.context.read.get_election(name).statement is not None:
        recent(SensitiveAction.DELETE_RESULT)
    service.lifecycle.delete(user, name, edit.check)


lifecycle_router = user_router("lifecycle", NOT_FOUND, WRONG_STATE)


@lifecycle_router.post("/elections/{name}/launch")
def launch_election(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.Launch, edit: IfMatch
) -> schemas.Election:
    """Launch an election: voting starts now, or at its opening time."""
    launched = service.lifecycle.launch(
        user, name, allow_edit=sent.allow_edit, check_revision=edit.check
    )
    return _answer(launched, edit, service)


@lifecycle_router.post("/elections/{name}/fix")
def fix_election(
    user: Viewer, service: Service, name: NameInPath, edit: IfMatch
) -> schemas.Election:
    """Lock an election: no more edits, and ballots become final. Voting goes on."""
    return _answer(service.lifecycle.lock(user, name, edit.check), edit, service)


@lifecycle_router.post("/elections/{name}/finalize")
def finalize_election(
    user: Viewer, service: Service, name: NameInPath, edit: IfMatch
) -> schemas.Election:
    """Close an election: count the ballots and sign the result."""
    return _answer(service.lifecycle.close(user, name, edit.check), edit, service)


@lifecycle_router.put("/elections/{name}/owner")
def hand_over_election(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.Owner, edit: IfMatch
) -> schemas.Election:
    """Hand over an election to another owner."""
    return _answer(service.lifecycle.transfer(user, name, sent.owner, edit.check), edit, service)


def _answer(election: Election, edit: Edit, service: Elections) -> schemas.Election:
    edit.answer(election.revision)
    return schemas.Election.of(election, service.context.clock())


candidates_router = user_router("candidates and voters", NOT_FOUND)


@candidates_router.get("/elections/{name}/candidates")
def list_candidates(
    user: Viewer, service: Service, name: NameInPath, response: Response
) -> schemas.CandidateList:
    """List the candidates in their order. There are at most 100."""
    # Read the ETag first: after an edit in between it is the older one, and If-Match fails.
    response.headers["ETag"] = etag(service.context.read.get_election(name).revision)
    return _candidates(user, service, name)


def _candidates(user: User, service: Elections, name: str) -> schemas.CandidateList:
    candidates = service.queries.candidates(user, name)
    texts, urls = service.queries.texts(user, name), service.context.urls
    return schemas.CandidateList(
        candidate_names=[each.candidate_name for each in candidates],
        statements=texts.statements,
        pictures={
            name: PictureLink(url=urls.absolute(urls.picture(picture.name)), alt=picture.alt)
            for name, picture in texts.pictures.items()
        },
    )


@candidates_router.put("/elections/{name}/candidates", responses=responses(WRONG_STATE))
def set_candidates(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.Candidates, edit: IfMatch
) -> schemas.CandidateList:
    """Replace the candidates, in this order. Those you leave out are removed."""
    election = service.lifecycle.set_candidates(user, name, sent.candidate_names, edit.check)
    edit.answer(election.revision)
    return _candidates(user, service, election.name)


@candidates_router.patch(
    "/elections/{name}/candidates/{candidate}", responses=responses(WRONG_STATE)
)
def edit_candidate(
    user: Viewer,
    service: Service,
    name: NameInPath,
    candidate: NameInPath,
    sent: schemas.CandidateChanges,
    edit: IfMatch,
) -> schemas.CandidateList:
    """Change the name of a candidate, the statement, the picture, or several of them."""
    election = service.lifecycle.edit_candidate(
        user,
        name,
        candidate,
        new_name=sent.name,
        statement=sent.statement,
        picture=sent.picture,
        alt=sent.alt,
        check_revision=edit.check,
    )
    edit.answer(election.revision)
    return _candidates(user, service, election.name)


@candidates_router.get("/elections/{name}/voters")
def list_voters(
    user: Viewer, service: Service, name: NameInPath, page: Pagination, response: Response
) -> schemas.VoterPage:
    """List the voters by name. Without a list, all registered voters can vote.

    People on a roll are not in it: only the owner sees them.
    """
    election = service.context.read.get_election(name)
    response.headers["ETag"] = etag(election.revision)
    voters, cursor = service.queries.voters(user, name, page.limit, page.cursor)
    answer = page.answer([voter.voter_name for voter in voters], cursor)
    everybody = election.voter_count == 0 and election.electorate is Electorate.ACCOUNTS
    return schemas.VoterPage.from_object(answer, everybody=everybody)


@candidates_router.put("/elections/{name}/voters", responses=responses(WRONG_STATE))
def set_voters(
    user: Viewer, service: Service, name: NameInPath, sent: schemas.VoterNames, edit: IfMatch
) -> schemas.VoterList:
    """Replace the voter list. With an empty list, all registered voters can vote."""
    election = service.lifecycle.set_voters(user, name, sent.voter_names, edit.check)
    edit.answer(election.revision)
    return schemas.VoterList(everybody=election.voter_count == 0, voter_count=election.voter_count)


@candidates_router.get("/elections/{name}/eligibility/{voter}")
def read_eligibility(
    user: Viewer, service: Service, name: NameInPath, voter: NameInPath
) -> schemas.Eligibility:
    """Return whether a user can vote in an election."""
    found = service.context.read.get_user(voter)
    eligible = service.queries.is_eligible(user, name, found.name)
    return schemas.Eligibility(user_name=found.name, eligible=eligible)


status_router = api_router("status")


@status_router.get("/version")
def read_version(service: Service) -> schemas.Version:
    """Return a number that grows with every change. Public, and cheap to poll."""
    sync = service.context.read.get_sync()
    if sync is None:
        return schemas.Version(version=0, rebuilding=False)
    return schemas.Version(version=sync.last_event_id, rebuilding=sync.rebuilding)


@status_router.get("/counts", responses=responses(NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS))
def read_counts(user: Viewer, service: Service) -> schemas.Counts:
    """Return the number of users and elections."""
    found = service.queries.counts(user)
    return schemas.Counts(users=found.user_count, elections=found.election_count)
