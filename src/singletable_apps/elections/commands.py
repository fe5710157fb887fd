"""Elections at the terminal: what an operator does, and reads."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console

import singletable
from singletable import Driver, ListTables, StorageError, Store, TableNotFound
from singletable_apps.counting.report import ReportWriter, write_report
from singletable_apps.elections import patterns
from singletable_apps.elections.app import (
    DataLocation,
    EmailDelivery,
    create_tables,
    open_elections_at,
    site_on,
)
from singletable_apps.elections.archive import ExportEnd, export_log, restore_log, verify_log
from singletable_apps.elections.audit import redact_event_data
from singletable_apps.elections.entities import User, votes
from singletable_apps.elections.errors import CorruptTable, NotFound
from singletable_apps.elections.events import event_log
from singletable_apps.elections.keys import load_store_keys
from singletable_apps.elections.pages import PREFIX as PAGES
from singletable_apps.elections.projection import rebuild
from singletable_apps.elections.roles import Role
from singletable_apps.elections.sample import PASSWORD, SAMPLE_ELECTIONS, SAMPLE_PEOPLE, fill_sample
from singletable_apps.elections.service import TABLES, Elections, open_elections
from singletable_apps.shared.apps import serve_app
from singletable_apps.shared.mail import Outbox
from singletable_apps.shared.serve import (
    FileError,
    ListenOptions,
    file_errors,
    listen,
    open_driver,
    path_of_address,
    progress_bar,
)


@contextmanager
def existing_elections_at(place: DataLocation) -> Generator[Elections]:
    """The service at a place where there is one already."""
    with existing_store(place.at) as store:
        keys = load_store_keys(store, place.keys, create_missing=place.new_keys)
        yield open_elections(store.driver, keys)


@contextmanager
def existing_store(at: str) -> Generator[Store]:
    """The tables at an address; a file that is not there is not made."""
    file = path_of_address(at)
    if file is not None and not file.exists():
        raise StorageError(f"There is no file '{file}', so there are no elections in it.")
    with singletable.connect(at) as driver:
        found = _tables(driver)
        missing = [table.name for table in (votes, event_log) if table.name not in found]
        if missing:
            raise TableNotFound(
                f"There are no elections at this address: it lacks {' and '.join(missing)}. It "
                f"has {', '.join(found) or 'no tables'}."
            )
        yield Store(driver, tables=TABLES)


@contextmanager
def new_store(at: str) -> Generator[Store]:
    """The tables at an address, made if there are none."""
    with open_driver(at) as driver:
        yield create_tables(driver)


def _tables(driver: Driver) -> list[str]:
    names: list[str] = []
    after = None
    while True:
        page = driver.execute(ListTables(exclusive_start_table_name=after))
        names += page.table_names
        after = page.last_evaluated_table_name
        if after is None:
            return names


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a file, read anew each time."""

    path: Path

    def __iter__(self) -> Iterator[bytes]:
        with file_errors(self.path), self.path.open("rb") as file:
            yield from file


def export(at: str, path: Path) -> None:
    """Write the log to a new file, whole or not at all, for its owner's eyes alone."""
    with existing_store(at) as store:
        if path.exists():
            raise FileError(f"'{path}' is there already, and is not written over. Name another.")
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        with file_errors(path):
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with (
                file_errors(path),
                os.fdopen(handle, "wb") as file,
                progress_bar("Exporting") as told,
            ):
                end = export_log(store, file.write, told)
                file.flush()
                os.fsync(file.fileno())
            with file_errors(path):
                # A link, unlike a rename, never replaces a file that came meanwhile.
                os.link(draft, path)
        finally:
            draft.unlink()
    typer.echo(f"{_told(end)} Written to {path}.")
    typer.echo("Hashes of passwords and sealed ballots are in it: keep it as you keep the tables.")


def restore(at: str, path: Path) -> None:
    """Fill an empty log from a file, and build the table."""
    lines = Lines(path)
    with file_errors(path):
        path.open("rb").close()
    with new_store(at) as store:
        with progress_bar("Restoring") as told:
            end = restore_log(store, lines, told)
        with progress_bar("Building the table") as told:
            rebuild(store, told)
    typer.echo(f"{_told(end)} Restored from {path}, and the table is built.")
    typer.echo("Serve it with the keys that were in use, or sealed ballots stay sealed for ever.")


