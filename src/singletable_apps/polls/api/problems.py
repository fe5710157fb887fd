"""Which refusal of the service is which problem, and the routes that answer so."""

from __future__ import annotations

from fastapi import Request

from singletable_apps.polls.errors import (
    AlreadyVoted,
    Busy,
    Closed,
    Hidden,
    Invalid,
    NoCode,
    NotAdmin,
    NotThere,
    OtherSecret,
    PollsError,
    Refused,
    Settled,
)
from singletable_apps.shared.web import (
    INVALID,
    NOT_ALLOWED,
    NOT_FOUND,
    UNAVAILABLE,
    FieldError,
    Problem,
    ProblemType,
)

NO_ADMIN_KEY = ProblemType(
    "no-admin-key",
    401,
    "The admin key is missing",
    "Making the poll gave its adminKey; send it as Authorization: Bearer …",
    {"WWW-Authenticate": "How to send the key."},
)
NO_CODE = ProblemType(
    "no-code", 403, "A one-time code is needed", "Whoever made the poll hands out the codes."
)
CLOSED = ProblemType(
    "closed", 409, "The poll is closed", "It takes no votes any more; see its results."
)
ALREADY_VOTED = ProblemType(
    "already-voted", 409, "The vote is cast", "Votes in this poll cannot be changed."
)
HIDDEN = ProblemType(
    "hidden", 403, "The results are not shown yet", "The poll says when: after voting, or closing."
)
SETTLED = ProblemType(
    "settled", 409, "People have voted on it", "Duplicate the poll to ask something else."
)
OTHER_SECRET = ProblemType(
    "other-secret",
    503,
    "The server has another secret than the poll",
    "Nobody who votes or manages can be known until whoever runs the server puts it back.",
)
PROBLEM_TYPES = (NO_ADMIN_KEY, NO_CODE, CLOSED, ALREADY_VOTED, HIDDEN, SETTLED, OTHER_SECRET)

_BY_REFUSAL: dict[type[Refused], ProblemType] = {
    NotThere: NOT_FOUND,
    Invalid: INVALID,
    NotAdmin: NOT_ALLOWED,
    NoCode: NO_CODE,
    Closed: CLOSED,
    AlreadyVoted: ALREADY_VOTED,
    Hidden: HIDDEN,
    Settled: SETTLED,
}


def problem_of(refusal: PollsError, _: Request) -> Problem:
    """Return the problem for an error of the service."""
    words = str(refusal)
    match refusal:
        case Invalid():
            faults = [
                FieldError(text, pointer=f"/{field}") for field, text in refusal.faults.items()
            ]
            return Problem(INVALID, words, errors=faults)
        case OtherSecret():
            return Problem(OTHER_SECRET, words)
        case Busy():
            return Problem(UNAVAILABLE, words, headers={"Retry-After": "1"})
        case Refused():
            return Problem(_BY_REFUSAL[type(refusal)], words)
        case _:
            raise refusal
