"""Load items with a counter and a unique value: bulk_load, one create each, and plain batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from benchmarks.harness.measurement import Scale
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from singletable import (
    Attr,
    BatchWriteItem,
    Call,
    Count,
    Engine,
    Entity,
    Key,
    PutRequest,
    Store,
    Table,
    Unique,
    WriteRequest,
    attr,
)
from singletable.store.batch import MAX_BATCH_WRITES

CLAIM = "a bulk load of counted, unique items takes a tenth of the requests of one create each"
TARGET = Target(at_most=0.1, unit="")

tracker = Table("tracker")


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


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure a load into an empty table in memory."""
    count = scale.counted
    loaded, load_requests = _measure(count, lambda store, items: store.bulk_load(items))
    created, create_requests = _measure(count, _create_each)
    batched = _measure_batches(count)
    yield ReportTable(
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
