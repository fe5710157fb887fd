"""Map exceptions to problems."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeAlias, cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import JsonValue
from starlette.exceptions import HTTPException

from singletable import SingleTableError
from singletable.fastapi import problem_details, retry_after
from singletable_apps.shared.web.middleware import allowed_methods, no_route_problem
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

# Functions that return the problem of an app's own errors, by error type.
ErrorProblems: TypeAlias = Mapping[type[Exception], Callable[[Any, Request], Problem]]

MAX_ERRORS = 20
_SECRET_NAMES = ("password", "passphrase", "secret", "token", "key")


def validation_problem(error: RequestValidationError) -> Problem:
    """Return a 422 problem with all errors, or a 400 problem if the body is not JSON."""
    details = cast(Sequence[Mapping[str, object]], error.errors())
    if any(each["type"] == "json_invalid" for each in details):
        return Problem(MALFORMED_BODY)
    errors = [_field_error(each) for each in details[:MAX_ERRORS]]
    more = f" Only the first {MAX_ERRORS} are listed." if len(details) > MAX_ERRORS else ""
    count = "1 error" if len(details) == 1 else f"{len(details)} errors"
    return Problem(INVALID, f"The request has {count}; see `errors`.{more}", errors=errors)


def _field_error(error: Mapping[str, object]) -> FieldError:
    place, *inner = cast(tuple[str | int, ...], error["loc"])
    # Pydantic says "Value error, " before the message of a validator of ours.
    text = str(error["msg"]).removeprefix("Value error, ").rstrip(".")
    is_about_all = error["type"] == "value_error" and not inner
    if error["type"] != "missing" and not is_about_all:
        text += f"; got {_describe_value(error.get('input'), inner)}"
    text += "."
    match place:
        case "body":
            return FieldError(text, pointer="".join(f"/{_escaped(part)}" for part in inner))
        case "header":
            return FieldError(text, header=str(inner[0]) if inner else None)
        case "cookie":
            return FieldError(text, header="Cookie")
        case _:
            return FieldError(text, parameter=str(inner[0]) if inner else None)


def _escaped(part: str | int) -> str:
    """Return a name escaped for a JSON pointer (RFC 6901)."""
    return str(part).replace("~", "~0").replace("/", "~1")


def _describe_value(value: object, place: Sequence[str | int]) -> str:
    """Describe a value briefly and without secrets, because clients may log the response."""
    last = next((part.lower() for part in reversed(place) if isinstance(part, str)), "")
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str() if any(word in last for word in _SECRET_NAMES) or len(value) > 60:
            return f"a string of {len(value)} characters"
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


_COMMON = {
    each.status: each for each in reversed(COMMON) if each.status in (401, 403, 404, 413, 415)
}


def add_handlers(app: FastAPI, errors: ErrorProblems) -> None:
    """Respond to these exceptions, and to the app's own `errors`, with problems."""
    for error_type in (Problem, RequestValidationError, HTTPException, SingleTableError):
        app.add_exception_handler(error_type, _respond)
    for own_type, problem_for in errors.items():
        app.add_exception_handler(own_type, _responder(problem_for))


def _responder(
    problem_for: Callable[[Any, Request], Problem],
) -> Callable[[Request, Exception], Coroutine[Any, Any, Response]]:
    async def respond(request: Request, error: Exception) -> Response:
        return await _respond(request, problem_for(error, request))

    return respond


async def _respond(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code < 400:
        return Response(status_code=error.status_code, headers=error.headers)
    problem = problem_of(request, error)
    return problem_response(problem, request.scope, site_of(request.scope).prefix)


def problem_of(request: Request, error: Exception) -> Problem:
    """Return the problem for an exception."""
    match error:
        case Problem():
            return error
        case RequestValidationError():
            return validation_problem(error)
        case HTTPException():
            return _http_problem(request, error)
        case _:
            return _store_problem(error)


def _store_problem(error: Exception) -> Problem:
    """Return the problem for an error of a store that any request may meet.

    Others are for the app to map: what is missing, or in conflict, is different in each.
    """
    details = problem_details(error)
    match details.status if details else None:
        case 400:
            return invalid_cursor(str(error))
        case 503:
            return Problem(UNAVAILABLE, headers={"Retry-After": str(retry_after(error))})
        case _:
            raise error


def _http_problem(request: Request, error: HTTPException) -> Problem:
    headers = cast("dict[str, str]", error.headers or {})
    if error.status_code == METHOD_NOT_ALLOWED.status:
        return no_route_problem(request.scope, allowed_methods(request.scope))
    if error.status_code == 404 and "route" not in request.scope:
        return no_route_problem(request.scope, [])
    problem_type = _COMMON.get(error.status_code) or status_problem_type(error.status_code)
    return Problem(problem_type, error.detail, headers=headers)
