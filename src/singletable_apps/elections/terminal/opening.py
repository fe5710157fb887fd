"""What is at an address, opened for a command, and closed at its end."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import singletable
from singletable import Driver, ListTables, StorageError, Store, TableNotFound
from singletable_apps.elections.entities import votes
from singletable_apps.elections.fitting import keys_for
from singletable_apps.elections.log import log
from singletable_apps.elections.service import TABLES, Elections, Settings, open_elections
from singletable_apps.elections.terminal.refusing import told_of
from singletable_apps.shared.kept import kept
from singletable_apps.shared.mail import Letter, Mailer, Outbox


@dataclass(frozen=True, slots=True)
class Place:
    """Where the tables are, where the keys lie, and whether keys that are missing are made."""

    at: str
    keys: Path
    new_keys: bool = False


@contextmanager
def elections_at(
    place: Place,
    settings: Settings | None = None,
    on_letter: Callable[[Letter], None] | None = None,
    mailer: Mailer | None = None,
) -> Generator[Elections]:
    """The service at a place; tables are made if there are none."""
    with new_store(place.at) as store:
        keys = keys_for(store, place.keys, make_missing=place.new_keys)
        mailer = mailer or Outbox(store)
        if on_letter is not None:
            mailer = _Shown(mailer, on_letter)
        yield open_elections(store.driver, keys, settings=settings, mailer=mailer)


@contextmanager
def existing_elections_at(place: Place) -> Generator[Elections]:
    """The service at a place where there is one already."""
    with existing_store(place.at) as store:
        keys = keys_for(store, place.keys, make_missing=place.new_keys)
        yield open_elections(store.driver, keys)


@contextmanager
def existing_store(at: str) -> Generator[Store]:
    """The tables at an address; a file that is not there is not made."""
    path = _path(at)
    if path is not None and not path.exists():
        raise StorageError(f"There is no file '{path}', so there are no elections in it.")
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
    _make_folder(at)
    with singletable.connect(at) as driver:
        store = Store(driver, tables=TABLES)
        for table in (votes, log, kept):
            store.admin.create_table(table, if_missing=True)
        yield store


@dataclass(frozen=True, slots=True)
class _Shown:
    """A mailer that also tells of each letter, for whoever cannot look into the outbox."""

    mailer: Mailer
    tell: Callable[[Letter], None]

    def send(self, letter: Letter, now: datetime) -> None:
        self.mailer.send(letter, now)
        self.tell(letter)


def _make_folder(at: str) -> None:
    path = _path(at)
    if path is not None:
        with told_of(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)


def _path(at: str) -> Path | None:
    """The file that an address names: `file:votes.db`, or as a URL has it `file:///srv/votes.db`."""
    kind, _, rest = at.partition(":")
    if kind != "file" or not rest or (rest.startswith("//") and not rest.startswith("///")):
        return None
    return Path(rest[2:] if rest.startswith("///") else rest)


def _tables(driver: Driver) -> list[str]:
    names: list[str] = []
    after = None
    while True:
        page = driver.execute(ListTables(exclusive_start_table_name=after))
        names += page.table_names
        after = page.last_evaluated_table_name
        if after is None:
            return names
