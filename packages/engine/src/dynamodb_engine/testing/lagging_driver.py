"""A driver with stale, eventually consistent reads, such as reads of an index on AWS."""

from __future__ import annotations

from typing import TypeVar

from dynamodb_engine.engine import Engine
from dynamodb_engine.errors import ResourceNotFound
from dynamodb_engine.operations import BatchGetItem, GetItem, Operation, Query, Scan

R = TypeVar("R")


class LaggingDriver:
    """An engine in memory, whose eventually consistent reads see its items of an earlier time.

    With `indexes_only`, only reads of indexes lag.
    """

    def __init__(self, engine: Engine, *, indexes_only: bool = False) -> None:
        self.engine = engine
        self._indexes_only = indexes_only
        self.catch_up()

    def catch_up(self) -> None:
        """Let all reads see the present items."""
        self._past = self.engine.copy()

    def execute(self, operation: Operation[R], /) -> R:
        """Execute an operation and return its output."""
        if self._lags(operation):
            try:
                return self._past.execute(operation)
            except ResourceNotFound:  # the table is new
                self.catch_up()
        return self.engine.execute(operation)

    def _lags(self, operation: Operation[object]) -> bool:
        if isinstance(operation, BatchGetItem):
            tables = operation.request_items.values()
            return not (self._indexes_only or any(each.consistent_read for each in tables))
        if self._indexes_only and getattr(operation, "index_name", None) is None:
            return False
        return isinstance(operation, GetItem | Query | Scan) and not operation.consistent_read
