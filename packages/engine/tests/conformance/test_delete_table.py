"""What DeleteTable removes and rejects."""

from __future__ import annotations

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.errors import ResourceNotFound, TableNotFound
from tests.conformance.errors import validation_error
from tests.conformance.table_requests import made, on_demand, shown
from tests.conformance.tables import make_indexed_table, make_table, put, unused_name


# The response shows the table as DELETING; its global indexes are gone already.
def test_deleted_table_is_deleting_then_gone(driver: ops.Driver) -> None:
    table = make_indexed_table(driver)
    answer = driver.execute(ops.DeleteTable(table)).table_description
    assert (answer.table_name, answer.table_status) == (table, "DELETING")
    assert answer.global_secondary_indexes is None
    assert (answer.item_count, answer.table_size_bytes) == (0, 0)
    with pytest.raises(TableNotFound):
        driver.execute(ops.DescribeTable(table))
    assert table not in driver.execute(ops.ListTables()).table_names


def test_deleting_a_table_deletes_its_items(driver: ops.Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, {"pk": {"S": "ada"}})
    driver.execute(ops.UpdateTimeToLive(table, ops.TimeToLiveSpecification(True, "ttl")))
    driver.execute(ops.DeleteTable(table))
    for operation in (
        ops.GetItem(table, {"pk": {"S": "ada"}}),
        ops.PutItem(table, {"pk": {"S": "ada"}}),
        ops.Scan(table),
    ):
        with pytest.raises(ResourceNotFound):
            driver.execute(operation)
    driver.execute(on_demand(table_name=table))
    assert driver.execute(ops.Scan(table)).count == 0
    ttl = driver.execute(ops.DescribeTimeToLive(table)).time_to_live_description
    assert ttl.time_to_live_status == "DISABLED"


def test_table_can_be_deleted_by_arn(driver: ops.Driver) -> None:
    table = shown(driver, on_demand())
    driver.execute(ops.DeleteTable(table.table_arn))
    with pytest.raises(TableNotFound):
        driver.execute(ops.DescribeTable(table.table_name))


# Deletion protection must be disabled in a separate step, so that nobody deletes by accident.
def test_deletion_protection_must_be_disabled_first(driver: ops.Driver) -> None:
    table = made(driver, on_demand(deletion_protection_enabled=True))
    assert validation_error(driver, ops.DeleteTable(table)) == (
        "Resource cannot be deleted as it is currently protected against deletion. "
        "Disable deletion protection first."
    )
    driver.execute(ops.UpdateTable(table, deletion_protection_enabled=False))
    driver.execute(ops.DeleteTable(table))
    assert table not in driver.execute(ops.ListTables()).table_names


def test_missing_table_error_names_the_table(driver: ops.Driver) -> None:
    name = unused_name()
    with pytest.raises(TableNotFound) as raised:
        driver.execute(ops.DeleteTable(name))
    assert raised.value.message == f"Requested resource not found: Table: {name} not found"
