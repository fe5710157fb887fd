"""Maximum length of expressions, and reserved words."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.values import Item
from tests.conformance.errors import ENVELOPE, validation_error
from tests.conformance.tables import make_table, put, stored, unused_name
from tests.conformance.value_positions import KEY

LONGEST = 4096
TOO_LONG = "Expression size has exceeded the maximum allowed size;"


def _values(expression: str) -> Item | None:
    return {alias: {"S": "ada"} for alias in re.findall(r":\w+", expression)} or None


def _put(table: str, condition: str) -> ops.Operation[object]:
    return ops.PutItem(
        table,
        KEY,
        condition_expression=condition,
        expression_attribute_values=_values(condition),
    )


def _update(table: str, expression: str) -> ops.Operation[object]:
    return ops.UpdateItem(
        table,
        KEY,
        update_expression=expression,
        expression_attribute_values=_values(expression),
    )


def _get(table: str, projection: str) -> ops.Operation[object]:
    return ops.GetItem(table, KEY, projection_expression=projection)


def _query(table: str, filter_expression: str) -> ops.Operation[object]:
    key: Item = {":pk": {"S": "ada"}}
    return ops.Query(
        table,
        key_condition_expression="pk = :pk",
        filter_expression=filter_expression,
        expression_attribute_values=key | (_values(filter_expression) or {}),
    )


def _scan(table: str, filter_expression: str) -> ops.Operation[object]:
    return ops.Scan(
        table,
        filter_expression=filter_expression,
        expression_attribute_values=_values(filter_expression),
    )


Request = Callable[[str, str], ops.Operation[object]]

# The parameter, an expression padded with spaces, and the form of the error.
EXPRESSIONS: list[tuple[Request, str, str]] = [
    (_put, "attribute_exists(pk)", ENVELOPE + "Invalid ConditionExpression: "),
    (_update, "SET a = :v", ENVELOPE + "Invalid UpdateExpression: "),
    (_get, "pk, a", "Invalid ProjectionExpression: "),
    (_query, "attribute_exists(a)", "Invalid FilterExpression: "),
    (_scan, "attribute_exists(a)", "Invalid FilterExpression: "),
]
# Only for an update does DynamoDB not report the size.
SIZELESS = "Invalid UpdateExpression"


@pytest.mark.parametrize(("request_for", "text", "refused"), EXPRESSIONS)
def test_rejects_expressions_over_4096_bytes(
    driver: ops.Driver, request_for: Request, text: str, refused: str
) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, KEY)
    driver.execute(request_for(table, text.ljust(LONGEST)))
    size = "" if SIZELESS in refused else f" expression size: {LONGEST + 1}"
    for name in (table, unused_name()):
        too_long = request_for(name, text.ljust(LONGEST + 1))
        assert validation_error(driver, too_long) == f"{refused}{TOO_LONG}{size}"


# The expression is measured as sent, so names behind placeholders do not count.
def test_expression_length_counts_placeholders_not_their_values(driver: ops.Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, KEY)
    names = {f"#n{number}": f"{number:0250}" for number in range(30)}
    request = ops.GetItem(
        table,
        KEY,
        projection_expression=", ".join(names),
        expression_attribute_names=names,
    )
    assert driver.execute(request).item == {}


def _long(length: int) -> str:
    return "attribute_not_exists(a)".ljust(length)


def _transacted_put(table: str, length: int) -> ops.TransactWriteItem:
    return ops.TransactWriteItem(put=ops.Put(table, {"pk": {"S": "bob"}}, _long(length)))


def _transacted_delete(table: str, length: int) -> ops.TransactWriteItem:
    return ops.TransactWriteItem(delete=ops.Delete(table, {"pk": {"S": "bob"}}, _long(length)))


def _transacted_update(table: str, length: int) -> ops.TransactWriteItem:
    return ops.TransactWriteItem(
        update=ops.Update(table, {"pk": {"S": "bob"}}, "REMOVE a".ljust(length))
    )


def _transacted_check(table: str, length: int) -> ops.TransactWriteItem:
    return ops.TransactWriteItem(
        condition_check=ops.ConditionCheck(table, {"pk": {"S": "bob"}}, _long(length))
    )


# The transaction is rejected as a whole, not canceled.
@pytest.mark.parametrize(
    "action", [_transacted_put, _transacted_delete, _transacted_update, _transacted_check]
)
def test_rejects_transaction_expressions_over_4096_bytes(
    driver: ops.Driver, action: Callable[[str, int], ops.TransactWriteItem]
) -> None:
    table = make_table(driver, pk="S")
    first = ops.TransactWriteItem(put=ops.Put(table, KEY))
    too_long = ops.TransactWriteItems([first, action(table, LONGEST + 1)])
    assert TOO_LONG in validation_error(driver, too_long)
    assert stored(driver, table, KEY) is None
    driver.execute(ops.TransactWriteItems([first, action(table, LONGEST)]))


RESERVED: list[tuple[Request, str, str]] = [
    (_put, "status = :v", ENVELOPE + "Invalid ConditionExpression: "),
    (_update, "SET status = :v", ENVELOPE + "Invalid UpdateExpression: "),
    (_update, "SET status = :v, name = :v", ENVELOPE + "Invalid UpdateExpression: "),
    (_get, "pk, status", "Invalid ProjectionExpression: "),
    (_get, "a.status", "Invalid ProjectionExpression: "),
    (_query, "status = :v", "Invalid FilterExpression: "),
    (_scan, "status = :v", "Invalid FilterExpression: "),
]


@pytest.mark.parametrize(("request_for", "text", "refused"), RESERVED)
def test_rejects_reserved_words_as_attribute_names(
    driver: ops.Driver, request_for: Request, text: str, refused: str
) -> None:
    for word in ("status", "Status", "STATUS"):
        request = request_for(unused_name(), text.replace("status", word))
        assert validation_error(driver, request) == (
            f"{refused}Attribute name is a reserved keyword; reserved keyword: {word}"
        )


@pytest.mark.parametrize("word", ["status", "name", "data", "count", "items"])
def test_reserved_word_is_allowed_through_a_placeholder(driver: ops.Driver, word: str) -> None:
    table = make_table(driver, pk="S")
    driver.execute(
        ops.UpdateItem(
            table,
            KEY,
            update_expression="SET #n = :v",
            expression_attribute_names={"#n": word},
            expression_attribute_values={":v": {"N": "1"}},
        )
    )
    assert stored(driver, table, KEY) == {**KEY, word: {"N": "1"}}
