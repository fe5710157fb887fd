"""Try a migration on a copy of its tables in this process: a dry run, and what it costs.

The copy has all items of the tables, or a sample, and the indexes as they are now. The steps are
run by the same code as the real migration. Items that fail are recorded and removed from the copy,
so that one rehearsal finds all of them. Nothing is written to the tables.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from math import ceil
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack, cast

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Engine, Settings
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.retry import send, unwrap_retries
from dynamodb_engine.steps import run
from dynamodb_engine.values import Item, item_size
from singletable.errors import MigrationError, ResourceNotFound, TransformFailed, ValidationError
from singletable.migration.derivation import Key, item_key
from singletable.migration.environment import PATIENT, Environment, StepProgress, no_progress
from singletable.migration.migrations import Migration
from singletable.migration.rate_limit import consumed_units
from singletable.migration.runner import MigrationRunner
from singletable.migration.state import is_state_item
from singletable.migration.step import Step, Undo
from singletable.migration.trial import (
    ConsumedUnits,
    CopiedRun,
    CopiedTable,
    DryRun,
    Example,
    Sample,
    StepTrial,
    Tariff,
    describe_certainty,
)
from singletable.migration.two_addresses import Side
from singletable.prices import RegionPrices, region_prices
from singletable.schema import Table, create_operation, model_of, table_from_description
from singletable.store.batch import MAX_BATCH_GETS, MAX_BATCH_WRITES, get_items
from singletable.store.bulk_load import random_attributes
from singletable.store.context import Context
from singletable.store.writes import ItemId, item_id

R = TypeVar("R")

# How many items of a table are compared to find examples of what a step changes.
MAX_COMPARED = 2_000
# Larger copies are kept in a temporary file, not in memory.
MAX_BYTES_IN_MEMORY = 256 * 1024 * 1024


class CountingDriver:
    """Counts the units that requests consume; those for the state of migrations separately."""

    def __init__(self, driver: ops.Driver) -> None:
        self._driver = driver
        self.count = ConsumedUnits()

    def execute(self, operation: ops.Operation[R], /) -> R:
        """Execute a request, and record what it consumed."""
        request: Any = operation
        if hasattr(request, "return_consumed_capacity"):
            request = replace(request, return_consumed_capacity="TOTAL")
        output: Any = self._driver.execute(request)
        units = consumed_units(getattr(output, "consumed_capacity", None))
        if isinstance(operation, ops.GetItem):
            # Steps read items in batches, queries and scans.
            self.count.state_read_units += units
        elif isinstance(operation, ops.PutItem) and is_state_item(operation.item):
            self.count.state_write_units += units
        elif OPERATIONS[type(operation)].writes:
            self.count.write_units += units
        else:
            self.count.read_units += units
        return output  # type: ignore[no-any-return]


class TryOptions(TypedDict, total=False):
    """How the tables of a migration are read for a dry run."""

    tables: Mapping[Table, str] | None
    segments: int
    page_size: int | None
    clock: Callable[[], float]
    on_progress: Callable[[StepProgress], object] | None


class Rehearsal:
    """A copy of the tables of a migration, on which steps are run. Close it to release the copy."""

    def __init__(
        self,
        migration: Migration,
        source: ops.Driver,
        target: ops.Driver | None = None,
        **options: Unpack[TryOptions],
    ) -> None:
        self._migration = migration
        self._source, self._target = source, target
        self._drivers: dict[Side, ops.Driver] = {
            "source": unwrap_retries(source),
            "target": unwrap_retries(target or source),
        }
        self._options = options
        self._names = dict(options.get("tables") or {})
        # As in a run: the tables of the steps before a Copy may be at the source.
        self._sides: dict[Table, Side] = {
            table: step.side_of(table) for step in migration.steps for table in step.tables
        }
        self._on_progress = options.get("on_progress") or no_progress
        self._stack = ExitStack()
        self._copies: dict[int, CountingDriver] = {}
        self._loaded: dict[tuple[int, str], CopiedTable | None] = {}
        self._runs = 0

    def __enter__(self) -> Rehearsal:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    # The copy

    def load(self, table: Table, side: Side, limit: int | None = None) -> CopiedTable | None:
        """Copy a table, or up to `limit` items, unless it is copied already.

        Returns None if the table does not exist.
        """
        driver = self._drivers[self._side(table, side)]
        place = id(driver), self._name(table)
        if place not in self._loaded:
            described = self._describe(driver, place[1])
            self._loaded[place] = None
            if described is not None:
                self._loaded[place] = self._copy(driver, described, limit)
        return self._loaded[place]

    def create(self, table: Table, side: Side) -> None:
        """Create a table that does not exist yet, among the copies."""
        copied = self.copied(self._side(table, side))
        self.load(table, side, 0)
        if self._describe(copied, self._name(table)) is None:
            copied.execute(create_operation(table, self._name(table)))

    def _copy(
        self, driver: ops.Driver, described: ops.TableDescription, limit: int | None
    ) -> CopiedTable:
        copy = self._copy_of(driver, self._size(driver) if limit is None else 0)
        loaded = CopiedTable(described)
        name = described.table_name
        # Without TTL: the copy keeps what is stored.
        run(copy, send(PATIENT, create_operation(table_from_description(described, None), name)))
        after: Item | None = None
        while limit is None or loaded.items < limit:
            rest = None if limit is None else limit - loaded.items
            scan = ops.Scan(name, limit=rest, exclusive_start_key=after)
            page: ops.PageOutput = run(driver, send(PATIENT, scan))
            items = [item for item in page.items if not is_state_item(item)]
            for start in range(0, len(items), MAX_BATCH_WRITES):
                batch = items[start : start + MAX_BATCH_WRITES]
                copy.execute(
                    ops.BatchWriteItem(
                        {name: [ops.WriteRequest(ops.PutRequest(item)) for item in batch]}
                    )
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

    def _size(self, driver: ops.Driver) -> int:
        """Return how many bytes the tables at an address have that the steps read."""
        names = {
            self._name(table)
            for step in self._migration.steps
            for table in step.read_tables
            if self._drivers[self._side(table, step.side_of(table))] is driver
        }
        described = [self._describe(driver, name) for name in names]
        return sum(one.table_size_bytes for one in described if one is not None)

    def _copy_of(self, driver: ops.Driver, size: int) -> CountingDriver:
        """Return the driver of the copies of an address; there is one, even if it is both sides."""
        if id(driver) not in self._copies:
            if size > MAX_BYTES_IN_MEMORY:
                folder = self._stack.enter_context(tempfile.TemporaryDirectory())
                engine = Engine.on_file(Path(folder) / "rehearsal.db", Settings(durable=False))
            else:
                engine = Engine.in_memory()
            self._copies[id(driver)] = CountingDriver(self._stack.enter_context(engine))
        return self._copies[id(driver)]

    def load_all(self, sample: int | None = None) -> None:
        """Copy all tables that steps read, or the same share of each."""
        # Several declarations may be of one table.
        read: dict[tuple[int, str], tuple[Table, Side]] = {}
        for step in self._migration.steps:
            for table in step.read_tables:
                side = self._side(table, step.side_of(table))
                read.setdefault((id(self._drivers[side]), self._name(table)), (table, side))
        if sample is None:
            for table, side in read.values():
                self.load(table, side)
            return
        counts: list[int] = []
        for table, side in read.values():
            described = self._describe(self._drivers[side], self._name(table))
            counts.append(0 if described is None else described.item_count)
        share = min(1.0, sample / max(sum(counts), 1))
        for (table, side), count in zip(read.values(), counts, strict=True):
            # A count of 0 may be old: DynamoDB updates it about every six hours.
            wanted = ceil(count * share) or sample
            # One more shows whether these are all.
            self.load(table, side, wanted + 1 if share == 1 else wanted)

    def items(self, table: Table, side: Side) -> Iterator[Item]:
        """Yield the items of a copy."""
        copied, after = self.copied(self._side(table, side)), cast("Item | None", None)
        while True:
            page = copied.execute(ops.Scan(self._name(table), exclusive_start_key=after))
            yield from (item for item in page.items if not is_state_item(item))
            after = page.last_evaluated_key
            if after is None:
                return

    def copied(self, side: Side) -> CountingDriver:
        """Return the driver of the copies of one side."""
        return self._copy_of(self._drivers[side], 0)

    def copy_again(self, step: Step) -> Rehearsal:
        """Return a copy of these copies, on which a step can be tried without changing them."""
        alone = Migration(step, name=self._migration.name)
        target = self._target_of(step)
        return Rehearsal(alone, self.copied("source"), target, **self._options)

    def compare(
        self, other: Rehearsal, table: Table, side: Side, declarations: Sequence[Table]
    ) -> Iterator[tuple[Item | None, Item | None]]:
        """Yield the items of a table that differ in another copy of it, apart from versions."""
        comparable = _ComparableItems(declarations)
        for one, another in ((self, other), (other, self)):
            items = one.items(table, side)
            while page := list(islice(items, MAX_BATCH_GETS)):
                found = another._get(table, side, page)
                for item in page:
                    twin = found.get(item_id(table.name, item_key(table, item)))
                    if one is other:
                        if twin is None and not self._is_left_out(table, side, item):
                            yield None, item
                    elif twin is None or comparable.of(item) != comparable.of(twin):
                        yield item, twin

    def _is_left_out(self, table: Table, side: Side, item: Item) -> bool:
        """Return whether an item is in the table, but was not copied, because of a limit."""
        driver, name = self._drivers[self._side(table, side)], self._name(table)
        loaded = self._loaded[id(driver), name]
        if loaded is None or loaded.is_complete:
            return False
        get = ops.GetItem(name, item_key(table, item))
        return run(driver, send(PATIENT, get)).item is not None

    def _get(self, table: Table, side: Side, items: Sequence[Item]) -> dict[ItemId, Item]:
        """Return the items of a copy with the keys of other items."""
        name = self._name(table)
        keys = {item_id(name, key): key for key in (item_key(table, item) for item in items)}
        context = Context(table_names={table: name})
        copied = self.copied(self._side(table, side))
        found = run(copied, get_items(context, {name: table}, keys, consistent=True))
        return {item_id(table.name, item_key(table, item)): item for item in found.values()}

    def _describe(self, driver: ops.Driver, name: str) -> ops.TableDescription | None:
        try:
            return run(driver, send(PATIENT, ops.DescribeTable(name))).table
        except ResourceNotFound:
            return None

    def _name(self, table: Table) -> str:
        return self._names.get(table, table.name)

    def _side(self, table: Table, side: Side) -> Side:
        """Return where a table is in this migration; `side` is where it is for a step alone."""
        return self._sides.get(table, side)

    def _target_of(self, step: Step) -> CountingDriver:
        """Return the copies to which a step writes."""
        table = step.tables[-1]
        return self.copied(self._side(table, step.side_of(table)))

    # Steps

    def run(self, step: Step, segments: int | None = None) -> CopiedRun:
        """Run a step on the copy, and return what it consumed, and which items fail.

        Items that fail are removed from the copy, and the rest is run again: only that is counted.
        """
        ran, seen = CopiedRun(), set[tuple[Side, ItemId]]()
        if step.drops:
            return ran
        for table in step.tables:
            # Of the table that a Copy writes, only its indexes matter.
            self.load(table, step.side_of(table), None if table in step.read_tables else 0)
        source, target = self.copied("source"), self._target_of(step)
        self._runs += 1
        alone = Migration(step, name=f"{self._migration.name or 'migration'}-{self._runs}")
        runner = self._runner(alone, source, target, segments=segments)
        while True:
            ran.units = source.count = target.count = ConsumedUnits()
            try:
                runner.run()
                return ran
            except TransformFailed as error:
                ran.failures += error.failures
                if not self._remove_failed(step, error.failures, seen):
                    raise
            except ValidationError as error:
                raise MigrationError(
                    f"{step.describe()}: DynamoDB rejects an item that the step writes: {error}"
                ) from error

    def _runner(
        self,
        migration: Migration,
        source: ops.Driver,
        target: ops.Driver | None,
        segments: int | None = None,
    ) -> MigrationRunner:
        options = self._options.copy()
        if segments is not None:
            options["segments"] = segments
        return MigrationRunner(
            migration, source, target, sleep=lambda seconds: None, changes="none", **options
        )

    def environment(self, *, original: bool = False) -> Environment:
        """Return an environment to read and write the copies with, or to read the tables."""
        source, target = self._source, self._target or self._source
        if not original:
            source, target = self.copied("source"), self.copied("target")
        return self._runner(self._migration, source, target).environment()

    def remove(self, table: Table, side: Side, keys: Iterable[Item]) -> None:
        """Remove items from a copy."""
        copied = self.copied(self._side(table, side))
        for key in keys:
            copied.execute(ops.DeleteItem(self._name(table), key))

    def _remove_failed(
        self, step: Step, failures: Sequence[tuple[Key, str]], seen: set[tuple[Side, ItemId]]
    ) -> bool:
        """Remove items that fail; return False if none of them was there."""
        before = len(seen)
        for table in step.tables:
            side = step.side_of(table)
            for key in (cast("Item", key) for key, _ in failures):
                if set(key) == {one.name for one in table.key_attributes}:
                    seen.add((side, item_id(self._name(table), key)))
                    self.remove(table, side, [key])
        return len(seen) > before


class _ComparableItems:
    """Returns items without what is another each time: versions, and how values are encrypted."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self._models = [model_of(entity) for table in tables for entity in table.entities]

    def of(self, item: Item) -> dict[str, object]:
        """Return the attributes of an item to compare."""
        compared: dict[str, object] = dict(item)
        for model in self._models:
            if not model.matches(item):
                continue
            for name in {*model.encrypted, *random_attributes(model)} & item.keys():
                compared[name] = None
            if (version := model.role("version")) is not None:
                compared.pop(version.attribute, None)
        return compared


