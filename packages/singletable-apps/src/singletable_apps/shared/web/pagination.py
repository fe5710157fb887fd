"""Cursor pagination for APIs: `limit`, `cursor`, and a Link to the next page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Generic, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from fastapi import Depends, Query, Request, Response
from pydantic import Field

from singletable_apps.shared.sealed import InvalidSeal, Sealer
from singletable_apps.shared.web.problems import INVALID_CURSOR, FieldError, Problem
from singletable_apps.shared.web.schemas import Document
from singletable_apps.shared.web.threads import on_event_loop

T = TypeVar("T")
# Marks the parameter with the cursor in the OpenAPI document.
CURSOR_FORMAT = "cursor"
# Characters that stay as they are in a URL. A % means that the rest is encoded already.
_SAFE_IN_URL = "/%=&+!$'()*,;:@?~"


PageLimit: TypeAlias = Annotated[int, Query(ge=1, le=100, description="Maximum number of items.")]


class Page(Document, Generic[T]):
    """Some items of a list, and the cursor of the next page."""

    items: list[T]
    next: str | None = Field(description="The cursor of the next page, or null on the last page.")


class PageRequest:
    """The requested page of a list: at most `limit` items, starting at `cursor`."""

    def __init__(
        self,
        request: Request,
        response: Response,
        limit: PageLimit = 50,
        cursor: Annotated[
            str | None,
            Query(
                min_length=1,
                max_length=4000,
                description="`next` of the previous page.",
                json_schema_extra={"format": CURSOR_FORMAT},
            ),
        ] = None,
    ) -> None:
        self.limit = limit
        self.cursor = cursor
        # request.url is built from the decoded path, and ends at a # in a name.
        self._path: str = request.scope["path"]
        self._raw_path: bytes = request.scope.get("raw_path") or self._path.encode()
        self._query = request.scope["query_string"].decode("latin-1")
        self._response = response

    def answer(self, items: Sequence[T], cursor: str | None) -> Page[T]:
        """Return the page, and add a Link header to the next one if there is one."""
        self.link_next(cursor)
        return Page(items=list(items), next=cursor)

    def link_next(self, cursor: str | None) -> None:
        """Add a Link header to the next page if there is one."""
        if cursor is not None:
            next_page = urlencode({"cursor": cursor, "limit": self.limit})
            filters = quote("&".join(self._filters()), safe=_SAFE_IN_URL, encoding="latin-1")
            query = f"{filters}&{next_page}" if filters else next_page
            url = f"{quote(self._raw_path, safe=_SAFE_IN_URL)}?{query}"
            self._response.headers.append("Link", f'<{url}>; rel="next"')

    def slice(self, items: Sequence[T], secret: bytes) -> tuple[Sequence[T], str | None]:
        """Return the page of a list in memory, and the cursor of the next one.

        Clients can read the position in a cursor, but cannot change it or use it for another list.
        """
        sealer, start = Sealer(secret, int, "offset cursors"), 0
        if self.cursor is not None:
            try:
                start = sealer.open(self.cursor, context=self.list_id)
            except InvalidSeal as error:
                raise invalid_cursor(str(error)) from None
        end = start + self.limit
        following = sealer.seal(end, context=self.list_id) if end < len(items) else None
        return items[start:end], following

    @property
    def list_id(self) -> str:
        """Identify the list: its path and its filters in any order."""
        return f"{self._path}?{'&'.join(sorted(self._filters()))}"

    def _filters(self) -> list[str]:
        """Return the query parameters that filter the list, as they were sent."""
        parts = self._query.split("&")
        return [
            part for part in parts if part and part.partition("=")[0] not in ("cursor", "limit")
        ]


Pagination: TypeAlias = Annotated[PageRequest, Depends(on_event_loop(PageRequest))]


def invalid_cursor(detail: str) -> Problem:
    """Return the 400 problem for an invalid cursor."""
    return Problem(INVALID_CURSOR, errors=[FieldError(detail, parameter="cursor")])
