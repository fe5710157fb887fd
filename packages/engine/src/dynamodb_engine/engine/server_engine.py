"""The engine on a SQL server: PostgreSQL or MariaDB, shared by many processes."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import astuple
from dataclasses import replace as replace_in
from functools import partial
from typing import Any, Self, TypeAlias, TypeVar, cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit
from uuid import uuid4

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.cancellation import finish
from dynamodb_engine.engine.catalog import Session, Unfinished
from dynamodb_engine.engine.control.backfill import add_entry
from dynamodb_engine.engine.engine import Engine
from dynamodb_engine.engine.handlers import Handler
from dynamodb_engine.engine.server_catalog import FeedTrimmer, ServerCatalog
from dynamodb_engine.engine.settings import ControlClock, Settings
from dynamodb_engine.engine.storage import Execute, RowKey
from dynamodb_engine.engine.storage.server import (
    Places,
    ServerDatabase,
    ServerLayout,
    ServerRows,
    Transaction,
)
from dynamodb_engine.engine.storage.server.dialect import Dialect
from dynamodb_engine.engine.stream_shards import split_shards, stored_streams
from dynamodb_engine.engine.table import Index, Table
from dynamodb_engine.engine.table_record import UNTIL_FILLED, TableRecord
from dynamodb_engine.errors import (
    AddressError,
    EngineError,
    ResourceNotFound,
    StorageError,
    ValidationError,
)
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.values import item_from_json

R = TypeVar("R")
# Finds the tables and keys that a write locks.
FindPlaces: TypeAlias = Callable[[Execute], Places]
_PROCESS_CLOCK = time.time
_CHUNK = 500  # items that are filled in one transaction
_LEASE = 30.0  # seconds
_SWEEP = "sweep"
_MAX_WAIT = 2.0  # seconds that a request waits for an index to be filled


class ServerEngine(Engine):
    """DynamoDB on a SQL server. Threads can share an engine, and processes a database."""

    is_embedded = False

    def __init__(self, database: ServerDatabase, settings: Settings) -> None:
        if settings.clock is _PROCESS_CLOCK:
            settings = replace_in(settings, clock=database.clock.now)
        self.settings = settings
        self._server = database
        # The clock of everything that processes share, for stores and migrations on this engine.
        self.shared_clock = database.clock.now
        self._path = None
        self._control_clock = ControlClock()
        self._owner = str(uuid4())
        self._closed = threading.Event()
        self._filler: threading.Thread | None = None
        self._starting = threading.Lock()  # the filler
        self._catalog: ServerCatalog = ServerCatalog(ServerLayout(database.dialect), self._latest)
        database.catalog = self._catalog
        database.after_commit = FeedTrimmer(settings, self._split_later).after_commit
        try:
            database.write(_drop_forgotten)
            self._start_filling()
        except BaseException:
            database.close()
            raise

    @classmethod
    def at(cls, address: str, settings: Settings | None = None) -> Self:
        """Open an engine on the server at an address such as `postgresql://user@host/votes`."""
        if settings is not None and settings.kinesis_folder is not None:
            raise AddressError(
                "Changes in a database on a SQL server cannot be delivered to Kinesis files. Leave "
                "out Settings.kinesis_folder and --kinesis-folder, and read the table's stream."
            )
        address, options = _split_options(address)
        dialect = _dialect(address)
        connections = _number(options.get("connections", "16"), 2, "connections")
        dialect.timeout = _number(options.get("timeout", "30"), 1, "seconds as the timeout")
        database = ServerDatabase(
            dialect, address, connections=connections, replica=options.get("replica")
        )
        return cls(database, settings or Settings())

    def copy(self, settings: Settings | None = None) -> Engine:
        """Raise StorageError: only an embedded engine can be copied to memory."""
        raise StorageError(
            "An engine on a SQL server cannot be copied to memory. Copy its tables with "
            "'singletable copy'."
        )

    def execute(self, operation: ops.Operation[R], /) -> R:
        """Execute an operation and return its output.

        If this raises an error without `outcome_unknown`, nothing was changed. An InternalError has
        it: the connection was lost during COMMIT.
        """
        handler, plan, work = self._work(operation)
        places = self._places(operation, handler, plan)
        known = self._catalog.versions
        try:
            return self._execute(operation, handler, work, places)
        except (ResourceNotFound, ValidationError):
            # Another process may have created what the request names.
            self._reload()
            if self._catalog.versions == known:
                raise
        return self._execute(operation, handler, work, places)

    def _execute(
        self,
        operation: ops.Operation[R],
        handler: Handler,
        work: Callable[[Execute], R],
        places: FindPlaces | None,
    ) -> R:
        if type(operation) is ops.SweepExpired:
            self._reload()  # another process may have enabled TTL
            if not self._take_lease(_SWEEP):
                return cast(R, ops.SweepExpiredOutput(0, more=False))  # another process sweeps
        if handler.writes:
            output = self._server.write(work, places, _weight(operation))
            if places is None:
                self._fill_tables()
            elif type(operation) is ops.SweepExpired:
                self._end_lease(_SWEEP)
            return output
        if OPERATIONS[type(operation)].scope not in ("items", "stream"):
            self._reload()
        is_consistent = bool(getattr(operation, "consistent_read", True))
        return self._read(work, on_replica=not is_consistent)

    def _read(self, work: Callable[[Execute], R], *, on_replica: bool) -> R:
        output = self._server.read(work, replica=on_replica)
        if isinstance(output, Unfinished):
            return self._finish(cast("Unfinished[R]", output))
        return output

    async def execute_async(self, operation: ops.Operation[R]) -> R:
        """Execute an operation without blocking the event loop."""
        handler, plan, work = self._work(operation)
        places = self._places(operation, handler, plan)
        if places is not None and type(operation) is not ops.SweepExpired:
            with suppress(ResourceNotFound, ValidationError):
                pending = self._server.submit(work, places, _weight(operation))
                return await finish(asyncio.wrap_future(pending))
        answer = asyncio.wrap_future(self.submit(operation))
        return await (finish(answer) if handler.writes else answer)

    def submit(self, operation: ops.Operation[R], /) -> Future[R]:
        """Execute an operation in another thread. Writes that wait share a transaction."""
        return self._server.in_thread(cast("Callable[[], R]", partial(self.execute, operation)))

    def _describe_uncounted(self, table_name: str) -> ops.TableDescription:
        self._reload()  # another process may have created the table, with another key
        return self._server.read(self._uncounted_description(table_name))

    def close(self) -> None:
        """Finish the requests in progress and close the connections."""
        self._closed.set()
        if self._filler is not None:
            self._filler.join()
        self._server.close()

    def _session(
        self, execute: Execute, operation: ops.Operation[Any], handler: Handler
    ) -> Session:
        catalog = cast(ServerCatalog, cast(Any, execute).catalog)
        tables = catalog.draft if handler.writes else catalog.tables
        now = self.settings.clock()
        control_time = self._control_clock.advance(now)
        return Session(
            execute, execute, catalog, tables, self.settings, now, control_time, type(operation)
        )

    def _latest(self) -> float:
        """Return the time after which no pending change can end."""
        longest: float = max(astuple(self.settings.delays))
        return self._control_time() + 2 * longest

    def _control_time(self) -> float:
        return self._control_clock.advance(self.settings.clock())

    def _split_later(self, number: int) -> None:
        """Split the shards of a table's stream in another thread, unless this is being closed."""
        with suppress(RuntimeError):
            self._server.in_thread(partial(self._server.write, partial(self._split, number)))

    def _split(self, number: int, execute: Execute) -> None:
        """Split the shards of a table's stream if it had many changes since they were opened."""
        catalog = cast(ServerCatalog, cast(Any, execute).catalog)
        for table in catalog.draft.values():
            record = table.record
            if record.number != number or record.stream is None:
                continue
            start = stored_streams(record)[-1].generations[-1].start
            select = "SELECT count(*) FROM changes WHERE number = ? AND position > ?"
            ((count,),) = execute(select, (number, start))
            shards, now = self.settings.stream_shards, self.settings.clock()
            if count >= shards.records:
                last = catalog.last_change(execute, record)
                catalog.update(execute, split_shards(record, now, last, shards))
                return

    def _places(
        self, operation: ops.Operation[Any], handler: Handler, plan: Any
    ) -> FindPlaces | None:
        """Return the function that finds what a write locks; None if it changes tables."""
        find = handler.places
        if find is None:
            return None

        def places(execute: Execute) -> Places:
            session = self._session(execute, operation, handler)
            try:
                found = [(t.record.number, t.rows.name, key) for t, key in find(plan, session)]
            except EngineError:
                return []  # running the request raises the same error, or a better one
            token: str | None = getattr(operation, "client_request_token", None)
            if token:
                found.append((0, "tokens", ServerCatalog.token_key(token)))
            return found

        return places

    def _reload(self) -> None:
        """Read the catalog again."""
        self._server.reload()
        self._start_filling()

    def _fill_tables(self) -> None:
        """Fill new indexes in the background, and wait a moment: most tables are small."""
        self._start_filling()
        if self._filler is not None:
            self._filler.join(_MAX_WAIT)

    def _start_filling(self) -> None:
        with self._starting:
            is_running = self._filler is not None and self._filler.is_alive()
            if not is_running and next(self._unfilled(), None) is not None:
                filler = threading.Thread(target=self._fill, name="singletable-fill", daemon=True)
                with suppress(RuntimeError):  # too many threads: a later request starts it
                    filler.start()
                    self._filler = filler

    def _unfilled(self) -> Iterator[tuple[Table, Index | None]]:
        """Yield the indexes to fill, with their tables; None stands for the expiry times."""
        for table in self._catalog.tables.values():
            ttl = table.record.time_to_live
            if ttl is not None and ttl.settled_by == UNTIL_FILLED:
                yield table, None
            for index in table.indexes:
                if index.record.created_by == UNTIL_FILLED:
                    yield table, index

    def _fill(self) -> None:
        """Fill all indexes, unless another process does; take over if it does not go on."""
        while not self._closed.is_set():
            jobs = list(self._unfilled())
            if not jobs:
                return
            for table, index in jobs:
                # The table may be deleted meanwhile, or the server unreachable: look again.
                with suppress(EngineError):
                    if self._take_lease(_job(table, index)):
                        self._fill_one(table, index)
            with suppress(EngineError):
                self._server.reload()
            self._closed.wait(0.05 if not list(self._unfilled()) else 0.5)

    def _take_lease(self, name: str) -> bool:
        """Return whether this engine has a lease, alone, for half a minute."""

        def take(execute: Execute) -> bool:
            now = self._server.dialect.now
            select = f"SELECT owner FROM leases WHERE name = ? AND owner <> ? AND until > {now}"
            if list(execute(select, (name, self._owner))):
                return False
            execute("DELETE FROM leases WHERE name = ?", (name,))
            insert = f"INSERT INTO leases VALUES (?, ?, {now} + {_LEASE})"
            execute(insert, (name, self._owner))
            return True

        return self._server.write(take, _always([(0, "tokens", RowKey(name.encode(), b""))]))

    def _end_lease(self, name: str) -> None:
        def end(execute: Execute) -> None:
            delete = "DELETE FROM leases WHERE name = ? AND owner = ?"
            execute(delete, (name, self._owner))

        with suppress(EngineError):  # then it ends by itself
            self._server.write(end, _always([(0, "tokens", RowKey(name.encode(), b""))]))

    def _fill_one(self, table: Table, index: Index | None) -> None:
        name, after = _job(table, index), None
        rows = cast(ServerRows, table.rows)
        while keys := self._server.read(partial(rows.keys_after, after=after, limit=_CHUNK)):
            if self._closed.is_set() or not self._take_lease(name):
                return
            places = [(table.record.number, table.rows.name, key) for key in keys]
            self._server.write(partial(_fill_chunk, table, index, keys), _always(places))
            after = keys[-1]
        self._server.write(partial(self._end_filling, table.name, index))

    def _end_filling(self, name: str, index: Index | None, execute: Execute) -> None:
        """Store that an index can be read, or that TTL is enabled."""
        catalog = cast(ServerCatalog, cast(Any, execute).catalog)
        table = catalog.draft.get(name)
        if table is None:
            return
        now, delays = self._control_time(), self.settings.delays
        record = table.record
        if index is not None:
            record = _set_created(record, index.record.number, now + delays.create_index)
        elif record.time_to_live is not None:
            settled = replace(record.time_to_live, settled_by=now + delays.time_to_live)
            record = replace(record, time_to_live=settled)
        catalog.update(execute, record)


