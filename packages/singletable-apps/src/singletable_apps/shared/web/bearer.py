"""Access tokens in the Authorization header."""

from __future__ import annotations

from typing import Annotated, TypeAlias, TypeVar

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from singletable_apps.shared.web.problems import NOT_SIGNED_IN, FieldError, Problem

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
