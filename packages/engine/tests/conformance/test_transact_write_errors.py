"""TransactWriteItems: what cancels it, what rejects it, and which comes first."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dynamodb_engine.errors import CancellationReason
from dynamodb_engine.operations import Driver, Put, Scan, TransactWriteItem, TransactWriteItems
from dynamodb_engine.values import AttributeValue, Item, KeyType
from tests.conformance.errors import (
    BAD_CAPACITY,
    BAD_METRICS,
    BOGUS,
    ENVELOPE,
    INVALID,
    NOT_VALID,
    WRONG_KEY,
    check_not_found,
    validation_error,
)
from tests.conformance.requests import binary, number, text
from tests.conformance.tables import (
    global_index,
    make_indexed_table,
    make_table,
    put,
    stored,
    unused_name,
)
from tests.conformance.transaction_actions import (
    canceled,
    checking,
    conditional,
    deleting,
    key,
    putting,
    transact,
    updating,
)

BAD_CONDITION = "Invalid ConditionExpression: "
KINDS = pytest.mark.parametrize("kind", ["put", "update", "delete", "check"])
TWICE = "Transaction request cannot include multiple operations on one item"


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table with an item `old` whose `n` is 1."""
    name = make_table(driver, pk="S")
    put(driver, name, key("old") | {"n": number(1)})
    return name


WRONG_TYPES: list[AttributeValue] = [number(5), {"L": []}]
EMPTY: dict[KeyType, AttributeValue] = {"S": text(""), "B": binary(b"")}


@pytest.mark.parametrize("value", WRONG_TYPES, ids=["N", "L"])
def test_put_with_key_of_wrong_type_cancels(
    driver: Driver, table: str, value: AttributeValue
) -> None:
    (reason,) = canceled(driver, putting(table, {"pk": value}))
    assert reason == CancellationReason(
        "ValidationError",
        f"{INVALID}Type mismatch for key pk expected: S actual: {next(iter(value))}",
    )


def test_put_without_key_cancels(driver: Driver, table: str) -> None:
    (reason,) = canceled(driver, putting(table, {"a": text("a")}))
    assert reason == CancellationReason(
        "ValidationError", f"{INVALID}Missing the key pk in the item"
    )


@pytest.mark.parametrize(
    "where",
    [{"pk": number(5)}, {"pk": {"L": []}}, {}, {"other": text("a")}, key("a") | {"b": text("b")}],
)
@pytest.mark.parametrize("kind", ["update", "delete", "check"])
def test_key_mismatch_cancels(driver: Driver, table: str, kind: str, where: Item) -> None:
    (reason,) = canceled(driver, conditional(kind, table, where, "attribute_exists(pk)"))
    assert reason == CancellationReason("ValidationError", WRONG_KEY)


@KINDS
@pytest.mark.parametrize(("type_", "word"), [("S", "string"), ("B", "binary")])
def test_rejects_empty_key(driver: Driver, kind: str, type_: KeyType, word: str) -> None:
    table = make_table(driver, pk=type_)
    action = conditional(kind, table, {"pk": EMPTY[type_]}, "attribute_exists(pk)")
    assert validation_error(driver, TransactWriteItems([action])) == (
        f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty {word} value. "
        "Key: pk"
    )


# If several indexes have the same key, the first by name is reported.
@pytest.mark.parametrize("value", WRONG_TYPES, ids=["N", "L"])
@pytest.mark.parametrize("kind", ["put", "update"])
def test_index_key_of_wrong_type_cancels(driver: Driver, kind: str, value: AttributeValue) -> None:
    table = make_indexed_table(driver)
    where: Item = {"pk": text("p"), "sk": text("1")}
    action = (
        putting(table, where | {"grade": value})
        if kind == "put"
        else updating(table, where, "SET grade = :v", v=value)
    )
    (reason,) = canceled(driver, action)
    assert reason == CancellationReason(
        "ValidationError",
        f"{INVALID}Type mismatch for Index Key grade Expected: S Actual: {next(iter(value))} "
        "IndexName: by_grade",
    )


