"""What a call consumed, by table and index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from singletable.operations import ConsumedCapacity
from singletable.store import Call


@dataclass(frozen=True, slots=True)
class Units:
    """Units of one table, or of one of its indexes; the index is empty for the table itself."""

    table: str
    index: str
    kind: Literal["read", "write"]
    units: float


def units_of(call: Call) -> Iterator[Units]:
    """What each request of a call consumed, where it consumed something."""
    for sent in call.requests:
        kind: Literal["read", "write"] = "read" if sent.reads else "write"
        for consumed in sent.consumed:
            for index, units in _parts(consumed):
                if units:
                    yield Units(consumed.table_name, index, kind, units)


def _parts(consumed: ConsumedCapacity) -> Iterator[tuple[str, float]]:
    if consumed.table is None:  # told as a whole, by an engine that knows no parts
        yield "", consumed.capacity_units
        return
    yield "", consumed.table.capacity_units
    for indexes in (consumed.global_secondary_indexes, consumed.local_secondary_indexes):
        for name, capacity in (indexes or {}).items():
            yield name, capacity.capacity_units
