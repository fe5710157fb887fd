"""Voting, and seeing one's own vote."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Request, Response

from singletable_apps.polls.api import cookies
from singletable_apps.polls.api.dependencies import (
    ANYBODY,
    Browser,
    Guesses,
    PollId,
    ThisApi,
    by_address,
)
from singletable_apps.polls.api.problems import ALREADY_VOTED, CLOSED, NO_CODE
from singletable_apps.polls.api.schemas import NewVote, Typed, VoteShown
from singletable_apps.polls.errors import NotThere
from singletable_apps.polls.service import Voter
from singletable_apps.polls.tokens import Secret
from singletable_apps.shared.web import (
    IDEMPOTENCY_KEY,
    NOT_FOUND,
    TOO_MANY_REQUESTS,
    FieldError,
    IdempotencyKeyIfAny,
    Problem,
    api_router,
    responses,
)

# A key that names a vote must be one that nobody else comes upon: a UUID has 32 digits.
SHORTEST_KEY = 16

router = api_router("voting", NOT_FOUND, NO_CODE, TOO_MANY_REQUESTS)
_TEXT = {"schema": {"type": "string"}}
_CAST = {
    "Location": {"description": "Where the vote is.", **_TEXT},
    "Set-Cookie": {"description": "Knows the browser again that voted.", **_TEXT},
}
VoteId = Annotated[
    UUID | None, Query(description="The id of a vote, for who cannot be known by a cookie.")
]


@router.post(
    "/{poll_id:uuid}/vote",
    status_code=201,
    responses={
        **responses(CLOSED, ALREADY_VOTED),
        200: {"description": "The vote is changed.", "model": VoteShown, "headers": _CAST},
        201: {"description": "The vote is new.", "headers": _CAST},
    },
    dependencies=[Depends(by_address(lambda limits: limits.vote))],
    openapi_extra=ANYBODY,
)
def cast_vote(
    poll_id: PollId,
    sent: NewVote,
    request: Request,
    response: Response,
    api: ThisApi,
    browser: Browser,
    guesses: Guesses,
    key: IdempotencyKeyIfAny,
) -> VoteShown:
    """Vote, or change one's vote: a poll knows people by their browser, by a code, or not at all.

    Who sends no cookie is taken for a new browser, and gets one. A program that may have to send a
    vote again adds a key, a UUID for instance: the same key is the same vote.
    """
    _check_key(key)
    polls = api.polls
    voter = _voter(polls.context.secret, str(poll_id), browser, sent.code, key)
    with guesses.counted(sent.code):
        cast = polls.voting.cast(str(poll_id), sent.rankings, voter)
    # A code is enough to be known by, and whoever sends one is given no cookie.
    if voter.browser is not None and browser is None and not sent.code:
        cookies.BROWSER.set(request, voter.browser)
    response.headers["Location"] = f"{request.url.path}?vote={cast.vote.id}"
    if not cast.is_new:
        response.status_code = 200
    return VoteShown.of(cast.vote)


@router.get(
    "/{poll_id:uuid}/vote",
    dependencies=[Depends(by_address(lambda limits: limits.vote))],
    openapi_extra=ANYBODY,
)
def read_my_vote(
    poll_id: PollId,
    api: ThisApi,
    browser: Browser,
    guesses: Guesses,
    vote: VoteId = None,
    code: Annotated[Typed | None, Query()] = None,
) -> VoteShown:
    """One's own vote: of this browser, of a code, or by its id."""
    poll, voting = api.polls.context.poll(str(poll_id)), api.polls.voting
    vote_id = str(vote) if vote is not None else None
    if vote_id is None:
        with guesses.counted(code):
            vote_id = voting.vote_id(poll, Voter(browser, code))
    found = voting.vote(poll.id, vote_id) if vote_id is not None else None
    if found is None:
        raise NotThere(f"You have not voted in '{poll.title}', as far as can be known.")
    return VoteShown.of(found)


def _voter(
    secret: Secret, poll_id: str, browser: str | None, code: str | None, key: str | None
) -> Voter:
    """By what somebody is known: all of it, for the poll says which of them counts.

    A new browser is made of the key, so the same key is the same vote with its cookie and without.
    """
    known = browser or (secret.browser_of(poll_id, key) if key else cookies.new_token())
    return Voter(known, code, key and f"{known} {key}")


def _check_key(key: str | None) -> None:
    if key is not None and len(key) < SHORTEST_KEY:
        words = f"Expected at least {SHORTEST_KEY} characters, as a UUID has, but got {len(key)}."
        raise Problem(IDEMPOTENCY_KEY, errors=[FieldError(words, header="Idempotency-Key")])
