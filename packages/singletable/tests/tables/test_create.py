"""Table creation waits for DynamoDB between its steps."""

from __future__ import annotations

from typing import Any

import pytest

from dynamodb_engine import CreateTable, DescribeTable, Operation, UpdateTimeToLive
from dynamodb_engine.engine import Engine
from dynamodb_engine.operations import UpdateContinuousBackups
from singletable import Table, errors
from singletable.tables import TableSettings, create_table, describe_table
from tools.testing.recovery import RecoveryDriver

TABLE = Table("shop", ttl="gone")


class SlowTable:
    """A driver where a new table appears after some DescribeTable requests."""

    def __init__(self, engine: Engine, polls: int) -> None:
        self.engine = RecoveryDriver(engine)
        self.polls = polls
        self.sent: list[type] = []

    def execute(self, operation: Operation[Any], /) -> Any:
        self.sent.append(type(operation))
        if isinstance(operation, DescribeTable) and self.sent.count(DescribeTable) <= self.polls:
            raise errors.TableNotFound("Requested resource not found: Table: shop not found")
        return self.engine.execute(operation)


def test_create_table_enables_ttl_after_table_is_active() -> None:
    with Engine.in_memory() as engine:
        driver, pauses = SlowTable(engine, polls=3), list[float]()
        create_table(driver, TABLE, "shop", TableSettings(), pauses.append)
        assert driver.sent == [CreateTable, *[DescribeTable] * 4, UpdateTimeToLive]
        assert pauses == [0.5] * 3


class SlowBackups(SlowTable):
    """A driver where backups become available after some requests."""

    def execute(self, operation: Operation[Any], /) -> Any:
        tried = self.sent.count(UpdateContinuousBackups)
        if isinstance(operation, UpdateContinuousBackups) and tried < self.polls:
            self.sent.append(UpdateContinuousBackups)
            # The backup service may not know the table yet.
            if not tried:
                raise errors.BackupTableNotFound("Table not found: shop")
            raise errors.ContinuousBackupsUnavailable(
                "Backups are being enabled for the table: shop"
            )
        return self.engine.execute(operation)


# DynamoDB sets up backups a few seconds after a table becomes active.
def test_create_table_retries_recovery_until_backups_exist() -> None:
    with Engine.in_memory() as engine:
        driver, pauses = SlowBackups(engine, polls=5), list[float]()
        settings = TableSettings(recovery_days=7)
        create_table(driver, TABLE, "shop", settings, pauses.append)
        assert pauses == [0.5] * 5
        described = describe_table(driver, "shop", settings)
        assert described is not None
        assert described.recovery_days == 7


def test_create_table_stops_waiting_for_backups() -> None:
    with Engine.in_memory() as engine:
        driver = SlowBackups(engine, polls=10_000)
        with pytest.raises(errors.ServiceUnavailable, match="backups are not after 120 seconds"):
            create_table(
                driver, TABLE, "shop", TableSettings(recovery_days=7), lambda seconds: None
            )


# DynamoDB Local has another error text for a missing table.
def test_describe_table_accepts_other_not_found_texts() -> None:
    class DynamoDBLocal(SlowTable):
        def execute(self, operation: Operation[Any], /) -> Any:
            try:
                return self.engine.execute(operation)
            except errors.TableNotFound:
                message = "Cannot do operations on a non-existent table"
                raise errors.ResourceNotFound(message) from None

    with Engine.in_memory() as engine:
        assert describe_table(DynamoDBLocal(engine, polls=0), "shop") is None


def test_create_table_stops_waiting_for_active() -> None:
    with Engine.in_memory() as engine:
        driver = SlowTable(engine, polls=10_000)
        with pytest.raises(errors.ServiceUnavailable, match="not active after 120 seconds"):
            create_table(driver, TABLE, "shop", TableSettings(), lambda seconds: None)
