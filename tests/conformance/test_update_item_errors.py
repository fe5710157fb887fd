"""What UpdateItem rejects, and in which order."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable.operations import (
    AttributeValueUpdate,
    Driver,
    ExpectedAttributeValue,
    UpdateItem,
)
from singletable.values import AttributeValue, Item
from tests.conformance.errors import (
    BAD_RETURN_VALUES,
    BOGUS,
    ENVELOPE,
    INVALID,
    LEFT_OUT,
    NOT_VALID,
    WRONG_KEY,
    check_not_found,
    validation_error,
)
from tests.conformance.tables import (
    ada,
    global_index,
    make_indexed_table,
    make_table,
    put,
    stored,
    unused_name,
)
from tests.conformance.value_positions import KEY

NEW: Item = {":v": {"S": "new"}}

REFUSED: list[tuple[Callable[[str], UpdateItem], str]] = [
    # A syntax error is reported before an unused value.
    (
        lambda table: UpdateItem(
            table,
            KEY,
            update_expression="INVALID SYNTAX HERE",
            expression_attribute_values=NEW,
        ),
        'Invalid UpdateExpression: Syntax error; token: "INVALID", near: "INVALID SYNTAX"',
    ),
    (
        lambda table: UpdateItem(table, KEY, update_expression=""),
        "Invalid UpdateExpression: The expression can not be empty;",
    ),
    (
        lambda table: UpdateItem(
            table,
            KEY,
            update_expression="SET a = :v",
            expression_attribute_names={"#unused": "b"},
            expression_attribute_values=NEW,
        ),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}",
    ),
    (
        lambda table: UpdateItem(
            table,
            KEY,
            update_expression="SET a = :v",
            expression_attribute_values={**NEW, ":unused": {"S": "b"}},
        ),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}",
    ),
    (
        lambda table: UpdateItem(table, KEY, update_expression="SET a = :v"),
        "Invalid UpdateExpression: An expression attribute value used in expression is not "
        "defined; attribute value: :v",
    ),
    (
        lambda table: UpdateItem(
            table,
            KEY,
            update_expression="SET b = :w",
            condition_expression="a = :v",
            expression_attribute_values={":w": {"S": "new"}},
        ),
        "Invalid ConditionExpression: An expression attribute value used in expression is not "
        "defined; attribute value: :v",
    ),
    (
        lambda table: UpdateItem(
            table,
            KEY,
            update_expression="SET #a = :v",
            expression_attribute_values=NEW,
        ),
        "Invalid UpdateExpression: An expression attribute name used in the document path is not "
        "defined; attribute name: #a",
    ),
    (
        lambda table: UpdateItem(
            table,
            KEY,
            update_expression="SET a = :v, a = :v",
            expression_attribute_values=NEW,
        ),
        "Invalid UpdateExpression: Two document paths overlap with each other; "
        "must remove or rewrite one of these paths; path one: [a], path two: [a]",
    ),
    (
        lambda table: UpdateItem(
            table,
            KEY,
            update_expression="SET a = :v",
            expression_attribute_names={"s": "status"},
            expression_attribute_values=NEW,
        ),
        'ExpressionAttributeNames contains invalid key: Syntax error; key: "s"',
    ),
    (
        lambda table: UpdateItem(
            table,
            KEY,
            update_expression="SET a = :v",
            expression_attribute_values={"v": {"S": "new"}},
        ),
        'ExpressionAttributeValues contains invalid key: Syntax error; key: "v"',
    ),
    (
        lambda table: UpdateItem(table, KEY, expression_attribute_names={"#a": "a"}),
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
    (
        lambda table: UpdateItem(table, KEY, expression_attribute_values=NEW),
        "ExpressionAttributeValues can only be specified when using expressions",
    ),
    (
        lambda table: UpdateItem(
            table,
            KEY,
            attribute_updates={"a": AttributeValueUpdate({"S": "new"})},
            update_expression="SET a = :v",
            expression_attribute_values=NEW,
        ),
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributeUpdates} Expression parameters: {UpdateExpression}",
    ),
    (
        lambda table: UpdateItem(
            table,
            KEY,
            attribute_updates={"a": AttributeValueUpdate({"S": "new"})},
            expected={"a": ExpectedAttributeValue(exists=False)},
            update_expression="SET a = :v",
            condition_expression="attribute_exists(a)",
            expression_attribute_values=NEW,
        ),
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributeUpdates, Expected} "
        "Expression parameters: {UpdateExpression, ConditionExpression}",
    ),
]


# All of these are rejected before the table is looked up, as parameter errors.
@pytest.mark.parametrize(("request_for", "message"), REFUSED, ids=[text for _, text in REFUSED])
def test_invalid_requests_are_rejected_before_table_lookup(
    driver: Driver, request_for: Callable[[str], UpdateItem], message: str
) -> None:
    for table in (make_table(driver, pk="S"), unused_name()):
        assert validation_error(driver, request_for(table)) == ENVELOPE + message


@pytest.mark.parametrize("expression", ["SET {} = :v", "SET a = :v REMOVE {}", "SET {}.a = :v"])
@pytest.mark.parametrize("name", ["pk", "sk"])
def test_rejects_updates_of_key_attributes(driver: Driver, expression: str, name: str) -> None:
    table = make_table(driver, pk="S", sk="S")
    request = UpdateItem(
        table,
        ada(sk={"S": "1"}),
        update_expression=expression.format(name),
        expression_attribute_values=NEW,
    )
    assert validation_error(driver, request) == (
        f"{INVALID}Cannot update attribute {name}. This attribute is part of the key"
    )


def test_rejects_attribute_updates_of_key_attributes(driver: Driver) -> None:
    updates = {"pk": AttributeValueUpdate({"S": "bob"}, "PUT")}
    request = UpdateItem(make_table(driver, pk="S"), KEY, attribute_updates=updates)
    assert validation_error(driver, request) == (
        f"{INVALID}Cannot update attribute pk. This attribute is part of the key"
    )


@pytest.mark.parametrize(
    "key", [KEY, ada(sk={"N": "1"}), ada(sk={"S": "1"}, other={"S": "2"}), {"sk": {"S": "1"}}]
)
def test_rejects_key_that_does_not_match_the_schema(driver: Driver, key: Item) -> None:
    assert (
        validation_error(driver, UpdateItem(make_table(driver, pk="S", sk="S"), key)) == WRONG_KEY
    )


@pytest.mark.parametrize(
    ("value", "kind"), [({"S": ""}, "string"), ({"B": ""}, "binary")], ids=["S", "B"]
)
def test_rejects_empty_key_values(driver: Driver, value: AttributeValue, kind: str) -> None:
    table = make_table(driver, pk="S" if kind == "string" else "B")
    request = UpdateItem(
        table, {"pk": value}, update_expression="SET a = :v", expression_attribute_values=NEW
    )
    assert validation_error(driver, request) == (
        f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty {kind} value. "
        "Key: pk"
    )


# Unlike PutItem, UpdateItem does not name the index.
@pytest.mark.parametrize(
    ("value", "kind"), [({"S": ""}, "string"), ({"B": ""}, "binary")], ids=["S", "B"]
)
def test_rejects_updating_an_index_key_to_an_empty_value(
    driver: Driver, value: AttributeValue, kind: str
) -> None:
    by_code = global_index("by_code", code="S" if kind == "string" else "B")
    table = make_table(driver, by_code, pk="S")
    message = (
        f"{NOT_VALID}The update expression attempted to update a secondary index key to a value "
        "that is not supported. The AttributeValue for a key attribute cannot contain an empty "
        f"{kind} value."
    )
    at_once = UpdateItem(
        table, KEY, update_expression="SET code = :v", expression_attribute_values={":v": value}
    )
    assert validation_error(driver, at_once) == message
    put(driver, table, ada(copied=value))
    when_evaluated = UpdateItem(table, KEY, update_expression="SET code = copied")
    assert validation_error(driver, when_evaluated) == message
    assert stored(driver, table, KEY) == ada(copied=value)


# Errors visible in the request are reported more precisely than those that depend on the item.
def test_rejects_updating_an_index_key_to_another_type(driver: Driver) -> None:
    table = make_indexed_table(driver)
    key = ada(sk={"S": "1"})
    at_once = UpdateItem(
        table,
        key,
        update_expression="SET grade = :v",
        expression_attribute_values={":v": {"N": "5"}},
    )
    assert validation_error(driver, at_once) == (
        f"{INVALID}Type mismatch for Index Key grade Expected: S Actual: N IndexName: by_grade"
    )
    put(driver, table, ada(sk={"S": "1"}, copied={"N": "5"}))
    when_evaluated = UpdateItem(table, key, update_expression="SET grade = copied")
    assert validation_error(driver, when_evaluated) == (
        "The update expression attempted to update the secondary index key to unsupported type"
    )


def test_rejects_document_path_into_an_index_key(driver: Driver) -> None:
    table = make_indexed_table(driver)
    request = UpdateItem(
        table,
        ada(sk={"S": "1"}),
        update_expression="SET a = grade.b",
    )
    assert validation_error(driver, request) == (
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
        "allowed: IndexKey: grade"
    )


def test_missing_table_raises_resource_not_found(driver: Driver) -> None:
    check_not_found(driver, UpdateItem(unused_name(), KEY))
    check_not_found(driver, UpdateItem(unused_name(), {}))


EMPTY_NAME = (
    "Value at 'TableName' failed to satisfy constraint: "
    "Member must have length greater than or equal to 1"
)
NO_KEY = "Value null at 'key' failed to satisfy constraint: Member must not be null"
EMPTY_NAME_OF_OLD = (
    "Value '' at 'tableName' failed to satisfy constraint: "
    "Member must have length greater than or equal to 1"
)
BAD_PARAMETERS: list[tuple[UpdateItem, str]] = [
    (UpdateItem("", {}), f"1 validation error detected: {EMPTY_NAME}"),
    (
        UpdateItem("x!", {}),
        "1 validation error detected: Value 'x!' at 'tableName' failed to satisfy constraint: "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
    # Only here does an invalid ReturnValues hide all other invalid enum values.
    (
        UpdateItem("absent", KEY, return_values=BOGUS, return_consumed_capacity=BOGUS),
        f"1 validation error detected: {BAD_RETURN_VALUES}",
    ),
    # A request without a key gets the older validation, which names every value.
    (
        UpdateItem(
            "",
            LEFT_OUT,
            update_expression="SET a = :v",
            expression_attribute_values=NEW,
        ),
        f"2 validation errors detected: {EMPTY_NAME_OF_OLD}; {NO_KEY}",
    ),
    (
        UpdateItem(
            "",
            LEFT_OUT,
            update_expression="SET a = :v",
            expression_attribute_values=NEW,
            return_values=BOGUS,
            return_consumed_capacity=BOGUS,
        ),
        "4 validation errors detected: Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy "
        "constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; "
        f"{EMPTY_NAME_OF_OLD}; Value 'BOGUS' at 'returnValues' failed to satisfy constraint: "
        "Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; "
        f"{NO_KEY}",
    ),
    (
        UpdateItem(
            "absent",
            LEFT_OUT,
            attribute_updates={"a": AttributeValueUpdate({"S": "new"}, "PUT")},
            expected={
                "a": ExpectedAttributeValue(exists=False),
                "b": ExpectedAttributeValue(exists=False),
            },
            conditional_operator=BOGUS,
        ),
        "2 validation errors detected: Value 'BOGUS' at 'conditionalOperator' failed to satisfy "
        f"constraint: Member must satisfy enum value set: [OR, AND]; {NO_KEY}",
    ),
]


@pytest.mark.parametrize(("request_", "message"), BAD_PARAMETERS)
def test_invalid_parameters_are_reported_first(
    driver: Driver, request_: UpdateItem, message: str
) -> None:
    assert validation_error(driver, request_) == message
