"""The async store: read and write entities on any async driver."""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from copy import copy
from datetime import datetime
from typing import Any, ParamSpec, TypeVar, Unpack, overload

from dynamodb_engine.operations import AsyncDriver
from dynamodb_engine.retry import unwrap_retries
from dynamodb_engine.steps import NextItems, Steps, run_async, together
from dynamodb_engine.values import Item
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
from singletable.schema.fields import StorableItem
from singletable.store import admin, batch, items, query, transaction
from singletable.store import modify as modification
from singletable.store import upsert as upserts
from singletable.store.bulk import Progress, ProgressCallback
from singletable.store.bulk_delete import DeleteResult, PartitionDelete, Undeclared
from singletable.store.bulk_load import AsyncItems, BulkLoad, ConflictCallback, LoadResult
from singletable.store.calls import (
    CallShape,
    Observer,
    PatternLike,
    ReadPatternLike,
    call_shape,
    check_runnable,
    observe,
)
from singletable.store.changes import Change, Changes, read_changes
from singletable.store.collection_query import CollectionQuery, collect
from singletable.store.context import Context, check_async_driver, create_context, observe_context
from singletable.store.items import State
from singletable.store.options import CollectOptions, QueryOptions, ReadOptions, check_options
from singletable.store.pagination import Page, count_items, read_page, start_at_cursor, within_bound
from singletable.store.query import ItemQuery
from singletable.store.scope import AsyncScopedDriver, Shared, scope_context, unscoped
from singletable.store.scope_scan import ScopeDelete, ScopeInstances, ScopeScan
from singletable.store.streams import StreamOptions, StreamReader
from singletable.store.transaction import Transaction
from singletable.store.validation import (
    check_callback,
    check_count,
    check_iterable,
    check_keys,
    check_limit,
)

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
S = TypeVar("S", bound=StorableItem)
K = TypeVar("K", bound=Collection)
P = ParamSpec("P")
R = TypeVar("R")


