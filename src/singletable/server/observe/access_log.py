"""A line of JSON for each request, written by a thread of its own so that nobody waits for it."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType

from msgspec import json

from singletable.server.observe.line import Gap, Line, moment
from singletable.server.observe.log_file import open_log_file

# Some seconds of a busy endpoint, in a few megabytes; a disk that is slower for longer loses lines.
MOST_WAITING = 10_000
# Lines that come together are written together.
EVERY = 0.1
_encode_lines = json.Encoder().encode_lines
_logger = logging.getLogger(__name__)


class AccessLog:
    """The end of a file, or "-" for standard output.

    Lines wait in a queue. If it is full they are dropped and counted, and a line says how many.
    """

    def __init__(
        self,
        name: str,
        *,
        most_waiting: int = MOST_WAITING,
        every: float = EVERY,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.clock = clock
        self.written = 0
        self._file = open_log_file(name)
        self._waiting: deque[Line] = deque()
        self._most_waiting = most_waiting
        self._every = every
        # Each is counted by one thread alone: by who asks for a line, and by who writes it.
        self._overflowed = 0
        self._failed = 0
        self._told = 0
        self._wake = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="access log", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        """Lines that were not written and will not be."""
        return self._overflowed + self._failed

    def add(self, line: Line) -> None:
        """Have a line written soon."""
        if len(self._waiting) >= self._most_waiting:
            self._overflowed += 1
            return
        self._waiting.append(line)
        if not self._wake.is_set():
            self._wake.set()

    def close(self, patience: float = 5) -> None:
        """Write what waits, and let go of the file; of a reader that does not read, in time."""
        self._closed.set()
        self._wake.set()
        self._thread.join(patience)

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
        ended = False
        while not ended:
            self._wake.wait()
            ended = self._closed.wait(self._every)
            self._wake.clear()
            self._write([self._waiting.popleft() for _ in range(len(self._waiting))])
        self._file.close()

    def _write(self, lines: Sequence[Line]) -> None:
        dropped = self.dropped
        gap = [Gap(moment(self.clock()), dropped - self._told)] if dropped > self._told else []
        try:
            self._file.append(_encode_lines([*lines, *gap]))
        except OSError as error:
            if not self._failed:
                _logger.warning("The access log cannot be written: %s", error)
            self._failed += len(lines)
        else:
            self.written += len(lines)
            self._told = dropped
