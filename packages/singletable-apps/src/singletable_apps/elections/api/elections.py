"""Elections: create, edit, launch, lock, close and delete them; candidates and voters."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Query

from singletable_apps.elections.api import schemas
from singletable_apps.elections.api.dependencies import (
    ChangeElection,
    ElectionRequest,
    OnElection,
    Service,
    Viewer,
)
from singletable_apps.elections.entities import Election, Electorate
from singletable_apps.elections.projection import get_sync
from singletable_apps.elections.service import Elections
from singletable_apps.elections.web import TAKEN, WRONG_STATE, NameAsked, NameInPath
from singletable_apps.shared import web
from singletable_apps.shared.accounts import SensitiveAction
from singletable_apps.shared.frame import Recent
from singletable_apps.shared.web import NOT_FOUND, Headers, Page, Pagination, responses

router = web.api_router("elections", *web.SIGNED_IN)


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


@router.post("/elections", status_code=201, responses={**responses(TAKEN), **web.CREATED})
def create_election(
    user: Viewer, service: Service, sent: schemas.NewElection, headers: Headers
) -> schemas.Election:
    """Create an election. It is in setup until you launch it."""
    return _created(service.lifecycle.create(user, sent.name, sent.settings()), service, headers)


def _created(created: Election, service: Elections, headers: Headers) -> schemas.Election:
    headers.created(created.revision, "read_election", name=quote(created.name, safe=""))
    return schemas.Election.of(created, service.context.clock())


@router.get("/elections/{name}", responses={**responses(NOT_FOUND), **web.TAGGED})
def read_election(on: OnElection) -> schemas.Election:
    """Return an election. If its closing time has passed, it is closed first."""
    return on.answer(on.service.results.close_if_due(on.name))


@router.patch("/elections/{name}", responses=responses(NOT_FOUND, TAKEN, WRONG_STATE))
def edit_election(on: ChangeElection, sent: schemas.ElectionChanges) -> schemas.Election:
    """Change the name, the settings, or both: all changes are saved, or none."""
    changes = sent.sent()
    return on.answer(on.service.lifecycle.edit(on.user, on.name, changes, on.edit.check))


@router.post(
    "/elections/{name}/copy",
    status_code=201,
    responses={**responses(NOT_FOUND, TAKEN), **web.CREATED},
)
def copy_election(on: OnElection, sent: schemas.NewCopy, headers: Headers) -> schemas.Election:
    """Create an election with the texts, settings and candidates of one of yours, without dates."""
    copied = on.service.lifecycle.copy(on.user, on.name, sent.name, with_voters=sent.with_voters)
    return _created(copied, on.service, headers)


@router.post(
    "/elections/{name}/questions",
    status_code=201,
    responses={**responses(NOT_FOUND, TAKEN, WRONG_STATE), **web.CREATED},
)
def add_question(on: OnElection, sent: schemas.NewQuestion, headers: Headers) -> schemas.Election:
    """Put another question on the ballot: an election with the same voters, launch and close."""
    added = on.service.lifecycle.add_question(on.user, on.name, sent.name, yes_or_no=sent.yes_or_no)
    return _created(added, on.service, headers)


@router.put("/elections/{name}/managers", responses=responses(NOT_FOUND, WRONG_STATE))
def set_managers(on: ChangeElection, sent: schemas.Managers) -> schemas.Election:
    """Replace the managers.

    They can do what the owner can, except delete the election, hand it over, or name managers.
    """
    lifecycle = on.service.lifecycle
    return on.answer(lifecycle.set_managers(on.user, on.name, sent.managers, on.edit.check))


@router.get("/elections/{name}/texts", responses={**responses(NOT_FOUND), **web.TAGGED})
def read_texts(on: OnElection) -> schemas.Texts:
    """Return the question and the description."""
    on.tag()
    return schemas.Texts.from_object(on.service.queries.texts(on.user, on.name))


@router.put("/elections/{name}/texts", responses=responses(NOT_FOUND, WRONG_STATE))
def set_texts(on: ChangeElection, sent: schemas.Texts) -> schemas.Texts:
    """Replace the question and the description, before the launch."""
    election = on.service.lifecycle.describe(
        on.user, on.name, sent.question, sent.description, on.edit.check
    )
    on.edit.answer(election.revision)
    return schemas.Texts.from_object(on.service.queries.texts(on.user, election.name))


@router.delete("/elections/{name}", status_code=204, responses=responses(NOT_FOUND))
def delete_election(on: ChangeElection, recent: Recent) -> None:
    """Delete an election with everything in it. For its owner and administrators.

    With ballots, or a signed result, this requires a sign-in within the last five minutes.
    """
    election = on.service.context.read.get_election(on.name)
    if on.service.lifecycle.loses_votes(election):
        recent(SensitiveAction.DELETE_BALLOTS)
    on.service.lifecycle.delete(on.user, on.name, on.edit.check)


lifecycle_router = web.api_router("lifecycle", *web.SIGNED_IN, NOT_FOUND, WRONG_STATE)


@lifecycle_router.post("/elections/{name}/launch")
def launch_election(on: ChangeElection, sent: schemas.Launch) -> schemas.Election:
    """Launch an election: voting starts now, or at its opening time."""
    launched = on.service.lifecycle.launch(
        on.user, on.name, allow_edit=sent.allow_edit, check_revision=on.edit.check
    )
    return on.answer(launched)


@lifecycle_router.post("/elections/{name}/fix")
def fix_election(on: ChangeElection) -> schemas.Election:
    """Lock an election: no more edits, and ballots become final. Voting goes on."""
    return on.answer(on.service.lifecycle.lock(on.user, on.name, on.edit.check))


@lifecycle_router.post("/elections/{name}/finalize")
def finalize_election(on: ChangeElection) -> schemas.Election:
    """Close an election: count the ballots and sign the result."""
    return on.answer(on.service.lifecycle.close(on.user, on.name, on.edit.check))


@lifecycle_router.put("/elections/{name}/owner")
def hand_over_election(on: ChangeElection, sent: schemas.Owner) -> schemas.Election:
    """Hand over an election to another owner."""
    return on.answer(on.service.lifecycle.transfer(on.user, on.name, sent.owner, on.edit.check))


candidates_router = web.api_router("candidates and voters", *web.SIGNED_IN, NOT_FOUND)


@candidates_router.get("/elections/{name}/candidates", responses=web.TAGGED)
def list_candidates(on: OnElection) -> schemas.CandidateList:
    """List the candidates in their order. There are at most 100."""
    return _candidates(on, on.tag())


def _candidates(on: ElectionRequest, election: Election) -> schemas.CandidateList:
    on.response.headers["ETag"] = web.etag(election.revision)
    queries, urls = on.service.queries, on.service.context.urls
    texts = queries.texts(on.user, election.name)
    return schemas.CandidateList(
        candidate_names=queries.candidates(on.user, election.name),
        statements=texts.statements,
        pictures={
            name: web.PictureLink(url=urls.absolute(urls.picture(picture.name)), alt=picture.alt)
            for name, picture in texts.pictures.items()
        },
    )


@candidates_router.put("/elections/{name}/candidates", responses=responses(WRONG_STATE))
def set_candidates(on: ChangeElection, sent: schemas.Candidates) -> schemas.CandidateList:
    """Replace the candidates, in this order. Those you leave out are removed."""
    lifecycle, names = on.service.lifecycle, sent.candidate_names
    return _candidates(on, lifecycle.set_candidates(on.user, on.name, names, on.edit.check))


@candidates_router.patch(
    "/elections/{name}/candidates/{candidate}", responses=responses(WRONG_STATE)
)
def edit_candidate(
    on: ChangeElection, candidate: NameInPath, sent: schemas.CandidateChanges
) -> schemas.CandidateList:
    """Change the name of a candidate, the statement, the picture, or several of them."""
    election = on.service.lifecycle.edit_candidate(
        on.user,
        on.name,
        candidate,
        new_name=sent.name,
        statement=sent.statement,
        picture=sent.picture,
        alt=sent.alt,
        check_revision=on.edit.check,
    )
    return _candidates(on, election)


@candidates_router.get("/elections/{name}/voters", responses=web.TAGGED)
def list_voters(on: OnElection, page: Pagination) -> schemas.VoterPage:
    """List the voters by name. Without a list, all registered voters can vote.

    People on a roll are not in it.
    """
    election = on.tag()
    voters, cursor = on.service.queries.voters(on.user, on.name, page.limit, page.cursor)
    answer = page.answer([voter.voter_name for voter in voters], cursor)
    everybody = election.voter_count == 0 and election.electorate is Electorate.ACCOUNTS
    return schemas.VoterPage.from_object(answer, everybody=everybody)


@candidates_router.put("/elections/{name}/voters", responses=responses(WRONG_STATE))
def set_voters(on: ChangeElection, sent: schemas.VoterNames) -> schemas.VoterList:
    """Replace the voter list. With an empty list, all registered voters can vote."""
    election = on.service.lifecycle.set_voters(on.user, on.name, sent.voter_names, on.edit.check)
    on.edit.answer(election.revision)
    return schemas.VoterList(everybody=election.voter_count == 0, voter_count=election.voter_count)


@candidates_router.get("/elections/{name}/eligibility/{voter}")
def read_eligibility(on: OnElection, voter: NameInPath) -> schemas.Eligibility:
    """Return whether a user can vote in an election."""
    found = on.service.context.read.get_user(voter)
    eligible = on.service.queries.is_eligible(on.user, on.name, found.name)
    return schemas.Eligibility(user_name=found.name, eligible=eligible)


status_router = web.api_router("status")


@status_router.get("/version")
def read_version(service: Service) -> schemas.Version:
    """Return a number that grows with every change. Public, and cheap to poll."""
    sync = get_sync(service.context.store)
    if sync is None:
        return schemas.Version(version=0, rebuilding=False)
    return schemas.Version(version=sync.last_event_id, rebuilding=sync.rebuilding)
