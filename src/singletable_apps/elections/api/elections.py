"""Elections: which there are, what is settled about them, and their end as things."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Query, Request, Response

from singletable_apps.elections.api.dependencies import NameAsked, NameInPath, Service, Viewer
from singletable_apps.elections.api.problems import TAKEN, WRONG_STATE
from singletable_apps.elections.api.schemas import (
    Candidates,
    Counts,
    ElectionChanges,
    ElectionShown,
    Eligibility,
    Launch,
    NewElection,
    Owner,
    Version,
    VoterList,
    VoterNames,
    VoterPage,
)
from singletable_apps.elections.entities import Election
from singletable_apps.elections.service import Elections
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    Edit,
    IfMatch,
    Page,
    Pagination,
    api_router,
    etag,
    responses,
)

router = api_router("elections", NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)
_TEXT = {"type": "string"}
CREATED = {
    "Location": {"description": "Where the election is.", "schema": _TEXT},
    "ETag": {"description": "The tag of what is there now.", "schema": _TEXT},
}


@router.get("/elections", responses=responses(NOT_FOUND))
def list_elections(
    user: Viewer,
    elections: Service,
    page: Pagination,
    owner: Annotated[NameAsked | None, Query(description="Those of this user alone.")] = None,
) -> Page[ElectionShown]:
    """Elections by name."""
    now = elections.context.clock()
    if owner is None:
        some = elections.queries.elections(user, page.limit, page.cursor)
        found, cursor = some.items, some.cursor
    else:
        found, cursor = elections.queries.elections_of(user, owner, page.limit, page.cursor)
    return page.answer([ElectionShown.of(one, now) for one in found], cursor)


@router.post(
    "/elections", status_code=201, responses={**responses(TAKEN), 201: {"headers": CREATED}}
)
def create_election(
    user: Viewer, elections: Service, sent: NewElection, request: Request, response: Response
) -> ElectionShown:
    """A new election, which is set up before it is launched."""
    made = elections.lifecycle.create(user, sent.name, sent.terms())
    response.headers["Location"] = f"{request.url.path}/{quote(made.name, safe='')}"
    response.headers["ETag"] = etag(made.revision)
    return ElectionShown.of(made, elections.context.clock())


@router.get("/elections/{name}", responses=responses(NOT_FOUND))
def read_election(
    user: Viewer, elections: Service, name: NameInPath, response: Response
) -> ElectionShown:
    """An election; one whose time is up is closed now."""
    found = elections.results.close_if_due(name)
    response.headers["ETag"] = etag(found.revision)
    return ElectionShown.of(found, elections.context.clock())


@router.patch("/elections/{name}", responses=responses(NOT_FOUND, TAKEN, WRONG_STATE))
def edit_election(
    user: Viewer, elections: Service, name: NameInPath, sent: ElectionChanges, edit: IfMatch
) -> ElectionShown:
    """Another name, other settings, or both: all of it or nothing."""
    edited = elections.lifecycle.edit(user, name, sent.changes(), edit.check)
    edit.answer(edited.revision)
    return ElectionShown.of(edited, elections.context.clock())


@router.delete("/elections/{name}", status_code=204, responses=responses(NOT_FOUND))
def delete_election(user: Viewer, elections: Service, name: NameInPath, edit: IfMatch) -> None:
    """Remove an election with all that is in it; for its owner, or who manages users."""
    elections.lifecycle.delete(user, name, edit.check)


lifecycle_router = api_router(
    "conducting", NOT_SIGNED_IN, NOT_ALLOWED, NOT_FOUND, WRONG_STATE, TOO_MANY_REQUESTS
)


@lifecycle_router.post("/elections/{name}/launch")
def launch_election(
    user: Viewer, elections: Service, name: NameInPath, sent: Launch, edit: IfMatch
) -> ElectionShown:
    """Let voting begin."""
    launched = elections.lifecycle.launch(user, name, allow_edit=sent.allow_edit, basis=edit.check)
    return _shown(launched, edit, elections)


@lifecycle_router.post("/elections/{name}/fix")
def fix_election(
    user: Viewer, elections: Service, name: NameInPath, edit: IfMatch
) -> ElectionShown:
    """Let nothing be edited any more, ballots included, while votes are accepted."""
    return _shown(elections.lifecycle.lock(user, name, edit.check), edit, elections)


@lifecycle_router.post("/elections/{name}/finalize")
def finalize_election(
    user: Viewer, elections: Service, name: NameInPath, edit: IfMatch
) -> ElectionShown:
    """Close an election, and sign with which ballots."""
    return _shown(elections.lifecycle.close(user, name, edit.check), edit, elections)


@lifecycle_router.put("/elections/{name}/owner")
def hand_over_election(
    user: Viewer, elections: Service, name: NameInPath, sent: Owner, edit: IfMatch
) -> ElectionShown:
    """Make an election somebody else's."""
    return _shown(elections.lifecycle.transfer(user, name, sent.owner, edit.check), edit, elections)


