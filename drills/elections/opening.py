"""The service as every process of the drill opens it, and the tables for who judges."""

from __future__ import annotations

import json

from singletable import Driver, Store
from singletable_apps.elections.entities import votes
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.log import Event
from singletable_apps.elections.proofs import BallotKey, Signer
from singletable_apps.elections.service import TABLES, Elections, open_elections
from singletable_apps.shared.accounts import Passwords

KEYS = Keys(BallotKey(b"ballots." * 4), Signer(b"signing." * 4), b"tokens.." * 4)
PASSWORD = "lantern copper river"
OPEN = "Colours"
SECRET = "Secret colours"


def service_on(driver: Driver) -> Elections:
    """The service; its passwords are not worth guessing, and cost nothing."""
    return open_elections(driver, KEYS, passwords=Passwords(memory_kib=64, passes=1))


def store_on(driver: Driver) -> Store:
    """The tables, for who looks at them from outside."""
    return Store(driver, tables=TABLES, cursor_secret=KEYS.secret)


def dump(driver: Driver) -> list[str]:
    """All items of the table, each as text, in an order of their own."""
    store, items, cursor = store_on(driver), list[str](), None
    while True:
        page = store.admin.items(votes, 1000, cursor=cursor)
        items += [json.dumps(item, sort_keys=True) for item in page.items]
        cursor = page.cursor
        if cursor is None:
            return sorted(items)


def events_of(driver: Driver) -> list[Event]:
    """The log, oldest first."""
    return list(store_on(driver).query(Event.key.partition(), consistent=True))
