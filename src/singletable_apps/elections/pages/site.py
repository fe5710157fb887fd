"""The site: the service, its templates, and what surrounds every page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, Request

from singletable_apps.elections.entities import User
from singletable_apps.elections.pages.results_view import Count
from singletable_apps.elections.pages.urls import PREFIX, url
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.service import Elections
from singletable_apps.shared.ballot import static_files as ballot_static_files
from singletable_apps.shared.live import LiveUpdates
from singletable_apps.shared.pages import Link, Pages, ProblemPage, Product, path_of
from singletable_apps.shared.results import TEMPLATES, ResultCache
from singletable_apps.shared.results import static_files as results_static_files
from singletable_apps.shared.web import ProblemType

SIGN_IN = f"{PREFIX}/sign-in"
PRODUCT = Product("Elections", PREFIX, "Ranked voting, with results that anyone can check.")

# How long a result may be reused while ballots come in, to spare the table.
MAX_RESULT_AGE = timedelta(seconds=2)
FOOTER = [
    Link("Check a ballot", f"{PREFIX}/check"),
    Link("API", "/api/elections/docs"),
    Link("Home", "/"),
]


@dataclass(frozen=True)
class Site:
    """What every page handler uses."""

    elections: Elections
    pages: Pages
    result_cache: ResultCache[Count] = field(
        default_factory=lambda: ResultCache[Count](MAX_RESULT_AGE)
    )
    live: LiveUpdates = field(default_factory=LiveUpdates)


def make_site(elections: Elections, problem_pages: Mapping[ProblemType, ProblemPage]) -> Site:
    """Return the site of an open service."""
    pages = Pages(
        "elections",
        Path(__file__).parent.parent,
        secret=elections.context.keys.secret,
        product=PRODUCT,
        prefix=PREFIX,
        sign_in=SIGN_IN,
        context=page_context,
        generated_files={**results_static_files(), **ballot_static_files()},
        templates=[TEMPLATES],
        problem_pages=problem_pages,
    )
    return Site(elections, pages)


async def _site(request: Request) -> Site:
    return cast(Site, request.app.state.election_pages)


ThisSite: TypeAlias = Annotated[Site, Depends(_site)]


def page_context(request: Request) -> Mapping[str, object]:
    """Return the navigation and the account for every page."""
    if not hasattr(request.state, "user"):  # an error page or the API documentation
        return {"account_links": [Link("Go to elections", PREFIX)], "nav": [], "links": FOOTER}
    user: User | None = request.state.user
    if user is None:
        links = [Link("Sign in", SIGN_IN), Link("Register", url("register"))]
        return {"account_links": links, "nav": [], "links": FOOTER}
    path = path_of(request)
    may = {permission.value: has_permission(user.role, permission) for permission in Permission}
    nav = [
        ("All elections", url("all"), may["VIEW_APPLICATION"]),
        ("People", url("people"), may["MANAGE_USERS"]),
        ("Audit", url("audit"), may["VIEW_SECRETS"]),
    ]
    return {
        "account": user.name,
        "account_links": [Link("Your account", url("account"))],
        "links": FOOTER,
        "may": may,
        "nav": [
            Link(text, target, _is_current(path, target)) for text, target, shown in nav if shown
        ],
    }


def _is_current(path: str, target: str) -> bool:
    """Return whether a page belongs to a link in the header."""
    is_about_elections = path.startswith((f"{PREFIX}/e/", url("new")))
    return path.startswith(target) or (target == url("all") and is_about_elections)
