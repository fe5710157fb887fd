"""Turn errors into HTTP responses (RFC 9457 problem details), and versions into ETags.

`ApiModel` derives response models from entities. Needs the extra `fastapi`.
The guide's page on HTTP has the table of errors.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, TypeAlias

from fastapi import Depends, FastAPI, Header, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from singletable import errors
from singletable.schema.api_model import ApiModel as ApiModel

MEDIA_TYPE = "application/problem+json"


class FieldProblem(BaseModel):
    """One value that was rejected."""

    field: str | None = Field(None, description="The field, and where in it: `ranks[2]`.")
    detail: str = Field(description="What was expected.")


class ProblemDetails(BaseModel):
    """A problem (RFC 9457), as the body of an error response.

    Use it in `responses={404: {"model": ProblemDetails}}` to describe errors in OpenAPI.
    """

    type: str = "about:blank"
    title: str = Field(description="The HTTP status in words.")
    status: int
    detail: str = Field(description="What happened, for people.")
    code: str = Field(description="What happened, for programs: `already-exists`.")
    errors: list[FieldProblem] = Field(default_factory=list[FieldProblem])


@dataclass(frozen=True, slots=True)
class _Answer:
    """The response to an error: its status, code, text and Retry-After."""

    status: int
    code: str
    detail: str
    retry_after: int | None = None


_UNSURE = (
    "The database did not confirm the request, so a change may or may not have been made. "
    "Read the item before you try again."
)
_BUSY = "The database is busy, and nothing was changed. Try again."

# Errors that are not listed are faults of the server: they stay errors, and their status is 500.
# A subclass has the row of its nearest base class.
_ANSWERS: dict[type[errors.SingleTableError], _Answer] = {
    errors.InvalidCursor: _Answer(
        400, "invalid-cursor", "The cursor is not valid for this list. Start without a cursor."
    ),
    # The client is not told whether another tenant has such an item.
    errors.OutOfScope: _Answer(404, "not-found", "There is no such item."),
    errors.NotFound: _Answer(404, "not-found", "There is no such item."),
    errors.AlreadyExists: _Answer(409, "already-exists", "There is already such an item."),
    errors.VersionConflict: _Answer(
        409, "version-conflict", "Someone else changed the item. Read it again."
    ),
    errors.ConditionFailed: _Answer(
        409, "condition-failed", "The item is not in the state that this request needs."
    ),
    errors.TransactionInProgress: _Answer(
        409, "in-progress", "The same request is still in progress.", 1
    ),
    errors.InvalidValue: _Answer(422, "invalid-value", "A value is not valid."),
    errors.ReadLimitReached: _Answer(
        422, "read-limit", "This request reads too many items. Ask for less, or for a page."
    ),
    errors.IdempotentParameterMismatch: _Answer(
        422, "idempotency-mismatch", "The idempotency key was used with another request."
    ),
    errors.Throttled: _Answer(503, "busy", _BUSY, 1),
    errors.TransactionConflict: _Answer(503, "busy", _BUSY, 1),
    errors.ServiceUnavailable: _Answer(503, "unavailable", _BUSY, 1),
    errors.EngineClosed: _Answer(503, "unavailable", "The server is shutting down.", 1),
    errors.InternalError: _Answer(503, "unavailable", _UNSURE, 1),
    errors.ConnectionFailed: _Answer(503, "unavailable", _UNSURE, 1),
    errors.ItemCollectionTooLarge: _Answer(507, "partition-full", "There is no space left here."),
}
_TOO_LARGE = _Answer(413, "too-large", "The item is larger than 400 KB.")
_ITEM_SIZE = re.compile(r"Item size .*has exceeded the maximum allowed size")


def add_error_handlers(app: FastAPI) -> None:
    """Respond to the errors of a store with problem details, instead of with status 500.

    Errors that are faults of the server, such as a missing table, stay errors.
    """
    for error_type in (*_ANSWERS, errors.ValidationError):
        app.add_exception_handler(error_type, _respond)


def problem_details(error: Exception, request: Request | None = None) -> ProblemDetails | None:
    """Return the problem details of an error, or None if it is a fault of the server.

    A version conflict has status 412 if the request has an If-Match header, and 409 otherwise.
    """
    answer = _answer_to(error)
    if answer is None:
        return None
    status = answer.status
    if isinstance(error, errors.VersionConflict) and request and "If-Match" in request.headers:
        status = 412
    return ProblemDetails(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=answer.detail,
        code=answer.code,
        errors=_field_problems(error),
    )


def retry_after(error: Exception) -> int | None:
    """Return after how many seconds the client may try again; None if that would not help."""
    answer = _answer_to(error)
    return answer.retry_after if answer else None


def etag(version: int) -> str:
    """Return the ETag of an item with this version."""
    return f'"{version}"'


def _version_in_if_match(
    if_match: Annotated[
        str | None, Header(description='The ETag of the version that you change, such as `"7"`.')
    ] = None,
) -> int | None:
    if if_match is None or if_match.strip() == "*":
        return None
    match = re.fullmatch(r'(W/)?"([!#-~]*)"', if_match.strip())
    if match is None:
        raise HTTPException(400, f'If-Match: expected one ETag, such as "7", but got {if_match}')
    weak, tag = match.groups()
    if weak or not re.fullmatch(r"[0-9]{1,18}", tag):
        raise errors.VersionConflict(f"If-Match: {if_match} is not the ETag of a version.")
    return int(tag)


# The version in the If-Match header, or None if the client did not send one:
# `def change(…, seen: IfMatch)`, and then `if_=Issue.version == seen`.
IfMatch: TypeAlias = Annotated[int | None, Depends(_version_in_if_match)]


async def _respond(request: Request, error: Exception) -> JSONResponse:
    problem = problem_details(error, request)
    if problem is None:
        raise error
    seconds = retry_after(error)
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    body = problem.model_dump(exclude_defaults=True)
    return JSONResponse(
        {"type": problem.type, **body}, problem.status, headers, media_type=MEDIA_TYPE
    )


def _answer_to(error: Exception) -> _Answer | None:
    if isinstance(error, errors.CertificateError):
        return None  # a wrong configuration; waiting does not help
    if isinstance(error, errors.OutOfScope) and error.key is None:
        return None  # a call that no scope can allow
    if isinstance(error, errors.ValidationError) and _ITEM_SIZE.search(error.message):
        return _TOO_LARGE
    if isinstance(error, errors.ConnectionFailed) and not error.may_have_arrived:
        return _ANSWERS[errors.ServiceUnavailable]
    for base in type(error).__mro__:
        if answer := _ANSWERS.get(base):
            return answer
    return None


def _field_problems(error: Exception) -> list[FieldProblem]:
    match error:
        case errors.AlreadyExists():
            return [FieldProblem(field=name, detail="is taken.") for name in error.fields]
        case errors.InvalidValue():
            return [FieldProblem(field=error.path.partition(".")[2] or None, detail=error.text)]
        case _:
            return []