def _drop_forgotten(execute: Execute) -> None:
    """Drop rows of tables and indexes that a process created or deleted when it was killed."""
    transaction = cast(Transaction, execute)
    tables = cast(ServerCatalog, transaction.catalog).tables.values()
    known = {rows.name for t in tables for rows in (t.rows, *(i.rows for i in t.indexes))}
    found = {name for (name,) in transaction.run((transaction.dialect.list_rows, ()))}
    transaction.dropped += sorted(found - known)


def _fill_chunk(table: Table, index: Index | None, keys: list[RowKey], execute: Execute) -> None:
    for key in keys:
        row = table.rows.get(execute, key)
        if row is None:
            continue
        if index is not None:
            add_entry(index, row.size, row.json, execute)
        else:
            expires = table.expires_at(item_from_json(row.json))
            table.rows.replace(execute, key, row, row.size, row.json, expires)


def _weight(operation: ops.Operation[Any]) -> int:
    """Return about how many items an operation writes."""
    match operation:
        case ops.TransactWriteItems(transact_items=actions):
            return len(actions)
        case ops.ExecuteTransaction(transact_statements=statements):
            return len(statements)
        case ops.BatchExecuteStatement(statements=statements):
            return len(statements)
        case ops.BatchWriteItem(request_items=tables):
            return sum(map(len, tables.values()))
        case _:
            return 1


