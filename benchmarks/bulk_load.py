"""Load items with a counter and a unique value, and items with a version and four indexes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

import apsw

from benchmarks.harness.measurement import Scale, temporary_folder
from benchmarks.harness.report import (
    ReportTable,
    Target,
    format_microseconds,
    format_rate,
    format_ratio,
)
from dynamodb_engine import BatchWriteItem, Engine, PutRequest, WriteRequest
from dynamodb_engine.values import item_to_json
from singletable import Attr, Call, Count, Entity, Index, Key, Store, Table, Unique, attr, version
from singletable.store.batch import MAX_BATCH_WRITES
from singletable.store.commit import MAX_TRANSACTION_ITEMS

CLAIM = "a bulk load of counted, unique items takes a tenth of the requests of one create each"
TARGET = Target(at_most=0.1, unit="")
VERSIONED_TARGET = Target(at_most=1.5)

# A partition key, a sort key and the item as JSON.
_BareRow: TypeAlias = tuple[str, str, bytes]

tracker = Table("tracker")
indexes = [Index(f"GSI{n}", pk=f"GSI{n}PK", sk=f"GSI{n}SK") for n in range(1, 5)]
parcels = Table("parcels", indexes=indexes)


class Project(Entity, table=tracker):
    """A project that counts its issues."""

    name: Attr[str] = attr()
    issues: Attr[int] = attr(default=0)
    key = Key(pk=("PROJECT", name), sk="PROJECT")


class Issue(Entity, table=tracker):
    """An issue with a unique name in the address of its page."""

    project: Attr[str] = attr()
    number: Attr[int] = attr()
    slug: Attr[str] = attr()
    key = Key(pk=("PROJECT", project), sk=("ISSUE", number))
    counted = Count(Project, Project.issues, key=(project,))
    one_slug = Unique(project, slug)


class Parcel(Entity, table=parcels):
    """A parcel with a version: a load writes it in transactions."""

    number: Attr[int] = attr()
    depot: Attr[str] = attr()
    state: Attr[str] = attr()
    address: Attr[str] = attr()
    version: Attr[int] = version()
    key = Key(pk=("PARCEL", number), sk="PARCEL")
    in_depot = Key(pk=("DEPOT", depot), sk=number).on(indexes[0])
    in_state = Key(pk=("STATE", state), sk=number).on(indexes[1])
    at_address = Key(pk=("ADDRESS", address), sk=number).on(indexes[2])
    in_depot_by_state = Key(pk=("STATES", depot), sk=(state, number)).on(indexes[3])


class Package(Entity, table=parcels):
    """The same without a version: a load writes it in batches."""

    number: Attr[int] = attr()
    depot: Attr[str] = attr()
    state: Attr[str] = attr()
    address: Attr[str] = attr()
    version: Attr[int] = attr(default=1)
    key = Key(pk=("PACKAGE", number), sk="PACKAGE")
    in_depot = Key(pk=("PACKAGES", depot), sk=number).on(indexes[0])
    in_state = Key(pk=("PACKAGE_STATE", state), sk=number).on(indexes[1])
    at_address = Key(pk=("PACKAGE_ADDRESS", address), sk=number).on(indexes[2])
    in_depot_by_state = Key(pk=("PACKAGE_STATES", depot), sk=(state, number)).on(indexes[3])


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure a load into an empty table in memory, and one of versioned items."""
    count = scale.counted
    yield _measure_counted(count)
    with temporary_folder() as folder:
        rows = [_measure_versioned(count, path) for path in (None, folder / "parcels.db")]
    yield ReportTable(
        f"{count:,} items in four indexes, processor time for each",
        ["", "with a version", "without", "ratio", "target", "bare SQLite", "to bare SQLite"],
        rows,
        [
            "With a version, a transaction requires that the item is absent. Bare SQLite inserts "
            "the same JSON into five tables and a change feed, a hundred items in a transaction, "
            "without planning, encoding or checking an item."
        ],
    )


def _measure_versioned(count: int, path: Path | None) -> list[str]:
    """Return the row for memory or a file: processor time, which other programs disturb least."""
    seconds: list[float] = []
    rows: list[list[_BareRow]] = []
    for entity in (Parcel, Package):
        with Engine.in_memory() if path is None else Engine.on_file(path) as engine:
            store = Store(engine)
            store.admin.create_table(parcels, if_missing=True)
            items = [
                entity(number=n, depot=f"d{n % 20}", state="new", address=f"{n} Long Street")
                for n in range(count)
            ]
            started = time.process_time()
            store.bulk_load(items)
            seconds.append((time.process_time() - started) / count)
            if entity is Parcel:
                rows = _bare_rows(store, count)
    first, second = seconds
    bare = _insert_bare(rows, None if path is None else path.with_name("bare.db")) / count
    return [
        "memory" if path is None else "file",
        format_microseconds(first),
        format_microseconds(second),
        format_ratio(first / second),
        VERSIONED_TARGET.verdict(first / second),
        format_microseconds(bare),
        format_ratio(first / bare),
    ]


