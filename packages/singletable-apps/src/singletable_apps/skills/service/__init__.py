"""The service of the skills directory: load items, apply the rules, write once.

`open_skills(driver, secret, …)` returns `SkillsService`, which is all that the API, the pages and
the commands use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from singletable import CallStats, Driver, Observer, Store
from singletable_apps.shared.accounts import Passwords, expiring
from singletable_apps.shared.mail import Mailer, Outbox
from singletable_apps.shared.sealed import derive_key
from singletable_apps.shared.service import utc_now
from singletable_apps.skills.entities import entities
from singletable_apps.skills.patterns import patterns
from singletable_apps.skills.service.accounts import Accounts
from singletable_apps.skills.service.cascades import Cascades
from singletable_apps.skills.service.catalog import Catalog
from singletable_apps.skills.service.catalog_changes import CatalogChanges
from singletable_apps.skills.service.context import Context
from singletable_apps.skills.service.entries import EntryService
from singletable_apps.skills.service.imports import Imports
from singletable_apps.skills.service.overview import Overview
from singletable_apps.skills.service.people import People
from singletable_apps.skills.service.roles import Roles
from singletable_apps.skills.service.search import Search
from singletable_apps.skills.service.teams import Teams
from singletable_apps.skills.service.user_skills import Endorsements, UserSkills
from singletable_apps.skills.urls import Urls

__all__ = ["TABLES", "Context", "SkillsService", "open_skills"]

# Sessions, password resets and the outbox expire; the document's table has what the document says.
TABLES = {expiring: "skills_sessions"}


@dataclass(frozen=True, slots=True)
class SkillsService:
    """The service, by topic. `stats` counts the calls of this process by access pattern."""

    context: Context
    accounts: Accounts
    people: People
    catalog: Catalog
    catalog_changes: CatalogChanges
    roles: Roles
    user_skills: UserSkills
    endorsements: Endorsements
    overview: Overview
    search: Search
    teams: Teams
    entries: EntryService
    stats: CallStats
    imports: Imports
    opened_at: datetime


def open_skills(
    driver: Driver,
    secret: bytes,
    *,
    mailer: Callable[[Mailer], Mailer] | None = None,
    urls: Urls | None = None,
    clock: Callable[[], datetime] = utc_now,
    passwords: Passwords | None = None,
    create_tables: bool = True,
    confirm_addresses: bool = False,
    observers: Iterable[Observer] = (),
) -> SkillsService:
    """Return the service on a driver, creating the tables if they are missing.

    Renames and merges of skills that were interrupted are finished first.
    E-mails go to the outbox in the table of sessions; `mailer` replaces or wraps it. With
    `confirm_addresses`, people who register confirm their address: that needs a mail server.
    """
    stats = CallStats(patterns)
    store = Store(
        driver,
        tables=TABLES,
        observers=(stats, *observers),
        clock=clock,
        cursor_secret=derive_key(secret, "skills cursors"),
    )
    if create_tables:
        for table in (entities, expiring):
            store.admin.create_table(table, if_missing=True)
    outbox = Outbox(store)
    sender = outbox if mailer is None else mailer(outbox)
    context = Context(
        store, secret, sender, urls or Urls(), clock, confirm_addresses=confirm_addresses
    )
    cascades = Cascades(context)
    cascades.resume()
    accounts = Accounts(context, passwords or Passwords(), cascades)
    catalog = Catalog(context)
    user_skills = UserSkills(context, catalog)
    roles, teams = Roles(context, catalog), Teams(context, catalog)
    changes = CatalogChanges(context, catalog)
    changes.resume()
    people = People(context, cascades, accounts)
    return SkillsService(
        context=context,
        accounts=accounts,
        people=people,
        catalog=catalog,
        catalog_changes=changes,
        roles=roles,
        user_skills=user_skills,
        endorsements=Endorsements(context, user_skills),
        overview=Overview(context, people, catalog, roles, teams),
        search=Search(context),
        teams=teams,
        entries=EntryService(context, catalog),
        stats=stats,
        imports=Imports(context, catalog, changes),
        opened_at=clock(),
    )
