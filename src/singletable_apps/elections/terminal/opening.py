"""What is at an address, opened for a command, and closed at its end."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import singletable
from singletable import Driver, ListTables, StorageError, Store, TableNotFound
from singletable_apps.elections.entities import votes
from singletable_apps.elections.fitting import keys_for
from singletable_apps.elections.log import log
from singletable_apps.elections.service import TABLES, Elections, Settings, open_elections
from singletable_apps.elections.terminal.mailing import Letters
from singletable_apps.shared.kept import kept
from singletable_apps.shared.mail import Outbox
from singletable_apps.shared.serving.addresses import driver_at, file_of


@dataclass(frozen=True, slots=True)
class Place:
    """Where the tables are, where the keys lie, and whether keys that are missing are made."""

    at: str
    keys: Path
    new_keys: bool = False


@contextmanager
def elections_at(place: Place) -> Generator[Elections]:
    """The service at a place; tables are made if there are none."""
    with driver_at(place.at) as driver:
        yield elections_on(driver, place)


def elections_on(
    driver: Driver,
    place: Place,
    settings: Settings | None = None,
    letters: Letters | None = None,
) -> Elections:
    """The service on a driver that is open; tables are made if there are none."""
    store = _made(driver)
    keys = keys_for(store, place.keys, make_missing=place.new_keys)
    mailer = (letters or Letters()).mailer(Outbox(store))
    return open_elections(driver, keys, settings=settings, mailer=mailer)


@contextmanager
def existing_elections_at(place: Place) -> Generator[Elections]:
    """The service at a place where there is one already."""
    with existing_store(place.at) as store:
        keys = keys_for(store, place.keys, make_missing=place.new_keys)
        yield open_elections(store.driver, keys)


@contextmanager
def existing_store(at: str) -> Generator[Store]:
    """The tables at an address; a file that is not there is not made."""
    file = file_of(at)
    if file is not None and not file.exists():
        raise StorageError(f"There is no file '{file}', so there are no elections in it.")
    with singletable.connect(at) as driver:
        found = _tables(driver)
        missing = [table.name for table in (votes, log) if table.name not in found]
        if missing:
            raise TableNotFound(
                f"There are no elections at this address: it lacks {' and '.join(missing)}. It "
                f"has {', '.join(found) or 'no tables'}."
            )
        yield Store(driver, tables=TABLES)


@contextmanager
def new_store(at: str) -> Generator[Store]:
    """The tables at an address, made if there are none."""
    with driver_at(at) as driver:
        yield _made(driver)


def _made(driver: Driver) -> Store:
    store = Store(driver, tables=TABLES)
    for table in (votes, log, kept):
        store.admin.create_table(table, if_missing=True)
    return store


def _tables(driver: Driver) -> list[str]:
    names: list[str] = []
    after = None
    while True:
        page = driver.execute(ListTables(exclusive_start_table_name=after))
        names += page.table_names
        after = page.last_evaluated_table_name
        if after is None:
            return names