class AsyncStore:
    """Reads and writes entities with an async driver.

    `tables` maps tables to their real names. `cursor_secret` encrypts page cursors: pass the same
    one to all processes that share cursors; without it, cursors are valid only in this process.
    `observers` are called after every call with its shape, its duration and its consumed capacity.
    """

    def __init__(
        self,
        driver: AsyncDriver,
        *,
        tables: Mapping[Table, str] | None = None,
        cursor_secret: bytes | None = None,
        clock: Callable[[], datetime] | None = None,
        observers: Iterable[Observer] = (),
    ) -> None:
        check_async_driver(driver)
        self.driver: AsyncDriver = driver
        self._inner: AsyncDriver = unwrap_retries(driver)  # the store retries by itself
        self._context: Context = create_context(
            tables, cursor_secret, clock, observers, driver=driver
        )

    @property
    def admin(self) -> AsyncAdmin:
        """Administration: create, scan and clear tables."""
        return AsyncAdmin(self._inner, self._context)

    def scoped(self, *, also: Iterable[Shared] = (), **fields: object) -> AsyncStore:
        """Return a store for one tenant: `store.scoped(org="acme")`.

        It raises OutOfScope, and sends nothing, for every partition key that does not contain this
        value of the field. Call it again with another field to narrow the scope. `also` lists
        shared entities, and unique values across tenants, that are allowed too.
        """
        context = scope_context(self._context, fields, also)
        store = copy(self)
        store.driver = AsyncScopedDriver(self.driver, context.scope)
        store._inner = AsyncScopedDriver(self._inner, context.scope)
        store._context = context
        return store

    def observed(self, *observers: Observer) -> AsyncStore:
        """Return a store that also reports its calls to these observers.

        Make one for a request to learn what this request alone consumed.
        """
        store = copy(self)
        store._context = observe_context(self._context, observers)
        return store

    async def get(self, key: ItemKey[E], *, consistent: bool = False) -> E | None:
        """Return the item, or None if it does not exist."""
        return await self._run(
            items.get(self._context, key, consistent=consistent),
            lambda: call_shape("get", key, consistent=consistent),
        )

    async def find(self, value: UniqueValue[E]) -> E | None:
        """Return the item that has a unique value, or None."""
        steps = items.find(self._context, value)
        return await self._run(steps, lambda: call_shape("find", value, consistent=True))

    async def create(self, item: S, *, if_: Condition[S] | None = None) -> S:
        """Store a new item; raise AlreadyExists, with the fields, if its key or value is taken."""
        return await self._run(
            items.create(self._context, item, if_),
            lambda: call_shape("create", item),
        )

    async def put(self, item: S, *, if_: Condition[S] | None = None) -> S:
        """Store an item, over the one with its key if there is one."""
        return await self._run(
            items.put(self._context, item, if_, must_exist=False),
            lambda: call_shape("put", item),
        )

    async def replace(self, item: S, *, if_: Condition[S] | None = None) -> S:
        """Store an item over an existing one; raise NotFound if it does not exist."""
        return await self._run(
            items.put(self._context, item, if_, must_exist=True),
            lambda: call_shape("replace", item),
        )

    async def update(
        self,
        key: ItemKey[E],
        *edits: Edit[E],
        if_: Condition[E] | None = None,
        returning: State = "new",
    ) -> E:
        """Edit some fields of an existing item; return the new item, or with "old" the old one.

        Without edits nothing is written, and the item keeps its version and its timestamp. It is
        returned if it meets `if_`.
        """
        return await self._run(
            items.update(self._context, key, edits, if_, returning),
            lambda: call_shape("update", key, edits=edits),
        )

    async def upsert(
        self,
        key: ItemKey[E],
        *edits: Edit[E],
        on_create: Sequence[Edit[E]] = (),
        if_: Condition[E] | None = None,
    ) -> E:
        """Edit an item, or create it if it does not exist, and return it.

        A new item has the defaults of its fields and `on_create`, then the edits are applied. `if_`
        is a condition on an existing item.
        """
        steps = upserts.upsert(self._context, key, edits, on_create, if_)
        return await self._run(steps, lambda: call_shape("upsert", key, edits=(*edits, *on_create)))

    async def modify(
        self, key: ItemKey[E], function: Callable[[E], E | None], *, default: E | None = None
    ) -> E:
        """Read an item, let `function` change or replace it, and write it.

        If there is no item, the function gets a copy of `default`, and the result is created. Raise
        NotFound if there is none and no `default`.

        The write uses optimistic locking, by the version or else by all attributes. After a
        conflict the item is read again and the function called again, so it must have no other
        effects, and it must not be async. An existing item that it leaves unchanged is not written,
        unless it has an older schema version.
        """
        return await self._run(
            modification.modify(self._context, key, function, default),
            lambda: call_shape("modify", key),
        )

    async def delete(self, key: ItemKey[E], *, if_: Condition[E] | None = None) -> E | None:
        """Delete an item and return it, or None if it did not exist."""
        steps = items.delete(self._context, key, if_)
        return await self._run(steps, lambda: call_shape("delete", key))

    async def get_many(
        self, keys: Iterable[ItemKey[E]], *, consistent: bool = False
    ) -> list[E | None]:
        """Return the items in the order of their keys; None for those that do not exist."""
        checked = check_keys(keys)
        return await self._run(
            batch.get_many(self._context, checked, consistent=consistent),
            lambda: call_shape("get_many", *checked, consistent=consistent),
        )

    async def put_many(self, items: Iterable[object]) -> None:
        """Store many items, each over the one with its key; not atomic.

        Items with equal keys are rejected: one would overwrite the other.
        """
        check_iterable("items", items)
        stored = list(items)
        await self._run(
            batch.put_many(self._context, stored),
            lambda: call_shape("put_many", *stored),
        )

    async def delete_many(self, keys: Iterable[ItemKey[Any]]) -> None:
        """Delete many items; not atomic. A missing item is no error."""
        checked = check_keys(keys)
        await self._run(
            batch.delete_many(self._context, checked),
            lambda: call_shape("delete_many", *checked),
        )

    async def bulk_load(
        self,
        items: AsyncItems,
        *,
        on_progress: ProgressCallback | None = None,
        on_conflict: ConflictCallback | None = None,
    ) -> LoadResult:
        """Store many new items of any entities, with their unique values and counters.

        Items are written in the order of `items`: list a project before the issues that it counts.
        An item that is stored already, with the same values, is skipped. So you can repeat an
        interrupted load from the start. If the stored item differs, or another item has the unique
        value, the load raises; with `on_conflict` that function gets the item, which is left out.
        Values of `version()`, `created()` and `updated()` are stored as they are.
        """
        load = BulkLoad(self._context, items, on_progress, on_conflict)
        async for item in _each(items):
            if load.add(item):
                await self._run(load.write(), load.shape, continued=load.is_continued)
        await self._run(load.write(), load.shape, continued=load.is_continued)
        return load.result

    async def delete_partition(
        self,
        selection: Selection[Any],
        *,
        undeclared: Undeclared = "raise",
        dry_run: bool = False,
        on_progress: ProgressCallback | None = None,
    ) -> DeleteResult:
        """Delete all items of a partition, of all entities, with their markers and counters.

        A narrowed selection deletes the items in its range, and those whose sort keys continue one
        of them, as `collect` reads them. If it is interrupted, call it again. An item of no
        declared entity raises ItemMismatch, unless `undeclared` is "keep" or "delete". With
        `dry_run` the items are counted, and nothing is deleted.
        """
        deletion = PartitionDelete(
            self._context, selection, undeclared, on_progress, dry_run=dry_run
        )
        while await self._run(
            deletion.delete_page(), deletion.shape, continued=deletion.is_continued
        ):
            pass
        return deletion.result

    def scan_scope(self, table: Table, *, segments: int = 1) -> AsyncIterator[Any]:
        """Iterate over all items of any entity in the scope of this store, in no order.

        Queries the partitions of the scope if its values determine them. Otherwise it reads, and
        costs, the whole table: an async store reads its `segments` concurrently.
        """
        return self._scope_pages(ScopeInstances(self._context, table, segments))

    async def delete_scope(
        self,
        table: Table,
        *,
        segments: int = 1,
        undeclared: Undeclared = "raise",
        dry_run: bool = False,
        on_progress: ProgressCallback | None = None,
    ) -> DeleteResult:
        """Delete all items in the scope of this store, with their markers and counters.

        They are read as by `scan_scope`, and deleted as by `delete_partition`. If it is
        interrupted, call it again. Items that are written meanwhile may stay.
        """
        deletion = ScopeDelete(
            self._context, table, segments, undeclared, on_progress, dry_run=dry_run
        )
        for scan in (deletion.scan, deletion.second_scan):
            while scan is not None and not scan.done:
                items = await self._read_scope(scan.next_items(), scan, deletion.is_continued)
                delete = deletion.delete_items if scan is deletion.scan else deletion.delete_markers
                await self._run(delete(items), deletion.shape, continued=True)
        return deletion.result

    async def _scope_pages(self, reader: ScopeInstances) -> AsyncIterator[Any]:
        continued = False
        while not reader.done:
            for item in await self._read_scope(reader.next_instances(), reader, continued):
                yield item
            continued = True

    async def _read_scope(self, steps: Steps[R], scan: ScopeScan, continued: bool) -> R:
        observed = observe(self._context.observers, steps, scan.shape, continued=continued)
        return await run_async(unscoped(self._inner), observed)

    def query(
        self, selection: Selection[E], **options: Unpack[QueryOptions[E]]
    ) -> AsyncIterator[E]:
        """Iterate over the items of a selection in sort key order, reading pages as needed."""
        check_options("query", QueryOptions, options)
        reader = query.create_query(self._context, selection, **options)
        return self._iterate(
            reader,
            lambda most: query.next_instances(reader, most),
            lambda: call_shape("query", selection, consistent=reader.consistent),
        )

    def hydrate(
        self, selection: Selection[E], **options: Unpack[QueryOptions[E]]
    ) -> AsyncIterator[E]:
        """Iterate over the items of an index that contains only some attributes.

        The items are read from the table by the keys in the index.
        """
        check_options("hydrate", QueryOptions, options)
        reader = ItemQuery(self._context, selection, **options)
        return self._iterate(
            reader,
            lambda most: query.next_hydrated(reader, most),
            lambda: call_shape("hydrate", selection, consistent=reader.consistent, hydrates=True),
        )

    @overload
    async def run(
        self, pattern: ReadPatternLike[P, ItemKey[E]], /, *args: P.args, **kwargs: P.kwargs
    ) -> E | None: ...
    @overload
    async def run(
        self, pattern: ReadPatternLike[P, UniqueValue[E]], /, *args: P.args, **kwargs: P.kwargs
    ) -> E | None: ...
    @overload
    def run(
        self, pattern: ReadPatternLike[P, Selection[E]], /, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncIterator[E]: ...
    def run(self, pattern: ReadPatternLike[P, Any], /, *args: P.args, **kwargs: P.kwargs) -> Any:
        """Read as a declared pattern does, with its consistency: `run(ballots, "Languages")`.

        Returns the item or None for a key or a unique value, and iterates over the items of a
        selection; if the pattern's index does not contain them, they are hydrated. For a page, a
        filter or a limit, pass what the pattern returns: `page(ballots("Languages"), 20)`.
        """
        check_runnable(pattern)
        selected: ItemKey[Any] | UniqueValue[Any] | Selection[Any] = pattern.bind(*args, **kwargs)
        consistent = pattern.expected.consistent
        if isinstance(selected, ItemKey):
            return self.get(selected, consistent=consistent)
        if isinstance(selected, UniqueValue):
            return self.find(selected)
        read = self.hydrate if query.is_hydrated(pattern, selected) else self.query
        return read(selected, consistent=consistent)

    @overload
    async def page(
        self,
        selection: Selection[E],
        size: int,
        *,
        hydrate: bool = False,
        **options: Unpack[ReadOptions[E]],
    ) -> Page[E]: ...
    @overload
    async def page(
        self,
        selection: Selection[E],
        size: int,
        *,
        fields: tuple[Path[E, A]],
        **options: Unpack[ReadOptions[E]],
    ) -> Page[tuple[A]]: ...
    @overload
    async def page(
        self,
        selection: Selection[E],
        size: int,
        *,
        fields: tuple[Path[E, A], Path[E, B]],
        **options: Unpack[ReadOptions[E]],
    ) -> Page[tuple[A, B]]: ...
    @overload
    async def page(
        self,
        selection: Selection[E],
        size: int,
        *,
        fields: tuple[Path[E, A], Path[E, B], Path[E, C]],
        **options: Unpack[ReadOptions[E]],
    ) -> Page[tuple[A, B, C]]: ...
    @overload
    async def page(
        self,
        selection: Selection[E],
        size: int,
        *,
        fields: tuple[Path[E, A], Path[E, B], Path[E, C], Path[E, D]],
        **options: Unpack[ReadOptions[E]],
    ) -> Page[tuple[A, B, C, D]]: ...
    async def page(
        self,
        selection: Selection[E],
        size: int,
        *,
        fields: tuple[Path[E, Any], ...] | None = None,
        hydrate: bool = False,
        **options: Unpack[ReadOptions[E]],
    ) -> Page[Any]:
        """Return one page of items, with cursors for the next and the previous one.

        Cursors are safe to hand out. `fields` reads only those, as typed tuples; `hydrate` reads
        whole items by the keys of an index that contains only some attributes. With `max_read`, a
        page may be shorter, or empty, and have a cursor to go on.
        """
        check_options("page", ReadOptions, options, "fields", "hydrate")
        check_count("size", size)
        reader, next_results = query.create_page_query(
            self._context, selection, fields=fields, hydrate=hydrate, **options
        )
        return await self._run(
            read_page(reader, size, next_results),
            lambda: call_shape("page", selection, consistent=reader.consistent, hydrates=hydrate),
        )

    async def count(
        self,
        selection: Selection[E],
        *,
        where: Condition[E] | None = None,
        limit: int | None = None,
        consistent: bool = False,
        cursor: str | None = None,
        max_read: int | None = None,
    ) -> int:
        """Return the number of items, on all pages; with `limit`, stop counting there."""
        check_limit(limit)
        reader = ItemQuery(
            self._context, selection, where, consistent=consistent, max_read=max_read, cursor=cursor
        )
        return await self._run(
            count_items(start_at_cursor(reader), limit),
            lambda: call_shape("count", selection, consistent=consistent),
        )

    async def collect(
        self,
        collection: type[K],
        selection: Selection[Any],
        *,
        limit: int | None = None,
        **options: Unpack[CollectOptions[Any]],
    ) -> K:
        """Return the items of several entities in a partition or range, with one query.

        A narrowed selection includes the items whose sort keys continue one in its range. `where`
        tests the items of its own entity; the others are returned in any case. If nothing is found
        and the collection has a required member, it raises NotFound.
        """
        check_options("collect", CollectOptions, options, "limit")
        check_limit(limit)
        reader = CollectionQuery(self._context, collection, selection, **options)
        return await self._run(
            collect(reader, collection, limit),
            lambda: call_shape(
                "collect", selection, collection=collection, consistent=reader.consistent
            ),
        )

    @overload
    def select(
        self, selection: Selection[E], a: Path[E, A], /, **options: Unpack[QueryOptions[E]]
    ) -> AsyncIterator[tuple[A]]: ...
    @overload
    def select(
        self,
        selection: Selection[E],
        a: Path[E, A],
        b: Path[E, B],
        /,
        **options: Unpack[QueryOptions[E]],
    ) -> AsyncIterator[tuple[A, B]]: ...
    @overload
    def select(
        self,
        selection: Selection[E],
        a: Path[E, A],
        b: Path[E, B],
        c: Path[E, C],
        /,
        **options: Unpack[QueryOptions[E]],
    ) -> AsyncIterator[tuple[A, B, C]]: ...
    @overload
    def select(
        self,
        selection: Selection[E],
        a: Path[E, A],
        b: Path[E, B],
        c: Path[E, C],
        d: Path[E, D],
        /,
        **options: Unpack[QueryOptions[E]],
    ) -> AsyncIterator[tuple[A, B, C, D]]: ...
    def select(
        self, selection: Selection[E], /, *paths: Path[E, Any], **options: Unpack[QueryOptions[E]]
    ) -> AsyncIterator[tuple[Any, ...]]:
        """Iterate over some fields of the items of a selection, as typed tuples."""
        check_options("select", QueryOptions, options)
        reader = query.create_field_query(self._context, selection, paths, **options)
        return self._iterate(
            reader,
            lambda most: query.next_fields(reader, paths, most),
            lambda: call_shape("select", selection, consistent=reader.consistent),
        )

    @overload
    async def transact_get(self, a: ItemKey[A], b: ItemKey[B], /) -> tuple[A | None, B | None]: ...
    @overload
    async def transact_get(
        self, a: ItemKey[A], b: ItemKey[B], c: ItemKey[C], /
    ) -> tuple[A | None, B | None, C | None]: ...
    @overload
    async def transact_get(self, /, *keys: ItemKey[E]) -> tuple[E | None, ...]: ...
    async def transact_get(self, /, *keys: ItemKey[Any]) -> tuple[Any, ...]:
        """Return the items in a consistent snapshot; None for those that do not exist."""
        return await self._run(
            transaction.transact_get(self._context, keys),
            lambda: call_shape("transact_get", *keys, consistent=True),
        )

    @asynccontextmanager
    async def transaction(
        self, *, token: str | None = None, pattern: PatternLike | None = None
    ) -> AsyncGenerator[Transaction]:
        """Collect writes in the block, and commit all of them at its end, or none.

        A transaction with the same `token` is applied only once within ten minutes. `pattern` is
        the access pattern to report to observers.
        """
        writes = self.begin(token=token, pattern=pattern)
        yield writes
        await run_async(self._inner, writes.commit())

    def begin(self, *, token: str | None = None, pattern: PatternLike | None = None) -> Transaction:
        """Return a transaction that steps commit, with the options of `transaction`."""
        return Transaction(self._context, token, pattern)

    async def run_steps(self, *steps: Steps[R]) -> list[R]:
        """Run multi-step work, and return the result of each.

        Steps are generators that send nothing themselves, so sync and async stores run the same
        ones: `yield from tx.commit()` in a generator function commits a transaction of `begin`. An
        async store runs several of them concurrently, a sync one runs them in turn.
        """
        return await run_async(self._inner, together(steps))

    @overload
    async def changes(
        self, a: type[A], /, *, after: int | None = 0, limit: int = 1000
    ) -> Changes[A]: ...
    @overload
    async def changes(
        self, a: type[A], b: type[B], /, *, after: int | None = 0, limit: int = 1000
    ) -> Changes[A | B]: ...
    @overload
    async def changes(
        self, a: type[A], b: type[B], c: type[C], /, *, after: int | None = 0, limit: int = 1000
    ) -> Changes[A | B | C]: ...
    @overload
    async def changes(
        self, /, *entities: type[Any], after: int | None = 0, limit: int = 1000
    ) -> Changes[Any]: ...
    async def changes(
        self, /, *entities: type[Any], after: int | None = 0, limit: int = 1000
    ) -> Changes[Any]:
        """Return the changes after a position of the embedded engine's change feed."""
        return await self._run(
            read_changes(self._context, entities, after, limit),
            lambda: call_shape("changes", *entities),
        )

    @overload
    def stream(
        self, a: type[A], /, **options: Unpack[StreamOptions]
    ) -> AsyncIterator[Change[A]]: ...
    @overload
    def stream(
        self, a: type[A], b: type[B], /, **options: Unpack[StreamOptions]
    ) -> AsyncIterator[Change[A | B]]: ...
    @overload
    def stream(
        self, a: type[A], b: type[B], c: type[C], /, **options: Unpack[StreamOptions]
    ) -> AsyncIterator[Change[A | B | C]]: ...
    @overload
    def stream(
        self, /, *entities: type[Any], **options: Unpack[StreamOptions]
    ) -> AsyncIterator[Change[Any]]: ...
    def stream(
        self, /, *entities: type[Any], **options: Unpack[StreamOptions]
    ) -> AsyncIterator[Change[Any]]:
        """Follow the DynamoDB stream of a table: iterate over the changes of these entities.

        Each change comes at least once, and the changes of an item in order. See StreamOptions for
        the options: checkpoints, several workers, and where to start and stop.
        """
        reader = StreamReader(self._context, entities, options)
        shape = call_shape("stream", *entities)
        return self._pages(reader.next_page, None, lambda: shape)

    async def _run(
        self, steps: Steps[R], shape: Callable[[], CallShape], *, continued: bool = False
    ) -> R:
        observed = observe(self._context.observers, steps, shape, continued=continued)
        return await run_async(self._inner, observed)

    def _iterate(
        self, reader: ItemQuery[Any], next_items: NextItems[R], shape: Callable[[], CallShape]
    ) -> AsyncIterator[R]:
        start_at_cursor(reader)
        return self._pages(within_bound(reader, next_items), reader.limit, shape)

    async def _pages(
        self, next_items: NextItems[R], limit: int | None, shape: Callable[[], CallShape]
    ) -> AsyncIterator[R]:
        count = 0
        while limit is None or count < limit:
            left = None if limit is None else limit - count
            page = await self._run(next_items(left), shape, continued=count > 0)
            if not page:
                return
            for item in page:
                yield item
            count += len(page)


async def _each(items: AsyncItems) -> AsyncIterator[object]:
    if isinstance(items, AsyncIterable):  # async only
        async for item in items:
            yield item
        return
    check_iterable("items", items)
    for item in items:
        yield item


class AsyncAdmin:
    """Administration of tables, for operators rather than applications."""

    def __init__(self, driver: AsyncDriver, context: Context) -> None:
        self._driver = driver
        self._context = context

    async def create_table(self, table: Table, *, if_missing: bool = False) -> bool:
        """Create the declared table, and return whether it is new.

        With `if_missing`, an existing table must have the declared indexes.
        """
        return await run_async(
            self._driver, admin.create_table(self._context, table, if_missing=if_missing)
        )

    def scan(self, entity: type[E], *, segments: int = 1) -> AsyncIterator[E]:
        """Iterate over all items of an entity, in no order; reads, and costs, the whole table.

        An async store reads the `segments` of the table concurrently; it holds one page of each.
        """
        reader = admin.EntityScan(self._context, entity, segments)
        return self._scan_pages(reader, lambda: call_shape("scan", entity))

    async def _scan_pages(
        self, reader: admin.EntityScan, shape: Callable[[], CallShape]
    ) -> AsyncIterator[Any]:
        continued = False
        while not reader.done:
            for item in await self._run(reader.next_instances(), shape, continued=continued):
                yield item
            continued = True

    async def items(self, table: Table, size: int, *, cursor: str | None = None) -> Page[Item]:
        """Return one page of stored items, in no order, with a cursor for the next one.

        Markers of unique values, items of no entity, and expired items are among them.
        """
        return await self._run(
            admin.items_page(self._context, table, size, cursor), lambda: CallShape("items", ())
        )

    def decode(self, table: Table, item: Item) -> object | None:
        """Decode a stored item as its entity; return None for markers and items of no entity."""
        return admin.decode_stored_item(table, item)

    async def clear(
        self,
        table: Table,
        *,
        keep: Iterable[ItemKey[Any]] = (),
        on_progress: ProgressCallback | None = None,
    ) -> int:
        """Delete all items of a table except those to `keep`; return how many were deleted.

        Markers of the unique values of kept items stay. Items that are written meanwhile may stay
        too. If it is interrupted, call it again. `on_progress` is called after each page.
        """
        check_callback("on_progress", on_progress)
        clearing = admin.TableClearing.create(self._context, table, keep)
        total, after, continued = 0, None, False
        while True:
            deleted, after = await self._run(
                clearing.clear_page(after), lambda: CallShape("clear", ()), continued=continued
            )
            total, continued = total + deleted, True
            if on_progress is not None:
                on_progress(Progress(total))
            if after is None:
                return total

    async def _run(
        self, steps: Steps[R], shape: Callable[[], CallShape], *, continued: bool = False
    ) -> R:
        observed = observe(self._context.observers, steps, shape, continued=continued)
        return await run_async(self._driver, observed)
