"""The driver that an application uses while its tables are copied without a change feed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from inspect import iscoroutinefunction
from typing import TypeVar

from singletable.errors import InvalidValue, SingleTableError
from singletable.migration.derived_reads import Locate
from singletable.migration.migrations import Migration
from singletable.migration.request_router import RequestRouter, is_about_items
from singletable.migration.two_addresses import AsyncTwoAddressDriver, Side, TwoAddressDriver
from singletable.operations import AsyncDriver, Driver, Operation
from singletable.retry import RetryingDriver, unwrap_retries
from singletable.schema import Table
from singletable.steps import run, run_async

R = TypeVar("R")


class MigratingDriver(RetryingDriver):
    """Executes the requests of an application while a Copy migrates its tables.

    `source` is the application's driver, `target` the one of the new table, if that is at another
    address. `tables` maps tables to their real names, as for a store. `locate` returns the keys of
    the old items from which the item with a new key is derived: the new version of the application
    can then get items before the copy is complete. `side` says which table is meant if an old and
    the new table have the same name.

    A write that cannot be carried over, because a rule fails for the item, succeeds nevertheless:
    `failures` counts these, `last_failure` is the last error, and the runner reports the item.
    """

    def __init__(
        self,
        source: Driver,
        target: Driver | None = None,
        *,
        migration: Migration,
        tables: Mapping[Table, str] | None = None,
        locate: Locate | None = None,
        side: Side | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        _check_drivers("MigratingDriver", source, target)
        self._router = RequestRouter(migration, tables, side, locate, clock)
        self._source, self._target = source, target or source
        self._places = TwoAddressDriver(source, target or source)
        self._sleep = sleep
        self.inner = _SendOnce(self)

    def execute(self, operation: Operation[R], /) -> R:
        """Execute a request in the way that the phase of the migration requires."""
        return self._execute(operation, retries=True)

    def _execute(self, operation: Operation[R], *, retries: bool) -> R:
        side = run(self._places, self._router.side_of(operation), self._sleep)
        if side is None or not is_about_items(operation):
            driver = self._target if side == "target" else self._source
            return (driver if retries else unwrap_retries(driver)).execute(operation)
        return run(self._places, self._router.steps(operation, retries=retries), self._sleep)

    @property
    def failures(self) -> int:
        """How many writes were not carried over by this driver."""
        return self._router.failures

    @property
    def last_failure(self) -> SingleTableError | None:
        """Why the last of them was not carried over."""
        return self._router.last_failure


class _SendOnce:
    """The driver without retries, which a store uses with its own retry policy."""

    def __init__(self, driver: MigratingDriver) -> None:
        self._driver = driver

    def execute(self, operation: Operation[R], /) -> R:
        return self._driver._execute(operation, retries=False)


class AsyncMigratingDriver(RetryingDriver):
    """Executes the requests of an application while a Copy migrates its tables, without blocking.

    Its arguments are those of MigratingDriver.
    """

    def __init__(
        self,
        source: AsyncDriver,
        target: AsyncDriver | None = None,
        *,
        migration: Migration,
        tables: Mapping[Table, str] | None = None,
        locate: Locate | None = None,
        side: Side | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        _check_drivers("AsyncMigratingDriver", source, target)
        self._router = RequestRouter(migration, tables, side, locate, clock)
        self._source, self._target = source, target or source
        self._places = AsyncTwoAddressDriver(source, target or source)
        self._sleep = sleep
        self.inner = _AsyncSendOnce(self)

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute a request in the way that the phase of the migration requires."""
        return await self._execute(operation, retries=True)

    async def _execute(self, operation: Operation[R], *, retries: bool) -> R:
        side = await run_async(self._places, self._router.side_of(operation), self._sleep)
        if side is None or not is_about_items(operation):
            driver = self._target if side == "target" else self._source
            return await (driver if retries else unwrap_retries(driver)).execute(operation)
        steps = self._router.steps(operation, retries=retries)
        return await run_async(self._places, steps, self._sleep)

    @property
    def failures(self) -> int:
        """How many writes were not carried over by this driver."""
        return self._router.failures

    @property
    def last_failure(self) -> SingleTableError | None:
        """Why the last of them was not carried over."""
        return self._router.last_failure


class _AsyncSendOnce:
    """The driver without retries, which a store uses with its own retry policy."""

    def __init__(self, driver: AsyncMigratingDriver) -> None:
        self._driver = driver

    async def execute(self, operation: Operation[R], /) -> R:
        return await self._driver._execute(operation, retries=False)


def _check_drivers(name: str, source: object, target: object) -> None:
    """Raise unless the source, and the target if there is one, are drivers of the right kind."""
    is_async = name.startswith("Async")
    for driver in (source, target):
        execute = getattr(driver, "execute", None)
        if driver is target is None:
            continue
        if not callable(execute) or iscoroutinefunction(execute) != is_async:
            raise InvalidValue(
                f"{name}: expected {'an async' if is_async else 'a sync'} driver, such as "
                f"{'connect_async' if is_async else 'connect'}(address) returns, but got "
                f"{type(driver).__name__}."
            )
