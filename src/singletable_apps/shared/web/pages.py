"""Lists in pages: a limit, a cursor that nobody can make up, and where the next page is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Generic, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from fastapi import Depends, Query, Request, Response
from pydantic import BaseModel, Field

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


Paging: TypeAlias = Annotated[PageRequest, Depends()]