@pytest.mark.parametrize(("type_", "word"), [("S", "string"), ("B", "binary")])
@pytest.mark.parametrize("kind", ["put", "update"])
def test_rejects_empty_index_key(driver: Driver, kind: str, type_: KeyType, word: str) -> None:
    table = make_table(driver, global_index("index", grade=type_), pk="S")
    if kind == "put":
        action = putting(table, key("p") | {"grade": EMPTY[type_]})
        message = (
            f"{NOT_VALID}A value specified for a secondary index key is not supported. The "
            f"AttributeValue for a key attribute cannot contain an empty {word} value. "
            "IndexName: index, IndexKey: grade"
        )
    else:
        action = updating(table, key("p"), "SET grade = :v", v=EMPTY[type_])
        message = (
            f"{NOT_VALID}The update expression attempted to update a secondary index key to a "
            "value that is not supported. The AttributeValue for a key attribute cannot contain an "
            f"empty {word} value."
        )
    assert validation_error(driver, TransactWriteItems([action])) == message


# Errors about an update's key or evaluation cancel the transaction.
@pytest.mark.parametrize(
    ("update", "message"),
    [
        (
            "SET pk = n",
            f"{INVALID}Cannot update attribute pk. This attribute is part of the key",
        ),
        (
            "SET a = gone",
            "The provided expression refers to an attribute that does not exist in the item",
        ),
        (
            "SET a.b = n",
            "The document path provided in the update expression is invalid for update",
        ),
        ("SET a = n + pk", "An operand in the update expression has an incorrect data type"),
    ],
)
def test_inapplicable_update_cancels(driver: Driver, table: str, update: str, message: str) -> None:
    (reason,) = canceled(driver, updating(table, key("old"), update))
    assert reason == CancellationReason("ValidationError", message)


# Actions are checked against their tables one by one before anything is read, and AWS stops at the
# first mismatch: it checks neither the remaining actions nor any condition.
def test_only_the_first_invalid_action_is_reported(driver: Driver, table: str) -> None:
    reasons = canceled(
        driver,
        putting(table, key("new"), "attribute_exists(pk)"),
        putting(table, {"pk": number(7)}),
        putting(table, {"pk": number(8)}),
    )
    assert [reason.code for reason in reasons] == ["None", "ValidationError", "None"]


def test_missing_table_rejects_the_transaction(driver: Driver, table: str) -> None:
    actions = [putting(table, key("a")), putting(unused_name(), key("b"))]
    check_not_found(driver, TransactWriteItems(actions))
    assert stored(driver, table, key("a")) is None


@pytest.mark.parametrize("second", ["put", "update", "delete", "check"])
def test_rejects_two_actions_on_one_item(driver: Driver, table: str, second: str) -> None:
    actions = [
        putting(table, key("a")),
        conditional(second, table, key("a"), "attribute_not_exists(pk)"),
    ]
    assert validation_error(driver, TransactWriteItems(actions)) == TWICE


def test_items_of_two_tables_may_share_a_key(driver: Driver, table: str) -> None:
    other = make_table(driver, pk="S")
    transact(driver, putting(table, key("a")), putting(other, key("a")))
    assert stored(driver, other, key("a")) == key("a")


# Numeric keys are compared by value.
def test_keys_are_compared_by_value(driver: Driver) -> None:
    table = make_table(driver, pk="N")
    actions = [putting(table, {"pk": number(one)}) for one in ("1", "1.0")]
    assert validation_error(driver, TransactWriteItems(actions)) == TWICE


