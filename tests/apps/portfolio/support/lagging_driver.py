"""A driver with indexes that are behind the table, as those of DynamoDB can be."""

from __future__ import annotations

from typing import TypeVar

from singletable import Engine, PutItem, Query, Scan, Store
from singletable.operations import Operation
from singletable_apps.portfolio.entities import data_table

R = TypeVar("R")


class LaggingDriver:
    """Answers queries of indexes from a copy of the table, which is made by `catch_up`."""

    def __init__(self, inner: Engine) -> None:
        self._inner = inner
        Store(inner).admin.create_table(data_table)
        self._copy = inner.copy()

    def catch_up(self, only: str | None = None) -> None:
        """Let the indexes catch up with the table, or with one of its posts."""
        if only is None:
            self._copy.close()
            self._copy = self._inner.copy()
            return
        for item in self._inner.execute(Scan(data_table.name)).items:
            if item["PK"] == {"S": f"BLOG#{only}"}:
                self._copy.execute(PutItem(data_table.name, item))

    def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation."""
        is_of_index = isinstance(operation, Query) and operation.index_name is not None
        return (self._copy if is_of_index else self._inner).execute(operation)
