"""What a step would do, which items would fail and what it costs: the result of trying it.

A step is run on a copy of its tables, with all items or with a sample. What it consumes on a sample
is multiplied by the number of items in the tables divided by the number of items in the sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from dynamodb_engine.operations import TableDescription
from singletable.migration.derivation import Key
from singletable.prices import RegionPrices

MAX_KEYS = 10
# With fewer items in the sample, the figures of a step may be wrong by more than a fifth.
ENOUGH = 100


@dataclass
class ConsumedUnits:
    """The capacity units that requests consumed.

    Those for the state of the migration do not depend on the number of items.
    """

    read_units: float = 0.0
    write_units: float = 0.0
    state_read_units: float = 0.0
    state_write_units: float = 0.0


@dataclass
class CopiedRun:
    """A run of a step on copied tables: what it consumed, and the items that failed."""

    units: ConsumedUnits = field(default_factory=ConsumedUnits)
    failures: list[tuple[Key, str]] = field(default_factory=list[tuple[Key, str]])


@dataclass
class FailedItems:
    """Items that fail in the same way: how many, and the keys and reasons of the first ones."""

    count: int = 0
    keys: list[Key] = field(default_factory=list[Key])
    reasons: list[str] = field(default_factory=list[str])

    def add(self, key: Key, reason: str) -> None:
        """Add an item."""
        self.count += 1
        if len(self.keys) < MAX_KEYS:
            self.keys.append(key)
            self.reasons.append(reason)


@dataclass(frozen=True, slots=True)
class Example:
    """Old items and the new ones that are derived from them: entities, or attributes.

    Of an item that is changed in place, only its key and the attributes that change.
    """

    rule: str
    before: list[object]
    after: list[object]


@dataclass
class StepTrial:
    """What a step would do, and its figures. `how` says for each figure how it was computed."""

    step: str
    items: int = 0
    average_size: float = 0.0
    read_units: float = 0.0
    write_units: float = 0.0
    cost: float = 0.0
    # None without a rate.
    seconds: float | None = None
    locks: str = ""
    how_to_undo: str = ""
    how: Mapping[str, str] = field(default_factory=dict[str, str])
    # The number of old items by rule, and of new items by entity.
    by_rule: Counter[str] = field(default_factory=Counter[str])
    new_items: Counter[str] = field(default_factory=Counter[str])
    examples: list[Example] = field(default_factory=list[Example])
    # Items that fail, by reason; and items with the same new item as another.
    failures: dict[str, FailedItems] = field(default_factory=dict[str, FailedItems])
    collisions: FailedItems = field(default_factory=FailedItems)
    notes: list[str] = field(default_factory=list[str])
    # What undoing the step right after it would do; None if it was not tried.
    undo: StepTrial | None = None

    @property
    def failed(self) -> int:
        """The number of items that fail."""
        return self.collisions.count + sum(one.count for one in self.failures.values())

    def fail(self, failures: Iterable[tuple[Key, str]]) -> None:
        """Record items that fail."""
        for key, reason in failures:
            self.failures.setdefault(reason, FailedItems()).add(key, reason)


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a migration would do, and what it costs."""

    migration: str
    steps: tuple[StepTrial, ...]

    @property
    def ok(self) -> bool:
        """Whether no item fails."""
        return not self.failed

    @property
    def failed(self) -> int:
        """The number of items that fail in a step, or when it is undone."""
        trials = [trial for step in self.steps for trial in (step, step.undo) if trial is not None]
        return sum(trial.failed for trial in trials)

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


@dataclass
class CopiedTable:
    """A table of which items were copied for a rehearsal."""

    described: TableDescription
    items: int = 0
    bytes: int = 0
    # Whether all items were copied.
    is_complete: bool = True

    @property
    def item_count(self) -> int:
        """The number of items in the table itself."""
        return self.items if self.is_complete else max(self.described.item_count, self.items)


class Sample:
    """The items of the tables that a step reads, of which some or all were copied."""

    def __init__(self, tables: Iterable[CopiedTable]) -> None:
        copied = [*tables]
        self.is_empty = not copied
        self.is_complete = all(one.is_complete for one in copied)
        self.items = sum(one.item_count for one in copied)
        self.sampled = sum(one.items for one in copied)
        self.average_size = sum(one.bytes for one in copied) / max(self.sampled, 1)
        self.factor = self.items / self.sampled if self.sampled else 1.0

    def __str__(self) -> str:
        if self.is_complete:
            return "all items"
        return f"a sample of {self.sampled:,} of {self.items:,} items"


@dataclass(frozen=True, slots=True)
class Tariff:
    """What units cost, and how many are consumed per second; None without a limit."""

    prices: RegionPrices
    rate: float | None = None

    def measure(
        self, trial: StepTrial, sample: Sample, read: float, write: float, write_units: str
    ) -> None:
        """Set the figures of a trial; `write_units` says how the units of a sample are computed."""
        read_price = self.prices.amount("on_demand_read")
        write_price = self.prices.amount("on_demand_write")
        trial.items, trial.average_size = sample.items, sample.average_size
        trial.read_units, trial.write_units = read, write
        trial.cost = (read * read_price + write * write_price) / 1_000_000
        trial.seconds = None if self.rate is None else (read + write) / self.rate
        if sample.is_empty:
            return
        scaled = "" if sample.is_complete else ", times items divided by sample"
        counted = "DescribeTable, updated about every six hours"
        trial.how = {
            "items": "counted" if sample.is_complete else counted,
            "average_size": f"average of {sample}",
            "read_units": f"{CONSUMED.format(sample=sample)}{scaled}",
            "write_units": f"{write_units.format(sample=sample)}{scaled}",
            "cost": f"${read_price:g} per million read units, ${write_price:g} per million write "
            f"units ({self.prices.on_demand_source})",
        }
        if self.rate is not None:
            trial.how["seconds"] = f"read and write units at {self.rate:g} units a second"


CONSUMED = "consumed by this step on {sample}, copied into memory"


def describe_certainty(
    partitions: Sequence[tuple[int, int]], factor: float, write_units: float
) -> list[str]:
    """Return how sure the figures are, if the sample has few items that a step is about.

    `partitions` has the number of items in each, and of those that the step is about.
    """
    if not partitions:
        return []
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
