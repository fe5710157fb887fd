"""UpdateContinuousBackups and DescribeContinuousBackups."""

from __future__ import annotations

import pytest

from dynamodb_engine.errors import BackupTableNotFound, TableNotFound, UnknownOperation
from dynamodb_engine.operations import (
    DescribeContinuousBackups,
    DescribeTable,
    Driver,
    PointInTimeRecoveryDescription,
    PointInTimeRecoverySpecification,
    UpdateContinuousBackups,
)
from tests.conformance.errors import validation_error
from tests.conformance.tables import make_table, unused_name

ON = PointInTimeRecoverySpecification(point_in_time_recovery_enabled=True)
OFF = PointInTimeRecoverySpecification(point_in_time_recovery_enabled=False)


# Recovery is off by default on DynamoDB, too. There, the backup status is ENABLED, and recovery can
# be enabled: docs/compatibility.md.
def test_recovery_is_disabled_and_disabling_it_succeeds(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    arn = driver.execute(DescribeTable(table)).table.table_arn
    for name in (table, arn):
        described = driver.execute(DescribeContinuousBackups(name)).continuous_backups_description
        updated = driver.execute(UpdateContinuousBackups(name, OFF)).continuous_backups_description
        assert described == updated
        assert described.point_in_time_recovery_description == PointInTimeRecoveryDescription(
            "DISABLED"
        )


def test_enabling_recovery_is_rejected(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    for asked in (ON, PointInTimeRecoverySpecification(True, 7)):
        with pytest.raises(UnknownOperation, match="not supported"):
            driver.execute(UpdateContinuousBackups(table, asked))


@pytest.mark.parametrize(("number", "bound"), [(0, "greater"), (-1, "greater"), (36, "less")])
def test_period_out_of_range_is_rejected_before_table_lookup(
    driver: Driver, number: int, bound: str
) -> None:
    end = "1" if bound == "greater" else "35"
    for enabled in (True, False):
        asked = PointInTimeRecoverySpecification(enabled, number)
        assert validation_error(driver, UpdateContinuousBackups(unused_name(), asked)) == (
            f"1 validation error detected: Value '{number}' at "
            "'pointInTimeRecoverySpecification.recoveryPeriodInDays' failed to satisfy "
            f"constraint: Member must have value {bound} than or equal to {end}"
        )


@pytest.mark.parametrize("number", [7, 35])
def test_rejects_period_without_recovery(driver: Driver, number: int) -> None:
    asked = PointInTimeRecoverySpecification(False, number)
    assert validation_error(driver, UpdateContinuousBackups(make_table(driver, pk="S"), asked)) == (
        "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
        "recovery."
    )


# AWS raises another exception here than for other operations on tables.
def test_missing_table_error_names_the_table(driver: Driver) -> None:
    name = unused_name()
    for operation in (UpdateContinuousBackups(name, ON), DescribeContinuousBackups(name)):
        with pytest.raises(TableNotFound) as raised:
            driver.execute(operation)
        assert isinstance(raised.value, BackupTableNotFound)
        assert raised.value.code == "TableNotFoundException"
        assert raised.value.message == f"Table not found: {name}"
