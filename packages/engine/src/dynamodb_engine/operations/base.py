"""Operations are frozen values, and a driver has one method, which executes one.

Anything that executes these values is a backend: the engine in this process, a remote service, a
relational database, a fake in a test. Fields have AWS's names in snake case.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar, runtime_checkable

from msgspec import Struct

__all__ = ["AsyncDriver", "Driver", "LargeOperations", "Operation", "Shape"]

R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")


class Operation(Struct, Generic[R_co], frozen=True, omit_defaults=True, rename="pascal"):
    """A request, with the type of its output as type parameter."""


class Shape(Struct, frozen=True, omit_defaults=True, rename="pascal"):
    """A part of a request or output; None marks an absent field."""


class Driver(Protocol):
    """Executes operations."""

    def execute(self, operation: Operation[R], /) -> R:
        """Return the output; raise OperationError if the request is rejected."""
        ...


class AsyncDriver(Protocol):
    """Executes operations without blocking the event loop."""

    async def execute(self, operation: Operation[R], /) -> R:
        """Return the output; raise OperationError if the request is rejected."""
        ...


@runtime_checkable
class LargeOperations(Protocol):
    """An async driver that can take the work of large operations off the event loop."""

    def prepare_large(self, operation: Operation[object], /) -> AsyncDriver:
        """Return a driver that executes a large operation in a thread.

        This may take long, so call it in a thread too. Raise OperationError if the operation is
        invalid, for example if a list is too long.
        """
        ...
