"""Run the skills directory: the web app with API and pages, and the entry on the home page."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI, Response
from starlette.responses import RedirectResponse

from singletable import Driver
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.apps import AppContext, AppInfo, RunningApp, serve_app
from singletable_apps.shared.email_delivery import EmailDelivery, email_delivery
from singletable_apps.shared.key_files import create_folder, load_key_file
from singletable_apps.shared.serve import (
    ListenOptions,
    PublicUrl,
    file_errors,
    listen,
    new_folder,
    open_driver,
    progress_bar,
)
from singletable_apps.skills.api import ApiSettings, make_skills_app
from singletable_apps.skills.pages import add_pages
from singletable_apps.skills.sample import create_sample, list_sample
from singletable_apps.skills.service import SkillsService, open_skills
from singletable_apps.skills.urls import API, PREFIX, Urls

# The largest bodies of forms, by the path of the page.
FORM_LIMITS = {PREFIX: 1 << 16, f"{PREFIX}/admin/import": 16_000_000}
_FOLDER = Path(__file__).parent
_TABLE_FILE, _SECRET_FILE = "skills.db", "secret.key"
_WARNING = "Back up the secret: without it, nobody stays signed in."


def make_web_app(service: SkillsService, settings: ApiSettings) -> FastAPI:
    """Return the web app with the API and the pages; `/` redirects to the pages."""
    app = make_skills_app(service, settings=settings)
    add_pages(app, service, settings.limits)

    @app.get("/", include_in_schema=False)
    def redirect_to_pages() -> Response:
        return RedirectResponse(PREFIX, 303)

    return app


def open_service(
    driver: Driver,
    secret_file: Path,
    urls: Urls,
    emails: EmailDelivery | None = None,
    passwords: Passwords | None = None,
) -> SkillsService:
    """Open the service with the secret in a file, which is created if it is missing."""
    with file_errors(secret_file.parent):
        create_folder(secret_file.parent)
    secret = load_key_file(secret_file, "for sessions")
    emails = emails or EmailDelivery()
    return open_skills(
        driver,
        secret,
        mailer=emails.mailer,
        urls=urls,
        passwords=passwords,
        confirm_addresses=emails.server is not None,
    )


def run_app(
    service: SkillsService,
    address: str,
    secret_file: Path,
    public: PublicUrl,
    emails: EmailDelivery,
) -> RunningApp:
    """Return the running app of an open service."""
    return RunningApp(
        make_web_app(service, ApiSettings(web=public.settings(uploads=FORM_LIMITS))),
        prefixes=(PREFIX, API, "/static/*/skills"),
        api=API,
        locations=(
            ("tables", address),
            ("e-mails", emails.describe(f"singletable skills outbox --address {address}")),
            ("secret", str(secret_file.resolve())),
        ),
        warning=_WARNING,
        sample=lambda: list_sample(service),
        setup_url=_setup_url(service),
    )


def _setup_url(service: SkillsService) -> str:
    code, urls = service.accounts.setup_code(), service.context.urls
    return urls.absolute(urls.page("register", code=code)) if code else ""


@contextmanager
def open_app(context: AppContext) -> Generator[RunningApp]:
    """Open the app for the home page, creating a sample company first if it is wanted."""
    emails = email_delivery(print_emails=context.print_emails, smtp=context.smtp)
    urls = Urls(public=context.public.url)
    if context.needs_sample:
        with (
            new_folder(context.folder) as folder,
            open_driver(f"file:{folder / _TABLE_FILE}") as driver,
            progress_bar("Creating a sample company") as progress,
        ):
            create_sample(open_service(driver, folder / _SECRET_FILE, urls), progress)
    with context.connect(_TABLE_FILE) as driver:
        secret_file = context.folder / _SECRET_FILE
        service = open_service(driver, secret_file, urls, emails)
        address = context.address_of(_TABLE_FILE)
        yield run_app(service, address, secret_file, context.public, emails)


def run_serve(
    address: str,
    secret_file: Path,
    options: ListenOptions,
    emails: EmailDelivery,
    *,
    keep_bcrypt: bool = False,
) -> None:
    """Serve the directory until the process is stopped."""
    with listen(options) as (listener, url, public), open_driver(address) as driver:
        passwords = Passwords(keep_bcrypt=keep_bcrypt)
        service = open_service(driver, secret_file, Urls(public=public.url), emails, passwords)
        running = run_app(service, address, secret_file, public, emails)
        serve_app("Skills", PREFIX, running, listener, url, public)


def app_info() -> AppInfo:
    """Return the entry on the home page."""
    return AppInfo(
        name="Skills",
        about=(
            "A directory of people and what they know: find experts by several skills at once, "
            "see gaps and single points of failure, and plan what to learn."
        ),
        url=PREFIX,
        picture=(_FOLDER / "picture.svg").read_text(encoding="utf-8"),
        picture_alt="A table of people and skills, with stronger colors for higher levels",
        picture_style=(_FOLDER / "picture.css").read_text(encoding="utf-8"),
    )
