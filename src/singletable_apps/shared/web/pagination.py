"""Lists in pages: a limit, a cursor that nobody can make up, and where the next page is."""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Annotated, Generic, TypeAlias, TypeVar, cast
from urllib.parse import quote, urlencode

from fastapi import Depends, Query, Request, Response
from pydantic import BaseModel, Field, JsonValue

from singletable_apps.shared.web.problems import CURSOR_REFUSED, FieldError, Problem

T = TypeVar("T")
_OF_A_PAGE = ("cursor", "limit")
# What stands in an address as it is; what is percent-encoded already is so by its %.
_IN_ADDRESS = "/%=&+!$'()*,;:@?~"


class Page(BaseModel, Generic[T]):
    """Some items of a list, and the cursor for those after them."""

    items: list[T]
    next: str | None = Field(description="The cursor of the next page; null on the last.")


class PageRequest:
    """Which page of a list is asked for: at most `limit` items, from `cursor` on."""

    def __init__(
        self,
        request: Request,
        response: Response,
        limit: Annotated[int, Query(ge=1, le=100, description="How many items at most.")] = 50,
        cursor: Annotated[
            str | None,
            Query(min_length=1, max_length=4000, description="The `next` of the page before."),
        ] = None,
    ) -> None:
        self.limit = limit
        self.cursor = cursor
        # Not request.url: that is made of the decoded path, and ends at a # in a name.
        self._path: str = request.scope["path"]
        self._raw_path: bytes = request.scope.get("raw_path") or self._path.encode()
        self._query = request.scope["query_string"].decode("latin-1")
        self._response = response

    def answer(self, items: Sequence[T], cursor: str | None) -> Page[T]:
        """The page as it is answered, with a Link to the next if there is one."""
        if cursor is not None:
            following = urlencode({"cursor": cursor, "limit": self.limit})
            filters = quote("&".join(self._filters()), safe=_IN_ADDRESS, encoding="latin-1")
            query = f"{filters}&{following}" if filters else following
            address = f"{quote(self._raw_path, safe=_IN_ADDRESS)}?{query}"
            self._response.headers.append("Link", f'<{address}>; rel="next"')
        return Page(items=list(items), next=cursor)

    @property
    def bound_to(self) -> str:
        """Which list it is: the path and all that filters it, in any order."""
        return f"{self._path}?{'&'.join(sorted(self._filters()))}"

    def _filters(self) -> list[str]:
        """The parts of the query that say which list it is, as they were sent."""
        parts = self._query.split("&")
        return [part for part in parts if part and part.partition("=")[0] not in _OF_A_PAGE]


Pagination: TypeAlias = Annotated[PageRequest, Depends()]


_SEAL_BYTES = 16


class OffsetCursors:
    """Makes cursors of positions, and positions of cursors; a position can be read, not changed."""

    def __init__(self, key: bytes) -> None:
        if len(key) < _SEAL_BYTES:
            raise ValueError(f"Expected a key of at least {_SEAL_BYTES} bytes, but got {len(key)}.")
        self._key = key

    def seal(self, page: PageRequest, position: JsonValue) -> str:
        """A cursor that goes on at the position, in the list that the page is of."""
        content = json.dumps(position, separators=(",", ":")).encode()
        return urlsafe_b64encode(self._seal(page, content) + content).rstrip(b"=").decode()

    def open(self, page: PageRequest) -> JsonValue:
        """Where the page begins: None at the first; a 400 problem if the cursor is not ours."""
        if page.cursor is None:
            return None
        try:
            sealed = urlsafe_b64decode(page.cursor + "=" * (-len(page.cursor) % 4))
        except ValueError:
            raise cursor_refused("It is not one of ours.") from None
        seal, content = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
        if not hmac.compare_digest(seal, self._seal(page, content)):
            raise cursor_refused("It was not made for this list.")
        return cast(JsonValue, json.loads(content))

    def _seal(self, page: PageRequest, content: bytes) -> bytes:
        text = page.bound_to.encode() + b"\0" + content
        return hmac.digest(self._key, text, "sha256")[:_SEAL_BYTES]


def cursor_refused(detail: str) -> Problem:
    """The 400 problem for a cursor, with what is wrong with it."""
    return Problem(CURSOR_REFUSED, errors=[FieldError(detail, parameter="cursor")])
