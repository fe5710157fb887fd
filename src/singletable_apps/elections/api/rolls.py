"""Who can be voted for, and who may vote."""

from __future__ import annotations

from fastapi import Response

from singletable_apps.elections.api.asking import Service, Viewer
from singletable_apps.elections.api.models.elections import (
    Candidates,
    Eligibility,
    VoterList,
    VoterNames,
    VoterPage,
)
from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.api.refusals import WRONG_STATE, topic
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY,
    IfMatch,
    Paging,
    etag,
    responses,
)

router = topic("candidates and voters", NOT_SIGNED_IN, NOT_ALLOWED, NOT_FOUND, TOO_MANY)


@router.get("/elections/{name}/candidates")
def list_candidates(
    user: Viewer, elections: Service, name: NameInPath, response: Response
) -> Candidates:
    """The candidates of an election, by name; there are at most a hundred."""
    # The tag first: an edit in between makes it the older one, and then If-Match tells.
    response.headers["ETag"] = etag(elections.office.view.election(name).revision)
    found = elections.queries.candidates(user, name)
    return Candidates(candidate_names=[one.candidate_name for one in found])


@router.put("/elections/{name}/candidates", responses=responses(WRONG_STATE))
def set_candidates(
    user: Viewer, elections: Service, name: NameInPath, sent: Candidates, edit: IfMatch
) -> Candidates:
    """The candidates there are to be; who is not named goes."""
    election = elections.rolls.set_candidates(user, name, sent.candidate_names, edit.check)
    edit.answer(election.revision)
    found = elections.queries.candidates(user, election.name)
    return Candidates(candidate_names=[one.candidate_name for one in found])


@router.get("/elections/{name}/voters")
def list_voters(
    user: Viewer, elections: Service, name: NameInPath, page: Paging, response: Response
) -> VoterPage:
    """Those who may vote, by name; if there is no list, every VOTER and above may."""
    election = elections.office.view.election(name)
    response.headers["ETag"] = etag(election.revision)
    found, cursor = elections.queries.voters(user, name, page.limit, page.cursor)
    answer = page.answer([one.voter_name for one in found], cursor)
    return VoterPage(items=answer.items, next=answer.next, everybody=election.voter_count == 0)


@router.put("/elections/{name}/voters", responses=responses(WRONG_STATE))
def set_voters(
    user: Viewer, elections: Service, name: NameInPath, sent: VoterNames, edit: IfMatch
) -> VoterList:
    """Those who are to vote; an empty list is everybody whose role lets them."""
    election = elections.rolls.set_voters(user, name, sent.voter_names, edit.check)
    edit.answer(election.revision)
    return VoterList(everybody=election.voter_count == 0, voter_count=election.voter_count)


@router.get("/elections/{name}/eligibility/{voter}")
def read_eligibility(
    user: Viewer, elections: Service, name: NameInPath, voter: NameInPath
) -> Eligibility:
    """Whether somebody may vote in an election."""
    found = elections.office.view.user(voter)
    eligible = elections.queries.is_eligible(user, name, found.name)
    return Eligibility(user_name=found.name, eligible=eligible)