def _bare_rows(store: Store, count: int) -> list[list[_BareRow]]:
    """Return the rows of each loaded item: its key, its index keys and its place in the feed."""
    rows: list[list[_BareRow]] = []
    for number, item in enumerate(store.admin.items(parcels, count).items):
        texts = {name: value["S"] for name, value in item.items() if "S" in value}
        json = item_to_json(item)
        entries = [
            (texts[f"GSI{n}PK"], texts[f"GSI{n}SK"] + texts["PK"], json)
            for n in range(1, len(indexes) + 1)
        ]
        change = ("changes", f"{number:012}", json)
        rows.append([(texts["PK"], texts["SK"], json), *entries, change])
    return rows


def _insert_bare(items: list[list[_BareRow]], path: Path | None) -> float:
    """Return the processor time of inserting rows with bare SQLite."""
    connection = apsw.Connection(":memory:" if path is None else str(path))
    try:
        cursor = connection.cursor()
        if path is not None:
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute("PRAGMA synchronous = FULL")
        tables = range(len(items[0]))
        for table in tables:
            cursor.execute(
                f"CREATE TABLE rows_{table} (id INTEGER PRIMARY KEY, partition TEXT, sort TEXT, "
                "item BLOB, UNIQUE (partition, sort))"
            )
        started = time.process_time()
        for start in range(0, len(items), MAX_TRANSACTION_ITEMS):
            part = items[start : start + MAX_TRANSACTION_ITEMS]
            with connection:
                for table in tables:
                    cursor.executemany(
                        f"INSERT INTO rows_{table} (partition, sort, item) VALUES (?, ?, ?)",
                        [rows[table] for rows in part],
                    )
        return time.process_time() - started
    finally:
        connection.close()


def _measure_counted(count: int) -> ReportTable:
    loaded, load_requests = _measure(count, lambda store, items: store.bulk_load(items))
    created, create_requests = _measure(count, _create_each)
    batched = _measure_batches(count)
    return ReportTable(
        f"{count:,} items of one counter, each with a unique value",
        ["", "items", "to one create each", "requests per item", "target"],
        [
            [
                "`bulk_load`",
                format_rate(loaded),
                format_ratio(loaded / created),
                f"{load_requests:.3f}",
                TARGET.verdict(load_requests / create_requests),
            ],
            ["one `create` each", format_rate(created), "1×", f"{create_requests:.3f}", ""],
            [
                "BatchWriteItem of the same items and markers, without conditions or counts",
                format_rate(batched),
                format_ratio(batched / created),
                f"{2 / MAX_BATCH_WRITES:.3f}",
                "",
            ],
        ],
        ["In memory, without a network: over one, the number of requests decides."],
    )


def _issues(count: int) -> list[Issue]:
    return [Issue(project="web", number=n, slug=f"issue-{n}") for n in range(count)]


def _create_each(store: Store, items: list[Issue]) -> object:
    for item in items:
        store.create(item)
    return None


def _measure(count: int, load: Callable[[Store, list[Issue]], object]) -> tuple[float, float]:
    """Return the items per second, and the requests per item."""
    rates: list[float] = []
    requests = 0

    def observe(call: Call) -> None:
        nonlocal requests
        requests += len(call.requests)

    for observers in ((), (observe,)):
        with Engine.in_memory() as engine:
            store = Store(engine, observers=observers)
            store.admin.create_table(tracker)
            store.create(Project(name="web"))
            requests = 0
            items = _issues(count)
            started = time.perf_counter()
            load(store, items)
            rates.append(count / (time.perf_counter() - started))
            project = store.get(Project.key("web"))
            assert project is not None
            assert project.issues == count
    return rates[0], requests / count


def _measure_batches(count: int) -> float:
    """Return the items per second of plain batches, which is the most that is possible."""
    with Engine.in_memory() as source, Engine.in_memory() as engine:
        store = Store(source)
        store.admin.create_table(tracker)
        store.create(Project(name="web"))
        store.bulk_load(_issues(count))
        items = store.admin.items(tracker, 2 * count + 1).items
        Store(engine).admin.create_table(tracker)
        started = time.perf_counter()
        for start in range(0, len(items), MAX_BATCH_WRITES):
            part = items[start : start + MAX_BATCH_WRITES]
            requests = [WriteRequest(PutRequest(item)) for item in part]
            engine.execute(BatchWriteItem({"tracker": requests}))
        return count / (time.perf_counter() - started)
