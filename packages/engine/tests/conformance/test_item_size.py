"""Maximum item size: 409,600 bytes of names and values, counted as DynamoDB counts them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.errors import TransactionCanceled
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.errors import validation_error
from tests.conformance.tables import ada, make_table, put, stored
from tests.conformance.value_positions import KEY

LIMIT = 409_600
TOO_LARGE = "Item size has exceeded the maximum allowed size"
TOO_LARGE_TO_UPDATE = "Item size to update has exceeded the maximum allowed size"
# pk and ada, and the name of the padding attribute
KEY_SIZE = 5
PADDED = KEY_SIZE + len("fill")

SIZES: list[tuple[AttributeValue, int]] = [
    ({"S": ""}, 0),
    ({"S": "abc"}, 3),
    ({"S": "ä世🎲"}, 9),
    ({"B": "AAECAw=="}, 4),
    ({"BOOL": False}, 1),
    ({"NULL": True}, 1),
    ({"SS": ["a", "bcd"]}, 4),
    ({"NS": ["1", "123"]}, 5),
    ({"BS": ["", "AAE="]}, 2),
    ({"L": []}, 3),
    ({"L": [{"S": "ab"}, {"N": "0"}]}, 8),
    ({"M": {}}, 3),
    ({"M": {"ab": {"S": "c"}}}, 7),
    # Two digits share a byte on either side of the point; leading and trailing zeros are free.
    ({"N": "0"}, 1),
    ({"N": "-0"}, 1),
    ({"N": "1"}, 2),
    ({"N": "12"}, 2),
    ({"N": "15"}, 2),
    ({"N": "123"}, 3),
    ({"N": "1234"}, 3),
    ({"N": "123456"}, 4),
    ({"N": "12345678901234567890123456789012345678"}, 20),
    ({"N": "0042"}, 2),
    ({"N": "100"}, 2),
    ({"N": "1010"}, 3),
    ({"N": "1E125"}, 2),
    ({"N": "0.0000001"}, 2),
    ({"N": "1E-100"}, 2),
    ({"N": "0.15"}, 2),
    ({"N": "1.2"}, 3),
    ({"N": "1.200"}, 3),
    ({"N": "1.5"}, 3),
    ({"N": "1.234"}, 4),
    ({"N": "3.14159"}, 5),
    ({"N": "100.5"}, 4),
    ({"N": "-42"}, 3),
]


@pytest.mark.parametrize(("value", "size"), SIZES, ids=[str(value) for value, _ in SIZES])
def test_value_size_in_bytes(driver: ops.Driver, value: AttributeValue, size: int) -> None:
    table = make_table(driver, pk="S")
    room = LIMIT - PADDED - len("v") - size
    put(driver, table, ada(v=value, fill=_text(room)))
    too_large = ops.PutItem(table, ada(v=value, fill=_text(room + 1)))
    assert validation_error(driver, too_large) == TOO_LARGE


def _text(length: int) -> AttributeValue:
    return {"S": "x" * length}


COARSE: list[tuple[Item, bool]] = [
    (ada(v=_text(390_000)), True),
    (ada(v=_text(410_000)), False),
    (ada(v={"B": "AAAA" * 116_667}), True),
    (ada(v={"B": "AAAA" * 136_667}), False),
    (ada(v={"M": {"inner": _text(410_000)}}), False),
    (ada(v={"SS": [f"{number:04200}" for number in range(100)]}), False),
    (ada(v={"L": [_text(4_200)] * 100}), False),
    (ada(v={"L": [{"N": "1" * 38}] * 15_000}), True),
    (ada(v={"L": [{"N": "1" * 38}] * 21_000}), False),
    # Names count as well: neither names nor values alone would exceed the limit.
    (KEY | {f"{number:0207}": _text(3_900) for number in range(100)}, False),
]


@pytest.mark.parametrize(("item", "fits"), COARSE, ids=[str(n) for n in range(len(COARSE))])
def test_item_size_is_the_sum_of_names_and_values(
    driver: ops.Driver, item: Item, fits: bool
) -> None:
    table = make_table(driver, pk="S")
    if fits:
        put(driver, table, item)
        assert stored(driver, table, KEY) == item
    else:
        assert validation_error(driver, ops.PutItem(table, item)) == TOO_LARGE
        assert stored(driver, table, KEY) is None


# The limit does not depend on the number of attributes.
@pytest.mark.parametrize("count", [1, 2, 100])
def test_size_limit_holds_for_any_number_of_attributes(driver: ops.Driver, count: int) -> None:
    table = make_table(driver, pk="S")
    others = {f"a{number:04}": _text(1_000) for number in range(count)}
    room = LIMIT - PADDED - count * (5 + 1_000)
    put(driver, table, ada(fill=_text(room)) | others)
    assert (
        validation_error(driver, ops.PutItem(table, ada(fill=_text(room + 1)) | others))
        == TOO_LARGE
    )


Write = Callable[[str, Item], ops.Operation[object]]


def _batch_put(table: str, item: Item) -> ops.Operation[object]:
    return ops.BatchWriteItem({table: [ops.WriteRequest(put_request=ops.PutRequest(item))]})


def _transact_put(table: str, item: Item) -> ops.Operation[object]:
    return ops.TransactWriteItems([ops.TransactWriteItem(put=ops.Put(table, item))])


def _insert(table: str, item: Item) -> ops.Operation[object]:
    statement = f"INSERT INTO \"{table}\" VALUE {{'pk': 'ada', 'fill': ?}}"
    return ops.ExecuteStatement(statement, [item["fill"]])


# The transaction is rejected as invalid, not canceled.
@pytest.mark.parametrize("write", [_batch_put, _transact_put, _insert])
def test_every_put_has_the_same_size_limit(driver: ops.Driver, write: Write) -> None:
    table = make_table(driver, pk="S")
    driver.execute(write(table, ada(fill=_text(LIMIT - PADDED))))
    too_large = ada(fill=_text(LIMIT - PADDED + 1))
    assert validation_error(driver, write(table, too_large)) == TOO_LARGE


# Legacy parameters are only checked by the size of the resulting item.
@pytest.mark.parametrize("before", [None, ada(untouched=_text(100))], ids=["new", "old"])
def test_attribute_updates_check_the_size_of_the_resulting_item(
    driver: ops.Driver, before: Item | None
) -> None:
    table = make_table(driver, pk="S")
    untouched = 0
    if before is not None:
        put(driver, table, before)
        untouched = len("untouched") + 100
    room = LIMIT - PADDED - untouched

    def padded(length: int) -> ops.UpdateItem:
        fill = ops.AttributeValueUpdate(_text(length), "PUT")
        return ops.UpdateItem(table, KEY, attribute_updates={"fill": fill})

    assert validation_error(driver, padded(room + 1)) == TOO_LARGE_TO_UPDATE
    assert stored(driver, table, KEY) == before
    driver.execute(padded(room))


def _transact_update(table: str, length: int) -> ops.TransactWriteItems:
    values: Item = {":v": _text(length)}
    update = ops.Update(table, KEY, "SET fill = :v", expression_attribute_values=values)
    return ops.TransactWriteItems([ops.TransactWriteItem(update=update)])


# An item that becomes too large only during execution cancels the transaction.
@pytest.mark.parametrize("before", [None, ada(untouched=_text(100))], ids=["new", "old"])
def test_transactional_update_checks_the_size_of_the_resulting_item(
    driver: ops.Driver, before: Item | None
) -> None:
    table = make_table(driver, pk="S")
    untouched = 0
    if before is not None:
        put(driver, table, before)
        untouched = len("untouched") + 100
    room = LIMIT - PADDED - untouched
    with pytest.raises(TransactionCanceled) as raised:
        driver.execute(_transact_update(table, room + 1))
    (reason,) = raised.value.reasons
    assert (reason.code, reason.message) == ("ValidationError", TOO_LARGE_TO_UPDATE)
    assert stored(driver, table, KEY) == before
    driver.execute(_transact_update(table, room))


# A statement of PartiQL that updates is measured by its item only, unlike UpdateItem.
def test_update_statement_checks_the_size_of_the_resulting_item(driver: ops.Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, KEY)

    def padded(length: int) -> ops.ExecuteStatement:
        update = f"UPDATE \"{table}\" SET fill = ? WHERE pk = 'ada'"
        return ops.ExecuteStatement(update, [_text(length)])

    assert validation_error(driver, padded(LIMIT - PADDED + 1)) == TOO_LARGE_TO_UPDATE
    assert stored(driver, table, KEY) == KEY
    driver.execute(padded(LIMIT - PADDED))
