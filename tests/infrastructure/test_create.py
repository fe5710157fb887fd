"""A table is made once DynamoDB says that it is there."""

from __future__ import annotations

from typing import Any, cast

import pytest

from singletable import (
    CreateTable,
    DescribeTable,
    Operation,
    ServiceUnavailable,
    Table,
    TableNotFound,
    UpdateTimeToLive,
)
from singletable.engine import Engine
from singletable.infrastructure import TableSettings, create

TABLE = Table("shop", ttl="gone")


class Slow:
    """A driver that knows of a new table only after it was asked some times."""

    def __init__(self, engine: Engine, looks: int) -> None:
        self.engine = engine
        self.looks = looks
        self.asked: list[type] = []

    def execute(self, operation: Operation[Any], /) -> Any:
        self.asked.append(type(operation))
        if isinstance(operation, DescribeTable) and self.asked.count(DescribeTable) <= self.looks:
            raise TableNotFound("Requested resource not found: Table: shop not found")
        return self.engine.execute(cast("Operation[object]", operation))


def test_items_expire_only_once_the_table_is_there() -> None:
    with Engine.in_memory() as engine:
        driver, pauses = Slow(engine, looks=3), list[float]()
        create(driver, TABLE, "shop", TableSettings(), pauses.append)
        assert driver.asked == [CreateTable, *[DescribeTable] * 4, UpdateTimeToLive]
        assert pauses == [0.5] * 3


def test_waiting_has_an_end() -> None:
    with Engine.in_memory() as engine:
        driver = Slow(engine, looks=10_000)
        with pytest.raises(ServiceUnavailable, match="not active after 120 seconds"):
            create(driver, TABLE, "shop", TableSettings(), lambda seconds: None)