def _shown(election: Election, edit: Edit, elections: Elections) -> ElectionShown:
    edit.answer(election.revision)
    return ElectionShown.of(election, elections.context.clock())


rolls_router = api_router(
    "candidates and voters", NOT_SIGNED_IN, NOT_ALLOWED, NOT_FOUND, TOO_MANY_REQUESTS
)


@rolls_router.get("/elections/{name}/candidates")
def list_candidates(
    user: Viewer, elections: Service, name: NameInPath, response: Response
) -> Candidates:
    """The candidates of an election, by name; there are at most a hundred."""
    # The tag first: an edit in between makes it the older one, and then If-Match tells.
    response.headers["ETag"] = etag(elections.context.read.get_election(name).revision)
    found = elections.queries.candidates(user, name)
    return Candidates(candidate_names=[one.candidate_name for one in found])


@rolls_router.put("/elections/{name}/candidates", responses=responses(WRONG_STATE))
def set_candidates(
    user: Viewer, elections: Service, name: NameInPath, sent: Candidates, edit: IfMatch
) -> Candidates:
    """The candidates there are to be; who is not named goes."""
    election = elections.lifecycle.set_candidates(user, name, sent.candidate_names, edit.check)
    edit.answer(election.revision)
    found = elections.queries.candidates(user, election.name)
    return Candidates(candidate_names=[one.candidate_name for one in found])


@rolls_router.get("/elections/{name}/voters")
def list_voters(
    user: Viewer, elections: Service, name: NameInPath, page: Pagination, response: Response
) -> VoterPage:
    """Those who may vote, by name; if there is no list, every VOTER and above may."""
    election = elections.context.read.get_election(name)
    response.headers["ETag"] = etag(election.revision)
    found, cursor = elections.queries.voters(user, name, page.limit, page.cursor)
    answer = page.answer([one.voter_name for one in found], cursor)
    return VoterPage(items=answer.items, next=answer.next, everybody=election.voter_count == 0)


@rolls_router.put("/elections/{name}/voters", responses=responses(WRONG_STATE))
def set_voters(
    user: Viewer, elections: Service, name: NameInPath, sent: VoterNames, edit: IfMatch
) -> VoterList:
    """Those who are to vote; an empty list is everybody whose role lets them."""
    election = elections.lifecycle.set_voters(user, name, sent.voter_names, edit.check)
    edit.answer(election.revision)
    return VoterList(everybody=election.voter_count == 0, voter_count=election.voter_count)


@rolls_router.get("/elections/{name}/eligibility/{voter}")
def read_eligibility(
    user: Viewer, elections: Service, name: NameInPath, voter: NameInPath
) -> Eligibility:
    """Whether somebody may vote in an election."""
    found = elections.context.read.get_user(voter)
    eligible = elections.queries.is_eligible(user, name, found.name)
    return Eligibility(user_name=found.name, eligible=eligible)


status_router = api_router("standing")


@status_router.get("/version")
def read_version(elections: Service) -> Version:
    """A number that moves when anything changes; for everybody."""
    sync = elections.context.read.get_sync()
    if sync is None:
        return Version(version=0, rebuilding=False)
    return Version(version=sync.last_event_id, rebuilding=sync.rebuilding)


@status_router.get("/counts", responses=responses(NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS))
def read_counts(user: Viewer, elections: Service) -> Counts:
    """How many users and elections there are."""
    found = elections.queries.counts(user)
    return Counts(users=found.user_count, elections=found.election_count)
