"""The site: the service, its pages, and what stands around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, Request

from singletable_apps.polls.api.dependencies import ApiSettings
from singletable_apps.polls.pages.results_view import Shown
from singletable_apps.polls.service import Polls
from singletable_apps.polls.urls import PREFIX, url
from singletable_apps.shared.ballot import static_files as ballot_static_files
from singletable_apps.shared.live import LiveUpdates
from singletable_apps.shared.pages import Link, Pages, ProblemPage, Product, path_of
from singletable_apps.shared.results import TEMPLATES, ResultCache
from singletable_apps.shared.results import static_files as results_static_files
from singletable_apps.shared.web import ProblemType

PRODUCT = Product(
    "Polls", PREFIX, "Ask a question; people rank the options; see how it is counted."
)
# However many look at a poll, its votes are read and counted once in so long.
LONGEST = timedelta(seconds=1)
FOOTER = [Link("For programs", "/api/polls/docs"), Link("Home", "/")]


@dataclass(frozen=True)
class Site:
    """What every page has at hand."""

    polls: Polls
    pages: Pages
    settings: ApiSettings
    result_cache: ResultCache[Shown] = field(default_factory=lambda: ResultCache[Shown](LONGEST))
    live: LiveUpdates = field(default_factory=LiveUpdates)


def make_site(
    polls: Polls, settings: ApiSettings, problem_pages: Mapping[ProblemType, ProblemPage]
) -> Site:
    """The site on a service that is open."""
    pages = Pages(
        "polls",
        Path(__file__).parent.parent,
        secret=polls.context.secret.key,
        product=PRODUCT,
        prefix=PREFIX,
        context=around,
        generated_files={**results_static_files(), **ballot_static_files()},
        templates=[TEMPLATES],
        problem_pages=problem_pages,
    )
    return Site(polls, pages, settings)


async def _site(request: Request) -> Site:
    return cast(Site, request.app.state.poll_pages)


ThisSite: TypeAlias = Annotated[Site, Depends(_site)]


def around(request: Request) -> Mapping[str, object]:
    """What stands around every page: where one can go."""
    here = path_of(request)
    nav = [("Make a poll", url("new")), ("My polls", url("mine"))]
    return {
        "nav": [Link(text, to, here == to) for text, to in nav],
        "links": FOOTER,
    }
