"""The capacity units that reads and writes consume, and how outputs report them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from dynamodb_engine.engine.table import Table
from dynamodb_engine.operations import Capacity, ConsumedCapacity

READ_BLOCK = 4096
WRITE_BLOCK = 1024


def read_units(size: int, *, consistent: bool) -> float:
    """Return the units for reading `size` bytes: one per 4 KB, half if eventually consistent."""
    blocks = -(-size // READ_BLOCK) or 1
    return float(blocks) if consistent else blocks / 2


def write_units(size: int) -> int:
    """Return the units for writing `size` bytes: one per KB."""
    return -(-size // WRITE_BLOCK) or 1


class Cost(Struct):
    """Units that one or more operations consumed on one table and its indexes."""

    table: float = 0
    failed: float = 0  # of statements of a batch; part of the total only
    local_indexes: dict[str, float] = {}
    global_indexes: dict[str, float] = {}

    def add_index(self, name: str, is_global: bool, units: float) -> None:
        """Add units to an index; an index without units is not listed."""
        if units:
            indexes = self.global_indexes if is_global else self.local_indexes
            indexes[name] = indexes.get(name, 0) + units

    def add(self, other: Cost, factor: int = 1) -> None:
        """Add the cost of another operation; the factor of a transaction applies to the table."""
        self.table += other.table * factor
        for name, units in other.local_indexes.items():
            self.local_indexes[name] = self.local_indexes.get(name, 0) + units
        for name, units in other.global_indexes.items():
            self.global_indexes[name] = self.global_indexes.get(name, 0) + units

    @property
    def total(self) -> float:
        """Return the units of the table, of all indexes, and of what failed."""
        indexes = (*self.local_indexes.values(), *self.global_indexes.values())
        return self.table + self.failed + sum(indexes)


def consumed_capacity(
    table: Table, cost: Cost, detail: str | None, kind: Literal["read", "write"] | None = None
) -> ConsumedCapacity | None:
    """Return the cost in the detail that ReturnConsumedCapacity requests, or None.

    Only transactions report `kind`, whether the units were read or written.
    """
    if detail is None or detail == "NONE":
        return None

    def read(units: float) -> float | None:
        return float(units) if kind == "read" else None

    def write(units: float) -> float | None:
        return float(units) if kind == "write" else None

    def capacity(units: float) -> Capacity:
        return Capacity(float(units), read(units), write(units))

    def by_index(units: dict[str, float]) -> dict[str, Capacity] | None:
        return {name: capacity(value) for name, value in units.items()} or None

    total = cost.total
    consumed = ConsumedCapacity(table.arn or table.name, float(total), read(total), write(total))
    if detail == "TOTAL":
        return consumed
    return replace(
        consumed,
        table=capacity(cost.table),
        local_secondary_indexes=by_index(cost.local_indexes),
        global_secondary_indexes=by_index(cost.global_indexes),
    )


def cost_of(consumed: ConsumedCapacity | None) -> Cost:
    """Return the cost that an output reports by index."""
    cost = Cost()
    if consumed is not None:
        cost.table = (
            consumed.capacity_units if consumed.table is None else consumed.table.capacity_units
        )
        for is_global in (False, True):
            found = (
                consumed.global_secondary_indexes if is_global else consumed.local_secondary_indexes
            )
            for name, units in (found or {}).items():
                cost.add_index(name, is_global, units.capacity_units)
    return cost


def consumed_capacities(
    costs: Iterable[tuple[Table, Cost]],
    detail: str | None,
    kind: Literal["read", "write"] | None = None,
) -> list[ConsumedCapacity] | None:
    """Return the cost of each table in the requested detail, or None."""
    capacities = [consumed_capacity(table, cost, detail, kind) for table, cost in costs]
    return [capacity for capacity in capacities if capacity is not None] or None