def rebuild_table(at: str) -> None:
    """Drop the table, and build it from the log."""
    with existing_store(at) as store, progress_bar("Building the table") as told:
        sync = rebuild(store, told)
    typer.echo(f"The table is built anew from {sync.last_event_id:,} events.")


def verify(at: str) -> None:
    """Say that log and table are as they should be, or what is not."""
    with existing_store(at) as store, progress_bar("Verifying") as told:
        found = verify_log(store, told)
    if found.differences:
        listed = "\n".join(
            f"  {one.partition_key} / {one.sort_key} {one.problem}" for one in found.differences
        )
        raise CorruptTable(
            f"The log is whole, and the table is not what it says. The first differences:\n{listed}"
            "\nBuild it anew: singletable elections rebuild"
        )
    typer.echo(_told(ExportEnd(found.events, found.head)))
    if found.followed < found.events:
        typer.echo(f"The table has followed {found.followed:,} of them; a service catches up.")
    typer.echo(f"The {found.items:,} items of the table are what the log says, to the byte.")


def _told(end: ExportEnd) -> str:
    if end.events == 0:
        return "The log has no events."
    return f"The log has {end.events:,} events, and the hash of the last is {end.head}."


def make_sample(place: DataLocation) -> None:
    """Fill an empty store, and say with whom and what."""
    with open_elections_at(place) as elections, progress_bar("Filling") as told:
        fill_sample(elections, told)
    typer.echo(f"\nSample accounts, all with the password: {PASSWORD}\n")
    for person in SAMPLE_PEOPLE:
        typer.echo(f"  {person.name:<12}{person.email:<26}{person.role}")
    typer.echo("\nSample elections:\n")
    for poll in SAMPLE_ELECTIONS:
        typer.echo(f"  {poll.name:<24}{poll.what}")


def serve(place: DataLocation, asked: ListenOptions, letters: EmailDelivery) -> None:
    """Serve elections, with their pages, until a signal asks to stop."""
    with listen(asked) as (listener, url, public), open_driver(place.at) as driver:
        site = site_on(driver, place, public, letters)
        serve_app("Elections", PAGES, site, listener, url)


def show_outbox(at: str, limit: int) -> None:
    """Print the last letters, the newest first."""
    writer = ReportWriter(Console(highlight=False), plain=False)
    with existing_store(at) as store:
        letters = Outbox(store).newest(limit)
    for sent in letters:
        writer.write_heading(
            f"{sent.sent_at:%Y-%m-%d %H:%M:%S} UTC  {sent.email.to}: {sent.email.subject}"
        )
        for line in sent.email.text.rstrip().split("\n"):
            writer.write_line(line)
    if not letters:
        writer.write_line("No letter was sent in the last week.")


def show_events(at: str, limit: int) -> None:
    """Print the last events, the newest first, a line each; hashes of passwords are hidden."""
    writer = ReportWriter(Console(highlight=False), plain=True)
    with existing_store(at) as store:
        events = list(store.query(patterns.all_events(), limit=limit, reverse=True))
    for one in events:
        data = json.dumps(redact_event_data(one.event_data), ensure_ascii=False)
        when = f"{one.when_occurred:%Y-%m-%d %H:%M:%S}"
        writer.write_line(f"{one.event_id}  {when}  {one.actor}  {one.event_type}  {data}")
    if not events:
        writer.write_line("The log has no events.")


def show_tally(place: DataLocation, name: str, method: str, *, as_json: bool, plain: bool) -> None:
    """Print how an election stands, as its application's owner may see it."""
    with existing_elections_at(place) as elections:
        tally = elections.results.tally(_owner(elections), name, method)
    if as_json:
        sys.stdout.write(tally.result.to_json())
        return
    writer = ReportWriter(
        Console(color_system=None if plain else "auto", highlight=False), plain=plain
    )
    closed = "closed, and signed" if tally.closing is not None else "not closed yet"
    writer.write_line(f"{tally.election.name}: {tally.ballots_cast:,} ballots, {closed}.")
    write_report(writer, tally.result, is_final=tally.closing is not None)


def _owner(elections: Elections) -> User:
    for user in elections.context.store.query(patterns.list_users()):
        if user.role is Role.OWNER:
            return user
    raise NotFound("Nobody is registered yet, so there is no election.")
