"""What an operator does, for a driver and for an async driver."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, TypeVar

from singletable.operations import AsyncDriver, Driver
from singletable.retry import run, run_async
from singletable.schema import ItemKey, Table
from singletable.store.admin import create_table, read
from singletable.store.clearing import Clearing
from singletable.store.context import Context
from singletable.store.operating import clear, scan, stored_items
from singletable.store.pages import Page
from singletable.store.work import told
from singletable.values import Item

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

    def items(self, table: Table, size: int, *, cursor: str | None = None) -> Page[Item]:
        """So many of a table's items as they are stored, in no order, with a cursor for the next.

        Markers of unique values are among them, items of no entity, and what has expired.
        """
        page = stored_items(self._context, table, size, cursor)
        return run(self._driver, told(self._context, page, continued=False))

    def decode(self, table: Table, item: Item) -> object | None:
        """An item as it is stored, read as the entity it is of; None for markers and strangers.

        Nothing is asked of the table.
        """
        return read(table, item)

    def clear(
        self,
        table: Table,
        *,
        keep: Iterable[ItemKey[Any]] = (),
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Delete every item of a table but those that are kept; how many went.

        What is kept keeps the markers of its unique values. Other writes should rest meanwhile:
        what they store may stay. It may be called again after it was interrupted. `progress` is
        told how many went, page by page.
        """
        clearing = Clearing.of(self._context, table, keep)
        deleted, after, continued = 0, None, False
        while True:
            page = told(self._context, clear(clearing, after), continued=continued)
            some, after = run(self._driver, page)
            deleted, continued = deleted + some, True
            if progress is not None:
                progress(deleted)
            if after is None:
                return deleted


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

    async def items(self, table: Table, size: int, *, cursor: str | None = None) -> Page[Item]:
        """So many of a table's items as they are stored, in no order, with a cursor for the next.

        Markers of unique values are among them, items of no entity, and what has expired.
        """
        page = stored_items(self._context, table, size, cursor)
        return await run_async(self._driver, told(self._context, page, continued=False))

    def decode(self, table: Table, item: Item) -> object | None:
        """An item as it is stored, read as the entity it is of; None for markers and strangers.

        Nothing is asked of the table.
        """
        return read(table, item)

    async def clear(
        self,
        table: Table,
        *,
        keep: Iterable[ItemKey[Any]] = (),
        progress: Callable[[int], None] | None = None,
    ) -> int:
        """Delete every item of a table but those that are kept; how many went.

        What is kept keeps the markers of its unique values. Other writes should rest meanwhile:
        what they store may stay. It may be called again after it was interrupted. `progress` is
        told how many went, page by page.
        """
        clearing = Clearing.of(self._context, table, keep)
        deleted, after, continued = 0, None, False
        while True:
            page = told(self._context, clear(clearing, after), continued=continued)
            some, after = await run_async(self._driver, page)
            deleted, continued = deleted + some, True
            if progress is not None:
                progress(deleted)
            if after is None:
                return deleted
