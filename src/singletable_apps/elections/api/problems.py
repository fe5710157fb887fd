"""Which refusal of the service is which problem, and the routes that answer so."""

from __future__ import annotations

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

TAKEN = ProblemType("taken", 409, "Another has it", "Choose another name or address.")
WRONG_STATE = ProblemType(
    "wrong-state",
    409,
    "It is not in a state for this",
    "Elections are set up, launched, and closed, in this order; see what state it is in.",
)
KEY_REUSED = ProblemType(
    "key-reused",
    422,
    "The Idempotency-Key came with another request before",
    "Take a new key for each ballot, and the same one only to send the same ballot again.",
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
# Where the service's word for a field is not that of the body.
_IN_BODY = {"candidates": "candidate_names", "voters": "voter_names"}
# What is named by the path, and by no field of the body.
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


ERRORS = dict.fromkeys((Rejected, Unavailable, TooManyAttempts, InvalidCode), problem_of)
