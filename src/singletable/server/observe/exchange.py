"""One request and what became of it, as far as it may be told: no items, no keys, no secrets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from singletable.errors import OperationError, SingleTableError
from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    ConsumedCapacity,
    Operation,
    TransactGetItems,
    TransactWriteItems,
)
from singletable.wire import HttpRequest

# A request may name as many tables as fit into it, and give them names as long.
MOST_TABLES = 25
LONGEST_NAME = 255


@dataclass(slots=True)
class Exchange:
    """A request, filled in by whoever answers it."""

    request: HttpRequest
    request_id: str = ""
    identity: str | None = None
    operation: Operation[object] | None = None
    error: SingleTableError | None = None
    consumed: tuple[ConsumedCapacity, ...] = ()

    @property
    def name(self) -> str | None:
        """The operation's name; None if it came to none."""
        return None if self.operation is None else type(self.operation).__name__

    @property
    def code(self) -> str | None:
        """AWS's name for the error; None if there was none."""
        if self.error is None:
            return None
        return getattr(self.error, "code", OperationError.code)

    @property
    def tables(self) -> list[str]:
        """The tables that the request names, in its order, each once."""
        # Most requests name one, and this is asked of each: look there first.
        name = getattr(self.operation, "table_name", None)
        if name is not None:
            return [_short(name)]
        names = dict.fromkeys(_tables(self.operation))
        return [_short(name) for name in islice(names, MOST_TABLES)]

    @property
    def index(self) -> str | None:
        """The index that the request names."""
        name = getattr(self.operation, "index_name", None)
        return None if name is None else _short(name)


def _tables(operation: Operation[object] | None) -> Iterable[str]:
    match operation:
        case BatchGetItem() | BatchWriteItem():
            return operation.request_items or ()
        case TransactGetItems():
            return _named(one.get for one in operation.transact_items or ())
        case TransactWriteItems():
            return _named(
                one.put or one.update or one.delete or one.condition_check
                for one in operation.transact_items or ()
            )
        case _:
            return _named([operation])


def _named(parts: Iterable[object]) -> Iterable[str]:
    """The tables that parts of a request name. One that was read leniently may lack its name."""
    for part in parts:
        name = getattr(part, "table_name", None) or getattr(part, "resource_arn", None)
        if name is not None:
            yield name


def _short(name: str) -> str:
    """The name of a table that is given by its name or its ARN, cut where no name goes on."""
    if name.startswith("arn:"):
        name = name.partition(":table/")[2].partition("/")[0]
    return name[:LONGEST_NAME]
