"""Search in the guide and the reference: every section of a document is found on its own."""

from __future__ import annotations

from functools import cached_property
from threading import Lock

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from singletable_apps.home.guide import GUIDE_URL, Guide
from singletable_apps.shared.pages import Link, Pages
from singletable_apps.shared.search import MAX_QUERY, Document, SearchIndex

SEARCH_URL = f"{GUIDE_URL}/search"
_MOST = 30


class GuideSearch:
    """The sections of all documents in the table of contents, indexed at the first search."""

    def __init__(self, guide: Guide) -> None:
        self._guide = guide
        self._lock = Lock()

    @cached_property
    def _index(self) -> SearchIndex:
        index = SearchIndex()
        index.update(
            Document(
                entry.url if section.heading.level == 1 else f"{entry.url}#{section.heading.id}",
                section.heading.text,
                section.text,
                (entry.text,),
            )
            for group in self._guide.groups
            for entry in group.entries
            for section in self._guide.sections(entry.url)
        )
        return index

    def find(self, query: str) -> list[dict[str, object]]:
        """Return URL, heading, page and excerpt of the sections with all words of the query."""
        with self._lock:
            index = self._index
        pages = {entry.url: entry.text for group in self._guide.groups for entry in group.entries}
        return [
            {
                "url": hit.key,
                "heading": Markup(hit.title_html),
                "page": pages[hit.key.partition("#")[0]],
                "text": Markup(hit.snippet_html),
            }
            for hit in index.search(query, limit=_MOST)
        ]


def search_router(pages: Pages, guide: Guide) -> APIRouter:
    """Return the route of the search."""
    router, search = APIRouter(), GuideSearch(guide)

    @router.get(SEARCH_URL)
    def show_search(request: Request, q: str = "") -> Response:
        query = q.strip()[:MAX_QUERY]
        return pages.render(
            request,
            "home/search.html",
            query=query,
            hits=search.find(query),
            crumbs=[Link("Guide", GUIDE_URL), Link("Search", SEARCH_URL)],
        )

    return router