# Dry runs


def dry_run(
    migration: Migration,
    source: ops.Driver,
    target: ops.Driver | None = None,
    *,
    sample: int | None = None,
    examples: int = 3,
    rate: float | None = None,
    prices: RegionPrices | None = None,
    **options: Unpack[TryOptions],
) -> DryRun:
    """Return what a migration would do, which items would fail, and what it would cost.

    All items are copied into this process, or a `sample` of about this many: reading them consumes
    half a read unit per 4 KB. Nothing is written. Steps whose undo gives the items back are undone
    on a copy, too, and what a Copy writes is carried back by its `back` rules: which items are not
    as before is in their `undo`. With `rate` each step says how long it takes; without `prices`,
    those of us-east-1 on demand are used.

    `options` are `tables`, `segments`, `page_size`, `clock` and `on_progress` of MigrationRunner.
    """
    tariff = Tariff(prices or region_prices(), rate)
    with Rehearsal(migration, source, target, **options) as copies:
        copies.load_all(sample)
        steps = [_try_step(copies, step, tariff, examples) for step in migration.steps]
        return DryRun(migration.name, tuple(steps))


def dry_run_down(
    migration: Migration,
    steps: Sequence[Step],
    source: ops.Driver,
    target: ops.Driver | None = None,
    *,
    examples: int = 3,
    **options: Unpack[TryOptions],
) -> DryRun:
    """Return what undoing these steps of a migration would do, one after the other."""
    tariff = Tariff(region_prices())
    with Rehearsal(migration, source, target, **options) as copies:
        copies.load_all()
        trials = [
            _try_step(copies, Undo(step), tariff, examples)
            if step.read_tables
            else StepTrial(step.undo_text, notes=[step.how_to_undo])
            for step in steps
        ]
        return DryRun(migration.name, tuple(trials))


