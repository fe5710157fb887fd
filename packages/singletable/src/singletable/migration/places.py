"""One driver for two addresses: requests are routed by table.

A migration reads a source and writes a target, which may be at different addresses and may have
tables of the same name. Its requests name tables as `source/users` and `target/users`. So one
generator of requests (`Steps`) can work on both sides, with a sync or an async driver.
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
from singletable.operations.registry import table_names
from singletable.retry import unwrap_retries

R = TypeVar("R")
Side: TypeAlias = Literal["source", "target"]


def at(side: Side, table: str) -> str:
    """Return the name under which requests refer to a table."""
    return f"{side}/{table}"


class Places:
    """Executes requests at the source or at the target, by the names of their tables."""

    def __init__(self, source: Driver, target: Driver) -> None:
        self._drivers: dict[str, Driver] = {
            "source": unwrap_retries(source),
            "target": unwrap_retries(target),
        }

    def execute(self, operation: Operation[R], /) -> R:
        """Execute a request at the side that it names."""
        side, request = route(operation)
        return restore(side, self._drivers[side].execute(request))


class AsyncPlaces:
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
    sides = {name.partition("/")[0] for name in table_names(operation)}
    assert len(sides) == 1, f"a request of one side was expected: {operation}"
    return cast(Side, sides.pop()), rename_tables(operation, _real)


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
    return rename_output(output, lambda name: at(side, name))


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


def _real(name: str) -> str:
    return name.partition("/")[2]
