"""Elections as a service: commands, votes, results and queries, on any store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from singletable import Driver, Observer, Store
from singletable_apps.elections.entities import votes
from singletable_apps.elections.fitting import check_keys
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.log import log
from singletable_apps.elections.projection import follow, is_behind
from singletable_apps.elections.service.access import Access, SignedIn
from singletable_apps.elections.service.auditing import Auditing
from singletable_apps.elections.service.conducting import Conducting
from singletable_apps.elections.service.desk import Basis, Office, Settings, utc_now
from singletable_apps.elections.service.people import People
from singletable_apps.elections.service.queries import Activity, Queries, UserSummary
from singletable_apps.elections.service.results import Results, RevealedBallot, Tally
from singletable_apps.elections.service.rolls import Rolls
from singletable_apps.elections.service.terms import Changes, Terms
from singletable_apps.elections.service.voting import Cast, Voting
from singletable_apps.shared.accounts import Passwords, kept
from singletable_apps.shared.mail import Mailer, Outbox

__all__ = [
    "Access",
    "Activity",
    "Auditing",
    "Basis",
    "Cast",
    "Changes",
    "Conducting",
    "Elections",
    "Office",
    "People",
    "Queries",
    "Results",
    "RevealedBallot",
    "Rolls",
    "Settings",
    "SignedIn",
    "Tally",
    "Terms",
    "UserSummary",
    "Voting",
    "open_elections",
]

TABLES = {kept: "vote_sessions"}


@dataclass(frozen=True)
class Elections:
    """The whole service, part by part."""

    office: Office
    access: Access
    people: People
    conducting: Conducting
    rolls: Rolls
    voting: Voting
    results: Results
    queries: Queries
    auditing: Auditing


def open_elections(
    driver: Driver,
    keys: Keys,
    *,
    mailer: Mailer | None = None,
    settings: Settings | None = None,
    clock: Callable[[], datetime] = utc_now,
    passwords: Passwords | None = None,
    observers: Iterable[Observer] = (),
) -> Elections:
    """The service on a driver. Missing tables are made, and what the table lacks is applied.

    WrongKeys if elections were launched or closed with other keys.
    """
    store = Store(
        driver, tables=TABLES, cursor_secret=keys.secret, clock=clock, observers=observers
    )
    for table in (votes, log, kept):
        store.admin.create_table(table, if_missing=True)
    if is_behind(store):
        follow(store)
    check_keys(store, keys)
    office = Office(
        store,
        keys,
        mailer or Outbox(store),
        settings or Settings(),
        clock,
        passwords or Passwords(),
    )
    conducting = Conducting(office)
    results = Results(office, conducting)
    return Elections(
        office,
        Access(office),
        People(office),
        conducting,
        Rolls(office),
        Voting(office, results),
        results,
        Queries(office),
        Auditing(office),
    )
