"""The planned load of a design, as alarms and dashboards need it.

CloudWatch counts the units of local indexes with their table, so they are part of it here, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Direction: TypeAlias = Literal["Read", "Write"]

DIRECTIONS: tuple[Direction, Direction] = ("Read", "Write")


@dataclass(frozen=True, slots=True)
class PlannedUse:
    """Units and requests per second of a table or global index, at the busiest moment."""

    read_units: float = 0.0
    write_units: float = 0.0
    reads: float = 0.0
    writes: float = 0.0

    def units(self, direction: Direction) -> float:
        """Return the units per second of reads or of writes."""
        return self.read_units if direction == "Read" else self.write_units

    def requests(self, direction: Direction) -> float:
        """Return the requests per second that read or write."""
        return self.reads if direction == "Read" else self.writes


@dataclass(frozen=True, slots=True)
class PlannedPattern:
    """An access pattern: how often it is called, and the units that one call consumes.

    `calls` and `peak` are calls per second, on average and at the busiest moment; None if no rate
    is declared. A `bulk` pattern, such as a scan, may take long.
    """

    id: str
    description: str
    calls: float | None
    peak: float | None
    read_units: float
    write_units: float
    bulk: bool = False


@dataclass(frozen=True, slots=True)
class PlannedLoad:
    """The planned load of tables and access patterns.

    `uses` has the planned use by table and index (None is the table itself), and `operations` the
    DynamoDB operations by table, both by the declared name of the table. `local_indexes` has the
    names of the local indexes by table. `monthly_cost` is in US dollars, None if it is not known.
    """

    patterns: tuple[PlannedPattern, ...]
    uses: Mapping[tuple[str, str | None], PlannedUse]
    operations: Mapping[str, tuple[str, ...]]
    local_indexes: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    monthly_cost: float | None = None

    @property
    def requests(self) -> float:
        """Requests per second to all tables, at the busiest moment."""
        return sum(
            use.reads + use.writes for (_, index), use in self.uses.items() if index is None
        ) + sum(use.reads for (_, index), use in self.uses.items() if index is not None)

    def use(self, table: str, index: str | None) -> PlannedUse:
        """Return the planned use of a table or index; zero if no pattern uses it."""
        return self.uses.get((table, index), PlannedUse())


def format_rate(value: float) -> str:
    """Format a number of units or calls per second with three significant digits."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