def _try_step(copies: Rehearsal, step: Step, tariff: Tariff, examples: int) -> StepTrial:
    """Run a step on the copies, after trying its undo on a copy of these."""
    trial = StepTrial(step.describe(), locks=step.locks, how_to_undo=step.how_to_undo)
    loaded = step.copied(copies)
    sample = Sample(loaded.values())
    step.try_rules(copies, trial, examples)
    if step.restores_items and loaded and (step.skips_failures or not trial.failed):
        trial.undo = _try_undo(copies, step, sample, examples)
    # Before the step changes them.
    partitions = [] if sample.is_complete else _sampled_partitions(copies, step, loaded)
    before = _first_items(copies, step, loaded)
    # Each page rounds its units up, which must not be multiplied.
    ran = copies.run(step, None if sample.is_complete else 1)
    if not trial.failed:  # otherwise, the rules of a Copy have found them
        trial.fail(ran.failures)
    read = ran.units.read_units * sample.factor + ran.units.state_read_units
    write = step.written_units(copies, ran.units, sample.factor)
    tariff.measure(trial, sample, read, write, step.written)
    trial.notes += describe_certainty(partitions, sample.factor, write)
    trial.notes += step.notes(sample.items)
    if before:
        failed = [key for key, _ in ran.failures]
        found = step.examples(before, _first_items(copies, step, loaded), failed)
        trial.examples += islice(found, examples)
    return trial


