"""One driver for the two addresses of a migration: requests are routed by table.

The source and the target of a migration may be at different addresses, and may have tables of the
same name. So its requests name a table by its `Place`. One generator of requests (`Steps`) can
then work on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypeVar, cast

from msgspec.structs import replace

from dynamodb_engine.operations import (
    BatchGetItem,
    BatchGetItemOutput,
    BatchWriteItem,
    BatchWriteItemOutput,
    Driver,
    GetRecordsOutput,
    GetShardIteratorOutput,
    Operation,
    TransactGetItems,
    TransactWriteItems,
)
from dynamodb_engine.operations.touches import table_names
from dynamodb_engine.retry import unwrap_retries

R = TypeVar("R")
Side: TypeAlias = Literal["source", "target"]
# The attributes of a request that name a table, or its stream.
_NAMES = ("table_name", "stream_arn", "shard_iterator")


class Place(str):
    """A table on one side of a migration, which requests have as the name of the table.

    It is a text, so that it can be a key as the names of tables are; places on different sides
    differ.
    """

    __slots__ = ("side", "table")
    side: Side
    table: str

    def __new__(cls, side: Side, table: str) -> Place:
        """Return the place of a table; `table` is its real name."""
        self = super().__new__(cls, f"{side}/{table}")
        self.side = side
        self.table = table
        return self


class TwoAddressDriver:
    """Executes requests at the source or at the target, by the places of their tables."""

    def __init__(self, source: Driver, target: Driver) -> None:
        self._drivers: dict[str, Driver] = {
            "source": unwrap_retries(source),
            "target": unwrap_retries(target),
        }

    def execute(self, operation: Operation[R], /) -> R:
        """Execute a request at the side that it names."""
        side, request = route(operation)
        return _restored(side, self._drivers[side].execute(request))


def route(operation: Operation[R]) -> tuple[Side, Operation[R]]:
    """Return the side of a request, and the request with the real names of its tables."""
    streams = [getattr(operation, name, None) for name in _NAMES[1:]]
    names = [name for name in streams if name] or table_names(operation)
    sides: set[Side] = {_place(name).side for name in names}
    assert len(sides) == 1, f"a request of one side was expected: {operation}"
    return sides.pop(), cast("Operation[R]", _renamed(operation))


def _renamed(operation: Operation[Any]) -> Operation[Any]:
    def renamed(part: Any) -> Any:
        found = {name: value for name in _NAMES if (value := getattr(part, name, None))}
        return replace(part, **{name: real_name(value) for name, value in found.items()})

    match operation:
        case BatchGetItem() | BatchWriteItem():
            items: Mapping[str, Any] = operation.request_items
            return replace(
                operation, request_items={real_name(name): items[name] for name in items}
            )
        case TransactGetItems():
            reads = [replace(read, get=renamed(read.get)) for read in operation.transact_items]
            return replace(operation, transact_items=reads)
        case TransactWriteItems():
            writes = [
                replace(
                    write,
                    **{
                        kind: renamed(part)
                        for kind in ("put", "update", "delete", "condition_check")
                        if (part := getattr(write, kind)) is not None
                    },
                )
                for write in operation.transact_items
            ]
            return replace(operation, transact_items=writes)
        case _:
            return cast("Operation[Any]", renamed(operation))


def _restored(side: Side, output: R) -> R:
    """Return an output with places, as the request had them."""
    match output:
        case BatchGetItemOutput():
            return replace(
                output,
                raw_responses=_placed(side, output.raw_responses),
                unprocessed_keys=_placed(side, output.unprocessed_keys),
            )
        case BatchWriteItemOutput():
            return replace(output, unprocessed_items=_placed(side, output.unprocessed_items))
        case GetShardIteratorOutput():
            return replace(output, shard_iterator=Place(side, output.shard_iterator))
        case GetRecordsOutput(next_shard_iterator=str() as iterator):
            return replace(output, next_shard_iterator=Place(side, iterator))
        case _:
            return output


def _placed(side: Side, by_table: Mapping[str, R]) -> dict[str, R]:
    return {Place(side, name): value for name, value in by_table.items()}


def real_name(place: str) -> str:
    """Return the real name of a table that a request names by its place."""
    return _place(place).table


def place_beside(place: str, name: str) -> Place:
    """Return the place of another resource on the same side."""
    return Place(_place(place).side, name)


def _place(name: str) -> Place:
    assert isinstance(name, Place), f"a place was expected: {name}"
    return name
