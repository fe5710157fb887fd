"""Which exception becomes which problem."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeAlias, cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import JsonValue
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
from singletable_apps.shared.web.middleware import allowed, no_handler
from singletable_apps.shared.web.pagination import invalid_cursor
from singletable_apps.shared.web.problems import (
    COMMON,
    INVALID,
    MALFORMED_BODY,
    METHOD_NOT_ALLOWED,
    UNAVAILABLE,
    FieldError,
    Problem,
    problem_response,
    status_problem_type,
)
from singletable_apps.shared.web.settings import site_of

# Which problem an error of an app is, by the type of the error.
ErrorProblems: TypeAlias = Mapping[type[Exception], Callable[[Any, Request], Problem]]

MOST = 20
_SECRET = ("password", "passphrase", "secret", "token", "key")


def invalid(error: RequestValidationError) -> Problem:
    """The 422 problem with a fault for each place, or 400 if the body is no JSON at all."""
    found = cast(Sequence[Mapping[str, object]], error.errors())
    if any(each["type"] == "json_invalid" for each in found):
        return Problem(MALFORMED_BODY)
    faults = [_fault(each) for each in found[:MOST]]
    more = f" Only the first {MOST} are listed." if len(found) > MOST else ""
    many = "1 fault" if len(found) == 1 else f"{len(found)} faults"
    return Problem(INVALID, f"The request has {many}; `errors` says which.{more}", errors=faults)


def _fault(error: Mapping[str, object]) -> FieldError:
    place, *inner = cast(tuple[str | int, ...], error["loc"])
    words = str(error["msg"])
    if error["type"] != "missing":
        words += f"; got {_came(error.get('input'), inner)}"
    words += "."
    match place:
        case "body":
            return FieldError(words, pointer="".join(f"/{_escaped(part)}" for part in inner))
        case "header":
            return FieldError(words, header=str(inner[0]) if inner else None)
        case "cookie":
            return FieldError(words, header="Cookie")
        case _:
            return FieldError(words, parameter=str(inner[0]) if inner else None)


def _escaped(part: str | int) -> str:
    """A name as it is in a JSON pointer (RFC 6901)."""
    return str(part).replace("~", "~0").replace("/", "~1")


def _came(value: object, place: Sequence[str | int]) -> str:
    """What came, short, and without secrets: an answer may end up in somebody's records."""
    last = next((part.lower() for part in reversed(place) if isinstance(part, str)), "")
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str() if any(word in last for word in _SECRET) or len(value) > 60:
            return f"a text of {len(value)} characters"
        case str():
            return f'"{value}"'
        case int() | float():
            return str(value) if abs(value) < 1e20 else "a large number"
        case list():
            return f"a list of {len(cast(list[JsonValue], value))}"
        case bytes():
            return f"{len(value)} bytes"
        case _:
            return "an object"


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


def add_handlers(app: FastAPI, errors: ErrorProblems) -> None:
    """Let the app answer these exceptions, and its own `errors`, as problems."""
    for kind in (Problem, RequestValidationError, HTTPException, InvalidCursor, *PASSING):
        app.add_exception_handler(kind, _answer)
    for error_type, problem_for in errors.items():
        app.add_exception_handler(error_type, _answer_with(problem_for))


def _answer_with(
    problem_for: Callable[[Any, Request], Problem],
) -> Callable[[Request, Exception], Coroutine[Any, Any, Response]]:
    async def answer(request: Request, error: Exception) -> Response:
        return await _answer(request, problem_for(error, request))

    return answer


async def _answer(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code < 400:
        return Response(status_code=error.status_code, headers=error.headers)
    problem = problem_of(request, error)
    return problem_response(problem, request.scope, site_of(request.scope).prefix)


def problem_of(request: Request, error: Exception) -> Problem:
    """The problem that an exception is, to who asked."""
    match error:
        case Problem():
            return error
        case RequestValidationError():
            return invalid(error)
        case InvalidCursor():
            return invalid_cursor(str(error))
        case HTTPException():
            return _http(request, error)
        case _:
            return Problem(UNAVAILABLE, headers={"Retry-After": "1"})


def _http(request: Request, error: HTTPException) -> Problem:
    headers = cast("dict[str, str]", error.headers or {})
    if error.status_code == METHOD_NOT_ALLOWED.status:
        return no_handler(request.scope, allowed(request.scope))
    if error.status_code == 404 and "route" not in request.scope:
        return no_handler(request.scope, [])
    kind = _COMMON.get(error.status_code) or status_problem_type(error.status_code)
    return Problem(kind, error.detail, headers=headers)
