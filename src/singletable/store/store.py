# Generated from async_store.py by `make generate`; edit it there.
"""The store: typed things in, typed things out, on any driver."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeVar, overload

from singletable.operations import Driver
from singletable.retry import run, unwrap_retries
from singletable.schema import (
    Collection,
    Condition,
    Edit,
    ItemKey,
    Path,
    Selection,
    Table,
    UniqueValue,
)
from singletable.store import work
from singletable.store.admin import Clearing, create_table, read
from singletable.store.calls import Observer, PatternLike
from singletable.store.changes import Changes
from singletable.store.context import Context, check_driver, check_sync, context_of
from singletable.store.items import State
from singletable.store.operating import clear, scan, stored_items
from singletable.store.pages import Page
from singletable.store.transaction import Transaction
from singletable.store.work import Series, Work, told
from singletable.values import Item

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
K = TypeVar("K", bound=Collection)
R = TypeVar("R")


class Store:
    """Entities kept by a driver.

    `tables` gives tables their real names. `secret` seals page cursors: give the same to every
    process that shares them, or cursors end with the process. `observers` are told of every call
    when it is over: what it did, how long it took, and what it consumed.
    """

    def __init__(
        self,
        driver: Driver,
        *,
        tables: Mapping[Table, str] | None = None,
        cursor_secret: bytes | None = None,
        clock: Callable[[], datetime] | None = None,
        observers: Iterable[Observer] = (),
    ) -> None:
        check_driver("Store", driver, "connect")
        check_sync(driver)
        self.driver = driver
        self._once = unwrap_retries(driver)  # patience is ours
        self._context = context_of(tables, cursor_secret, clock, observers)

    @property
    def admin(self) -> Admin:
        """What an operator does: make tables, and read all of one."""
        return Admin(self._once, self._context)

    def get(self, address: ItemKey[E], *, consistent: bool = False) -> E | None:
        """The item at an address; None if there is none."""
        return self._run(work.get(self._context, address, consistent=consistent))

    def find(self, taken: UniqueValue[E]) -> E | None:
        """The item that has a unique value; None if there is none."""
        return self._run(work.find(self._context, taken))

    def create(self, item: E, *, if_: Condition[E] | None = None) -> E:
        """Store an item that is not there yet; AlreadyExists says which field another has."""
        return self._run(work.create(self._context, item, if_))

    def put(self, item: E, *, if_: Condition[E] | None = None) -> E:
        """Store an item in place of the one with its key, if there is one."""
        return self._run(work.put(self._context, item, if_))

    def replace(self, item: E, *, if_: Condition[E] | None = None) -> E:
        """Store an item in place of one that is there; NotFound if none is."""
        return self._run(work.replace(self._context, item, if_))

    def update(
        self,
        address: ItemKey[E],
        *edits: Edit[E],
        if_: Condition[E] | None = None,
        returning: State = "new",
    ) -> E:
        """Change some fields of an item that is there, and give it as it is, or as it was."""
        return self._run(work.update(self._context, address, edits, if_, returning))

    def delete(self, address: ItemKey[E], *, if_: Condition[E] | None = None) -> E | None:
        """Remove an item and give back what was there."""
        return self._run(work.delete(self._context, address, if_))

    def get_many(
        self, addresses: Iterable[ItemKey[E]], *, consistent: bool = False
    ) -> list[E | None]:
        """The items at some addresses, in their order; None where there is none."""
        return self._run(work.get_many(self._context, addresses, consistent=consistent))

    def put_many(self, items: Iterable[object]) -> None:
        """Store many items, each in place of the one with its key; not all or nothing."""
        self._run(work.put_many(self._context, items))

    def delete_many(self, addresses: Iterable[ItemKey[Any]]) -> None:
        """Remove many items, if they are there; not all or nothing."""
        self._run(work.delete_many(self._context, addresses))

    def query(
        self,
        selection: Selection[E],
        *,
        where: Condition[E] | None = None,
        limit: int | None = None,
        reverse: bool = False,
        consistent: bool = False,
    ) -> Iterator[E]:
        """The items of a selection in the order of their sort key, read as they are needed."""
        return self._each(
            work.query(
                self._context, selection, where, limit, reverse=reverse, consistent=consistent
            )
        )

    def hydrate(
        self,
        selection: Selection[E],
        *,
        where: Condition[E] | None = None,
        limit: int | None = None,
        reverse: bool = False,
    ) -> Iterator[E]:
        """The items of an index that does not hold them whole, read from the table itself."""
        return self._each(work.hydrate(self._context, selection, where, limit, reverse=reverse))

    def page(
        self,
        selection: Selection[E],
        size: int,
        *,
        cursor: str | None = None,
        where: Condition[E] | None = None,
        reverse: bool = False,
        consistent: bool = False,
    ) -> Page[E]:
        """One page, and a cursor for the next that a browser may hold."""
        return self._run(
            work.page(
                self._context,
                selection,
                size,
                cursor,
                where,
                reverse=reverse,
                consistent=consistent,
            )
        )

    def count(
        self,
        selection: Selection[E],
        *,
        where: Condition[E] | None = None,
        consistent: bool = False,
    ) -> int:
        """How many items there are, on all pages."""
        return self._run(work.count(self._context, selection, where, consistent=consistent))

    def collect(self, kind: type[K], selection: Selection[Any], *, consistent: bool = False) -> K:
        """All items of a partition, of several entities, by one query."""
        return self._run(work.collect(self._context, kind, selection, consistent=consistent))

    @overload
    def select(
        self,
        selection: Selection[E],
        a: Path[E, A],
        /,
        *,
        where: Condition[E] | None = None,
        limit: int | None = None,
        reverse: bool = False,
    ) -> Iterator[tuple[A]]: ...
    @overload
    def select(
        self,
        selection: Selection[E],
        a: Path[E, A],
        b: Path[E, B],
        /,
        *,
        where: Condition[E] | None = None,
        limit: int | None = None,
        reverse: bool = False,
    ) -> Iterator[tuple[A, B]]: ...
    @overload
    def select(
        self,
        selection: Selection[E],
        a: Path[E, A],
        b: Path[E, B],
        c: Path[E, C],
        /,
        *,
        where: Condition[E] | None = None,
        limit: int | None = None,
        reverse: bool = False,
    ) -> Iterator[tuple[A, B, C]]: ...
    @overload
    def select(
        self,
        selection: Selection[E],
        a: Path[E, A],
        b: Path[E, B],
        c: Path[E, C],
        d: Path[E, D],
        /,
        *,
        where: Condition[E] | None = None,
        limit: int | None = None,
        reverse: bool = False,
    ) -> Iterator[tuple[A, B, C, D]]: ...
    def select(
        self,
        selection: Selection[E],
        /,
        *paths: Path[E, Any],
        where: Condition[E] | None = None,
        limit: int | None = None,
        reverse: bool = False,
    ) -> Iterator[tuple[Any, ...]]:
        """Some fields of the items of a selection, as typed tuples."""
        return self._each(
            work.select(self._context, selection, paths, where, limit, reverse=reverse)
        )

    @overload
    def transact_get(self, a: ItemKey[A], b: ItemKey[B], /) -> tuple[A | None, B | None]: ...
    @overload
    def transact_get(
        self, a: ItemKey[A], b: ItemKey[B], c: ItemKey[C], /
    ) -> tuple[A | None, B | None, C | None]: ...
    @overload
    def transact_get(self, /, *addresses: ItemKey[E]) -> tuple[E | None, ...]: ...
    def transact_get(self, /, *addresses: ItemKey[Any]) -> tuple[Any, ...]:
        """Items as they stood at one moment; None where there is none."""
        return self._run(work.transact_get(self._context, addresses))

    @contextmanager
    def transaction(
        self, *, token: str | None = None, pattern: PatternLike | None = None
    ) -> Generator[Transaction]:
        """Writes that happen together at the end of the block, or not at all.

        The same token within ten minutes makes it happen once. `pattern` says which one it is.
        """
        writes = Transaction(self._context, token, pattern)
        yield writes
        self._run(Work(writes.commit(), writes.question))

    @overload
    def changes(self, a: type[A], /, *, after: int | None = 0, limit: int = 1000) -> Changes[A]: ...
    @overload
    def changes(
        self, a: type[A], b: type[B], /, *, after: int | None = 0, limit: int = 1000
    ) -> Changes[A | B]: ...
    @overload
    def changes(
        self, a: type[A], b: type[B], c: type[C], /, *, after: int | None = 0, limit: int = 1000
    ) -> Changes[A | B | C]: ...
    @overload
    def changes(
        self, /, *entities: type[Any], after: int | None = 0, limit: int = 1000
    ) -> Changes[Any]: ...
    def changes(
        self, /, *entities: type[Any], after: int | None = 0, limit: int = 1000
    ) -> Changes[Any]:
        """What was written after a position of the embedded engine's feed."""
        return self._run(work.read_changes(self._context, entities, after, limit))

    def _run(self, work: Work[R], *, continued: bool = False) -> R:
        return run(self._once, told(self._context, work, continued=continued))

    def _each(self, series: Series[R]) -> Iterator[R]:
        given = 0
        while (work := series.after(given)) is not None:
            found = self._run(work, continued=given > 0)
            if not found:
                return
            yield from found
            given += len(found)


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
