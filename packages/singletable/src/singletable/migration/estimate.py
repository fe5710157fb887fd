"""Estimate what a step consumes, costs and takes, from a run on a sample of the items.

What the step consumes on the sample is multiplied by the number of items in the tables divided by
the number of items in the sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from singletable.migration.trial import CopiedTable, StepTrial
from singletable.prices import RegionPrices

# With fewer items in the sample, the figures of a step may be wrong by more than a fifth.
ENOUGH = 100


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
class Tariff:
    """What units cost, and how many are consumed per second; None without a limit."""

    prices: RegionPrices
    rate: float | None = None

    def cost(self, read: float, write: float) -> float:
        """Return the cost of units in US dollars."""
        return (read * self._read_price + write * self._write_price) / 1_000_000

    def seconds(self, read: float, write: float) -> float | None:
        """Return how long it takes to consume units; None without a rate."""
        return None if self.rate is None else (read + write) / self.rate

    def explain(self) -> dict[str, str]:
        """Return how the cost and the duration are computed."""
        how = {
            "cost": f"${self._read_price:g} per million read units, ${self._write_price:g} per "
            f"million write units ({self.prices.on_demand_source})"
        }
        if self.rate is not None:
            how["seconds"] = f"read and write units at {self.rate:g} units a second"
        return how

    @property
    def _read_price(self) -> float:
        return self.prices.amount("on_demand_read")

    @property
    def _write_price(self) -> float:
        return self.prices.amount("on_demand_write")


class Sample:
    """The items of the tables that a step reads, of which some or all were copied."""

    def __init__(self, tables: Sequence[CopiedTable]) -> None:
        self.is_empty = not tables
        self.is_complete = all(one.is_complete for one in tables)
        self.items = sum(one.item_count for one in tables)
        self.sampled = sum(one.items for one in tables)
        self.average_size = sum(one.bytes for one in tables) / max(self.sampled, 1)
        self.factor = self.items / self.sampled if self.sampled else 1.0

    def __str__(self) -> str:
        if self.is_complete:
            return "all items"
        return f"a sample of {self.sampled:,} of {self.items:,} items"

    def explain(self, units: str, write_units: str) -> dict[str, str]:
        """Return how the figures are computed; the texts say how the units of the sample are."""
        scaled = "" if self.is_complete else ", times items divided by sample"
        counted = "counted" if self.is_complete else "DescribeTable, updated about every six hours"
        return {
            "items": counted,
            "average_size": f"average of {self}",
            "read_units": f"{units.format(sample=self)}{scaled}",
            "write_units": f"{write_units.format(sample=self)}{scaled}",
        }


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


def describe_failures(trial: StepTrial) -> list[str]:
    """Return a note on the sampled items that fail."""
    for failed in trial.failures.values():
        return [
            f"{trial.failed:,} of the sampled items fail, such as {failed.keys[0]}: "
            f"{failed.reasons[0]} Start a dry run to see all of them. The figures are without them."
        ]
    return []
