"""What DescribeTable shows of a table and its contents."""

from __future__ import annotations

import pytest

from dynamodb_engine.errors import AccessDenied, ResourceNotFound, TableNotFound
from dynamodb_engine.operations import DeleteItem, DescribeTable, Driver, PutItem, Scan
from dynamodb_engine.values import Item
from tests.conformance.errors import validation_error
from tests.conformance.table_requests import described, indexes, on_demand, shown
from tests.conformance.tables import global_index, local_index, make_table, put, unused_name


# An index counts the items that have its key, with the size of what it projects.
def test_item_count_covers_table_and_each_index(driver: Driver) -> None:
    table = make_table(
        driver,
        local_index("local", pk="S", l="S"),
        global_index("wide", include=("x",), g="S"),
        pk="S",
        sk="S",
    )
    one: Item = {"pk": {"S": "1"}, "sk": {"S": "1"}}
    put(driver, table, one, {**one, "pk": {"S": "2"}, "l": {"S": "l"}, "g": {"S": "g"}})
    description = described(driver, table)
    assert (description.item_count, description.table_size_bytes) == (2, 6 + 6 + 2 + 2)
    (local,), (wide,) = description.local_secondary_indexes or [], indexes(description)
    assert (local.item_count, local.index_size_bytes) == (1, 10)
    assert (wide.item_count, wide.index_size_bytes) == (1, 8)
    driver.execute(DeleteItem(table, {**one, "pk": {"S": "2"}}))
    assert described(driver, table).item_count == 1


def test_description_is_stable_until_something_changes(driver: Driver) -> None:
    table = make_table(driver, global_index("wide", g="S"), pk="S")
    assert described(driver, table) == described(driver, table)


# Most operations accept a table's ARN as its name.
def test_table_can_be_described_by_arn(driver: Driver) -> None:
    table = shown(driver, on_demand())
    assert described(driver, table.table_arn) == table


# The control plane names the missing table; the data plane does not.
def test_missing_table_error_names_the_table(driver: Driver) -> None:
    name = unused_name()
    with pytest.raises(TableNotFound) as raised:
        driver.execute(DescribeTable(name))
    assert raised.value.message == f"Requested resource not found: Table: {name} not found"
    assert raised.value.code == "ResourceNotFoundException"


# Table names are case-sensitive.
def test_table_names_are_case_sensitive(driver: Driver) -> None:
    table = shown(driver, on_demand())
    with pytest.raises(ResourceNotFound):
        driver.execute(DescribeTable(table.table_name.upper()))


# Operations on items resolve an ARN as those on tables do.
def test_rejects_arn_of_another_region_account_or_resource(driver: Driver) -> None:
    arn = shown(driver, on_demand()).table_arn
    region, account = arn.split(":")[3:5]
    for request in (DescribeTable, Scan, lambda name: PutItem(name, {"pk": {"S": "1"}})):
        for wrong, part in (
            (arn.replace(region, "mars-north-1"), "AWS region"),
            (f"{arn}/index/by-g", "resource type"),
        ):
            message = f"1 validation error detected: Invalid {part} in '{wrong}'"
            assert validation_error(driver, request(wrong)) == message
        with pytest.raises(AccessDenied):
            driver.execute(request(arn.replace(account, "999999999999")))