def _try_undo(copies: Rehearsal, step: Step, sample: Sample, examples: int) -> StepTrial | None:
    """Run a step and undo it, on a copy of the copies, and report what is not as before it.

    Returns None if the step itself fails for some items.
    """
    if (reason := step.untried_undo(sample)) is not None:
        return StepTrial(step.undo_text, notes=[reason])
    with copies.copy_again(step) as again:
        for table in step.tables:  # those that are read first: their size decides where copies are
            if table in step.read_tables:
                again.load(table, step.side_of(table))
            else:
                again.create(table, step.side_of(table))
        if again.run(step).failures:
            return None
        trial = step.try_undo(again)
        trial.items = sample.sampled
        if not trial.failed:
            different = (
                (table, old, new)
                for table in step.copied(copies)
                for old, new in copies.compare(again, table, step.side_of(table), step.read_tables)
            )
            _report_differences(trial, different, examples)
        return trial


def _first_items(
    copies: Rehearsal, step: Step, tables: Iterable[Table]
) -> dict[ItemId, tuple[Table, Item]]:
    if not step.changes_items:
        return {}
    return {
        item_id(table.name, item_key(table, item)): (table, item)
        for table in tables
        for item in islice(copies.items(table, step.side_of(table)), MAX_COMPARED)
    }


