"""Lists in pages: a limit, a cursor that nobody can make up, and where the next page is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Generic, TypeAlias, TypeVar

from fastapi import Depends, Query, Request, Response
from pydantic import BaseModel, Field

T = TypeVar("T")


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
        self._url = request.url
        self._response = response

    def answer(self, items: Sequence[T], cursor: str | None) -> Page[T]:
        """The page as it is answered, with a Link to the next if there is one."""
        if cursor is not None:
            url = self._url.include_query_params(cursor=cursor, limit=self.limit)
            address = f"{url.path}?{url.query}"
            self._response.headers.append("Link", f'<{address}>; rel="next"')
        return Page(items=list(items), next=cursor)

    @property
    def bound_to(self) -> str:
        """Which list it is: the path and all that filters it, in any order."""
        query = sorted(
            part
            for part in self._url.query.split("&")
            if part and part.partition("=")[0] not in ("cursor", "limit")
        )
        return f"{self._url.path}?{'&'.join(query)}"


Paging: TypeAlias = Annotated[PageRequest, Depends()]
