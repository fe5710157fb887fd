"""Run a migration on a copy of the tables in this process, to see what it does and consumes.

The copy has all items of the tables, or a sample, and the indexes as they are now. The steps are
run by the same code as in earnest. Items that fail are recorded and removed from the copy, so that
one rehearsal finds all of them. Nothing is written to the tables.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from msgspec.structs import replace

from singletable.engine import Engine, Settings
from singletable.errors import MigrationError, ResourceNotFound, TransformFailed, ValidationError
from singletable.migration.environment import PATIENT, StepProgress, no_progress
from singletable.migration.rate_limit import consumed_units
from singletable.migration.runner import MigrationRunner
from singletable.migration.state import is_state_item
from singletable.migration.steps import Copy, DropTable, Migration, Step, step_tables, step_text
from singletable.migration.two_addresses import Side
from singletable.operations import (
    BatchWriteItem,
    DeleteItem,
    DescribeTable,
    Driver,
    GetItem,
    Operation,
    PageOutput,
    PutItem,
    PutRequest,
    Scan,
    TableDescription,
    WriteRequest,
)
from singletable.operations.registry import OPERATIONS
from singletable.retry import run, send, unwrap_retries
from singletable.schema import Table, create_operation, table_from_description
from singletable.store.batch import MAX_BATCH_WRITES
from singletable.store.writes import ItemId, item_id
from singletable.values import Item, item_size

R = TypeVar("R")

# Larger copies are kept in a temporary file, not in memory.
MAX_BYTES_IN_MEMORY = 256 * 1024 * 1024


@dataclass
class LoadedTable:
    """A table of the rehearsal: what is known about it, and how many items were copied."""

    described: TableDescription
    items: int = 0
    bytes: int = 0
    # Whether all items were copied.
    is_complete: bool = True


@dataclass
class RehearsedStep:
    """What a step consumed on the copy, and the items for which it failed."""

    read_units: float = 0.0
    write_units: float = 0.0
    # Units for the state of the migration, which do not depend on the number of items.
    state_read_units: float = 0.0
    state_write_units: float = 0.0
    failures: list[tuple[Item, str]] = field(default_factory=list[tuple[Item, str]])


class CountingDriver:
    """Counts the units that requests consume; those for the state of migrations separately."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.count = RehearsedStep()

    def execute(self, operation: Operation[R], /) -> R:
        """Execute a request, and record what it consumed."""
        request: Any = operation
        if hasattr(request, "return_consumed_capacity"):
            request = replace(request, return_consumed_capacity="TOTAL")
        output: Any = self._driver.execute(request)
        units = consumed_units(getattr(output, "consumed_capacity", None))
        if isinstance(operation, GetItem):
            # Steps read items in batches, queries and scans.
            self.count.state_read_units += units
        elif isinstance(operation, PutItem) and is_state_item(operation.item):
            self.count.state_write_units += units
        elif OPERATIONS[type(operation)].writes:
            self.count.write_units += units
        else:
            self.count.read_units += units
        return output  # type: ignore[no-any-return]


