"""Search in the guide and the reference: every section of a document is found on its own."""

from __future__ import annotations

import json
from functools import cached_property
from threading import Lock

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from singletable_apps.home.guide import GUIDE_URL, REFERENCE_URL, Guide
from singletable_apps.shared.pages import Link, Pages
from singletable_apps.shared.search import MAX_QUERY, Document, SearchIndex
from singletable_apps.shared.web import public_response

SEARCH_URL = f"{GUIDE_URL}/search"
_MOST = 30


class GuideSearch:
    """The sections of all documents in the table of contents, indexed at the first search."""

    def __init__(self, guide: Guide) -> None:
        self._guide = guide
        self._lock = Lock()

    @cached_property
    def _documents(self) -> list[Document]:
        return [
            Document(
                entry.url if heading.level == 1 else f"{entry.url}#{heading.id}",
                heading.text,
                text,
                (entry.text,),
            )
            for group in self._guide.groups
            for entry in group.entries
            for heading, text in self._guide.sections(entry.url)
        ]

    @cached_property
    def _index(self) -> SearchIndex:
        index = SearchIndex()
        index.update(self._documents)
        return index

    def headings(self) -> str:
        """Return URL, heading and page of all sections as JSON, to search without a connection."""
        with self._lock:
            documents = self._documents
        return json.dumps([(each.key, each.title, *each.tags) for each in documents])

    def find(self, query: str) -> list[dict[str, object]]:
        """Return URL, heading, page and excerpt of the sections with all words of the query."""
        with self._lock:
            index = self._index
        # A page about what is asked for comes before its parts, and the guide before the reference.
        words = len(query.split())
        hits = sorted(
            index.search(query, limit=4 * _MOST),
            key=lambda hit: (
                2
                if "#" in hit.key or hit.title_html.count("<mark>") < words
                else hit.key.startswith(REFERENCE_URL)
            ),
        )
        pages = {entry.url: entry.text for group in self._guide.groups for entry in group.entries}
        return [
            {
                "url": hit.key,
                "heading": Markup(hit.title_html),
                "page": pages[hit.key.partition("#")[0]],
                "text": Markup(hit.snippet_html),
            }
            for hit in hits[:_MOST]
        ]


def search_router(pages: Pages, guide: Guide) -> APIRouter:
    """Return the routes of the search."""
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

    @router.get(f"{SEARCH_URL}/headings")
    def get_headings(request: Request) -> Response:
        return public_response(request, search.headings(), "application/json")

    return router
