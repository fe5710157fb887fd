"""Estimate what a migration consumes, costs and takes, before it is run.

A sample of the items is copied into this process, and the steps are run on the copy. What they
consume there is multiplied by the number of items in the tables divided by the number of items in
the sample. So the figures follow from the items, rules and indexes that there are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

from singletable.migration.environment import StepProgress
from singletable.migration.rehearsal import LoadedTable, Rehearsal, RehearsedStep, side_of
from singletable.migration.steps import (
    AddCount,
    AddIndex,
    AddUnique,
    Backfill,
    Copy,
    CreateTable,
    DropIndex,
    DropTable,
    Migration,
    Rewrite,
    Step,
    rule_entities,
    step_tables,
    step_text,
)
from singletable.migration.two_addresses import Side
from singletable.operations import Driver
from singletable.planning.prices import RegionPrices, region_prices
from singletable.schema import Index, Table, model_of
from singletable.values import Item, item_size

SAMPLE_SIZE = 2_000
# With fewer items in the sample, the figures of a step may be wrong by more than a fifth.
ENOUGH = 100
WRITE_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class StepPlan:
    """The figures of one step. `how` says for each figure how it was computed."""

    step: str
    items: int
    average_size: float
    read_units: float
    write_units: float
    cost: float
    # None without a rate.
    seconds: float | None
    locks: str
    undo: str
    how: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """The figures of a migration."""

    migration: str
    steps: tuple[StepPlan, ...]

    @property
    def read_units(self) -> float:
        """The units that are read."""
        return sum(step.read_units for step in self.steps)

    @property
    def write_units(self) -> float:
        """The units that are written."""
        return sum(step.write_units for step in self.steps)

    @property
    def cost(self) -> float:
        """The cost in US dollars."""
        return sum(step.cost for step in self.steps)

    @property
    def seconds(self) -> float | None:
        """The duration; None without a rate."""
        times = [step.seconds for step in self.steps if step.seconds is not None]
        return sum(times) if len(times) == len(self.steps) else None


def estimate(
    migration: Migration,
    source: Driver,
    target: Driver | None = None,
    *,
    tables: Mapping[Table, str] | None = None,
    rate: float | None = None,
    prices: RegionPrices | None = None,
    sample_size: int = SAMPLE_SIZE,
    segments: int = 4,
    page_size: int | None = None,
    clock: Callable[[], float] = time.time,
    on_progress: Callable[[StepProgress], object] | None = None,
) -> MigrationPlan:
    """Return the plan of a migration: what each step reads, writes, costs and takes.

    Reading the sample consumes half a read unit per 4 KB. Nothing is written. Without `prices`, the
    on-demand prices of us-east-1 are used.
    """
    with Rehearsal(
        source,
        target,
        tables=tables,
        segments=segments,
        page_size=page_size,
        clock=clock,
        on_progress=on_progress,
    ) as rehearsal:
        estimation = _Estimation(migration, rehearsal, rate, prices or region_prices(), sample_size)
        return estimation.plan()


@dataclass
class _Estimation:
    migration: Migration
    rehearsal: Rehearsal
    rate: float | None
    prices: RegionPrices
    sample_size: int

    @property
    def read_price(self) -> float:
        return self.prices.amount("on_demand_read")

    @property
    def write_price(self) -> float:
        return self.prices.amount("on_demand_write")

    def plan(self) -> MigrationPlan:
        self._load()
        steps = [self._step(number, step) for number, step in enumerate(self.migration.steps)]
        return MigrationPlan(self.migration.name, tuple(steps))

    def _load(self) -> None:
        """Sample the same share of each table that is read."""
        read: dict[Table, Side] = {
            table: side_of(step, table)
            for step in self.migration.steps
            for table in _read_tables(step)
        }
        counts = {table: self.rehearsal.item_count(table, side) for table, side in read.items()}
        share = min(1.0, self.sample_size / max(sum(counts.values()), 1))
        for table, side in read.items():
            # A count of 0 may be old: DynamoDB updates it about every six hours.
            wanted = ceil(counts[table] * share) or self.sample_size
            # One more shows whether these are all.
            self.rehearsal.load(table, side, wanted + 1 if share == 1 else wanted)

    def _step(self, number: int, step: Step) -> StepPlan:
        loaded = [
            one
            for table in _read_tables(step)
            if (one := self.rehearsal.load(table, side_of(step, table))) is not None
        ]
        # Each page rounds its units up, which must not be multiplied.
        is_complete = all(one.is_complete for one in loaded)
        partitions = [] if is_complete else self._sampled(step)  # before the step changes them
        done = self.rehearsal.run(self.migration, number, None if is_complete else 1)
        sampled = sum(one.items for one in loaded)
        items = sum(map(_item_count, loaded))
        factor = items / sampled if sampled else 1.0
        read = done.read_units * factor + done.state_read_units
        write = done.write_units * factor + done.state_write_units
        if isinstance(step, AddIndex):
            write = self._index_units(step) * factor
        return StepPlan(
            step_text(step),
            items,
            sum(one.bytes for one in loaded) / sampled if sampled else 0.0,
            read,
            write,
            (read * self.read_price + write * self.write_price) / 1_000_000,
            None if self.rate is None else (read + write) / self.rate,
            _LOCKS[type(step)],
            _undo(step),
            self._how(step, loaded, sampled, items),
            (
                *_notes(step, done, items),
                *(_certainty(partitions, factor, write) if partitions else ()),
            ),
        )

    def _sampled(self, step: Step) -> list[tuple[int, int]]:
        """Return for each sampled partition its items, and how many of them a step is about.

        A Copy is about all of them.
        """
        if not isinstance(step, AddIndex | Backfill | AddUnique | AddCount | Rewrite):
            return []
        counts: dict[str, tuple[int, int]] = {}
        for table in _read_tables(step):
            for item in self.rehearsal.items(table, side_of(step, table)):
                partition = f"{table.name} {item[table.pk.name]}"
                items, concerned = counts.get(partition, (0, 0))
                counts[partition] = items + 1, concerned + _is_concerned(step, item)
        return list(counts.values())

    def _index_units(self, step: AddIndex) -> float:
        """Return the units of the entries that DynamoDB writes into a new index."""
        index = next(one for one in step.table.indexes if one.name == step.index)
        copies = self.rehearsal.items(step.table, side_of(step, step.table))
        return sum(_entry_units(step.table, index, item) for item in copies)

    def _how(
        self, step: Step, loaded: list[LoadedTable], sampled: int, items: int
    ) -> dict[str, str]:
        if not loaded:
            return {}
        is_complete = all(one.is_complete for one in loaded)
        counted = "counted" if is_complete else "DescribeTable, updated about every six hours"
        sample = "all items" if is_complete else f"a sample of {sampled:,} of {items:,} items"
        units = f"consumed by this step on {sample}, copied into memory"
        entries = units
        if isinstance(step, AddIndex):
            entries = (
                f"one write unit per KB of each index entry, from {sample}; DynamoDB writes them"
            )
        scaled = "" if is_complete else ", times items divided by sample"
        how = {
            "items": counted,
            "average_size": f"average of {sample}",
            "read_units": f"{units}{scaled}",
            "write_units": f"{entries}{scaled}",
            "cost": f"${self.read_price:g} per million read units, ${self.write_price:g} per "
            f"million write units ({self.prices.on_demand_source})",
        }
        if self.rate is not None:
            how["seconds"] = f"read and write units at {self.rate:g} units a second"
        return how


def _read_tables(step: Step) -> list[Table]:
    if isinstance(step, CreateTable | DropTable | DropIndex):
        return []
    return step.sources if isinstance(step, Copy) else step_tables(step)


def _item_count(loaded: LoadedTable) -> int:
    return loaded.items if loaded.is_complete else max(loaded.described.item_count, loaded.items)


def _is_indexed(index: Index, item: Item) -> bool:
    return all(one.type in item.get(one.name, {}) for one in (*index.pk, *index.sk))


def _is_concerned(
    step: AddIndex | Backfill[Any] | AddUnique | AddCount | Rewrite, item: Item
) -> bool:
    """Return whether a step is about an item: of its entity, or with the keys of its index."""
    if isinstance(step, AddIndex):
        return _is_indexed(next(one for one in step.table.indexes if one.name == step.index), item)
    rules = step.rules if isinstance(step, Rewrite) else ()
    entities = [one for rule in rules for one in rule_entities(rule)]
    models = map(model_of, entities if isinstance(step, Rewrite) else [step.entity])
    return any(model.matches(item) and model.parse_key(item) is not None for model in models)


def _certainty(partitions: list[tuple[int, int]], factor: float, write_units: float) -> list[str]:
    """Return how sure the figures are, if the sample has few items that a step is about."""
    sampled, found = (sum(counts) for counts in zip(*partitions, strict=True))
    # Items come in partitions: the more these differ, the fewer items would tell as much.
    share = found / sampled
    variance = sum((concerned - share * items) ** 2 for items, concerned in partitions)
    together = max(variance / found, 1.0) if found else 1.0
    if found / together >= ENOUGH:
        return []
    # The square root of a count that is due to chance varies by about 1, whatever the count.
    root = sqrt(found / together)
    low = together * max(root - 1, 0) ** 2
    high = min(together * (sqrt(root**2 + 1) + 1) ** 2, sampled)
    text = (
        f"The step is about {found:,} of the {sampled:,} sampled items. By chance, the table may "
        f"have between {low * factor:,.0f} and {high * factor:,.0f} of them"
    )
    if found:
        low, high = (bound * write_units / found for bound in (low, high))
        text += f", and the write units may be between {low:,.0f} and {high:,.0f}"
    return [f"{text}. Take a larger sample to be surer (--sample)."]


def _entry_units(table: Table, index: Index, item: Item) -> int:
    """Return the write units of an item's entry in an index; 0 if it is not in it."""
    if not _is_indexed(index, item):
        return 0
    entry = item
    if index.projection != "ALL":
        names = {one.name for one in (*index.pk, *index.sk, *table.key_attributes)}
        if index.projection != "KEYS_ONLY":
            names.update(index.projection)
        entry = {name: value for name, value in item.items() if name in names}
    return max(-(-item_size(entry) // WRITE_BLOCK), 1)


_IN_PLACE = (
    "Nothing. Each item is written on the condition that it is still what was read; after a "
    "conflict it is read again."
)
_LOCKS: dict[type, str] = {
    CreateTable: "Nothing.",
    DropTable: "Nothing, but requests to the table fail afterwards.",
    AddIndex: "Nothing. Reads and writes go on while DynamoDB fills the index.",
    DropIndex: "Nothing, but queries of the index fail afterwards.",
    Backfill: _IN_PLACE,
    AddUnique: _IN_PLACE,
    AddCount: _IN_PLACE,
    Rewrite: _IN_PLACE,
    Copy: "Nothing while items are copied. At the cut-over, writes through MigratingDriver wait "
    "for a few seconds.",
}


def _undo(step: Step) -> str:
    """Return how a step is undone, or that it cannot be."""
    match step:
        case CreateTable():
            return "`down` drops the table if it is empty."
        case DropTable():
            return "Cannot be undone: all items of the table are deleted."
        case AddIndex():
            return "`down` removes the index."
        case DropIndex():
            return "`down` adds the index again, if it is still declared; DynamoDB fills it again."
        case Backfill(transform=None):
            return "`down` changes nothing: the items are as valid as before."
        case Backfill(down=None):
            return "Cannot be undone: it has a transform, but no down=…."
        case Backfill():
            return "`down` applies its function to all items."
        case AddUnique():
            return "`down` deletes the markers."
        case AddCount():
            return "`down` leaves the numbers as they are."
        case Rewrite(back=()):
            return "Cannot be undone: it has no back=…."
        case Rewrite():
            return "`down` rewrites the items by its back=…."
        case Copy(back=()):
            return (
                "`rollback` until the cut-over. After it, not: without back=… the old tables are "
                "not kept up to date."
            )
        case Copy():
            return "`rollback` until `finish`; `finish --drop-old` cannot be undone."


def _notes(step: Step, done: RehearsedStep, items: int) -> list[str]:
    notes: list[str] = []
    if done.failures:
        key, reason = done.failures[0]
        notes.append(
            f"{len(done.failures):,} of the sampled items fail, such as {key}: {reason} Start a "
            "dry run to see all of them. The figures are without them."
        )
    if isinstance(step, Copy) and items:
        notes.append("Until `finish --drop-old`, the items are stored twice.")
    return notes
