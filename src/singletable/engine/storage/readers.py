"""Connections that read: each is used by one thread at a time, and goes back when it has read."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import apsw

from singletable.engine.storage.execute import Execute, statements
from singletable.errors import EngineClosed

T = TypeVar("T")


class Readers:
    """As many connections as there were ever readers at once."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connect = connect
        self._idle: list[Execute] = []
        self._count = 0
        self._closed = False
        self._opening = threading.Lock()
        self._returned = threading.Event()

    def read(self, work: Callable[[Execute], T]) -> T:
        """What `work` gives, seeing the last commit from beginning to end."""
        try:
            execute = self._idle.pop()
        except IndexError:
            execute = self._open()
        try:
            if self._closed:
                raise EngineClosed("The engine is closed. Open it again with connect().")
            execute("BEGIN")
            try:
                return work(execute)
            finally:
                execute("ROLLBACK")
        finally:
            self._idle.append(execute)
            if self._closed:
                self._returned.set()

    def close(self) -> None:
        """Let those who read finish, and no one begin; the connections can then be closed."""
        with self._opening:
            self._closed = True
        while len(self._idle) < self._count:
            self._returned.wait()
            self._returned.clear()

    def _open(self) -> Execute:
        with self._opening:
            if self._closed:
                raise EngineClosed("The engine is closed. Open it again with connect().")
            execute = statements(self._connect())
            self._count += 1
            return execute
