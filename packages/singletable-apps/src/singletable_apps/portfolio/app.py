"""The portfolio, declared once: its web app, its commands and its entry on the home page."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from singletable_apps.portfolio import api, pages
from singletable_apps.portfolio.api.dependencies import PROBLEMS
from singletable_apps.portfolio.pages.admin.transfer import IMPORT_LIMIT
from singletable_apps.portfolio.pages.public_page import show_problem
from singletable_apps.portfolio.profile_rules import TRANSLATIONS
from singletable_apps.portfolio.sample import OWNER, PASSWORD, create_sample, list_sample
from singletable_apps.portfolio.service import TABLES, PortfolioService, open_portfolio
from singletable_apps.portfolio.urls import API, PREFIX, Urls
from singletable_apps.shared.frame import AppSpec, AppState, Opening
from singletable_apps.shared.frame.accounts import with_accounts
from singletable_apps.shared.frame.jobs import Job
from singletable_apps.shared.images import MAX_BYTES
from singletable_apps.shared.objects import FolderBucket
from singletable_apps.shared.web import COMMON, ResponseCache

# What the secret is for, in its file.
SECRET_PURPOSE = "for sessions and likes"


class PortfolioState(AppState[PortfolioService]):
    """The open site, with a cache of its public pages."""

    def attach(self, app: Any) -> None:
        """Let the handlers of a web app use this state."""
        super().attach(app)
        context = self.service.context
        app.state.response_cache = ResponseCache(context.writes, context.clock)


@contextmanager
def _open(opening: Opening) -> Generator[PortfolioService]:
    """Open the service with the images beside the secret; write statistics at the end."""
    prefix = opening.options.get("prefix", "" if opening.alone else PREFIX)
    service = open_portfolio(
        opening.driver,
        opening.load_secret(SECRET_PURPOSE),
        bucket=FolderBucket(_media_folder(opening)),
        emails=opening.emails,
        urls=Urls(prefix, opening.public),
    )
    try:
        yield service
    finally:
        service.stats.flush()


def _media_folder(opening: Opening) -> Path:
    return opening.keys.parent / "media"


def _locations(_: PortfolioService, opening: Opening) -> Sequence[tuple[str, str]]:
    return (("images", str(_media_folder(opening).resolve())),)


_SPEC = AppSpec[PortfolioService](
    name="portfolio",
    title="Portfolio",
    tagline="",
    about=(
        "A personal site and blog: write in Markdown, schedule posts, moderate comments, and "
        "see what people read. Fast pages without trackers."
    ),
    folder=Path(__file__).parent,
    picture_alt="A page of a blog: a portrait, a headline, a picture of hills and a heart",
    open=_open,
    secret=lambda service: service.context.secret,
    state=PortfolioState,
    outbox=TABLES,
    locations=_locations,
    warning=(
        "Back up the folder: images are files, and without the secret nobody stays signed in and\n"
        "visitors can like posts again."
    ),
    sample=create_sample,
    sample_title="Creating a sample site",
    sample_hint=f"Sign in as {OWNER[1]} with the password {PASSWORD}.",
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
    problem_pages=dict.fromkeys(COMMON, show_problem),
    pages=pages.ROUTERS,
    home=pages.home,
    context=pages.page_context,
    languages=TRANSLATIONS,
    language=lambda service: service.profile.language,
    sign_in=lambda urls: urls.page("admin", "sign-in"),
)
APP = with_accounts(_SPEC, pages.PEOPLE)
