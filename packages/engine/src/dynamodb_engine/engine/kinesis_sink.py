"""Deliver the changes of tables to files: one per Kinesis stream, a line of JSON per record.

The records are read from the change feed, each destination from its own position on, which is in a
file beside that of the stream. It is written after the records, so a process that is killed in
between delivers them again, with the same ids.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import IO, TypeAlias
from uuid import UUID

from msgspec import json

from dynamodb_engine.engine.catalog import Catalog
from dynamodb_engine.engine.change_feed import change_record, feed_bounds
from dynamodb_engine.engine.control.kinesis import stream_name
from dynamodb_engine.engine.storage import Execute
from dynamodb_engine.engine.table_record import StoredDestination, TableRecord
from dynamodb_engine.errors import EngineError, StorageError
from dynamodb_engine.operations import ChangeRecord
from dynamodb_engine.private_files import create_folder, open_file
from dynamodb_engine.values import item_size

# Changes, and the position to continue from.
Page: TypeAlias = tuple[list[ChangeRecord], int]
INTERVAL = 0.25  # seconds
PAGE = 100  # changes
_EXPIRED = {"principalId": "dynamodb.amazonaws.com", "type": "Service"}
_logger = logging.getLogger(__name__)


class KinesisSink:
    """Appends what is new to the files in a folder, in a thread, until it is closed.

    `read` runs a function on a snapshot of the database.
    """

    def __init__(
        self,
        folder: Path,
        region: str,
        catalog: Catalog,
        read: Callable[[Callable[[Execute], Page]], Page],
    ) -> None:
        try:
            create_folder(folder)
        except OSError as error:
            raise StorageError(
                f"The folder {folder} for Kinesis records cannot be created: {error.strerror}."
            ) from None
        self._folder, self._region, self._catalog, self._read = folder, region, catalog, read
        self._positions: dict[Path, int] = {}
        self._problem = ""
        self._delivering = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="singletable-kinesis", daemon=True)
        # Before there are new changes, so that positions ahead of the feed are recognized.
        self.deliver()
        self._thread.start()

    def deliver(self) -> None:
        """Append every change that is committed; log a problem, and try again the next time."""
        with self._delivering:
            try:
                # First, so that no change follows the end of a destination.
                _, newest = self._read(lambda execute: ([], feed_bounds(execute)[1]))
                for table in self._catalog.tables.values():
                    for destination in table.record.destinations:
                        while self._deliver_page(table.record, destination, newest):
                            pass
                self._problem = ""
            except (OSError, EngineError) as error:
                if str(error) != self._problem:
                    _logger.warning("Changes could not be delivered to Kinesis files: %s", error)
                self._problem = str(error)

    def close(self) -> None:
        """Deliver what is left, and stop."""
        if not self._closed.is_set():
            self._closed.set()
            self._thread.join()
            self.deliver()

    def _run(self) -> None:
        while not self._closed.wait(INTERVAL):
            self.deliver()

    def _deliver_page(
        self, record: TableRecord, destination: StoredDestination, newest: int
    ) -> bool:
        """Append a page of changes to the file of a destination; return whether more may follow.

        A position ahead of the feed is from before a backup of the file was restored.
        """
        if destination.failure is not None:
            return False
        stream = stream_name(destination.arn)
        place = self._folder / f"{stream}.{record.id}.position"
        if place not in self._positions:
            self._positions[place] = _read_position(place)
        after = min(max(self._positions[place], destination.start), newest)
        end = newest if destination.end is None else min(destination.end, newest)
        changes, last = self._read(partial(self._read_page, record.number, after, end))
        if changes:
            lines = [_line(change, destination, self._region) for change in changes]
            _append(self._folder / f"{stream}.jsonl", b"".join(lines))
            new = place.with_suffix(".new")
            with open_file(new, "w") as file:
                file.write(str(last))
            new.replace(place)
        self._positions[place] = last
        return len(changes) == PAGE

    def _read_page(self, number: int, after: int, last: int, execute: Execute) -> Page:
        """Return changes of a table after a position, up to another."""
        rows = execute(
            f"SELECT {self._catalog.change_columns} FROM changes "
            f"WHERE position > ? AND position <= ? AND number = ? ORDER BY position LIMIT {PAGE}",
            (after, last, number),
        )
        changes = [change_record(row) for row in rows]
        return changes, changes[-1].position if len(changes) == PAGE else max(after, last)


def _line(change: ChangeRecord, destination: StoredDestination, region: str) -> bytes:
    """Return a change as DynamoDB puts it on Kinesis, with its line break."""
    images = {"Keys": change.keys, "NewImage": change.new, "OldImage": change.old}
    present = {name: image for name, image in images.items() if image is not None}
    precision = destination.precision
    event = f"{destination.arn}/{change.table_name}/{change.when}/{change.position}".encode()
    record = {
        "awsRegion": region,
        "eventID": str(UUID(bytes=blake2b(event, digest_size=16).digest(), version=4)),
        "eventName": change.kind,
        "userIdentity": _EXPIRED if change.expired else None,
        "recordFormat": "application/json",
        "tableName": change.table_name,
        "dynamodb": {
            "ApproximateCreationDateTime": int(
                change.when * (1_000_000 if precision == "MICROSECOND" else 1000)
            ),
            **present,
            "SizeBytes": sum(map(item_size, present.values())),
            **({} if precision is None else {"ApproximateCreationDateTimePrecision": precision}),
        },
        "eventSource": "aws:dynamodb",
    }
    return json.encode(record) + b"\n"


def _read_position(path: Path) -> int:
    """Return the position in a file, or 0 if it is missing or damaged, to deliver again."""
    text = path.read_text(errors="replace") if path.exists() else ""
    return int(text) if text.isdecimal() else 0


def _append(path: Path, lines: bytes) -> None:
    """Append lines to a file and flush them to the disk, in place of an incomplete last line."""
    with open_file(path, "a+b", buffering=0) as file:
        _cut_incomplete_line(file)
        rest = memoryview(lines)
        while rest:
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())


def _cut_incomplete_line(file: IO[bytes], step: int = 4096) -> None:
    """Remove what follows the last line break, where a process was killed during a write."""
    end = size = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - step)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end < size:
        file.truncate(end)
