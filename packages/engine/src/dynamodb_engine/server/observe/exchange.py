"""One request and its outcome, as metrics and the access log see it.

Only what may be published is here: no items, keys or secrets. Consumed capacity is known whether or
not the client requested it: `execute_metered` requests it from the driver, and removes from the
output what the client did not request.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, TypeAlias, TypeVar, cast

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.errors import EngineError, OperationError
from dynamodb_engine.operations.arn import TableArns
from dynamodb_engine.operations.registry import OPERATIONS, is_write
from dynamodb_engine.operations.touches import table_names
from dynamodb_engine.wire import HttpRequest

R = TypeVar("R")
CapacityDetail: TypeAlias = Literal["TOTAL", "INDEXES"]
UnitKind: TypeAlias = Literal["read", "write"]

# A request may name as many tables as fit into it, with names of any length.
MAX_TABLES = 25
MAX_NAMES = 100
MAX_NAME_LENGTH = 255
# The detail that reports everything: reading items by their keys touches no index.
_KEY_READS = (ops.BatchGetItem, ops.GetItem, ops.TransactGetItems)
_CAPACITY_DETAIL: dict[type, CapacityDetail] = {
    spec.request: "TOTAL" if spec.request in _KEY_READS else "INDEXES"
    for spec in OPERATIONS.values()
    if spec.scope == "items"
}
_RETURN_CONSUMED_CAPACITY = (None, "NONE", "TOTAL", "INDEXES")


@dataclass(slots=True)
class Exchange:
    """A request and its outcome, which the app fills in; `arns` resolves its tables."""

    request: HttpRequest
    arns: TableArns
    request_id: str = ""
    identity: str | None = None
    operation: ops.Operation[object] | None = None
    error: EngineError | None = None
    consumed: tuple[ops.ConsumedCapacity, ...] = ()

    @property
    def operation_name(self) -> str | None:
        """The operation's name, or None if the request was rejected before it was parsed."""
        return None if self.operation is None else type(self.operation).__name__

    @property
    def error_code(self) -> str | None:
        """AWS's code of the error, or None."""
        if self.error is None:
            return None
        return getattr(self.error, "code", OperationError.code)

    @property
    def tables(self) -> list[str]:
        """The distinct tables that the request names, in its order."""
        # Most requests name one table, and this is called for each request: check that first.
        name = getattr(self.operation, "table_name", None)
        if name is not None:
            return [self._table_name(name)]
        named = () if self.operation is None else table_names(self.operation)
        names = dict.fromkeys(islice(named, MAX_NAMES))
        return [self._table_name(name) for name in islice(names, MAX_TABLES)]

    @property
    def index(self) -> str | None:
        """The index that the request names, or None."""
        name = getattr(self.operation, "index_name", None)
        return None if name is None else name[:MAX_NAME_LENGTH]

    def _table_name(self, name: str) -> str:
        """Return the name of a table, or a foreign ARN unchanged, up to MAX_NAME_LENGTH."""
        if name.startswith("arn:"):
            with suppress(OperationError):
                name = self.arns.resolve(name, "")
        return name[:MAX_NAME_LENGTH]


async def execute_metered(
    driver: ops.AsyncDriver, operation: ops.Operation[R], exchange: Exchange
) -> R:
    """Execute the operation and record its consumed capacity in the exchange."""
    detail = _CAPACITY_DETAIL.get(type(operation))
    if detail is None:
        return await driver.execute(operation)
    # All these operations have `return_consumed_capacity`, and their outputs `consumed_capacity`.
    metered: Any = operation
    requested: str | None = metered.return_consumed_capacity
    if requested not in _RETURN_CONSUMED_CAPACITY:
        # The driver rejects it with a message that quotes it.
        return await driver.execute(operation)
    if requested == "INDEXES":
        detail = "INDEXES"
    elif requested != detail:
        metered = replace(metered, return_consumed_capacity=detail)
    output: Any = await driver.execute(metered)
    consumed: ops.ConsumedCapacity | list[ops.ConsumedCapacity] | None = output.consumed_capacity
    if consumed is not None:
        exchange.consumed = (
            (consumed,) if isinstance(consumed, ops.ConsumedCapacity) else tuple(consumed)
        )
        if requested != detail:
            output = replace(output, consumed_capacity=_as_requested(consumed, requested))
    return cast(R, output)


def _as_requested(
    consumed: ops.ConsumedCapacity | list[ops.ConsumedCapacity], requested: str | None
) -> ops.ConsumedCapacity | list[ops.ConsumedCapacity] | None:
    if requested != "TOTAL":
        return None
    if isinstance(consumed, ops.ConsumedCapacity):
        return _total(consumed)
    return [_total(table) for table in consumed]


def _total(consumed: ops.ConsumedCapacity) -> ops.ConsumedCapacity:
    return replace(
        consumed, table=None, local_secondary_indexes=None, global_secondary_indexes=None
    )


def unit_kind(consumed: ops.ConsumedCapacity, operation: ops.Operation[object] | None) -> UnitKind:
    """Return whether the units were read or written."""
    # Transactions report the kind: one that is repeated reads its result and writes nothing.
    if consumed.read_capacity_units is not None:
        return "read"
    if operation is not None and not is_write(operation):
        return "read"
    return "write"


def units_by_index(consumed: ops.ConsumedCapacity) -> list[tuple[str, float]]:
    """Return the units of the table, under an empty name, and of each index."""
    if consumed.table is None:
        return [("", consumed.capacity_units)]
    units = [("", consumed.table.capacity_units)]
    for indexes in (consumed.local_secondary_indexes, consumed.global_secondary_indexes):
        if indexes is not None:
            units += [(name, index.capacity_units) for name, index in indexes.items()]
    return units
