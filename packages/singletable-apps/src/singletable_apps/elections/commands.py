"""The commands of `singletable elections`."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console

import singletable
from ranked_ballots import pluralize
from ranked_ballots.report import ReportWriter, write_report
from singletable import Driver, ItemMismatch, ListTables, Store, TableNotFound
from singletable_apps.elections import patterns
from singletable_apps.elections.archive import ExportEnd, export_log, restore_log, verify_log
from singletable_apps.elections.entities import User, votes
from singletable_apps.elections.errors import CorruptLog, CorruptTable
from singletable_apps.elections.events import event_log
from singletable_apps.elections.keys import (
    BALLOT_KEY_FILE,
    load_existing_keys,
    load_or_create_keys,
    load_store_keys,
)
from singletable_apps.elections.rebuild import rebuild
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import TABLES, Elections, create_tables, open_elections
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.key_files import new_private_file
from singletable_apps.shared.serve import (
    FileError,
    existing_address,
    file_errors,
    open_driver,
    progress_bar,
)


@contextmanager
def existing_store(at: str) -> Generator[Store]:
    """Open existing tables. A missing file is not created."""
    with singletable.connect(existing_address(at)) as driver:
        found = _tables(driver)
        missing = [table.name for table in (votes, event_log) if table.name not in found]
        if missing:
            raise TableNotFound(
                f"There are no elections at this address: {' and '.join(missing)} not found. The "
                f"tables are: {', '.join(found) or 'none'}."
            )
        yield Store(driver, tables=TABLES)


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
    """The lines of a file, which can be read more than once."""

    path: Path

    def __iter__(self) -> Iterator[bytes]:
        with file_errors(self.path), self.path.open("rb") as file:
            yield from file


def export(at: str, path: Path) -> None:
    """Export the log to a new file, which only its owner can read."""
    with existing_store(at) as store:
        if path.exists():
            raise FileError(f"'{path}' already exists. Choose another file.")
        with (
            file_errors(path),
            new_private_file(path) as file,
            progress_bar("Exporting") as progress,
        ):
            end = export_log(store, file.write, progress)
    typer.echo(f"{_describe(end)} Written to {path}.")
    typer.echo("It contains password hashes and sealed ballots: keep it as safe as the tables.")


def restore(at: str, keys: Path, path: Path) -> None:
    """Restore a log from an export, and rebuild the table."""
    lines = Lines(path)
    with file_errors(path):
        path.open("rb").close()
    key = load_existing_keys(keys).ballot_key
    with open_driver(at) as driver:
        store = create_tables(driver)
        with progress_bar("Restoring") as progress:
            end = restore_log(store, key, lines, progress)
        with progress_bar("Rebuilding the table") as progress:
            rebuild(store, key, progress)
    typer.echo(f"{_describe(end)} Restored from {path}; the table is rebuilt.")
    typer.echo("Serve it with the same keys as before: other keys cannot open sealed ballots.")


def rebuild_table(at: str, keys: Path, *, new_keys: bool = False) -> None:
    """Rebuild the table from the log, with new keys for those that are missing if wanted."""
    creates = new_keys and (keys / BALLOT_KEY_FILE).exists()
    key = (load_or_create_keys if creates else load_existing_keys)(keys).ballot_key
    with existing_store(at) as store, progress_bar("Rebuilding the table") as progress:
        sync = rebuild(store, key, progress)
    typer.echo(f"Rebuilt the table from {sync.last_event_id:,} events.")


def verify(at: str, folder: Path) -> None:
    """Check the log, ballots, results and the table, and print the result."""
    keys = load_existing_keys(folder)
    try:
        with existing_store(at) as store, progress_bar("Verifying") as progress:
            found = verify_log(store, keys, progress)
    except (CorruptLog, CorruptTable, ItemMismatch) as error:
        typer.echo(f"singletable: {error}", err=True)
        raise typer.Exit(1) from None
    if found.differences:
        listed = "\n".join(
            f"  {one.partition_key} / {one.sort_key} {one.problem}" for one in found.differences
        )
        typer.echo(
            "singletable: The log is intact, but the table does not match it. First differences:\n"
            f"{listed}\nTo repair the table, run: singletable elections rebuild",
            err=True,
        )
        raise typer.Exit(1)
    typer.echo(_describe(ExportEnd(found.events, found.head)))
    if found.followed < found.events:
        typer.echo(f"The table has {found.followed:,} of them; the service will catch up.")
    typer.echo(
        f"Every event is authentic, {pluralize(found.ballots, 'ballot')} could be opened, and "
        f"{pluralize(found.results, 'signed result')} matched a new count."
    )
    typer.echo(f"All {found.items:,} items of the table match the log.")


def _describe(end: ExportEnd) -> str:
    if end.events == 0:
        return "The log has no events."
    return f"The log has {end.events:,} events; the last hash is {end.head}."


def show_tally(at: str, keys: Path, name: str, method: str | None, *, as_json: bool) -> None:
    """Print the results of an election, as the owner of the site may see them."""
    with existing_store(at) as store:
        elections = open_elections(store.driver, load_store_keys(store, keys))
        tally = elections.results.tally(_owner(elections), name, method)
    if as_json:
        sys.stdout.write(tally.result.to_json())
        return
    writer = ReportWriter(Console(highlight=False))
    closed = "closed and signed" if tally.closing is not None else "not closed yet"
    writer.write_line(f"{tally.election.name}: {tally.ballots_cast:,} ballots, {closed}.")
    write_report(writer, tally.result, is_final=tally.closing is not None)


def _owner(elections: Elections) -> User:
    for user in elections.context.store.run(patterns.list_users):
        if user.role is Role.OWNER:
            return user
    raise NotFound("No one has registered yet, so there are no elections.")
