"""Vote: cast, change and withdraw your ballot."""

from __future__ import annotations

from singletable_apps.elections.api import schemas
from singletable_apps.elections.api.dependencies import OnElection
from singletable_apps.elections.web import KEY_REUSED, WRONG_STATE, NameInPath
from singletable_apps.shared import web
from singletable_apps.shared.frame import count_user_request
from singletable_apps.shared.web import NOT_FOUND, IdempotencyKey, Page, Pagination, responses

router = web.api_router("voting", *web.SIGNED_IN, NOT_FOUND)
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
def cast_ballot(on: OnElection, sent: schemas.NewBallot, key: IdempotencyKey) -> schemas.OwnBallot:
    """Cast your ballot, or change it while the election can be edited.

    Repeating a request with the same Idempotency-Key returns the same ballot and casts nothing.
    """
    count_user_request(on.request, on.response, "cast", on.user.user_id)
    lines = [(line.candidate_name, line.rank) for line in sent.rankings]
    cast = on.service.voting.cast(on.user, on.name, lines, key)
    if cast.is_repeat:
        on.response.headers[REPLAYED] = "true"
    return schemas.OwnBallot.of(cast)


@router.get("/elections/{name}/ballot")
def read_my_ballot(on: OnElection) -> schemas.OwnBallot:
    """Return your ballot with its receipt; after the close, with the proof."""
    return schemas.OwnBallot.of(on.service.voting.own_ballot(on.user, on.name))


@router.delete("/elections/{name}/ballot", status_code=204, responses=responses(WRONG_STATE))
def withdraw_ballot(on: OnElection) -> None:
    """Withdraw your ballot, as if it had never been cast."""
    on.service.voting.withdraw(on.user, on.name)


@router.get("/elections/{name}/ballots/{voter}", responses=responses(WRONG_STATE))
def read_ballot(on: OnElection, voter: NameInPath) -> schemas.Ballot:
    """Return the ballot of a voter, if ballots are open."""
    return schemas.Ballot.of(on.service.voting.ballot(on.user, on.name, voter))


@router.get("/elections/{name}/who-voted")
def list_who_voted(on: OnElection, page: Pagination) -> Page[str]:
    """List the people who have voted. This is public even if ballots are secret."""
    return page.answer(*on.service.queries.who_voted(on.user, on.name, page.limit, page.cursor))
