"""What requests consume, known without their clients' asking.

The driver is asked for capacity on each operation that can tell it, and the answer goes to the
client as the client asked: with all of it, with its total, or without.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypeVar, cast

from msgspec.structs import replace

from singletable.operations import (
    AsyncDriver,
    BatchGetItem,
    BatchWriteItem,
    ConsumedCapacity,
    DeleteItem,
    GetItem,
    Operation,
    PutItem,
    Query,
    Scan,
    TransactGetItems,
    TransactWriteItems,
    UpdateItem,
)
from singletable.server.observe.exchange import Exchange

R = TypeVar("R")
Detail: TypeAlias = Literal["TOTAL", "INDEXES"]
Kind: TypeAlias = Literal["read", "write"]

# What tells all that there is to know: reading items by their keys touches no index.
_DETAIL: dict[type, Detail] = {
    BatchGetItem: "TOTAL",
    GetItem: "TOTAL",
    TransactGetItems: "TOTAL",
    BatchWriteItem: "INDEXES",
    DeleteItem: "INDEXES",
    PutItem: "INDEXES",
    Query: "INDEXES",
    Scan: "INDEXES",
    TransactWriteItems: "INDEXES",
    UpdateItem: "INDEXES",
}
_READS = frozenset([BatchGetItem, GetItem, Query, Scan, TransactGetItems])
_ASKABLE = (None, "NONE", "TOTAL", "INDEXES")


async def metered(driver: AsyncDriver, operation: Operation[R], exchange: Exchange) -> R:
    """The driver's answer as the client asked for it, with what it consumed in the exchange."""
    detail = _DETAIL.get(type(operation))
    if detail is None:
        return await driver.execute(operation)
    # Each of these operations has the one field, and each of their results the other.
    measured: Any = operation
    asked: str | None = measured.return_consumed_capacity
    if asked not in _ASKABLE:
        # It will be refused, in words that quote it.
        return await driver.execute(operation)
    if asked == "INDEXES":
        detail = "INDEXES"
    elif asked != detail:
        measured = replace(measured, return_consumed_capacity=detail)
    result: Any = await driver.execute(measured)
    told: ConsumedCapacity | list[ConsumedCapacity] | None = result.consumed_capacity
    if told is not None:
        exchange.consumed = (told,) if isinstance(told, ConsumedCapacity) else tuple(told)
        if asked != detail:
            result = replace(result, consumed_capacity=_as_asked(told, asked))
    return cast(R, result)


def _as_asked(
    told: ConsumedCapacity | list[ConsumedCapacity], asked: str | None
) -> ConsumedCapacity | list[ConsumedCapacity] | None:
    if asked != "TOTAL":
        return None
    return _total(told) if isinstance(told, ConsumedCapacity) else [_total(one) for one in told]


def _total(told: ConsumedCapacity) -> ConsumedCapacity:
    return replace(told, table=None, local_secondary_indexes=None, global_secondary_indexes=None)


def kind_of(told: ConsumedCapacity, operation: Operation[object] | None) -> Kind:
    """Whether the operation's units were read or written."""
    # Transactions say it themselves: one that was sent before is read back, and writes nothing.
    if told.read_capacity_units is not None or type(operation) in _READS:
        return "read"
    return "write"


def parts_of(told: ConsumedCapacity) -> list[tuple[str, float]]:
    """The units of the table itself, under no name, and those of its indexes under theirs."""
    if told.table is None:
        return [("", told.capacity_units)]
    parts = [("", told.table.capacity_units)]
    for indexes in (told.local_secondary_indexes, told.global_secondary_indexes):
        if indexes is not None:
            parts += [(name, index.capacity_units) for name, index in indexes.items()]
    return parts
