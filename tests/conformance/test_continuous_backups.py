"""Whether a table can be restored: UpdateContinuousBackups and DescribeContinuousBackups."""

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
from tests.conformance.refusals import refusal
from tests.conformance.tables import make_table, unused_name

ON = PointInTimeRecoverySpecification(point_in_time_recovery_enabled=True)
OFF = PointInTimeRecoverySpecification(point_in_time_recovery_enabled=False)


def days(number: int) -> PointInTimeRecoverySpecification:
    return PointInTimeRecoverySpecification(True, number)


def update(
    driver: Driver, table: str, asked: PointInTimeRecoverySpecification
) -> ContinuousBackupsDescription:
    """What is told of the table's backups after a change."""
    return driver.execute(UpdateContinuousBackups(table, asked)).continuous_backups_description


def told(driver: Driver, table: str) -> tuple[str, int | None]:
    """Whether the table can be restored, and for how many days."""
    answer = driver.execute(DescribeContinuousBackups(table)).continuous_backups_description
    recovery = answer.point_in_time_recovery_description
    assert recovery is not None
    return recovery.point_in_time_recovery_status, recovery.recovery_period_in_days


# The status of backups is not the switch: they are there by themselves, and recovery is off.
def test_a_new_table_has_backups_and_no_recovery(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    described = driver.execute(DescribeContinuousBackups(table))
    assert described.continuous_backups_description == ContinuousBackupsDescription(
        "ENABLED", PointInTimeRecoveryDescription("DISABLED")
    )


def test_recovery_reaches_back_35_days_unless_told(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    answer = update(driver, table, ON)
    assert answer.continuous_backups_status == "ENABLED"
    recovery = answer.point_in_time_recovery_description
    assert recovery is not None
    assert recovery.point_in_time_recovery_status == "ENABLED"
    assert recovery.recovery_period_in_days == 35
    assert told(driver, table) == ("ENABLED", 35)


@pytest.mark.parametrize("number", [1, 7, 35])
def test_the_days_are_changed_in_place(driver: Driver, number: int) -> None:
    table = make_table(driver, pk="S")
    update(driver, table, ON)
    update(driver, table, days(number))
    assert told(driver, table) == ("ENABLED", number)


# Days are forgotten with recovery itself.
def test_recovery_is_turned_off_and_on_again(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    update(driver, table, days(7))
    assert update(driver, table, OFF) == ContinuousBackupsDescription(
        "ENABLED", PointInTimeRecoveryDescription("DISABLED")
    )
    assert told(driver, table) == ("DISABLED", None)
    update(driver, table, ON)
    assert told(driver, table) == ("ENABLED", 35)


# Unlike time to live, which refuses it.
@pytest.mark.parametrize("asked", [ON, OFF])
def test_what_is_so_already_may_be_asked_for(
    driver: Driver, asked: PointInTimeRecoverySpecification
) -> None:
    table = make_table(driver, pk="S")
    assert update(driver, table, asked) == update(driver, table, asked)


def test_a_table_may_be_named_by_its_arn(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    arn = driver.execute(DescribeTable(table)).table.table_arn
    update(driver, arn, days(3))
    assert told(driver, arn) == told(driver, table) == ("ENABLED", 3)


@pytest.mark.parametrize(("number", "bound"), [(0, "greater"), (-1, "greater"), (36, "less")])
def test_days_out_of_bounds_are_refused_before_the_table_is_looked_up(
    driver: Driver, number: int, bound: str
) -> None:
    end = "1" if bound == "greater" else "35"
    for enabled in (True, False):
        asked = PointInTimeRecoverySpecification(enabled, number)
        assert refusal(driver, UpdateContinuousBackups(unused_name(), asked)) == (
            f"1 validation error detected: Value '{number}' at "
            "'pointInTimeRecoverySpecification.recoveryPeriodInDays' failed to satisfy "
            f"constraint: Member must have value {bound} than or equal to {end}"
        )


@pytest.mark.parametrize("number", [7, 35])
def test_days_of_no_recovery_are_refused(driver: Driver, number: int) -> None:
    table = make_table(driver, pk="S")
    update(driver, table, days(5))
    asked = PointInTimeRecoverySpecification(False, number)
    assert refusal(driver, UpdateContinuousBackups(table, asked)) == (
        "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time "
        "recovery."
    )
    assert told(driver, table) == ("ENABLED", 5)


# AWS has another exception and other words here than for all else about tables.
def test_a_table_that_is_not_there_is_named(driver: Driver) -> None:
    name = unused_name()
    for operation in (UpdateContinuousBackups(name, ON), DescribeContinuousBackups(name)):
        with pytest.raises(TableNotFound) as refused:
            driver.execute(operation)
        assert isinstance(refused.value, BackupTableNotFound)
        assert refused.value.code == "TableNotFoundException"
        assert refused.value.message == f"Table not found: {name}"
