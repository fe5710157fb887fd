"""The problem types of the API, and which error is which problem."""

from __future__ import annotations

from fastapi import Request
from pydantic.alias_generators import to_camel

from singletable_apps.polls import errors
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
    "Admin key required",
    "You got the adminKey when you created the poll. Send it as Authorization: Bearer …",
    {"WWW-Authenticate": "How to send the key."},
)
NO_CODE = ProblemType(
    "no-code", 403, "Voting code required", "The organizer of the poll hands out voting codes."
)
CODE_USED = ProblemType(
    "code-used",
    403,
    "Voting code already used",
    "A vote cast with a code can be read and changed only with the cookie or the Idempotency-Key "
    "of the request that cast it, because the organizer knows the code too.",
)
CLOSED = ProblemType("closed", 409, "Poll closed", "The poll does not accept votes any more.")
ALREADY_VOTED = ProblemType(
    "already-voted", 409, "Already voted", "Votes in this poll cannot be changed."
)
HIDDEN = ProblemType(
    "hidden", 403, "Results not visible yet", "You can see them after voting, or after closing."
)
SETTLED = ProblemType("settled", 409, "Poll has votes", "Duplicate the poll to ask something else.")
OTHER_SECRET = ProblemType(
    "other-secret",
    503,
    "Wrong server secret",
    "The poll was created with another secret, which the operator has to restore.",
)
PROBLEM_TYPES = (
    NO_ADMIN_KEY,
    NO_CODE,
    CODE_USED,
    CLOSED,
    ALREADY_VOTED,
    HIDDEN,
    SETTLED,
    OTHER_SECRET,
)

_TYPES: dict[type[errors.PollsError], ProblemType] = {
    errors.NotFound: NOT_FOUND,
    errors.InvalidInput: INVALID,
    errors.InvalidAdminKey: NOT_ALLOWED,
    errors.InvalidCode: NO_CODE,
    errors.CodeUsed: CODE_USED,
    errors.PollClosed: CLOSED,
    errors.AlreadyVoted: ALREADY_VOTED,
    errors.ResultsHidden: HIDDEN,
    errors.PollHasVotes: SETTLED,
    errors.PollBusy: UNAVAILABLE,
    errors.WrongSecret: OTHER_SECRET,
}


def to_problem(error: errors.PollsError, _: Request) -> Problem:
    """Return the problem for an error of the service."""
    fields = error.errors if isinstance(error, errors.InvalidInput) else {}
    return Problem(
        _TYPES[type(error)],
        str(error),
        errors=[FieldError(text, pointer=f"/{to_camel(name)}") for name, text in fields.items()],
        headers={"Retry-After": "1"} if isinstance(error, errors.PollBusy) else {},
    )
