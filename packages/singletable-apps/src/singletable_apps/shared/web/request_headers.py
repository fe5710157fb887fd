"""Headers of API requests: access tokens, conditions (RFC 9110, 13) and idempotency keys.

If-Match is for edits, If-None-Match for reads. A request with the same Idempotency-Key as before
takes effect once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, TypeAlias, TypeVar

from fastapi import Depends, Header, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from singletable_apps.shared.web.problems import (
    IDEMPOTENCY_KEY,
    INVALID,
    NOT_SIGNED_IN,
    PRECONDITION_FAILED,
    PRECONDITION_REQUIRED,
    FieldError,
    Problem,
)
from singletable_apps.shared.web.threads import on_event_loop

# ------------------------------------------------------------------------------ access tokens

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


# ------------------------------------------------------------------------------ conditions

_TAG = r'(?:W/)?"[!#-~]*"'
TAGS = rf"^(?:\*|{_TAG}(?:[ \t]*,[ \t]*{_TAG})*)$"


def etag(revision: int | str) -> str:
    """Return the strong ETag of a revision: a number, or visible ASCII."""
    return f'"{revision}"'


@dataclass(frozen=True, slots=True)
class _Condition:
    """The ETags that a client sent, or None for `*`, and the response to it."""

    tags: frozenset[str] | None
    response: Response

    def has(self, revision: int | str) -> bool:
        """Return whether a revision is among the ETags."""
        return self.tags is None or etag(revision) in self.tags


class Edit(_Condition):
    """The ETags in If-Match: what an edit is based on."""

    def check(self, revision: int | str) -> None:
        """Raise a 412 problem unless the edit is based on this revision."""
        if not self.has(revision):
            detail = f"Someone else changed this. The current ETag is {etag(revision)}."
            raise Problem(PRECONDITION_FAILED, detail, headers={"ETag": etag(revision)})

    def answer(self, revision: int | str) -> None:
        """Add the ETag of the new revision to the response."""
        self.response.headers["ETag"] = etag(revision)


class Look(_Condition):
    """The ETags in If-None-Match: what the client has already."""

    def answer(self, revision: int | str) -> None:
        """Add the ETag to the response, or respond with 304 if the client has this revision."""
        headers = {"ETag": etag(revision), "Cache-Control": "private, no-cache"}
        if self.has(revision):
            raise HTTPException(304, headers=headers)
        self.response.headers.update(headers)


_IF_MATCH = 'The ETag of the version you are changing, such as `"7"`, or `*`.'


async def _edit(
    response: Response, if_match: Annotated[str | None, Header(description=_IF_MATCH)] = None
) -> Edit:
    if if_match is None:
        raise Problem(
            PRECONDITION_REQUIRED, errors=[FieldError("The header is missing.", header="If-Match")]
        )
    return Edit(_tags(if_match.strip()), response)


async def _look(
    response: Response,
    if_none_match: Annotated[
        str | None, Header(description="ETags you have; the response is 304 if one is current.")
    ] = None,
) -> Look:
    text = (if_none_match or "").strip()
    # Ignore invalid tags: the response is then sent again.
    tags = frozenset(tag.removeprefix("W/") for tag in re.findall(_TAG, text))
    return Look(None if text == "*" else tags, response)


def _tags(text: str) -> frozenset[str] | None:
    """Return the strong ETags of If-Match, or None for `*`."""
    if text == "*":
        return None
    if not re.fullmatch(TAGS, text):
        detail = f'Expected ETags in double quotes, such as "7", or *, but got {text[:80]}.'
        raise Problem(INVALID, errors=[FieldError(detail, header="If-Match")])
    # A weak ETag is not enough to overwrite something.
    return frozenset(tag for tag in re.findall(_TAG, text) if not tag.startswith("W/"))


IfMatch: TypeAlias = Annotated[Edit, Depends(_edit)]
IfNoneMatch: TypeAlias = Annotated[Look, Depends(_look)]


class _Headers:
    def __init__(self, request: Request, response: Response) -> None:
        self._request = request
        self._response = response

    def read(self, revision: int) -> None:
        """Add the ETag of what was read."""
        self._response.headers["ETag"] = etag(revision)

    def created(self, revision: int, route: str, **parameters: str) -> None:
        """Add the ETag of what was created, and its URL."""
        self.read(revision)
        url = self._request.app.url_path_for(route, **parameters)
        self._response.headers["Location"] = url


Headers: TypeAlias = Annotated[_Headers, Depends(on_event_loop(_Headers))]


# ------------------------------------------------------------------------------ idempotency keys

MAX_LENGTH = 200
VISIBLE = rf"^[!-~]{{1,{MAX_LENGTH}}}$"
_DESCRIPTION = "A new value for each action, and the same one when you retry."


async def _key(
    idempotency_key: Annotated[str | None, Header(description=_DESCRIPTION)] = None,
) -> str:
    if idempotency_key is None:
        raise _invalid("The header is missing.")
    return _check(idempotency_key)


async def _key_if_any(
    idempotency_key: Annotated[
        str | None,
        # The pattern marks the header as optional in the OpenAPI document.
        Header(description=_DESCRIPTION, json_schema_extra={"pattern": VISIBLE}),
    ] = None,
) -> str | None:
    return None if idempotency_key is None else _check(idempotency_key)


def _check(key: str) -> str:
    if not re.fullmatch(VISIBLE, key):
        raise _invalid(
            f"Expected 1 to {MAX_LENGTH} visible ASCII characters, but got "
            f"{len(key)} characters, some of them invalid."
        )
    return key


def _invalid(detail: str) -> Problem:
    return Problem(IDEMPOTENCY_KEY, errors=[FieldError(detail, header="Idempotency-Key")])


IdempotencyKey: TypeAlias = Annotated[str, Depends(_key)]
IdempotencyKeyIfAny: TypeAlias = Annotated[str | None, Depends(_key_if_any)]
