"""A table is made once DynamoDB says that it is there."""

from __future__ import annotations

from typing import Any, cast

import pytest

from singletable import (
    BackupTableNotFound,
    ContinuousBackupsUnavailable,
    CreateTable,
    DescribeTable,
    Operation,
    ResourceNotFound,
    ServiceUnavailable,
    Table,
    TableNotFound,
    UpdateTimeToLive,
)
from singletable.engine import Engine
from singletable.infrastructure import TableSettings, create, describe
from singletable.operations import UpdateContinuousBackups

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


class NotYet(Slow):
    """A driver that has backups of a new table only after it was asked some times."""

    def execute(self, operation: Operation[Any], /) -> Any:
        tried = self.asked.count(UpdateContinuousBackups)
        if isinstance(operation, UpdateContinuousBackups) and tried < self.looks:
            self.asked.append(UpdateContinuousBackups)
            # DynamoDB may not even know of the table where it makes backups.
            if not tried:
                raise BackupTableNotFound("Table not found: shop")
            raise ContinuousBackupsUnavailable("Backups are being enabled for the table: shop")
        return self.engine.execute(cast("Operation[object]", operation))


# A table can be used some seconds before DynamoDB has backups of it.
def test_recovery_is_switched_on_once_there_are_backups() -> None:
    with Engine.in_memory() as engine:
        driver, pauses = NotYet(engine, looks=5), list[float]()
        settings = TableSettings(recovery_days=7)
        create(driver, TABLE, "shop", settings, pauses.append)
        assert pauses == [0.5] * 5
        described = describe(engine, "shop", settings)
        assert described is not None
        assert described.recovery_days == 7


def test_waiting_for_backups_has_an_end() -> None:
    with Engine.in_memory() as engine:
        driver = NotYet(engine, looks=10_000)
        with pytest.raises(ServiceUnavailable, match="no backups of it after 120 seconds"):
            create(driver, TABLE, "shop", TableSettings(recovery_days=7), lambda seconds: None)


# DynamoDB Local says in other words that there is no table.
def test_a_table_may_be_missing_in_other_words() -> None:
    class Otherwise(Slow):
        def execute(self, operation: Operation[Any], /) -> Any:
            try:
                return self.engine.execute(cast("Operation[object]", operation))
            except TableNotFound:
                words = "Cannot do operations on a non-existent table"
                raise ResourceNotFound(words) from None

    with Engine.in_memory() as engine:
        assert describe(Otherwise(engine, looks=0), "shop") is None


def test_waiting_has_an_end() -> None:
    with Engine.in_memory() as engine:
        driver = Slow(engine, looks=10_000)
        with pytest.raises(ServiceUnavailable, match="not active after 120 seconds"):
            create(driver, TABLE, "shop", TableSettings(), lambda seconds: None)
