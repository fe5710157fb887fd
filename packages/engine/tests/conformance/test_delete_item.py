"""What DeleteItem removes and returns."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import DeleteItem, Driver, ReturnValue
from tests.conformance.errors import failed_condition
from tests.conformance.tables import ada, make_table, put, stored
from tests.conformance.value_positions import KEY


def test_delete_removes_one_item(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="S")
    put(driver, table, ada(sk={"S": "1"}), ada(sk={"S": "2"}))
    assert driver.execute(DeleteItem(table, ada(sk={"S": "1"}))).raw_attributes is None
    assert stored(driver, table, ada(sk={"S": "1"})) is None
    assert stored(driver, table, ada(sk={"S": "2"})) == ada(sk={"S": "2"})


# Deleting is idempotent.
@pytest.mark.parametrize("asked", [None, "NONE", "ALL_OLD"])
def test_deleting_a_missing_item_succeeds(driver: Driver, asked: ReturnValue | None) -> None:
    table = make_table(driver, pk="S")
    deleted = driver.execute(DeleteItem(table, KEY, return_values=asked))
    assert deleted.raw_attributes is None


def test_return_values_all_old_returns_the_old_item(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, ada(age={"N": "36"}))
    deleted = driver.execute(DeleteItem(table, KEY, return_values="ALL_OLD"))
    assert deleted.attributes == ada(age={"N": "36"})


CONDITIONS = [
    ("a = :v", True),
    ("(attribute_exists(pk)) AND (a = :v)", True),
    ("(attribute_exists(pk) AND a = :v)", True),
    ("(attribute_exists(pk) AND (a = :v))", True),
    ("a <> :v", False),
    ("(attribute_exists(pk)) AND (b = :v)", False),
]


@pytest.mark.parametrize(("condition", "holds"), CONDITIONS)
def test_delete_requires_its_condition(driver: Driver, condition: str, holds: bool) -> None:
    table = make_table(driver, pk="S")
    item = ada(a={"S": "a"})
    put(driver, table, item)
    request = DeleteItem(
        table,
        KEY,
        condition_expression=condition,
        expression_attribute_values={":v": {"S": "a"}},
        return_values_on_condition_check_failure="ALL_OLD",
    )
    if holds:
        driver.execute(request)
        assert stored(driver, table, KEY) is None
    else:
        assert failed_condition(driver, request).item == item
        assert stored(driver, table, KEY) == item


def test_condition_sees_an_empty_item_if_none_exists(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    driver.execute(DeleteItem(table, KEY, condition_expression="attribute_not_exists(pk)"))
    failed_condition(driver, DeleteItem(table, KEY, condition_expression="attribute_exists(pk)"))
