"""The portfolio, declared once: its web app, its commands and its entry on the home page."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi import Request, Response

from singletable_apps.portfolio import api, pages
from singletable_apps.portfolio.api.dependencies import PROBLEMS
from singletable_apps.portfolio.pages.admin.transfer import IMPORT_LIMIT
from singletable_apps.portfolio.pages.dependencies import PageContext
from singletable_apps.portfolio.pages.public_page import show_problem
from singletable_apps.portfolio.profile_rules import TRANSLATIONS
from singletable_apps.portfolio.sample import create_sample, list_sample
from singletable_apps.portfolio.service import TABLES, PortfolioService, open_portfolio
from singletable_apps.portfolio.urls import API, PREFIX, Urls
from singletable_apps.shared.frame import AppSpec, AppState, Opening, read_picture
from singletable_apps.shared.frame.jobs import Job
from singletable_apps.shared.images import MAX_BYTES
from singletable_apps.shared.languages import Language
from singletable_apps.shared.objects import FolderBucket
from singletable_apps.shared.web import COMMON, Problem, ResponseCache

# What the secret is for, in its file.
SECRET_PURPOSE = "for sessions and likes"
_FOLDER = Path(__file__).parent


class PortfolioState(AppState[PortfolioService]):
    """The open site, with a cache of its public pages."""

    def attach(self, app: Any) -> None:
        """Let the handlers of a web app use this state."""
        super().attach(app)
        context = self.service.context
        app.state.response_cache = ResponseCache(context.writes, context.clock)

    @property
    def language(self) -> Language:
        """The language of the site."""
        return TRANSLATIONS[self.service.profile.language]

    def prepare(self, request: Request) -> None:
        """Read the settings. Redirect to the first-run page if the site is new."""
        PageContext(request).read_settings()

    def render_problem(self, request: Request, problem: Problem) -> Response | None:
        """Return the page of a problem in the design of the site."""
        return show_problem(request, problem) if problem.type in COMMON else None


@contextmanager
def open_site(opening: Opening, prefix: str) -> Generator[PortfolioService]:
    """Open the service with the images beside the secret; write statistics at the end."""
    service = open_portfolio(
        opening.driver,
        opening.load_secret(SECRET_PURPOSE),
        bucket=FolderBucket(opening.folder / "media"),
        emails=opening.emails,
        urls=Urls(prefix, opening.public),
    )
    try:
        yield service
    finally:
        service.stats.flush()


def _picture() -> tuple[str, str, str]:
    alt = "A page of a blog: a portrait, a headline, a picture of hills and a heart"
    return read_picture(_FOLDER, alt)


APP = AppSpec[PortfolioService](
    tagline="",
    about=(
        "A personal site and blog: write in Markdown, schedule posts, moderate comments, and "
        "see what people read. Fast pages without trackers."
    ),
    folder=_FOLDER,
    picture=_picture,
    open=lambda opening: open_site(opening, "" if opening.alone else PREFIX),
    state=PortfolioState,
    outbox=TABLES,
    warning=(
        "Back up the folder: images are files, and without the secret nobody stays signed in and\n"
        "visitors can like posts again."
    ),
    sample=create_sample,
    list_sample=list_sample,
    limits={
        "like": (60, 60),
        "comment": (5, 3600),
        "contact": (5, 3600),
        "view": (120, 60),
        "search": (60, 60),
        "draft": (60, 60),
    },
    # An image, and the other fields of its form.
    uploads={
        f"{API}/media": MAX_BYTES + 10_000,
        f"{PREFIX}/admin": MAX_BYTES + (1 << 16),
        f"{PREFIX}/admin/import": IMPORT_LIMIT,
        f"{PREFIX}/blog": 1 << 16,
        f"{PREFIX}/contact": 1 << 16,
        f"{PREFIX}/newsletter": 1 << 16,
    },
    jobs=(Job("trash", 3600, lambda service: service.trash.empty()),),
    description=api.ABOUT,
    routers=api.ROUTERS,
    problems=PROBLEMS,
    pages=pages.ROUTERS,
    context=pages.page_context,
    people=pages.PEOPLE,
)
