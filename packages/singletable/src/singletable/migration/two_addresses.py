"""One driver for the two addresses of a migration: requests are routed by table.

The source and the target of a migration may be at different addresses, and may have tables of the
same name. So its requests name a table by its `Place`. One generator of requests (`Steps`) can
then work on both sides, with a sync or an async driver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, TypeVar, cast

from msgspec.structs import replace

from singletable.operations import (
    AsyncDriver,
    BatchGetItem,
    BatchGetItemOutput,
    BatchWriteItem,
    BatchWriteItemOutput,
    Driver,
    Operation,
    TransactGetItems,
    TransactWriteItems,
)
from singletable.operations.touches import table_names
from singletable.retry import unwrap_retries

R = TypeVar("R")
Side: TypeAlias = Literal["source", "target"]


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
        return restore(side, self._drivers[side].execute(request))


class AsyncTwoAddressDriver:
    """Executes requests at the source or at the target without blocking the event loop."""

    def __init__(self, source: AsyncDriver, target: AsyncDriver) -> None:
        self._drivers: dict[str, AsyncDriver] = {
            "source": unwrap_retries(source),
            "target": unwrap_retries(target),
        }

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute a request at the side that it names."""
        side, request = route(operation)
        return restore(side, await self._drivers[side].execute(request))


def route(operation: Operation[R]) -> tuple[Side, Operation[R]]:
    """Return the side of a request, and the request with the real names of its tables."""
    sides: set[Side] = {_place(name).side for name in table_names(operation)}
    assert len(sides) == 1, f"a request of one side was expected: {operation}"
    return sides.pop(), rename_tables(operation, real_name)


def rename_tables(operation: Operation[R], rename: Callable[[str], str]) -> Operation[R]:
    """Return a request with other names for its tables."""
    return cast("Operation[R]", _renamed(operation, rename))


def _renamed(operation: Operation[Any], rename: Callable[[str], str]) -> Operation[Any]:
    def renamed(part: Any) -> Any:
        return replace(part, table_name=rename(part.table_name))

    match operation:
        case BatchGetItem() | BatchWriteItem():
            items: Mapping[str, Any] = operation.request_items
            return replace(operation, request_items={rename(name): items[name] for name in items})
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


def restore(side: Side, output: R) -> R:
    """Return an output with the names that the request had for its tables."""
    return rename_output(output, lambda name: Place(side, name))


def rename_output(output: R, rename: Callable[[str], str]) -> R:
    """Return an output with other names for its tables."""
    if isinstance(output, BatchGetItemOutput):
        return replace(
            output,
            raw_responses=_aliased(output.raw_responses, rename),
            unprocessed_keys=_aliased(output.unprocessed_keys, rename),
        )
    if isinstance(output, BatchWriteItemOutput):
        return replace(output, unprocessed_items=_aliased(output.unprocessed_items, rename))
    return output


def _aliased(by_table: Mapping[str, R], rename: Callable[[str], str]) -> dict[str, R]:
    return {rename(name): value for name, value in by_table.items()}


def real_name(place: str) -> str:
    """Return the real name of a table that a request names by its place."""
    return _place(place).table


def _place(name: str) -> Place:
    assert isinstance(name, Place), f"a place was expected: {name}"
    return name
