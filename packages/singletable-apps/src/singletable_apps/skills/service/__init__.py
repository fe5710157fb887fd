"""The service of the skills directory: load items, apply the rules, write once.

`open_skills(driver, secret, …)` returns `SkillsService`, which is all that the API, the pages and
the commands use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from singletable import CallStats, Driver, Observer, Store
from singletable_apps.shared.accounts import Passwords, expiring
from singletable_apps.shared.mail import KEEP_EMAILS, EmailDelivery
from singletable_apps.shared.outbox import Outbox
from singletable_apps.shared.sealed import derive_key
from singletable_apps.shared.service import utc_now
from singletable_apps.skills.entities import entities
from singletable_apps.skills.patterns import patterns
from singletable_apps.skills.service.cascades import Cascades
from singletable_apps.skills.service.catalog import Catalog
from singletable_apps.skills.service.context import Context
from singletable_apps.skills.service.entries import EntryService
from singletable_apps.skills.service.imports import Imports
from singletable_apps.skills.service.notices import Notices
from singletable_apps.skills.service.overview import Overview
from singletable_apps.skills.service.people import Accounts, People
from singletable_apps.skills.service.roles import Roles
from singletable_apps.skills.service.rounds import Rounds
from singletable_apps.skills.service.search import Search
from singletable_apps.skills.service.teams import Teams
from singletable_apps.skills.service.user_skills import Endorsements, Requests, UserSkills
from singletable_apps.skills.urls import Urls

__all__ = ["TABLES", "Context", "SkillsService", "open_skills"]

# Sessions, password resets and the outbox expire; the document's table has what the document says.
TABLES = {expiring: "skills_sessions"}


class SkillsService:
    """The service, by topic. `stats` counts the calls of this process by access pattern."""

    def __init__(self, context: Context, stats: CallStats, passwords: Passwords) -> None:
        cascades = Cascades(context)
        cascades.resume()
        self.context, self.stats, self.opened_at = context, stats, context.clock()
        self.accounts = Accounts(context, passwords, cascades)
        self.people = People(context, cascades, self.accounts)
        self.catalog = Catalog(context)
        self.catalog.resume()
        self.roles = Roles(context)
        self.user_skills = UserSkills(context)
        self.endorsements = Endorsements(context)
        self.overview = Overview(context, self.people)
        self.search = Search(context)
        self.teams = Teams(context)
        self.entries = EntryService(context)
        self.imports = Imports(context)
        self.notices = Notices(context)
        self.requests = Requests(context, self.notices)
        self.rounds = Rounds(context, self.notices, self.overview)


def open_skills(
    driver: Driver,
    secret: bytes,
    *,
    emails: EmailDelivery = KEEP_EMAILS,
    urls: Urls | None = None,
    clock: Callable[[], datetime] = utc_now,
    passwords: Passwords | None = None,
    confirm_addresses: bool = False,
    observers: Iterable[Observer] = (),
) -> SkillsService:
    """Return the service on a driver, creating the tables if they are missing.

    Renames and merges of skills that were interrupted are finished first.
    With `confirm_addresses`, people who register confirm their address: that needs a mail server.
    """
    stats = CallStats(patterns)
    store = Store(
        driver,
        tables=TABLES,
        observers=(stats, *observers),
        clock=clock,
        cursor_secret=derive_key(secret, "skills cursors"),
    )
    for table in (entities, expiring):
        store.admin.create_table(table, if_missing=True)
    urls = urls or Urls()
    home = urls.absolute("")
    mail = Outbox(store, emails, secret=secret, link=lambda about, recipient: home)
    context = Context(store, secret, mail, urls, clock, confirm_addresses=confirm_addresses)
    return SkillsService(context, stats, passwords or Passwords())
