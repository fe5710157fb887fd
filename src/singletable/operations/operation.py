"""The waist: an operation is a frozen value, and a driver has one method that takes one.

Whoever can execute these values is a backend: the engine in this process, a service far away, a
relational database, a fake in a test. Fields are named as AWS names them, in snake case.
"""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from msgspec import Struct

R_co = TypeVar("R_co", covariant=True)
R = TypeVar("R")


class Operation(Struct, Generic[R_co], frozen=True, omit_defaults=True, rename="pascal"):
    """A question to a table; its type says what type the answer has."""


class Shape(Struct, frozen=True, omit_defaults=True, rename="pascal"):
    """A part of an operation or of its result; a field that is None is not there."""


class Driver(Protocol):
    """Something that answers operations."""

    def execute(self, operation: Operation[R], /) -> R:
        """The answer; an OperationError if the request is refused."""
        ...


class AsyncDriver(Protocol):
    """Something that answers operations without blocking the event loop."""

    async def execute(self, operation: Operation[R], /) -> R:
        """The answer; an OperationError if the request is refused."""
        ...