def _always(places: Places) -> FindPlaces:
    return lambda execute: places


def _set_created(record: TableRecord, number: int, time: float) -> TableRecord:
    indexes = [
        replace(index, created_by=time) if index.number == number else index
        for index in record.global_indexes
    ]
    return replace(record, global_indexes=tuple(indexes))


def _job(table: Table, index: Index | None) -> str:
    return f"fill {table.rows.name if index is None else index.rows.name}"


def _dialect(address: str) -> Dialect:
    """Return the dialect of an address; its driver is imported only now."""
    try:
        if address.startswith("postgresql:"):
            from dynamodb_engine.engine.storage.server.postgresql import PostgreSQL

            return PostgreSQL()
        from dynamodb_engine.engine.storage.server.mariadb import MariaDB

        return MariaDB()
    except ImportError as error:
        raise AddressError(
            f"The driver for this address is missing ({error.name}). Install dynamodb-engine[sql]."
        ) from None


def _number(text: str, least: int, meaning: str) -> int:
    if not text.isdigit() or not least <= int(text) <= 1000:
        raise AddressError(f"Expected {least} to 1000 {meaning} in the address, but got '{text}'.")
    return int(text)


def _split_options(address: str) -> tuple[str, dict[str, str]]:
    """Return the address without our own options, and these."""
    url = urlsplit(address)
    ours: dict[str, str] = {}
    others: list[tuple[str, str]] = []
    for name, value in parse_qsl(url.query, keep_blank_values=True):
        if name in ("connections", "replica", "timeout"):
            ours[name] = value
        else:
            others.append((name, value))
    # libpq takes a plus sign for itself, not for a space.
    return urlunsplit(url._replace(query=urlencode(others, quote_via=quote))), ours
