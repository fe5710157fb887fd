"""The log in a file and back, the table anew, and whether both are what they should be."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer

from singletable_apps.elections.archive import End, export_log, restore_log, verify_log
from singletable_apps.elections.errors import TableBroken
from singletable_apps.elections.projection import rebuild
from singletable_apps.elections.terminal.opening import existing_store, new_store
from singletable_apps.shared.serving.progress import bar
from singletable_apps.shared.serving.refusing import FileRefused, told_of


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a file, read anew each time."""

    path: Path

    def __iter__(self) -> Iterator[bytes]:
        with told_of(self.path), self.path.open("rb") as file:
            yield from file


def export(at: str, path: Path) -> None:
    """Write the log to a new file, whole or not at all, for its owner's eyes alone."""
    with existing_store(at) as store:
        if path.exists():
            raise FileRefused(f"'{path}' is there already, and is not written over. Name another.")
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        with told_of(path):
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with told_of(path), os.fdopen(handle, "wb") as file, bar("Exporting") as told:
                end = export_log(store, file.write, told)
                file.flush()
                os.fsync(file.fileno())
            with told_of(path):
                # A link, unlike a rename, never replaces a file that came meanwhile.
                os.link(draft, path)
        finally:
            draft.unlink()
    typer.echo(f"{_told(end)} Written to {path}.")
    typer.echo("Hashes of passwords and sealed ballots are in it: keep it as you keep the tables.")


def restore(at: str, path: Path) -> None:
    """Fill an empty log from a file, and build the table."""
    lines = Lines(path)
    with told_of(path):
        path.open("rb").close()
    with new_store(at) as store:
        with bar("Restoring") as told:
            end = restore_log(store, lines, told)
        with bar("Building the table") as told:
            rebuild(store, told)
    typer.echo(f"{_told(end)} Restored from {path}, and the table is built.")
    typer.echo("Serve it with the keys that were in use, or sealed ballots stay sealed for ever.")


def rebuild_table(at: str) -> None:
    """Drop the table, and build it from the log."""
    with existing_store(at) as store, bar("Building the table") as told:
        sync = rebuild(store, told)
    typer.echo(f"The table is built anew from {sync.last_event_id:,} events.")


def verify(at: str) -> None:
    """Say that log and table are as they should be, or what is not."""
    with existing_store(at) as store, bar("Verifying") as told:
        found = verify_log(store, told)
    if found.differences:
        listed = "\n".join(
            f"  {one.partition_key} / {one.sort_key} {one.what}" for one in found.differences
        )
        raise TableBroken(
            f"The log is whole, and the table is not what it says. The first differences:\n{listed}"
            "\nBuild it anew: singletable elections rebuild"
        )
    typer.echo(_told(End(found.events, found.head)))
    if found.followed < found.events:
        typer.echo(f"The table has followed {found.followed:,} of them; a service catches up.")
    typer.echo(f"The {found.items:,} items of the table are what the log says, to the byte.")


def _told(end: End) -> str:
    if end.events == 0:
        return "The log has no events."
    return f"The log has {end.events:,} events, and the hash of the last is {end.head}."
