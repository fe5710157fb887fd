"""What a handler is: what can be checked without a table, and what is done with one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import Struct

from singletable.engine.dialect import READ, Dialect
from singletable.engine.session import Session

Request = TypeVar("Request")
Plan = TypeVar("Plan")
Result = TypeVar("Result")


class Handler(Struct, Generic[Request, Plan, Result], frozen=True):
    """How one operation is answered.

    `check` refuses what is wrong whatever tables there are; it runs before the table is looked up
    and outside the writer's turn, as at AWS. `run` does the rest on one state of the database.
    """

    check: Callable[[Request], Plan]
    run: Callable[[Plan, Session], Result]
    writes: bool
    dialect: Dialect = READ


def unchecked(request: Request) -> Request:
    """The plan of an operation with nothing to check beforehand: the request itself."""
    return request
