"""What an operator does, for a driver and for an async driver."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

from singletable.operations import AsyncDriver, Driver
from singletable.patience import run, run_async
from singletable.schema import Table
from singletable.store.admin import create_table
from singletable.store.context import Context
from singletable.store.work import scan, told

E = TypeVar("E")


class Admin:
    """What an operator does, and an application does not."""

    def __init__(self, driver: Driver, context: Context) -> None:
        self._driver = driver
        self._context = context

    def create_table(self, table: Table, *, if_missing: bool = False) -> bool:
        """Make the table as it is declared; whether it was not there before."""
        return run(self._driver, create_table(self._context, table, if_missing=if_missing))

    def scan(self, entity: type[E]) -> Iterator[E]:
        """All items of an entity, in no order; reads, and costs, the whole table."""
        after, continued = None, False
        while True:
            page = told(self._context, scan(self._context, entity, after), continued=continued)
            found, after = run(self._driver, page)
            continued = True
            yield from found
            if after is None:
                return


class AsyncAdmin:
    """What an operator does, and an application does not."""

    def __init__(self, driver: AsyncDriver, context: Context) -> None:
        self._driver = driver
        self._context = context

    async def create_table(self, table: Table, *, if_missing: bool = False) -> bool:
        """Make the table as it is declared; whether it was not there before."""
        return await run_async(
            self._driver, create_table(self._context, table, if_missing=if_missing)
        )

    async def scan(self, entity: type[E]) -> AsyncIterator[E]:
        """All items of an entity, in no order; reads, and costs, the whole table."""
        after, continued = None, False
        while True:
            page = told(self._context, scan(self._context, entity, after), continued=continued)
            found, after = await run_async(self._driver, page)
            continued = True
            for one in found:
                yield one
            if after is None:
                return
