"""How elections are shown at the front, and opened there."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import typer
from fastapi import FastAPI, Response
from starlette.responses import RedirectResponse

from singletable import Driver, Store
from singletable_apps.counting import Ballots, Ranking, replace_control_characters, schulze
from singletable_apps.counting.pictures import STYLESHEET, draw_beat_paths
from singletable_apps.elections.api import PREFIX, ApiSettings, make_elections_app
from singletable_apps.elections.api.dependencies import BODY_LIMIT
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import ElectionsError
from singletable_apps.elections.events import event_log
from singletable_apps.elections.keys import load_store_keys
from singletable_apps.elections.pages import PREFIX as PAGES
from singletable_apps.elections.pages import add_pages
from singletable_apps.elections.pages.site import SIGN_IN
from singletable_apps.elections.roles import ROLE_DESCRIPTIONS, ROLE_NAMES, ROLES, Role
from singletable_apps.elections.sample import PASSWORD, SamplePerson, fill_sample, sample_accounts
from singletable_apps.elections.service import TABLES, Elections, Settings, open_elections
from singletable_apps.shared.accounts.entities import expiring
from singletable_apps.shared.apps import AppContext, AppInfo, RunningApp, SampleData, SampleEntry
from singletable_apps.shared.mail import Email, InvalidEmail, Mailer, Outbox, Smtp
from singletable_apps.shared.serve import (
    PublicUrl,
    new_folder,
    open_driver,
    progress_bar,
)


def sample_of(elections: Elections) -> SampleData | None:
    """One of each role, as long as they are as the sample made them."""
    people = one_of_each_role(sample_accounts(elections))
    if not people:
        return None
    return SampleData(tuple(map(_entrance, people)), PASSWORD)


def one_of_each_role(people: Iterable[SamplePerson]) -> list[SamplePerson]:
    """The first of each role, the greatest first: enough to see everything from every side."""
    firsts: dict[Role, SamplePerson] = {}
    for person in people:
        firsts.setdefault(person.role, person)
    return [firsts[role] for role in reversed(ROLES) if role in firsts]


def _entrance(person: SamplePerson) -> SampleEntry:
    return SampleEntry(
        f"{person.name}, {ROLE_NAMES[person.role].lower()}",
        ROLE_DESCRIPTIONS[person.role],
        SIGN_IN,
        {"who": person.name, "password": PASSWORD},
        label_prefix="Sign in as",
    )


_WARNING = (
    "Back up the keys apart from the tables: without them sealed ballots cannot be counted, nor\n"
    "receipts be made."
)


def site_on(
    driver: Driver, place: DataLocation, public: PublicUrl, letters: EmailDelivery
) -> RunningApp:
    """The site on a driver that is open."""
    settings, api = settings_for(public)
    elections = open_elections_on(driver, place, settings, letters)
    locations = (
        ("tables", place.at),
        ("letters", letters.words),
        ("keys", str(place.keys.resolve())),
    )
    return replace(site_of(elections, api), locations=locations, warning=_WARNING)


def settings_for(public: PublicUrl) -> tuple[Settings, ApiSettings]:
    """What service and API have to know of the address that people use."""
    web = public.settings(body_limit=BODY_LIMIT)
    return (
        Settings(reset_link=f"{public.url}{PAGES}/reset?token={{token}}"),
        ApiSettings(web=web),
    )


def site_of(elections: Elections, settings: ApiSettings) -> RunningApp:
    """The site of a service that is open."""
    return RunningApp(
        with_pages(elections, settings),
        prefixes=(PAGES, PREFIX, "/static/*/elections"),
        api=PREFIX,
        sample=lambda: sample_of(elections),
    )


def with_pages(elections: Elections, settings: ApiSettings) -> FastAPI:
    """The API of elections and their pages, to which the root leads."""
    uploads = {**settings.web.uploads, PAGES: BODY_LIMIT}
    chosen = replace(settings, web=replace(settings.web, uploads=uploads))
    app = make_elections_app(elections, settings=chosen)
    add_pages(app, elections)

    @app.get("/", include_in_schema=False)
    def begin() -> Response:
        return RedirectResponse(PAGES, 303)

    return app


_VOTES = ((4, "Lake Museum Castle"), (3, "Museum Castle Lake"), (2, "Castle Lake Museum"))
_FILE, _KEYS = "votes.db", "keys"


def app_info() -> AppInfo:
    """A count of which nobody can tell the result by looking: each place is beaten by another."""
    groups = [
        (Ranking.from_levels([[name] for name in order.split()]), many) for many, order in _VOTES
    ]
    picture = draw_beat_paths(schulze(Ballots.from_counts(["Castle", "Lake", "Museum"], groups)))
    return AppInfo(
        name="Elections",
        about=(
            "People rank candidates, openly or in secret; six methods count, and explain "
            "themselves; every voter can check that their ballot is in the signed result."
        ),
        url="/elections",
        picture=picture.svg,
        picture_alt=picture.text,
        picture_style=STYLESHEET,
    )


@contextmanager
def open_app(context: AppContext) -> Generator[RunningApp]:
    """The whole app; a sample is made first where one is wished."""
    letters = email_delivery(printed=context.print_emails, smtp=context.smtp)
    if context.needs_sample:
        with new_folder(context.folder) as draft:
            place = DataLocation(f"file:{draft / _FILE}", draft / _KEYS)
            with open_elections_at(place) as elections, progress_bar("Filling elections") as told:
                fill_sample(elections, told)
    with context.connect(_FILE) as driver:
        place = DataLocation(context.address_of(_FILE), context.folder / _KEYS)
        yield site_on(driver, place, context.public, letters)


SMTP_PASSWORD = "SMTP_PASSWORD"


class InvalidSmtpUrl(ElectionsError):
    """Letters cannot be sent that way."""


@dataclass(frozen=True, slots=True)
class EmailDelivery:
    """Which way letters go: by a server if there is one, and printed, too, if it is wished."""

    printed: bool = False
    server: Smtp | None = None

    def mailer(self, outbox: Mailer) -> Mailer:
        """Who sends them; without a server they are kept."""
        sender = self.server or outbox
        return _Printed(sender) if self.printed else sender

    @property
    def words(self) -> str:
        """Where one finds them."""
        if self.server is not None:
            return "sent by the mail server"
        return "printed here" if self.printed else "kept, for singletable elections outbox"


@dataclass(frozen=True, slots=True)
class _Printed:
    """A mailer that also shows each letter where the service was started."""

    sender: Mailer

    def send(self, letter: Email, now: datetime) -> None:
        self.sender.send(letter, now)
        typer.echo(f"\nA letter to {letter.to}: {letter.subject}\n")
        for line in letter.text.rstrip().split("\n"):
            typer.echo(f"  {replace_control_characters(line)}")
        typer.echo("")


def email_delivery(*, printed: bool, smtp: str | None) -> EmailDelivery:
    """The way that an operator names; `smtp` is smtp://user@mail.example.org?from=vote@example.org."""
    return EmailDelivery(printed, parse_smtp_url(smtp) if smtp is not None else None)


