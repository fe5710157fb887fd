"""The election service: commands, voting, results and queries, on any driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from singletable import Driver, Observer, Store
from singletable_apps.elections.entities import votes
from singletable_apps.elections.events import event_log
from singletable_apps.elections.keys import Keys, check_keys
from singletable_apps.elections.projection import catch_up, is_behind
from singletable_apps.elections.service.audit import Audit
from singletable_apps.elections.service.auth import Auth
from singletable_apps.elections.service.context import Context
from singletable_apps.elections.service.lifecycle import Lifecycle
from singletable_apps.elections.service.people import People
from singletable_apps.elections.service.queries import Queries
from singletable_apps.elections.service.results import Results
from singletable_apps.elections.service.rolls import Rolls
from singletable_apps.elections.service.voting import Voting
from singletable_apps.elections.settings import ElectionSettings
from singletable_apps.elections.urls import Urls
from singletable_apps.shared.accounts import Passwords, expiring
from singletable_apps.shared.mail import KEEP_EMAILS, EmailDelivery
from singletable_apps.shared.outbox import Outbox
from singletable_apps.shared.service import utc_now

__all__ = ["ElectionSettings", "Elections", "create_tables", "open_elections"]

TABLES = {expiring: "vote_sessions"}


@dataclass(frozen=True)
class Elections:
    """The service, by topic."""

    context: Context
    auth: Auth
    people: People
    lifecycle: Lifecycle
    rolls: Rolls
    voting: Voting
    results: Results
    queries: Queries
    audit: Audit


def create_tables(driver: Driver) -> Store:
    """Create the missing tables and return a store on them."""
    store = Store(driver, tables=TABLES)
    for table in (votes, event_log, expiring):
        store.admin.create_table(table, if_missing=True)
    return store


def open_elections(
    driver: Driver,
    keys: Keys,
    *,
    emails: EmailDelivery = KEEP_EMAILS,
    urls: Urls | None = None,
    confirm_registrations: bool = False,
    clock: Callable[[], datetime] = utc_now,
    passwords: Passwords | None = None,
    observers: Iterable[Observer] = (),
) -> Elections:
    """Open the service on a driver. Create missing tables, and apply events not yet in the table.

    Raise WrongKeys if elections were launched or closed with other keys, and CorruptLog unless
    every event of the log was written with these keys.
    """
    create_tables(driver)
    store = Store(
        driver, tables=TABLES, cursor_secret=keys.secret, clock=clock, observers=observers
    )
    keys.check_checkpoint(store)
    mail = Outbox(
        store,
        emails,
        secret=keys.secret,
        link=lambda election, voter: rolls.url(election, voter, "vote"),
        unsubscribe=lambda election, voter: rolls.url(election, voter, "unsubscribe"),
    )
    context = Context(
        store,
        keys,
        mail,
        urls or Urls(),
        confirm_registrations,
        clock,
        passwords or Passwords(),
    )
    if is_behind(store):
        catch_up(store, context.book)
    check_keys(store, keys)
    context.book.refresh()
    lifecycle, auth = Lifecycle(context), Auth(context)
    results, rolls = Results(context, lifecycle), Rolls(context, lifecycle)
    return Elections(
        context,
        auth,
        People(context, auth.emails),
        lifecycle,
        rolls,
        Voting(context, results, rolls.send_receipt),
        results,
        Queries(context),
        Audit(context),
    )
