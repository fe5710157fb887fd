"""Write a JSON line for each request, in a thread of its own so that no request waits for it."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from msgspec import Struct, json

from dynamodb_engine.errors import AddressError
from dynamodb_engine.private_files import open_descriptor
from dynamodb_engine.server.observe.exchange import Exchange, unit_kind
from dynamodb_engine.wire import HttpResponse

STDOUT = "-"
# Some seconds of a busy endpoint, in a few megabytes. A disk that is too slow for longer loses
# entries.
MAX_QUEUED = 10_000
# Entries of this many seconds are written together.
FLUSH_INTERVAL = 0.1
MAX_USER_AGENT_LENGTH = 256
_encode_lines = json.Encoder().encode_lines
_logger = logging.getLogger(__name__)


class LogEntry(Struct, frozen=True):
    """One request, without anything about its items. Sizes are those of the bodies as sent."""

    time: datetime
    request_id: str | None
    client: str
    identity: str | None
    operation: str | None
    tables: list[str]
    index: str | None
    status: int
    error: str | None = None
    bytes_in: int = 0
    bytes_out: int = 0
    duration_ms: float = 0
    read_units: float = 0
    write_units: float = 0
    user_agent: str | None = None


class DroppedEntries(Struct, frozen=True):
    """The number of entries that are missing before this line."""

    time: datetime
    dropped: int


def log_entry(
    exchange: Exchange, response: HttpResponse, started: float, seconds: float
) -> LogEntry:
    """Return the entry of a request that got a response."""
    request = exchange.request
    read = write = 0.0
    for consumed in exchange.consumed:
        if unit_kind(consumed, exchange.operation) == "read":
            read += consumed.capacity_units
        else:
            write += consumed.capacity_units
    user_agent = request.headers.get("user-agent")
    return LogEntry(
        _utc(started),
        exchange.request_id,
        request.client,
        exchange.identity,
        exchange.operation_name,
        exchange.tables,
        exchange.index,
        response.status,
        exchange.error_code,
        len(request.body),
        0 if request.method == "HEAD" else len(response.body),
        round(seconds * 1000, 3),
        read,
        write,
        None if user_agent is None else user_agent[:MAX_USER_AGENT_LENGTH],
    )


def rejection_entry(client: str, status: int, at: float) -> LogEntry:
    """Return the entry of a malformed request, which never reached the app."""
    return LogEntry(
        _utc(at), None, client, identity=None, operation=None, tables=[], index=None, status=status
    )


def _utc(timestamp: float) -> datetime:
    return datetime.fromtimestamp(timestamp, UTC)


class AccessLog:
    """Appends entries to a file, or to standard output if its name is "-".

    Entries wait in a queue. If it is full they are dropped and counted, and a line in the log says
    how many.
    """

    def __init__(self, name: str, *, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.written = 0
        self._file = _open_log_file(name)
        self._queue: deque[LogEntry] = deque()
        # Each of these counters is changed by one thread only: the first by the event loop, the
        # other two by the writer.
        self._overflowed = 0
        self._failed = 0
        self._reported = 0
        self._wake = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="access log", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        """The number of entries that were not written and will not be."""
        return self._overflowed + self._failed

    def add(self, entry: LogEntry) -> None:
        """Queue an entry."""
        if len(self._queue) >= MAX_QUEUED:
            self._overflowed += 1
            return
        self._queue.append(entry)
        if not self._wake.is_set():
            self._wake.set()

    def close(self, timeout: float = 5) -> None:
        """Write the queued entries and close the file; give up after `timeout` seconds."""
        self._closed.set()
        self._wake.set()
        self._thread.join(timeout)

    def __enter__(self) -> AccessLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self) -> None:
        closed = False
        while not closed:
            self._wake.wait()
            closed = self._closed.wait(FLUSH_INTERVAL)
            self._wake.clear()
            self._write([self._queue.popleft() for _ in range(len(self._queue))])
        self._file.close()

    def _write(self, entries: Sequence[LogEntry]) -> None:
        dropped = self.dropped
        unreported = dropped - self._reported
        gap = [DroppedEntries(_utc(self.clock()), unreported)] if unreported > 0 else []
        try:
            self._file.append(_encode_lines([*entries, *gap]))
        except OSError as error:
            if not self._failed:
                _logger.warning("Cannot write the access log: %s", error)
            self._failed += len(entries)
        else:
            self.written += len(entries)
            self._reported = dropped


class _LogFile:
    """A file opened for appending, or standard output.

    The file may be moved at any time, as log rotation does: a new one is then created in its place.
    """

    def __init__(self, name: str) -> None:
        self._path = None if name == STDOUT else Path(name)
        self._file = self._open()

    def append(self, text: bytes) -> None:
        """Write the text, or raise OSError."""
        if self._path is not None and self._is_moved(self._path):
            self.close()
            self._file = self._open()
        while text:
            text = text[os.write(self._file, text) :]

    def close(self) -> None:
        """Close the file, but never standard output."""
        if self._path is not None:
            os.close(self._file)

    def _open(self) -> int:
        if self._path is None:
            sys.stdout.flush()
            return sys.stdout.fileno()
        return open_descriptor(self._path, os.O_WRONLY | os.O_APPEND)

    def _is_moved(self, path: Path) -> bool:
        try:
            return not os.path.samestat(path.stat(), os.fstat(self._file))
        except FileNotFoundError:
            return True


def _open_log_file(name: str) -> _LogFile:
    try:
        return _LogFile(name)
    except OSError as error:
        raise AddressError(
            f"Cannot write the access log to '{name}': {error.strerror}. Pass another file with "
            "--access-log, or - for standard output."
        ) from error