def parse_smtp_url(text: str) -> Smtp:
    """A mailer for the server; its password comes from the environment, and is on no screen."""
    parts = urlsplit(text)
    sender = parse_qs(parts.query).get("from", [""])[-1]
    try:
        port = parts.port or _PORT
    except ValueError:
        port = 0
    if parts.scheme not in ("smtp", "smtp+plain") or not parts.hostname or not port or not sender:
        raise InvalidSmtpUrl(
            "--smtp takes an address as smtp://user@mail.example.org:587?from=vote@example.org "
            f"(smtp+plain:// for a server on one's own machine without TLS), and '{text}' is none."
        )
    if parts.password is not None:
        raise InvalidSmtpUrl(
            f"The password of the mail server does not belong into --smtp, where others see it. "
            f"Put it into the environment variable {SMTP_PASSWORD}."
        )
    user = unquote(parts.username) if parts.username else None
    try:
        return Smtp(
            parts.hostname,
            port,
            sender,
            user,
            os.environ.get(SMTP_PASSWORD) if user else None,
            starttls=parts.scheme == "smtp",
        )
    except (InvalidEmail, ValueError) as refusal:
        raise InvalidSmtpUrl(f"--smtp: {refusal}") from refusal


@dataclass(frozen=True, slots=True)
class DataLocation:
    """Where the tables are, where the keys lie, and whether keys that are missing are made."""

    at: str
    keys: Path
    new_keys: bool = False


@contextmanager
def open_elections_at(place: DataLocation) -> Generator[Elections]:
    """The service at a place; tables are made if there are none."""
    with open_driver(place.at) as driver:
        yield open_elections_on(driver, place)


def open_elections_on(
    driver: Driver,
    place: DataLocation,
    settings: Settings | None = None,
    letters: EmailDelivery | None = None,
) -> Elections:
    """The service on a driver that is open; tables are made if there are none."""
    store = create_tables(driver)
    keys = load_store_keys(store, place.keys, create_missing=place.new_keys)
    mailer = (letters or EmailDelivery()).mailer(Outbox(store))
    return open_elections(driver, keys, settings=settings, mailer=mailer)


_PORT = 587


def create_tables(driver: Driver) -> Store:
    """Create the missing tables and return a store on them."""
    store = Store(driver, tables=TABLES)
    for table in (votes, event_log, expiring):
        store.admin.create_table(table, if_missing=True)
    return store
