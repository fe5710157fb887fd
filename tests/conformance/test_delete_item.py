"""What DeleteItem removes, returns and rejects."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable.operations import DeleteItem, Driver, ExpectedAttributeValue, ReturnValue
from singletable.values import Item
from tests.conformance.errors import (
    BAD_CAPACITY,
    BAD_RETURN_VALUES,
    BOGUS,
    ENVELOPE,
    INVALID,
    LEFT_OUT,
    NOT_VALID,
    WRONG_KEY,
    check_not_found,
    failed_condition,
    validation_error,
)
from tests.conformance.tables import ada, make_table, put, stored, unused_name
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


REFUSED: list[tuple[Callable[[str], DeleteItem], str]] = [
    (
        lambda table: DeleteItem(
            table,
            KEY,
            condition_expression="attribute_exists(pk)",
            expected={"a": ExpectedAttributeValue(exists=False)},
        ),
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}",
    ),
    (
        lambda table: DeleteItem(table, KEY, expression_attribute_values={":v": {"S": "a"}}),
        "ExpressionAttributeValues can only be specified when using expressions",
    ),
    (
        lambda table: DeleteItem(table, KEY, expression_attribute_names={"#a": "a"}),
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
    (
        lambda table: DeleteItem(
            table,
            KEY,
            expected={"a": ExpectedAttributeValue(exists=False)},
            expression_attribute_names={"#a": "a"},
        ),
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
    (
        lambda table: DeleteItem(
            table,
            KEY,
            condition_expression="attribute_exists(a)",
            expression_attribute_values={},
        ),
        "ExpressionAttributeValues must not be empty",
    ),
    (
        lambda table: DeleteItem(
            table,
            KEY,
            condition_expression="attribute_exists(a)",
            expression_attribute_names={},
        ),
        "ExpressionAttributeNames must not be empty",
    ),
    (
        lambda table: DeleteItem(table, KEY, condition_expression=""),
        "Invalid ConditionExpression: The expression can not be empty;",
    ),
    (
        lambda table: DeleteItem(table, KEY, condition_expression="((attribute_exists(pk)))"),
        "Invalid ConditionExpression: The expression has redundant parentheses;",
    ),
    # There is no new item to return.
    (
        lambda table: DeleteItem(table, KEY, return_values="ALL_NEW"),
        "ReturnValues can only be ALL_OLD or NONE",
    ),
    (
        lambda table: DeleteItem(table, KEY, return_values="UPDATED_NEW"),
        "ReturnValues can only be ALL_OLD or NONE",
    ),
    (
        lambda table: DeleteItem(table, KEY, return_values="UPDATED_OLD"),
        "ReturnValues can only be ALL_OLD or NONE",
    ),
]


# All of these are rejected before the table is looked up, as parameter errors.
@pytest.mark.parametrize(("request_for", "message"), REFUSED)
def test_invalid_requests_are_rejected_before_table_lookup(
    driver: Driver, request_for: Callable[[str], DeleteItem], message: str
) -> None:
    for table in (make_table(driver, pk="S"), unused_name()):
        assert validation_error(driver, request_for(table)) == ENVELOPE + message


EXPECTED = [
    (
        ExpectedAttributeValue(exists=True),
        "Value must be provided when Exists is true for Attribute: a",
    ),
    (
        ExpectedAttributeValue(exists=False, value={"S": "a"}),
        "Value cannot be used when Exists is false for Attribute: a",
    ),
    (
        ExpectedAttributeValue({"S": "a"}, None, "EQ", [{"S": "a"}]),
        "Value and AttributeValueList cannot be used together for Attribute: a",
    ),
    (
        ExpectedAttributeValue(comparison_operator="EQ"),
        "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a",
    ),
    (
        ExpectedAttributeValue(comparison_operator="BETWEEN", attribute_value_list=[{"S": "a"}]),
        "Invalid number of argument(s) for the BETWEEN ComparisonOperator",
    ),
]


@pytest.mark.parametrize(("expected", "message"), EXPECTED)
def test_rejects_invalid_expected(
    driver: Driver, expected: ExpectedAttributeValue, message: str
) -> None:
    request = DeleteItem(unused_name(), KEY, expected={"a": expected})
    assert validation_error(driver, request) == ENVELOPE + INVALID + message


def test_missing_table_raises_resource_not_found(driver: Driver) -> None:
    check_not_found(driver, DeleteItem(unused_name(), KEY))
    check_not_found(driver, DeleteItem(unused_name(), {}))


KEYS: list[tuple[Item, str]] = [
    (KEY, WRONG_KEY),
    (ada(sk={"N": "1"}), WRONG_KEY),
    (ada(sk={"M": {}}), WRONG_KEY),
    (ada(sk={"S": "1"}, extra={"S": "2"}), WRONG_KEY),
    (
        ada(sk={"S": ""}),
        NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty string value. "
        "Key: sk",
    ),
]


@pytest.mark.parametrize(("key", "message"), KEYS)
def test_rejects_key_that_does_not_match_the_schema(
    driver: Driver, key: Item, message: str
) -> None:
    assert validation_error(driver, DeleteItem(make_table(driver, pk="S", sk="S"), key)) == message


def test_rejects_empty_binary_key(driver: Driver) -> None:
    assert validation_error(driver, DeleteItem(make_table(driver, pk="B"), {"pk": {"B": ""}})) == (
        NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty binary value. "
        "Key: pk"
    )


BAD_PARAMETERS: list[tuple[DeleteItem, str]] = [
    (
        DeleteItem(LEFT_OUT, KEY),
        "1 validation error detected: Value null at 'tableName' failed to satisfy constraint: "
        "Member must not be null",
    ),
    (
        DeleteItem("", {}),
        "1 validation error detected: Value at 'TableName' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1",
    ),
    (
        DeleteItem("x!", {}),
        "1 validation error detected: Value 'x!' at 'tableName' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
    (
        DeleteItem("absent", KEY, return_values=BOGUS, return_consumed_capacity=BOGUS),
        f"2 validation errors detected: {BAD_CAPACITY}; {BAD_RETURN_VALUES}",
    ),
]


@pytest.mark.parametrize(("request_", "message"), BAD_PARAMETERS)
def test_invalid_parameters_are_reported_first(
    driver: Driver, request_: DeleteItem, message: str
) -> None:
    assert validation_error(driver, request_) == message
