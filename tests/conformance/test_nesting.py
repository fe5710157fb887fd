"""Maximum nesting of values, and DynamoDB's errors beyond it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable.errors import ConditionFailed
from singletable.operations import (
    AttributeValueUpdate,
    BatchWriteItem,
    ConditionCheck,
    Delete,
    DeleteItem,
    Driver,
    ExpectedAttributeValue,
    Operation,
    Put,
    PutItem,
    PutRequest,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
    WriteRequest,
)
from singletable.values import AttributeValue, Item
from tests.conformance.errors import BOGUS, ENVELOPE, validation_error
from tests.conformance.tables import ada, make_table, put, stored, unused_name
from tests.conformance.value_positions import KEY

TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
TOO_DEEP_VALUE = f"ExpressionAttributeValues contains invalid value: {TOO_DEEP} for key :v"
BAD_OPERATOR_OF_OLD = (
    "1 validation error detected: Value 'BOGUS' at 'conditionalOperator' failed to satisfy "
    "constraint: Member must satisfy enum value set: [OR, AND]"
)
BAD_RETURN_VALUES_OF_OLD = (
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


def _put(table: str, value: AttributeValue) -> Operation[object]:
    return PutItem(table, ada(deep=value))


def _put_condition(table: str, value: AttributeValue) -> Operation[object]:
    return PutItem(
        table, KEY, condition_expression="deep = :v", expression_attribute_values={":v": value}
    )


def _update(table: str, value: AttributeValue) -> Operation[object]:
    return UpdateItem(
        table, KEY, update_expression="SET deep = :v", expression_attribute_values={":v": value}
    )


def _update_condition(table: str, value: AttributeValue) -> Operation[object]:
    return UpdateItem(
        table,
        KEY,
        update_expression="REMOVE b",
        condition_expression="deep = :v",
        expression_attribute_values={":v": value},
    )


def _delete_condition(table: str, value: AttributeValue) -> Operation[object]:
    return DeleteItem(
        table, KEY, condition_expression="deep = :v", expression_attribute_values={":v": value}
    )


def _batch_put(table: str, value: AttributeValue) -> Operation[object]:
    return BatchWriteItem({table: [WriteRequest(put_request=PutRequest(ada(deep=value)))]})


def _transact(*actions: TransactWriteItem) -> Operation[object]:
    return TransactWriteItems(list(actions))


def _transact_put(table: str, value: AttributeValue) -> Operation[object]:
    return _transact(TransactWriteItem(put=Put(table, ada(deep=value))))


def _transact_update(table: str, value: AttributeValue) -> Operation[object]:
    update = Update(table, KEY, "SET deep = :v", expression_attribute_values={":v": value})
    return _transact(TransactWriteItem(update=update))


def _transact_check(table: str, value: AttributeValue) -> Operation[object]:
    check = ConditionCheck(table, KEY, "deep = :v", expression_attribute_values={":v": value})
    return _transact(TransactWriteItem(condition_check=check))


Request = Callable[[str, AttributeValue], Operation[object]]


# The attribute itself is a level, so 31 maps around a value make 32 levels.
@pytest.mark.parametrize("write", [_put, _update, _batch_put, _transact_put, _transact_update])
def test_stores_32_levels(driver: Driver, write: Request) -> None:
    table = make_table(driver, pk="S")
    for deep in (maps(31), lists(31)):
        driver.execute(write(table, deep))
        assert stored(driver, table, KEY) == ada(deep=deep)


# Single writes return a parameter error until a request is too deep for the newer validation; then
# the older validation returns a plain message that names the expression value. A transaction is
# deeper by itself.
REFUSED: list[tuple[Request, int, str]] = [
    (_put, 32, ENVELOPE + TOO_DEEP),
    (_put, 61, ENVELOPE + TOO_DEEP),
    (_put, 63, TOO_DEEP),
    (_put, 200, TOO_DEEP),
    (_put_condition, 32, ENVELOPE + TOO_DEEP),
    (_put_condition, 63, TOO_DEEP_VALUE),
    (_update, 32, ENVELOPE + TOO_DEEP),
    (_update, 63, TOO_DEEP_VALUE),
    (_update_condition, 32, ENVELOPE + TOO_DEEP),
    (_update_condition, 61, ENVELOPE + TOO_DEEP),
    (_update_condition, 63, TOO_DEEP_VALUE),
    (_delete_condition, 32, ENVELOPE + TOO_DEEP),
    (_delete_condition, 63, TOO_DEEP_VALUE),
    (_batch_put, 32, TOO_DEEP),
    (_batch_put, 63, TOO_DEEP),
    (_transact_put, 32, TOO_DEEP),
    (_transact_put, 63, TOO_DEEP),
    (_transact_update, 32, TOO_DEEP),
    (_transact_update, 33, TOO_DEEP),
    (_transact_check, 32, TOO_DEEP),
    (_transact_check, 33, TOO_DEEP),
    (_transact_check, 61, TOO_DEEP_VALUE),
]


@pytest.mark.parametrize(("request_for", "depth", "message"), REFUSED)
def test_rejects_more_than_32_levels(
    driver: Driver, request_for: Request, depth: int, message: str
) -> None:
    table = make_table(driver, pk="S")
    for deep in (maps(depth), lists(depth)):
        assert validation_error(driver, request_for(table, deep)) == message
        assert validation_error(driver, request_for(unused_name(), deep)) == message
    assert stored(driver, table, KEY) is None


def test_condition_value_may_have_32_levels(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, KEY)
    with pytest.raises(ConditionFailed):
        driver.execute(_update_condition(table, maps(31)))


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
OF_OLD: list[tuple[Operation[object], str]] = [
    (
        PutItem("absent", KEY, TWO_EXPECTED, conditional_operator=BOGUS),
        BAD_OPERATOR_OF_OLD,
    ),
    (
        UpdateItem(
            "absent",
            KEY,
            {"c": AttributeValueUpdate({"S": "c"}, "PUT")},
            TWO_EXPECTED,
            BOGUS,
        ),
        BAD_OPERATOR_OF_OLD,
    ),
    (
        DeleteItem(
            "absent",
            KEY,
            return_values=BOGUS,
            condition_expression="a = :v",
            expression_attribute_values={":v": maps(63)},
        ),
        BAD_RETURN_VALUES_OF_OLD,
    ),
    (
        DeleteItem(
            "absent",
            KEY,
            {"a": ExpectedAttributeValue(value=maps(63))},
            return_values=BOGUS,
        ),
        BAD_RETURN_VALUES_OF_OLD,
    ),
    (DeleteItem("absent", {"pk": maps(100)}, return_values=BOGUS), BAD_RETURN_VALUES_OF_OLD),
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


@pytest.mark.parametrize(("request_", "message"), OF_OLD)
def test_deeply_nested_request_is_rejected_by_the_parser(
    driver: Driver, request_: Operation[object], message: str
) -> None:
    assert validation_error(driver, request_) == message


def _deep_put(depth: int) -> TransactWriteItem:
    return TransactWriteItem(put=Put("absent", ada(deep=maps(depth))))


def _deep_check(depth: int) -> TransactWriteItem:
    values: Item = {":v": maps(depth)}
    return TransactWriteItem(
        condition_check=ConditionCheck("absent", KEY, "a = :v", expression_attribute_values=values)
    )


def _deep_key(depth: int, condition: str | None = None) -> TransactWriteItem:
    return TransactWriteItem(delete=Delete("absent", {"pk": maps(depth)}, condition))


NAMELESS = TransactWriteItem(put=Put("absent", {**KEY, "": {"S": "a"}}))
BAD_SYNTAX = TransactWriteItem(put=Put("absent", KEY, "a = = b"))
UNUSED = TransactWriteItem(
    update=Update("absent", KEY, "REMOVE a", expression_attribute_values={":u": {"S": "u"}})
)
TOO_LONG = f"attribute_exists({'a' * 4091})"
NO_NAME = "Empty attribute name"
SYNTAX_ERROR = 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"'
NOT_USED = "Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}"
IN_ORDER: list[tuple[list[TransactWriteItem], str]] = [
    ([_deep_put(40), NAMELESS], TOO_DEEP),
    ([NAMELESS, _deep_put(100)], NO_NAME),
    (
        [TransactWriteItem(put=Put("absent", {**KEY, "": {"S": "a"}, "deep": maps(100)}))],
        NO_NAME,
    ),
    (
        [TransactWriteItem(put=Put("absent", {**KEY, "deep": maps(100), "": {"S": "a"}}))],
        NO_NAME,
    ),
    # Inside a map, a name is checked after the depth.
    (
        [
            TransactWriteItem(
                put=Put("absent", ada(m={"M": {"": {"S": "a"}}}, deep=maps(40))),
            )
        ],
        TOO_DEEP,
    ),
    ([NAMELESS, _deep_check(100)], NO_NAME),
    ([_deep_check(40), NAMELESS], TOO_DEEP),
    ([_deep_key(40), BAD_SYNTAX], TOO_DEEP),
    ([_deep_key(40), UNUSED], TOO_DEEP),
    ([BAD_SYNTAX, _deep_key(100)], SYNTAX_ERROR),
    # Within one action, expressions are checked first.
    ([_deep_key(100, "a = = b")], SYNTAX_ERROR),
    (
        [_deep_key(100, TOO_LONG)],
        "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; "
        "expression size: 4109",
    ),
    ([UNUSED, _deep_key(100)], NOT_USED),
    (
        [TransactWriteItem(update=Update("absent", KEY, f"REMOVE {'a' * 4090}")), _deep_key(100)],
        "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;",
    ),
]


# The actions of a transaction are checked one by one, and the first invalid one is reported.
@pytest.mark.parametrize(("actions", "message"), IN_ORDER)
def test_actions_are_checked_in_order(
    driver: Driver, actions: list[TransactWriteItem], message: str
) -> None:
    assert validation_error(driver, _transact(*actions)) == message
