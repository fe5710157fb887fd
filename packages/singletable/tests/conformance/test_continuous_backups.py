"""UpdateContinuousBackups and DescribeContinuousBackups."""

from __future__ import annotations

import pytest

from singletable.errors import BackupTableNotFound, TableNotFound
from singletable.operations import (
    ContinuousBackupsDescription,
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


def days(number: int) -> PointInTimeRecoverySpecification:
    return PointInTimeRecoverySpecification(True, number)


def update(
    driver: Driver, table: str, asked: PointInTimeRecoverySpecification
) -> ContinuousBackupsDescription:
    """Return the table's backup description after a change."""
    return driver.execute(UpdateContinuousBackups(table, asked)).continuous_backups_description


def recovery_of(driver: Driver, table: str) -> tuple[str, int | None]:
    """Return whether recovery is enabled, and for how many days."""
    answer = driver.execute(DescribeContinuousBackups(table)).continuous_backups_description
    recovery = answer.point_in_time_recovery_description
    assert recovery is not None
    return recovery.point_in_time_recovery_status, recovery.recovery_period_in_days


# The backup status is always enabled; point-in-time recovery is off by default.
def test_new_table_has_backups_enabled_and_recovery_disabled(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    described = driver.execute(DescribeContinuousBackups(table))
    assert described.continuous_backups_description == ContinuousBackupsDescription(
        "ENABLED", PointInTimeRecoveryDescription("DISABLED")
    )


def test_recovery_period_defaults_to_35_days(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    answer = update(driver, table, ON)
    assert answer.continuous_backups_status == "ENABLED"
    recovery = answer.point_in_time_recovery_description
    assert recovery is not None
    assert recovery.point_in_time_recovery_status == "ENABLED"
    assert recovery.recovery_period_in_days == 35
    assert recovery_of(driver, table) == ("ENABLED", 35)


@pytest.mark.parametrize("number", [1, 7, 35])
def test_recovery_period_can_be_changed(driver: Driver, number: int) -> None:
    table = make_table(driver, pk="S")
    update(driver, table, ON)
    update(driver, table, days(number))
    assert recovery_of(driver, table) == ("ENABLED", number)


# Disabling recovery also forgets the period.
def test_recovery_can_be_disabled_and_enabled_again(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    update(driver, table, days(7))
    assert update(driver, table, OFF) == ContinuousBackupsDescription(
        "ENABLED", PointInTimeRecoveryDescription("DISABLED")
    )
    assert recovery_of(driver, table) == ("DISABLED", None)
    update(driver, table, ON)
    assert recovery_of(driver, table) == ("ENABLED", 35)


# UpdateTimeToLive rejects this.
@pytest.mark.parametrize("asked", [ON, OFF])
def test_setting_the_current_value_succeeds(
    driver: Driver, asked: PointInTimeRecoverySpecification
) -> None:
    table = make_table(driver, pk="S")
    assert update(driver, table, asked) == update(driver, table, asked)


def test_table_can_be_named_by_arn(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    arn = driver.execute(DescribeTable(table)).table.table_arn
    update(driver, arn, days(3))
    assert recovery_of(driver, arn) == recovery_of(driver, table) == ("ENABLED", 3)


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
    table = make_table(driver, pk="S")
    update(driver, table, days(5))
    asked = PointInTimeRecoverySpecification(False, number)
    assert validation_error(driver, UpdateContinuousBackups(table, asked)) == (
        "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
        "recovery."
    )
    assert recovery_of(driver, table) == ("ENABLED", 5)


# AWS raises another exception here than for other operations on tables.
def test_missing_table_error_names_the_table(driver: Driver) -> None:
    name = unused_name()
    for operation in (UpdateContinuousBackups(name, ON), DescribeContinuousBackups(name)):
        with pytest.raises(TableNotFound) as raised:
            driver.execute(operation)
        assert isinstance(raised.value, BackupTableNotFound)
        assert raised.value.code == "TableNotFoundException"
        assert raised.value.message == f"Table not found: {name}"
