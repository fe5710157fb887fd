"""Vote: cast, change and withdraw your ballot."""

from __future__ import annotations

from fastapi import Response

from singletable_apps.elections.api.dependencies import NameInPath, Service, ThisApi, Viewer
from singletable_apps.elections.api.problems import KEY_REUSED, WRONG_STATE
from singletable_apps.elections.api.schemas import (
    BallotShown,
    NewBallot,
    OwnBallot,
    RankedCandidate,
    Rankings,
)
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    IdempotencyKey,
    Page,
    Pagination,
    add_rate_limit_headers,
    api_router,
    responses,
)

router = api_router("voting", NOT_SIGNED_IN, NOT_ALLOWED, NOT_FOUND, TOO_MANY_REQUESTS)
REPLAYED = "Idempotency-Replayed"
CAST = {
    REPLAYED: {
        "description": "`true` if this key cast the ballot before.",
        "schema": {"type": "string"},
    }
}


@router.post(
    "/elections/{name}/ballot",
    status_code=201,
    responses={**responses(WRONG_STATE, KEY_REUSED), 201: {"headers": CAST}},
)
def cast_ballot(
    user: Viewer,
    api: ThisApi,
    name: NameInPath,
    sent: NewBallot,
    key: IdempotencyKey,
    response: Response,
) -> OwnBallot:
    """Cast your ballot, or change it while the election can be edited.

    Repeating a request with the same Idempotency-Key returns the same ballot and casts nothing.
    """
    if api.settings.limits.cast is not None:
        add_rate_limit_headers(response, api.settings.limits.cast.hit(str(user.user_id)))
    lines = [(line.candidate_name, line.rank) for line in sent.rankings]
    cast = api.elections.voting.cast(user, name, lines, key)
    if cast.is_repeat:
        response.headers[REPLAYED] = "true"
    return OwnBallot.of(cast)


@router.get("/elections/{name}/ballot")
def read_my_ballot(user: Viewer, elections: Service, name: NameInPath) -> OwnBallot:
    """Return your ballot with its receipt; after the close, with the proof."""
    return OwnBallot.of(elections.voting.ballot(user, name, user.name))


@router.delete("/elections/{name}/ballot", status_code=204, responses=responses(WRONG_STATE))
def withdraw_ballot(user: Viewer, elections: Service, name: NameInPath) -> None:
    """Withdraw your ballot, as if it had never been cast."""
    elections.voting.withdraw(user, name)


@router.get("/elections/{name}/rankings")
def read_my_rankings(user: Viewer, elections: Service, name: NameInPath) -> Rankings:
    """Return your ballot with every candidate. Candidates you did not rank have no rank."""
    lines = elections.queries.rankings(user, name)
    return Rankings(
        rankings=[RankedCandidate(candidate_name=one, rank=rank) for one, rank in lines]
    )


@router.get("/elections/{name}/ballots/{voter}", responses=responses(WRONG_STATE))
def read_ballot(
    user: Viewer, elections: Service, name: NameInPath, voter: NameInPath
) -> BallotShown:
    """Return the ballot of a voter, if ballots are open."""
    return BallotShown.of(elections.voting.ballot(user, name, voter))


@router.get("/elections/{name}/who-voted")
def list_who_voted(
    user: Viewer, elections: Service, name: NameInPath, page: Pagination
) -> Page[str]:
    """List the people who have voted. This is public even if ballots are secret."""
    return page.answer(*elections.queries.who_voted(user, name, page.limit, page.cursor))
