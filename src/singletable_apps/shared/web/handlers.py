"""Which exception becomes which problem."""

from __future__ import annotations

from typing import cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from singletable import (
    ConnectionFailed,
    InternalError,
    InvalidCursor,
    ProvisionedThroughputExceeded,
    ServiceUnavailable,
    Throttled,
    TransactionConflict,
)
from singletable_apps.shared.web.kinds import COMMON, METHOD_NOT_ALLOWED, TRY_LATER
from singletable_apps.shared.web.methods import allowed, no_handler
from singletable_apps.shared.web.offsets import cursor_refused
from singletable_apps.shared.web.problems import Problem, plain_kind, problem_answer
from singletable_apps.shared.web.settings import site_of
from singletable_apps.shared.web.validation import invalid

PASSING = (
    Throttled,
    ProvisionedThroughputExceeded,
    ServiceUnavailable,
    InternalError,
    TransactionConflict,
    ConnectionFailed,
)
_COMMON = {
    kind.status: kind for kind in reversed(COMMON) if kind.status in (401, 403, 404, 413, 415)
}


def add_handlers(app: FastAPI) -> None:
    """Let the app answer these exceptions as problems."""
    for kind in (Problem, RequestValidationError, HTTPException, InvalidCursor, *PASSING):
        app.add_exception_handler(kind, _answer)


async def _answer(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code < 400:
        return Response(status_code=error.status_code, headers=error.headers)
    problem = problem_of(request, error)
    return problem_answer(problem, request.scope, site_of(request.scope).prefix)


def problem_of(request: Request, error: Exception) -> Problem:
    """The problem that an exception is, to who asked."""
    match error:
        case Problem():
            return error
        case RequestValidationError():
            return invalid(error)
        case InvalidCursor():
            return cursor_refused(str(error))
        case HTTPException():
            return _http(request, error)
        case _:
            return Problem(TRY_LATER, headers={"Retry-After": "1"})


def _http(request: Request, error: HTTPException) -> Problem:
    headers = cast("dict[str, str]", error.headers or {})
    if error.status_code == METHOD_NOT_ALLOWED.status:
        return no_handler(request.scope, allowed(request.scope))
    if error.status_code == 404 and "route" not in request.scope:
        return no_handler(request.scope, [])
    kind = _COMMON.get(error.status_code) or plain_kind(error.status_code)
    return Problem(kind, error.detail, headers=headers)
