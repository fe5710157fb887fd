"""Access tokens in the Authorization header, and errors as one text, for clients of older APIs."""

from __future__ import annotations

from typing import Annotated, TypeAlias, TypeVar

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from singletable_apps.shared.web.problems import (
    NOT_SIGNED_IN,
    FieldError,
    Problem,
    ProblemMember,
)

T = TypeVar("T")

BEARER = HTTPBearer(
    scheme_name="access token",
    description="The `access_token` from signing in or refreshing, or a personal access token.",
    auto_error=False,
)
# The token that was sent, or None.
SentToken: TypeAlias = Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)]


def check_signed_in(request: Request, sent: T | None) -> T:
    """Return what a valid token gave, or raise a 401 problem."""
    if sent is None:
        is_missing = "authorization" not in request.headers
        detail = "The header is missing." if is_missing else "Expected Bearer and a valid token."
        raise Problem(NOT_SIGNED_IN, errors=[FieldError(detail, header="Authorization")])
    return sent


def error_text(problem: Problem) -> str:
    """Return a problem in one text, with the fields at fault."""
    places = [each.pointer or each.parameter or each.header or "" for each in problem.errors]
    texts = [
        f"{place.lstrip('/')}: {each.detail}" if place else each.detail
        for place, each in zip(places, problem.errors, strict=True)
    ]
    return " ".join(texts) or problem.detail


# An additional member `error` of every problem.
ERROR_MEMBER = {
    "error": ProblemMember("What happened in one text, for clients of the original.", error_text)
}
