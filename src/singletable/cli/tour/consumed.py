"""What an operation consumed, in words and in sums."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from singletable.cli.tour.plain import several
from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    BatchWriteItemOutput,
    ConsumedCapacity,
    DeleteItem,
    GetItem,
    GetItemOutput,
    Operation,
    PageOutput,
    PutItem,
    Query,
    Scan,
    TransactWriteItems,
    TransactWriteItemsOutput,
    UpdateItem,
    WriteItemOutput,
)

_METERED = (
    BatchGetItem
    | BatchWriteItem
    | DeleteItem
    | GetItem
    | PutItem
    | Query
    | Scan
    | TransactWriteItems
    | UpdateItem
)
_READS = (BatchGetItem, GetItem, Query, Scan)


def metered(operation: Operation[object]) -> Operation[object]:
    """The same operation, asking for what it consumes if it can be asked that."""
    if isinstance(operation, _METERED):
        return msgspec.structs.replace(operation, return_consumed_capacity="INDEXES")
    return operation


def consumed_by(answer: object) -> Sequence[ConsumedCapacity]:
    """What the answer says was consumed, one entry a table; none if it does not say."""
    match answer:
        case GetItemOutput() | WriteItemOutput() | PageOutput():
            return [answer.consumed_capacity] if answer.consumed_capacity else []
        case BatchWriteItemOutput() | TransactWriteItemsOutput():
            return answer.consumed_capacity or []
        case _:
            return []


def units_of(capacities: Sequence[ConsumedCapacity]) -> float:
    """All units together."""
    return sum(capacity.capacity_units for capacity in capacities)


def is_read(operation: Operation[object]) -> bool:
    """Whether its units are read units; they are write units otherwise."""
    return isinstance(operation, _READS)


def consumption_text(operation: Operation[object], capacities: Sequence[ConsumedCapacity]) -> str:
    """The units in one line, and where they went if that was more than one place."""
    kind = "read unit" if is_read(operation) else "write unit"
    total = several(units_of(capacities), kind)
    places = [place for capacity in capacities for place in _places(capacity)]
    if len(places) < 2:
        return total
    return f"{total}: {', '.join(f'{name} {units:g}' for name, units in places)}"


def _places(capacity: ConsumedCapacity) -> list[tuple[str, float]]:
    indexes = {
        **(capacity.local_secondary_indexes or {}),
        **(capacity.global_secondary_indexes or {}),
    }
    table = capacity.table.capacity_units if capacity.table else capacity.capacity_units
    places = [(capacity.table_name, table)] if table or not indexes else []
    return places + [(name, index.capacity_units) for name, index in indexes.items()]
