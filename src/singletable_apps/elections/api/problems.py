"""Problem types of the elections API, and which error of the service is which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import Request

from singletable_apps.elections.errors import (
    AlreadyTaken,
    IdempotencyKeyReused,
    InvalidInput,
    NotFound,
    NotPermitted,
    NotSignedIn,
    RebuildInProgress,
    Rejected,
    Unavailable,
    WrongState,
)
from singletable_apps.elections.proofs import InvalidCode
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.web import (
    INVALID,
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    UNAVAILABLE,
    FieldError,
    Problem,
    ProblemType,
)

TAKEN = ProblemType("taken", 409, "Already taken", "Choose another name or e-mail address.")
WRONG_STATE = ProblemType(
    "wrong-state",
    409,
    "Not possible in this state",
    "An election is set up, launched and closed, in this order. Read its `state`.",
)
KEY_REUSED = ProblemType(
    "key-reused",
    422,
    "Idempotency-Key used for another request",
    "Use a new key for each ballot, and the same key only to repeat a request.",
)
PROBLEM_TYPES = (TAKEN, WRONG_STATE, KEY_REUSED)

_BY_REFUSAL: dict[type[Rejected], ProblemType] = {
    NotSignedIn: NOT_SIGNED_IN,
    NotPermitted: NOT_ALLOWED,
    NotFound: NOT_FOUND,
    AlreadyTaken: TAKEN,
    WrongState: WRONG_STATE,
    InvalidInput: INVALID,
    IdempotencyKeyReused: KEY_REUSED,
}
# Fields that have another name in the request body.
_IN_BODY = {"candidates": "candidate_names", "voters": "voter_names"}
# Fields that are in the path, not in the body.
_IN_PATH = {"user", "election", "confirmation", "table", "relation"}


def problem_of(
    refusal: Rejected | Unavailable | TooManyAttempts | InvalidCode, request: Request
) -> Problem:
    """Return the problem for an error of the service."""
    words = str(refusal)
    match refusal:
        case Rejected():
            return Problem(
                _BY_REFUSAL[type(refusal)], words, errors=_faults(refusal, request.method)
            )
        case TooManyAttempts():
            seconds = max(1, -(-refusal.retry_after.total_seconds() // 1))
            return Problem(TOO_MANY_REQUESTS, words, headers={"Retry-After": f"{seconds:.0f}"})
        case InvalidCode():
            return Problem(INVALID, words, errors=[FieldError(words, parameter="confirmation")])
        case Unavailable():
            wait = "10" if isinstance(refusal, RebuildInProgress) else "1"
            return Problem(UNAVAILABLE, words, headers={"Retry-After": wait})


def _faults(refusal: Rejected, method: str) -> list[FieldError]:
    words = str(refusal)
    if isinstance(refusal, IdempotencyKeyReused):
        return [FieldError(words, header="Idempotency-Key")]
    if refusal.field is None:
        return []
    if method in ("GET", "DELETE") or refusal.field in _IN_PATH:
        return [FieldError(words, parameter=refusal.field)]
    return [FieldError(words, pointer=f"/{_IN_BODY.get(refusal.field, refusal.field)}")]


ERRORS: dict[type[Exception], Callable[[Any, Request], Problem]] = dict.fromkeys(
    (Rejected, Unavailable, TooManyAttempts, InvalidCode), problem_of
)