class Rehearsal:
    """A copy of the tables of migrations, on which steps are run. Close it to release the copy."""

    def __init__(
        self,
        source: Driver,
        target: Driver | None = None,
        *,
        tables: Mapping[Table, str] | None = None,
        segments: int = 4,
        page_size: int | None = None,
        clock: Callable[[], float],
        on_progress: Callable[[StepProgress], object] | None = None,
    ) -> None:
        self._drivers: dict[Side, Driver] = {
            "source": unwrap_retries(source),
            "target": unwrap_retries(target or source),
        }
        self._names = dict(tables or {})
        self._segments = segments
        self._page_size = page_size
        self._clock = clock
        self._on_progress = on_progress or no_progress
        self._stack = ExitStack()
        self._copies: dict[int, CountingDriver] = {}
        self._loaded: dict[tuple[int, str], LoadedTable | None] = {}

    def __enter__(self) -> Rehearsal:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    # The copy

    def load(self, table: Table, side: Side, limit: int | None = None) -> LoadedTable | None:
        """Copy a table, or up to `limit` items, unless it is copied already.

        Returns None if the table does not exist.
        """
        driver = self._drivers[side]
        place = id(driver), self._name(table)
        if place not in self._loaded:
            described = self._describe(driver, place[1])
            self._loaded[place] = None
            if described is not None:
                self._loaded[place] = self._copy(driver, described, limit)
        return self._loaded[place]

    def _copy(self, driver: Driver, described: TableDescription, limit: int | None) -> LoadedTable:
        copy = self._copy_of(driver, described.table_size_bytes if limit is None else 0)
        loaded = LoadedTable(described)
        name = described.table_name
        # Without TTL: the copy keeps what is stored.
        run(copy, send(PATIENT, create_operation(table_from_description(described, None), name)))
        after: Item | None = None
        while limit is None or loaded.items < limit:
            rest = None if limit is None else limit - loaded.items
            scan = Scan(name, limit=rest, exclusive_start_key=after)
            page: PageOutput = run(driver, send(PATIENT, scan))
            items = [item for item in page.items if not is_state_item(item)]
            for start in range(0, len(items), MAX_BATCH_WRITES):
                batch = items[start : start + MAX_BATCH_WRITES]
                copy.execute(
                    BatchWriteItem({name: [WriteRequest(PutRequest(item)) for item in batch]})
                )
            loaded.items += len(items)
            loaded.bytes += sum(map(item_size, items))
            total = described.item_count if limit is None else limit
            self._on_progress(StepProgress(f"Reading {name}", loaded.items, total))
            after = page.last_evaluated_key
            if after is None:
                return loaded
        loaded.is_complete = False
        return loaded

    def _copy_of(self, driver: Driver, size: int) -> CountingDriver:
        """Return the driver of the copies of an address; there is one, even if it is both sides."""
        if id(driver) not in self._copies:
            if size > MAX_BYTES_IN_MEMORY:
                folder = self._stack.enter_context(tempfile.TemporaryDirectory())
                engine = Engine.on_file(Path(folder) / "rehearsal.db", Settings(durable=False))
            else:
                engine = Engine.in_memory()
            self._copies[id(driver)] = CountingDriver(self._stack.enter_context(engine))
        return self._copies[id(driver)]

    def item_count(self, table: Table, side: Side) -> int:
        """Return the number of items that DescribeTable reports; 0 if there is no table."""
        described = self._describe(self._drivers[side], self._name(table))
        return 0 if described is None else described.item_count

    def items(self, table: Table, side: Side) -> Iterator[Item]:
        """Yield the items of a copy."""
        after: Item | None = None
        while True:
            page = self.copied(side).execute(Scan(self._name(table), exclusive_start_key=after))
            yield from (item for item in page.items if not is_state_item(item))
            after = page.last_evaluated_key
            if after is None:
                return

    def copied(self, side: Side) -> CountingDriver:
        """Return the driver of the copies of one side."""
        return self._copy_of(self._drivers[side], 0)

    def _describe(self, driver: Driver, name: str) -> TableDescription | None:
        try:
            return run(driver, send(PATIENT, DescribeTable(name))).table
        except ResourceNotFound:
            return None

    def _name(self, table: Table) -> str:
        return self._names.get(table, table.name)

    # Steps

    def run(self, migration: Migration, number: int, segments: int | None = None) -> RehearsedStep:
        """Run a step on the copy, and return what it consumed."""
        step = migration.steps[number]
        if isinstance(step, DropTable):
            return RehearsedStep()
        for table in step_tables(step):
            # Of the table that a Copy writes, only its indexes matter.
            written = isinstance(step, Copy) and table is step.target
            self.load(table, side_of(step, table), 0 if written else None)
        alone = Migration(step, name=f"{migration.name or 'migration'}-{number}")
        source, target = self.copied("source"), self.copied("target")
        total = source.count = target.count = RehearsedStep()
        runner = MigrationRunner(
            alone,
            source,
            target,
            tables=self._names,
            segments=segments or self._segments,
            page_size=self._page_size,
            clock=self._clock,
            sleep=lambda seconds: None,
            on_progress=self._on_progress,
            changes="none",
        )
        seen: set[tuple[Side, ItemId]] = set()
        while True:
            try:
                runner.run()
                return total
            except TransformFailed as error:
                failures = [(cast("Item", key), reason) for key, reason in error.failures]
                # The rest is run again, so what was consumed until here is not counted.
                total = source.count = target.count = RehearsedStep(
                    failures=[*total.failures, *failures]
                )
                if not self._remove(step, [key for key, _ in failures], seen):
                    raise
            except ValidationError as error:
                raise MigrationError(
                    f"{step_text(step)}: DynamoDB rejects an item that the step writes: {error} A "
                    "dry run of a Copy finds out which one."
                ) from error

    def _remove(self, step: Step, keys: Sequence[Item], seen: set[tuple[Side, ItemId]]) -> bool:
        """Remove items from the copy; return False if none of them was there."""
        before = len(seen)
        for table in step_tables(step):
            side = side_of(step, table)
            for key in keys:
                if set(key) == {one.name for one in table.key_attributes}:
                    seen.add((side, item_id(self._name(table), key)))
                    self.copied(side).execute(DeleteItem(self._name(table), key))
        return len(seen) > before


def side_of(step: Step, table: Table) -> Side:
    """Return where a table of a step is: only the tables that a Copy reads are at the source."""
    return "source" if isinstance(step, Copy) and table is not step.target else "target"
