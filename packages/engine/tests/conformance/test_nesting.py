"""Maximum nesting of values, and DynamoDB's errors beyond it."""

from __future__ import annotations

import pytest

from dynamodb_engine.errors import ConditionFailed
from dynamodb_engine.operations import (
    AttributeValueUpdate,
    DeleteItem,
    Driver,
    ExpectedAttributeValue,
    Operation,
    PutItem,
    UpdateItem,
)
from dynamodb_engine.values import AttributeValue
from tests.conformance.errors import BOGUS, ENVELOPE, validation_error
from tests.conformance.tables import ada, make_table, put, stored, unused_name
from tests.conformance.value_positions import BY_NAME, KEY

TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
TOO_DEEP_VALUE = f"ExpressionAttributeValues contains invalid value: {TOO_DEEP} for key :v"
BAD_OPERATOR_OLDER = (
    "1 validation error detected: Value 'BOGUS' at 'conditionalOperator' failed to satisfy "
    "constraint: Member must satisfy enum value set: [OR, AND]"
)
BAD_RETURN_VALUES_OLDER = (
    "1 validation error detected: Value 'BOGUS' at 'returnValues' failed to satisfy constraint: "
    "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
)


def maps(depth: int) -> AttributeValue:
    """Return a string nested in this many maps."""
    value: AttributeValue = {"S": "leaf"}
    for _ in range(depth):
        value = {"M": {"a": value}}
    return value


def lists(depth: int) -> AttributeValue:
    """Return a string nested in this many lists."""
    value: AttributeValue = {"S": "leaf"}
    for _ in range(depth):
        value = {"L": [value]}
    return value


# The attribute itself is a level, so 31 maps around a value make 32 levels.
@pytest.mark.parametrize(
    "write", ["put", "update", "batch_write_put", "transact_put", "transact_update"]
)
def test_stores_32_levels(driver: Driver, write: str) -> None:
    table = make_table(driver, pk="S")
    for deep in (maps(31), lists(31)):
        driver.execute(BY_NAME[write].request(table, deep))
        assert stored(driver, table, KEY) == ada(n=deep)


# Single writes return a parameter error until a request is too deep for the newer validation; then
# the older validation returns a plain message that names the expression value. A transaction is
# deeper by itself.
REJECTED: list[tuple[str, int, str]] = [
    ("put", 32, ENVELOPE + TOO_DEEP),
    ("put", 61, ENVELOPE + TOO_DEEP),
    ("put", 63, TOO_DEEP),
    ("put", 200, TOO_DEEP),
    ("put_condition", 32, ENVELOPE + TOO_DEEP),
    ("put_condition", 63, TOO_DEEP_VALUE),
    ("update", 32, ENVELOPE + TOO_DEEP),
    ("update", 63, TOO_DEEP_VALUE),
    ("update_condition", 32, ENVELOPE + TOO_DEEP),
    ("update_condition", 61, ENVELOPE + TOO_DEEP),
    ("update_condition", 63, TOO_DEEP_VALUE),
    ("delete_condition", 32, ENVELOPE + TOO_DEEP),
    ("delete_condition", 63, TOO_DEEP_VALUE),
    ("batch_write_put", 32, TOO_DEEP),
    ("batch_write_put", 63, TOO_DEEP),
    ("transact_put", 32, TOO_DEEP),
    ("transact_put", 63, TOO_DEEP),
    ("transact_update", 32, TOO_DEEP),
    ("transact_update", 33, TOO_DEEP),
    ("transact_update", 61, TOO_DEEP_VALUE),
    ("transact_put_condition", 32, TOO_DEEP),
    ("transact_put_condition", 33, TOO_DEEP),
    ("transact_put_condition", 61, TOO_DEEP_VALUE),
    ("transact_check", 32, TOO_DEEP),
    ("transact_check", 33, TOO_DEEP),
    ("transact_check", 61, TOO_DEEP_VALUE),
]


@pytest.mark.parametrize(("position", "depth", "message"), REJECTED)
def test_rejects_more_than_32_levels(
    driver: Driver, position: str, depth: int, message: str
) -> None:
    table = make_table(driver, pk="S")
    for deep in (maps(depth), lists(depth)):
        for name in (table, unused_name()):
            request = BY_NAME[position].request(name, deep)
            assert validation_error(driver, request) == message
    assert stored(driver, table, KEY) is None


def test_condition_value_may_have_32_levels(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, KEY)
    with pytest.raises(ConditionFailed):
        driver.execute(BY_NAME["update_condition"].request(table, maps(31)))


# An update can add only one level at a time, and fails when it is applied.
def test_update_cannot_nest_deeper_than_put(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, ada(deep=maps(31)))
    path = ".".join(["deep", *["a"] * 31])
    deeper = UpdateItem(
        table,
        KEY,
        update_expression=f"SET {path} = :v",
        expression_attribute_values={":v": {"M": {}}},
    )
    assert validation_error(driver, deeper) == "Nesting Levels have exceeded supported limits"
    assert stored(driver, table, KEY) == ada(deep=maps(31))


TWO_EXPECTED = {
    "a": ExpectedAttributeValue(value=maps(100)),
    "b": ExpectedAttributeValue(exists=False),
}
# The older validation names invalid enum values, and checks them before other values.
OLDER: list[tuple[Operation[object], str]] = [
    (
        PutItem("absent", KEY, TWO_EXPECTED, conditional_operator=BOGUS),
        BAD_OPERATOR_OLDER,
    ),
    (
        UpdateItem(
            "absent",
            KEY,
            {"c": AttributeValueUpdate({"S": "c"}, "PUT")},
            TWO_EXPECTED,
            BOGUS,
        ),
        BAD_OPERATOR_OLDER,
    ),
    (
        DeleteItem(
            "absent",
            KEY,
            return_values=BOGUS,
            condition_expression="a = :v",
            expression_attribute_values={":v": maps(63)},
        ),
        BAD_RETURN_VALUES_OLDER,
    ),
    (
        DeleteItem(
            "absent",
            KEY,
            {"a": ExpectedAttributeValue(value=maps(63))},
            return_values=BOGUS,
        ),
        BAD_RETURN_VALUES_OLDER,
    ),
    (DeleteItem("absent", {"pk": maps(100)}, return_values=BOGUS), BAD_RETURN_VALUES_OLDER),
    (
        DeleteItem(
            "absent",
            KEY,
            return_values="UPDATED_NEW",
            condition_expression="a = :v",
            expression_attribute_values={":v": maps(100)},
        ),
        "ReturnValues can only be ALL_OLD or NONE",
    ),
]


@pytest.mark.parametrize(("request_", "message"), OLDER)
def test_deeply_nested_request_is_rejected_by_the_parser(
    driver: Driver, request_: Operation[object], message: str
) -> None:
    assert validation_error(driver, request_) == message
