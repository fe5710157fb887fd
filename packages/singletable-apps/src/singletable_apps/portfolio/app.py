"""Run the portfolio: the web app with API and pages, the entry on the home page, the commands."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI

from singletable import Driver
from singletable_apps.portfolio.api import UPLOADS, ApiSettings, make_portfolio_app
from singletable_apps.portfolio.pages import add_pages
from singletable_apps.portfolio.pages.admin.transfer import IMPORT_LIMIT
from singletable_apps.portfolio.sample import create_sample, list_sample
from singletable_apps.portfolio.service import PortfolioService, open_portfolio
from singletable_apps.portfolio.urls import API, PREFIX, Urls
from singletable_apps.shared.apps import AppContext, AppInfo, RunningApp, serve_app
from singletable_apps.shared.email_delivery import EmailDelivery, email_delivery
from singletable_apps.shared.images import MAX_BYTES
from singletable_apps.shared.key_files import create_folder, load_key_file
from singletable_apps.shared.objects import FolderBucket
from singletable_apps.shared.serve import (
    ListenOptions,
    PublicUrl,
    file_errors,
    listen,
    new_folder,
    open_driver,
    progress_bar,
)

# An image and the other fields of its form.
FORM_LIMIT = MAX_BYTES + (1 << 16)
_FOLDER = Path(__file__).parent
_TABLE_FILE, _SECRET_FILE, _MEDIA_FOLDER = "portfolio.db", "secret.key", "media"
_OUTBOX = "singletable portfolio outbox"
_WARNING = (
    "Back up the folder: images are files, and without the secret nobody stays signed in and\n"
    "visitors can like posts again."
)


def make_web_app(service: PortfolioService, public: PublicUrl) -> FastAPI:
    """Return the web app with the API and the pages."""
    urls = service.context.urls
    forms = {
        urls.admin(): FORM_LIMIT,
        urls.admin("import"): IMPORT_LIMIT,
        urls.page("blog"): 1 << 16,
        urls.page("contact"): 1 << 16,
    }
    web = public.settings(uploads={**UPLOADS, **forms})
    settings = ApiSettings(web=web)
    app = make_portfolio_app(service, settings=settings)
    add_pages(app, service, settings.limits)
    return app


@contextmanager
def open_service(
    driver: Driver, folder: Path, urls: Urls, emails: EmailDelivery | None = None
) -> Generator[PortfolioService]:
    """Open the service with the secret and the images in a folder; write statistics at the end."""
    service = open_portfolio(
        driver,
        load_secret(folder),
        bucket=FolderBucket(folder / _MEDIA_FOLDER),
        mailer=(emails or EmailDelivery()).mailer,
        urls=urls,
    )
    try:
        yield service
    finally:
        service.stats.close()


def load_secret(folder: Path) -> bytes:
    """Load the secret in a folder; create both if they are missing."""
    with file_errors(folder):
        create_folder(folder)
    return load_key_file(folder / _SECRET_FILE, "for sessions and likes")


def run_app(
    service: PortfolioService, address: str, folder: Path, public: PublicUrl, emails: EmailDelivery
) -> RunningApp:
    """Return the running app of an open service."""
    return RunningApp(
        make_web_app(service, public),
        prefixes=(PREFIX, API, "/static/*/portfolio"),
        api=API,
        locations=(
            ("tables", address),
            ("images", str((folder / _MEDIA_FOLDER).resolve())),
            ("e-mails", emails.describe(f"{_OUTBOX} --address {address}")),
            ("secret", str((folder / _SECRET_FILE).resolve())),
        ),
        warning=_WARNING,
        sample=lambda: list_sample(service),
        setup_url=_setup_url(service),
    )


def _setup_url(service: PortfolioService) -> str:
    code, urls = service.accounts.setup_code(), service.context.urls
    return urls.absolute(urls.admin("set-up", code=code)) if code else ""


@contextmanager
def open_app(context: AppContext) -> Generator[RunningApp]:
    """Open the app for the home page, creating a sample site first if it is wanted."""
    emails = email_delivery(print_emails=context.print_emails, smtp=context.smtp)
    urls = Urls(public=context.public.url)
    if context.needs_sample:
        with (
            new_folder(context.folder) as folder,
            open_driver(f"file:{folder / _TABLE_FILE}") as driver,
            open_service(driver, folder, urls) as service,
            progress_bar("Creating a sample site") as progress,
        ):
            create_sample(service, progress)
    with (
        context.connect(_TABLE_FILE) as driver,
        open_service(driver, context.folder, urls, emails) as service,
    ):
        address = context.address_of(_TABLE_FILE)
        yield run_app(service, address, context.folder, context.public, emails)


def run_serve(address: str, folder: Path, options: ListenOptions, emails: EmailDelivery) -> None:
    """Serve the site at the root of a host until the process is stopped."""
    with (
        listen(options) as (listener, url, public),
        open_driver(address) as driver,
        open_service(driver, folder, Urls(prefix="", public=public.url), emails) as service,
    ):
        running = run_app(service, address, folder, public, emails)
        serve_app("The site", "", running, listener, url, public)


def app_info() -> AppInfo:
    """Return the entry on the home page."""
    return AppInfo(
        name="Portfolio",
        about=(
            "A personal site and blog: write in Markdown, schedule posts, moderate comments, and "
            "see what people read. Fast pages without trackers."
        ),
        url=PREFIX,
        picture=(_FOLDER / "picture.svg").read_text(encoding="utf-8"),
        picture_alt="A page of a blog: a portrait, a headline, a picture of hills and a heart",
        picture_style=(_FOLDER / "picture.css").read_text(encoding="utf-8"),
    )
