"""Other DynamoDB engines, as servers: the store works on these too.

Their known gaps are listed in `known_failures.py`.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import replace
from types import TracebackType
from typing import Any, TypeVar, cast

import pytest

from benchmarks.harness.measurement import Scale
from benchmarks.http_load.servers import Server, peers, running
from dynamodb_engine.operations import (
    DeleteTable,
    ListTables,
    Operation,
    UpdateTimeToLive,
    UpdateTimeToLiveOutput,
)
from singletable.errors import ResourceInUse, ResourceNotFound
from singletable.remote import Remote
from tests.store.known_failures import LACKS

R = TypeVar("R")


class ForeignEngine:
    """A driver for another engine, which skips tests of features that the engine lacks."""

    def __init__(self, name: str, remote: Remote) -> None:
        self.name = name
        self.remote = remote

    def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation on the engine."""
        lacks = [one for one in LACKS if one.engine == self.name and one.needs(operation)]
        if not lacks:
            return self.remote.execute(operation)
        asked: Operation[Any] = operation
        if isinstance(asked, UpdateTimeToLive):
            # Expiry is only approximate: DynamoDB may keep expired items for days, and a store
            # returns none.
            return cast(R, UpdateTimeToLiveOutput(asked.time_to_live_specification))
        pytest.xfail(f"{self.name} has no {lacks[0].feature}: {lacks[0].why}")


def _short_lived(server: Server) -> Server:
    """Return the server with quick start-up: Java compiles in one pass."""
    options = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

    def environment(port: int) -> dict[str, str]:
        return {**server.environment(port), "JAVA_TOOL_OPTIONS": options}

    return replace(server, environment=environment)


class Foreign:
    """Servers that start when they are first used, and stop with the tests."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._addresses: dict[str, str] = {}
        self._drivers: dict[str, Remote] = {}

    def address(self, name: str) -> str:
        """Start an engine unless it runs, and return its address."""
        if name not in self._addresses:
            (server,) = (one for one in peers(Scale()) if one.name == name)
            port = self._open.enter_context(running(_short_lived(server))).port
            self._addresses[name] = f"dynamodb+http://127.0.0.1:{port}?timeout=10"
        return self._addresses[name]

    def emptied(self, name: str) -> Remote:
        """Delete all tables of an engine, and return a driver for it."""
        if name not in self._drivers:
            self._drivers[name] = self._open.enter_context(Remote.at(self.address(name)))
        driver = self._drivers[name]
        while names := driver.execute(ListTables()).table_names:
            for table in names:
                with suppress(ResourceNotFound, ResourceInUse):  # it goes, and takes its time
                    driver.execute(DeleteTable(table))
        return driver

    def __enter__(self) -> Foreign:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()
