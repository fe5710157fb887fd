"""The elections app: how the site shows and opens it."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from fastapi import FastAPI, Response
from starlette.responses import RedirectResponse

from ranked_ballots import Ballots, Ranking, schulze
from ranked_ballots.pictures import STYLESHEET, draw_beat_paths
from singletable import Driver, Store
from singletable_apps.elections.api import PREFIX, ApiSettings, make_elections_app
from singletable_apps.elections.api.dependencies import BODY_LIMIT
from singletable_apps.elections.entities import votes
from singletable_apps.elections.events import event_log
from singletable_apps.elections.keys import load_store_keys
from singletable_apps.elections.pages import PREFIX as PAGES
from singletable_apps.elections.pages import add_pages
from singletable_apps.elections.pages.dependencies import SIGN_IN
from singletable_apps.elections.roles import ROLE_DESCRIPTIONS, ROLE_NAMES, ROLES, Role
from singletable_apps.elections.sample import PASSWORD, SamplePerson, fill_sample, sample_accounts
from singletable_apps.elections.service import TABLES, Elections, open_elections
from singletable_apps.elections.service.context import Settings
from singletable_apps.shared.apps import AppContext, AppInfo, RunningApp, SampleData, SampleEntry
from singletable_apps.shared.email_delivery import EmailDelivery, email_delivery
from singletable_apps.shared.expiry import expiring
from singletable_apps.shared.mail import Outbox
from singletable_apps.shared.serve import PublicUrl, new_folder, open_driver, progress_bar


def sample_of(elections: Elections) -> SampleData | None:
    """Return sample accounts to sign in with, one per role, or None."""
    people = one_of_each_role(sample_accounts(elections))
    if not people:
        return None
    return SampleData(tuple(map(_sample_entry, people)), PASSWORD)


def one_of_each_role(people: Iterable[SamplePerson]) -> list[SamplePerson]:
    """Return the first person of each role, the highest role first."""
    firsts: dict[Role, SamplePerson] = {}
    for person in people:
        firsts.setdefault(person.role, person)
    return [firsts[role] for role in reversed(ROLES) if role in firsts]


def _sample_entry(person: SamplePerson) -> SampleEntry:
    return SampleEntry(
        f"{person.name}, {ROLE_NAMES[person.role].lower()}",
        ROLE_DESCRIPTIONS[person.role],
        SIGN_IN,
        {"who": person.name, "password": PASSWORD},
        label_prefix="Sign in as",
    )


_WARNING = (
    "Back up the keys separately from the tables. Without them, sealed ballots cannot be counted\n"
    "and results cannot be signed."
)


_ACCOUNTS = {
    True: "created once their e-mail address is confirmed",
    False: "created at once; with --smtp, e-mail addresses are confirmed first",
}


def site_on(
    driver: Driver, place: DataLocation, public: PublicUrl, emails: EmailDelivery
) -> RunningApp:
    """Return the running app on a connected driver."""
    settings, api = settings_for(public, emails)
    elections = open_elections_on(driver, place, settings, emails)
    locations = (
        ("tables", place.at),
        ("e-mails", emails.describe("singletable elections outbox")),
        ("accounts", _ACCOUNTS[settings.confirm_registrations]),
        ("keys", str(place.keys.resolve())),
    )
    code = elections.people.setup_code()
    return replace(
        site_of(elections, api),
        locations=locations,
        warning=_WARNING,
        setup_url=f"{public.url}{PAGES}/register?code={code}" if code else "",
    )


def settings_for(public: PublicUrl, emails: EmailDelivery) -> tuple[Settings, ApiSettings]:
    """Return the settings of the service and the API for a public URL.

    Without a mail server, addresses cannot be confirmed, so registrations need no confirmation.
    """
    link = f"{public.url}{PAGES}/{{page}}?token={{token}}"
    web = public.settings(body_limit=BODY_LIMIT)
    return (
        Settings(link=link, confirm_registrations=emails.server is not None),
        ApiSettings(web=web),
    )


def site_of(elections: Elections, settings: ApiSettings) -> RunningApp:
    """Return the running app of an open service."""
    return RunningApp(
        with_pages(elections, settings),
        prefixes=(PAGES, PREFIX, "/static/*/elections"),
        api=PREFIX,
        sample=lambda: sample_of(elections),
    )


def with_pages(elections: Elections, settings: ApiSettings) -> FastAPI:
    """Return the API and the pages. The root URL redirects to the pages."""
    uploads = {**settings.web.uploads, PAGES: BODY_LIMIT}
    chosen = replace(settings, web=replace(settings.web, uploads=uploads))
    app = make_elections_app(elections, settings=chosen)
    add_pages(app, elections)

    @app.get("/", include_in_schema=False)
    def redirect_to_pages() -> Response:
        return RedirectResponse(PAGES, 303)

    return app


_VOTES = ((4, "Lake Museum Castle"), (3, "Museum Castle Lake"), (2, "Castle Lake Museum"))
_FILE, _KEYS = "votes.db", "keys"


def app_info() -> AppInfo:
    """Return what the home page shows: a count in which each place is beaten by another."""
    groups = [
        (Ranking.from_levels([[name] for name in order.split()]), many) for many, order in _VOTES
    ]
    picture = draw_beat_paths(schulze(Ballots.from_counts(["Castle", "Lake", "Museum"], groups)))
    return AppInfo(
        name="Elections",
        about=(
            "Rank candidates, openly or in secret. See how six counting methods decide and why. "
            "Every voter can check that their ballot is in the signed result."
        ),
        url="/elections",
        picture=picture.svg,
        picture_alt=picture.text,
        picture_style=STYLESHEET,
    )


@contextmanager
def open_app(context: AppContext) -> Generator[RunningApp]:
    """Open the app, with sample data if it is new and that is wanted."""
    emails = email_delivery(print_emails=context.print_emails, smtp=context.smtp)
    if context.needs_sample:
        with new_folder(context.folder) as draft:
            place = DataLocation(f"file:{draft / _FILE}", draft / _KEYS)
            with (
                open_elections_at(place) as elections,
                progress_bar("Creating sample elections") as progress,
            ):
                fill_sample(elections, progress)
    with context.connect(_FILE) as driver:
        place = DataLocation(context.address_of(_FILE), context.folder / _KEYS)
        yield site_on(driver, place, context.public, emails)


@dataclass(frozen=True, slots=True)
class DataLocation:
    """The address of the tables, the folder of the keys, and whether to create missing keys."""

    at: str
    keys: Path
    new_keys: bool = False


@contextmanager
def open_elections_at(place: DataLocation) -> Generator[Elections]:
    """Open the service. Create missing tables."""
    with open_driver(place.at) as driver:
        yield open_elections_on(driver, place)


def open_elections_on(
    driver: Driver,
    place: DataLocation,
    settings: Settings | None = None,
    emails: EmailDelivery | None = None,
) -> Elections:
    """Open the service on a connected driver. Create missing tables."""
    store = create_tables(driver)
    keys = load_store_keys(store, place.keys, create_missing=place.new_keys)
    mailer = (emails or EmailDelivery()).mailer(Outbox(store))
    return open_elections(driver, keys, settings=settings, mailer=mailer)


def create_tables(driver: Driver) -> Store:
    """Create the missing tables and return a store on them."""
    store = Store(driver, tables=TABLES)
    for table in (votes, event_log, expiring):
        store.admin.create_table(table, if_missing=True)
    return store
