"""List pages with search, sorting and paging by query parameters, which work without scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeAlias, TypeVar
from urllib.parse import urlencode

from fastapi import Depends, Query, Request

from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.pages.urls import path_of
from singletable_apps.shared.web.threads import on_event_loop

T = TypeVar("T")
U = TypeVar("U")


class ListQuery:
    """The query of a list page: `?q=` searches, `?sort=name` or `-name` sorts, `?cursor=` pages.

    All other parameters are `filters`, which stay in the URLs of other pages.
    """

    def __init__(
        self,
        request: Request,
        q: Annotated[str, Query(max_length=200)] = "",
        sort: Annotated[str, Query(max_length=50)] = "",
        cursor: Annotated[str | None, Query(min_length=1, max_length=4000)] = None,
    ) -> None:
        self.search = " ".join(q.split())
        self.sort = sort
        self.cursor = cursor
        self.path = path_of(request)
        own = ("q", "sort", "cursor")
        self.filters = {
            name: text for name, text in request.query_params.items() if text and name not in own
        }

    @property
    def kept(self) -> dict[str, str]:
        """What a new search keeps: the filters and the order."""
        return {**self.filters, **({"sort": self.sort} if self.sort else {})}

    def url(self, **changes: str | None) -> str:
        """Return the URL of the first page with another order or filter, or of another page."""
        wanted = {**self.filters, "q": self.search, "sort": self.sort, **changes}
        query = urlencode({name: value for name, value in wanted.items() if value})
        return f"{self.path}?{query}" if query else self.path

    def sort_url(self, column: str) -> str:
        """Return the URL that sorts by a column, or reverses it if it is sorted already."""
        return self.url(sort=f"-{column}" if self.sort == column else column)

    def sorted_by(self, column: str) -> str:
        """Return the value of `aria-sort` for a column, or an empty string."""
        return {column: "ascending", f"-{column}": "descending"}.get(self.sort, "")

    def page(self, items: Sequence[T], next_cursor: str | None, *, shown: str = "") -> ListPage[T]:
        """Return a page of items that were searched, sorted and limited elsewhere."""
        next_url = self.url(cursor=next_cursor) if next_cursor else ""
        first_url = self.url() if self.cursor else ""
        return ListPage(next_url, first_url, shown, items=items, query=self)

    def apply(
        self,
        items: Sequence[T],
        *,
        text: Callable[[T], str],
        columns: Mapping[str, Callable[[T], Any]],
        limit: int = 50,
    ) -> ListPage[T]:
        """Search, sort and page a list in memory.

        `text(item)` is searched without regard to case; `columns` are the sortable columns.
        """
        words = self.search.casefold().split()
        matches = [item for item in items if all(word in text(item).casefold() for word in words)]
        column = columns.get(self.sort.removeprefix("-"))
        if column is not None:
            matches.sort(key=column, reverse=self.sort.startswith("-"))
        cursor = self.cursor or "0"
        start = int(cursor) if cursor.isascii() and cursor.isdecimal() and len(cursor) < 10 else 0
        start = max(0, min(start, (len(matches) - 1) // limit * limit))
        end = start + limit
        return self.page(
            matches[start:end],
            str(end) if end < len(matches) else None,
            shown=_shown(start, min(end, len(matches)), len(matches)),
        )


@dataclass(frozen=True, slots=True)
class Pager:
    """The links below a page of a list, for the macro `pager`; `shown` says which items it has."""

    next_url: str
    first_url: str
    shown: str = ""

    @classmethod
    def numbered(cls, url: str, name: str, start: int, size: int, total: int) -> Pager:
        """Return the links of a list paged by number, the parameter `name`."""
        end = min(start + size, total)
        following = f"{url}{'&' if '?' in url else '?'}{name}={end}" if end < total else ""
        return cls(following, url if start else "", _shown(start, end, total))


def _shown(start: int, end: int, total: int) -> str:
    text = Phrase("%(first)s to %(last)s of %(total)s", first=start + 1, last=end, total=total)
    return text if start < total else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage(Pager, Generic[T]):
    """One page of a list, for the macro `list_page`."""

    items: Sequence[T]
    query: ListQuery

    def map(self, convert: Callable[[T], U]) -> ListPage[U]:
        """Return the page with other items, such as view models."""
        items = [convert(item) for item in self.items]
        return ListPage(self.next_url, self.first_url, self.shown, items=items, query=self.query)


ListQueryParameters: TypeAlias = Annotated[ListQuery, Depends(on_event_loop(ListQuery))]