def test_rejects_empty_transaction(driver: Driver) -> None:
    assert validation_error(driver, TransactWriteItems([])) == (
        f"{ENVELOPE}Value at 'TransactItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    )


def test_rejects_more_than_100_actions(driver: Driver, table: str) -> None:
    actions = [putting(table, key(str(i))) for i in range(101)]
    assert validation_error(driver, TransactWriteItems(actions)) == (
        f"{ENVELOPE}Value at 'TransactItems' failed to satisfy constraint: "
        "Member must have length less than or equal to 100"
    )
    transact(driver, *actions[:100])
    assert driver.execute(Scan(table)).count == 101


def test_action_must_have_exactly_one_kind(driver: Driver) -> None:
    assert validation_error(driver, TransactWriteItems([TransactWriteItem()])) == (
        f"{ENVELOPE}Value '' at 'transactItems' failed to satisfy constraint: "
        "TransactWriteRequest should contain Delete or Put or Update or ConditionCheck"
    )


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    ("kind", "member"),
    [("put", "put"), ("update", "update"), ("delete", "delete"), ("check", "conditionCheck")],
)
def test_invalid_table_name_error_has_its_position(
    driver: Driver, table: str, kind: str, member: str, place: int
) -> None:
    actions = [putting(table, key("a"))] * place
    actions.append(conditional(kind, "bad!name", key("b"), "attribute_exists(pk)"))
    assert validation_error(driver, TransactWriteItems(actions)) == (
        f"{ENVELOPE}Value 'bad!name' at 'transactItems.{place + 1}.member.{member}.tableName' "
        "failed to satisfy constraint: Member must satisfy regular expression pattern: "
        "[a-zA-Z0-9_.-]+"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"return_consumed_capacity": BOGUS}, f"1 validation error detected: {BAD_CAPACITY}"),
        ({"return_item_collection_metrics": BOGUS}, f"1 validation error detected: {BAD_METRICS}"),
        (
            {"return_consumed_capacity": BOGUS, "return_item_collection_metrics": BOGUS},
            f"2 validation errors detected: {BAD_CAPACITY}; {BAD_METRICS}",
        ),
        (
            {"client_request_token": "t" * 37, "return_consumed_capacity": BOGUS},
            "1 validation error detected: Value at 'ClientRequestToken' failed to satisfy "
            "constraint: Member must have length less than or equal to 36",
        ),
    ],
)
def test_parameters_are_checked_first(
    driver: Driver, table: str, changes: dict[str, object], message: str
) -> None:
    for more in (
        [],
        [putting(unused_name(), key("b"))],
        [deleting(table, key("a"))],
        [putting(table, key("b"), "a = = b")],
    ):
        asked = TransactWriteItems([putting(table, key("a")), *more])
        assert validation_error(driver, replace(asked, **changes)) == message
    assert stored(driver, table, key("a")) is None


# An invalid expression rejects the whole transaction; it is never a cancellation reason.
@pytest.mark.parametrize("kind", ["put", "delete", "check"])
@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("", "The expression can not be empty;"),
        ("attribute_not_exists(", 'Syntax error; token: "<EOF>", near: "("'),
        ("a = = b", 'Syntax error; token: "=", near: "= = b"'),
        (
            "attribute_exists(#a)",
            "An expression attribute name used in the document path is not defined; "
            "attribute name: #a",
        ),
        (
            "pk = :gone",
            "An expression attribute value used in expression is not defined; "
            "attribute value: :gone",
        ),
    ],
)
def test_invalid_condition_rejects_the_transaction(
    driver: Driver, table: str, kind: str, condition: str, message: str
) -> None:
    for name in (table, unused_name()):
        actions = [putting(table, key("a")), conditional(kind, name, key("b"), condition)]
        assert validation_error(driver, TransactWriteItems(actions)) == BAD_CONDITION + message
    assert stored(driver, table, key("a")) is None


UNUSED = "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"


def with_unused_value(kind: str, table: str, where: Item) -> TransactWriteItem:
    """Return an action with an unused value."""
    match kind:
        case "put":
            return putting(table, where, "attribute_not_exists(pk)", v=text("v"))
        case "update":
            return updating(table, where, "REMOVE a", v=text("v"))
        case "delete":
            return deleting(table, where, "attribute_exists(pk)", v=text("v"))
        case _:
            return checking(table, where, "attribute_exists(pk)", v=text("v"))


@KINDS
def test_unused_value_is_reported_before_tables_and_items(
    driver: Driver, table: str, kind: str
) -> None:
    unused = with_unused_value(kind, table, key("b"))
    for other in (
        putting(table, key("a")),
        putting(unused_name(), key("a")),
        deleting(table, key("b")),
    ):
        for actions in ([unused, other], [other, unused]):
            assert validation_error(driver, TransactWriteItems(actions)) == UNUSED
    assert stored(driver, table, key("a")) is None


def test_unused_name_rejects_the_transaction(driver: Driver, table: str) -> None:
    action = Put(
        table, key("a"), "attribute_not_exists(pk)", expression_attribute_names={"#n": "n"}
    )
    assert validation_error(driver, TransactWriteItems([TransactWriteItem(put=action)])) == (
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#n}"
    )


def test_rejects_invalid_return_values_on_failure(driver: Driver, table: str) -> None:
    action = Put(table, key("a"), return_values_on_condition_check_failure=BOGUS)
    assert validation_error(driver, TransactWriteItems([TransactWriteItem(put=action)])) == (
        f"{ENVELOPE}Value 'BOGUS' at "
        "'transactItems.1.member.put.returnValuesOnConditionCheckFailure' failed to satisfy "
        "constraint: Member must satisfy enum value set: [ALL_OLD, NONE]"
    )
