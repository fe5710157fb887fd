"""What reads and writes consume, and how it is told."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from singletable.engine.table import Table
from singletable.operations import Capacity, ConsumedCapacity

READ_BLOCK = 4096
WRITE_BLOCK = 1024


def read_units(size: int, *, consistent: bool) -> float:
    """Units for reading so many bytes: one for each 4 KB begun, half that if it may be stale."""
    blocks = -(-size // READ_BLOCK) or 1
    return float(blocks) if consistent else blocks / 2


def write_units(size: int) -> int:
    """Units for writing so many bytes: one for each KB begun."""
    return -(-size // WRITE_BLOCK) or 1


class Cost(Struct):
    """Units that one or more operations consumed on one table and its indexes."""

    table: float = 0
    local_indexes: dict[str, float] = {}
    global_indexes: dict[str, float] = {}

    def add_index(self, name: str, is_global: bool, units: float) -> None:
        """Charge an index; what costs nothing is not listed."""
        if units:
            arms = self.global_indexes if is_global else self.local_indexes
            arms[name] = arms.get(name, 0) + units

    def add(self, other: Cost, factor: int = 1) -> None:
        """Charge what another operation consumed; a transaction's factor is for the table alone."""
        self.table += other.table * factor
        for name, units in other.local_indexes.items():
            self.add_index(name, False, units)
        for name, units in other.global_indexes.items():
            self.add_index(name, True, units)

    @property
    def total(self) -> float:
        """All units together."""
        return self.table + sum(self.local_indexes.values()) + sum(self.global_indexes.values())


def consumed_capacity(
    table: Table, cost: Cost, asked: str | None, kind: Literal["read", "write"] | None = None
) -> ConsumedCapacity | None:
    """The cost as the result tells it; `kind` ("read", "write") is told by transactions alone."""
    if asked is None or asked == "NONE":
        return None

    def read(units: float) -> float | None:
        return float(units) if kind == "read" else None

    def write(units: float) -> float | None:
        return float(units) if kind == "write" else None

    def told(units: float) -> Capacity:
        return Capacity(float(units), read(units), write(units))

    def arms(units: dict[str, float]) -> dict[str, Capacity] | None:
        return {name: told(value) for name, value in units.items()} or None

    total = cost.total
    whole = ConsumedCapacity(table.name, float(total), read(total), write(total))
    if asked == "TOTAL":
        return whole
    return replace(
        whole,
        table=told(cost.table),
        local_secondary_indexes=arms(cost.local_indexes),
        global_secondary_indexes=arms(cost.global_indexes),
    )
