"""The app, declared once: its web app and its commands follow from it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from singletable_apps.shared.accounts import expiring
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.frame import AppSpec, Opening, Urls
from singletable_apps.shared.frame.accounts import USERNAMES, sample_account
from singletable_apps.shared.frame.people_api import username_routers

from mysite import api, pages
from mysite.entities import table
from mysite.service import NoteDraft, Service

# Sessions and e-mails are in a table of their own, where they expire.
SESSIONS = {expiring: "mysite_sessions"}
SAMPLE = ("ada", "lantern copper river")


@contextmanager
def _open(opening: Opening) -> Generator[Service]:
    urls = Urls("/mysite", opening.public)
    yield Service(opening.make_context(urls, table, names=SESSIONS))


def create_sample(service: Service, progress: Callable[[int, int], None]) -> None:
    """Create an account with notes."""
    username, password = SAMPLE
    if service.accounts.find_by_login(username) is not None:
        raise AppError("There is a sample. To start again, delete the database file.")
    user = service.accounts.register(username, "Ada Lovelace", password)
    for number in range(1, 31):
        draft = NoteDraft(title=f"Note {number}", text="A sample note.")
        service.notes.create(user, draft)
        progress(number, 30)


APP = AppSpec[Service](
    folder=Path(__file__).parent,
    tagline="Take notes.",
    about="Notes that only you can see.",
    description="Sign in for a token, and send it as `Authorization: Bearer …`.",
    open=_open,
    outbox=SESSIONS,
    sample=create_sample,
    list_sample=lambda service: sample_account(service, *SAMPLE, "30 notes"),
    routers=(*username_routers(), api.router),
    pages=(pages.router,),
    people=USERNAMES,
)