def _sampled_partitions(
    copies: Rehearsal, step: Step, tables: Iterable[Table]
) -> list[tuple[int, int]]:
    """Return for each sampled partition its items, and how many of them the step is about."""
    counts: dict[str, tuple[int, int]] = {}
    for table in tables if step.selects_items else ():
        for item in copies.items(table, step.side_of(table)):
            partition = f"{table.name} {item[table.pk.name]}"
            items, concerned = counts.get(partition, (0, 0))
            counts[partition] = items + 1, concerned + step.is_about(item)
    return list(counts.values())


def _report_differences(
    trial: StepTrial,
    different: Iterable[tuple[Table, Item | None, Item | None]],
    examples: int,
) -> None:
    count = 0
    for table, old, new in different:
        count += 1
        if count <= examples:
            trial.examples.append(_example(table, old, new))
    trial.notes.append(f"{count:,} would not be as before" if count else "All would be as before")


def _example(table: Table, old: Item | None, new: Item | None) -> Example:
    """Return the attributes that differ, with the key."""
    before, after = old or {}, new or {}
    names = {name for name in before | after if before.get(name) != after.get(name)}
    names |= {one.name for one in table.key_attributes}
    shown: list[list[object]] = [
        [{name: one[name] for name in one if name in names}] if one else []
        for one in (before, after)
    ]
    return Example("Not as before", shown[0], shown[1])
