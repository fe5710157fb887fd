"""TransactGetItems: items as they stood at one moment, in the order they were asked for."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from singletable.errors import CancellationReason, TransactionCanceled
from singletable.operations import Driver, Get, TransactGetItem, TransactGetItems
from singletable.values import Item
from tests.conformance.collections_of_items import fill, number, text
from tests.conformance.refusals import (
    BAD_CAPACITY,
    BOGUS,
    ENVELOPE,
    NOT_VALID,
    WRONG_KEY,
    check_not_found,
    refusal,
)
from tests.conformance.tables import make_table, put, unused_name
from tests.conformance.transactions import key


def getting(*gets: Get) -> TransactGetItems:
    """A transaction of gets."""
    return TransactGetItems([TransactGetItem(get) for get in gets])


@pytest.fixture
def table(driver: Driver) -> str:
    """A table with the items a, b and c."""
    name = make_table(driver, pk="S")
    fill(driver, name, [key(letter) | {"n": number(1), "m": number(2)} for letter in "abc"])
    return name


def test_items_come_in_the_order_of_the_gets(driver: Driver, table: str) -> None:
    other = make_table(driver, pk="S", sk="N")
    item: Item = key("a") | {"sk": number(1)}
    put(driver, other, item)
    asked = getting(
        Get(table, key("c")), Get(other, item), Get(table, key("nobody")), Get(table, key("a"))
    )
    found = [response.item for response in driver.execute(asked).responses]
    whole = {"n": number(1), "m": number(2)}
    assert found == [key("c") | whole, item, None, key("a") | whole]


@pytest.mark.parametrize(
    ("projection", "given"),
    [
        ("n", {"n": number(1)}),
        ("#n, m", {"n": number(1), "m": number(2)}),
        # Unlike a get, which gives an empty item, a transaction gives none.
        ("nothing", None),
    ],
)
def test_a_get_gives_what_is_asked_of_the_item(
    driver: Driver, table: str, projection: str, given: Item | None
) -> None:
    names = {"#n": "n"} if "#n" in projection else None
    asked = getting(Get(table, key("a"), projection, names))
    (response,) = driver.execute(asked).responses
    assert response.item == given


def test_a_hundred_items_can_be_asked_for(driver: Driver, table: str) -> None:
    keys = [key(str(i)) for i in range(100)]
    fill(driver, table, keys)
    asked = getting(*(Get(table, one) for one in keys))
    assert [response.item for response in driver.execute(asked).responses] == keys


def test_more_than_a_hundred_items_are_refused(driver: Driver, table: str) -> None:
    asked = getting(*(Get(table, key(str(i))) for i in range(101)))
    told = refusal(driver, asked)
    assert told.startswith(ENVELOPE)
    assert told.endswith(
        "at 'TransactItems' failed to satisfy constraint: "
        "Member must have length less than or equal to 100"
    )


def test_a_transaction_has_a_get(driver: Driver) -> None:
    assert refusal(driver, getting()) == (
        f"{ENVELOPE}Value at 'TransactItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    )


def test_an_item_is_asked_for_once(driver: Driver, table: str) -> None:
    asked = getting(Get(table, key("a")), Get(table, key("a"), "n"))
    assert refusal(driver, asked) == (
        "Transaction request cannot include multiple operations on one item"
    )


def test_a_table_that_is_not_there_refuses_the_whole(driver: Driver, table: str) -> None:
    check_not_found(driver, getting(Get(table, key("a")), Get(unused_name(), key("a"))))


@pytest.mark.parametrize(
    ("projection", "names", "message"),
    [
        ("!!!", None, 'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"'),
        (
            "#n",
            {"#n": "n", "#q": "q"},
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#q}",
        ),
        (
            "#n, #m",
            {"#n": "n"},
            "Invalid ProjectionExpression: An expression attribute name used in the document path "
            "is not defined; attribute name: #m",
        ),
    ],
)
def test_a_projection_is_read_before_a_table_is_looked_up(
    driver: Driver, projection: str, names: dict[str, str] | None, message: str
) -> None:
    asked = getting(Get(unused_name(), key("a")), Get(unused_name(), key("b"), projection, names))
    assert refusal(driver, asked) == message


# A key that is none of the table's cancels the transaction, and only the first is told; an empty
# one refuses it.
@pytest.mark.parametrize(
    "bad", [{}, {"pk": number(1)}, {"other": text("a")}, key("a") | key("b") | {"c": text("c")}]
)
def test_a_key_that_does_not_match_cancels_the_transaction(
    driver: Driver, table: str, bad: Item
) -> None:
    asked = getting(Get(table, key("a")), Get(table, bad), Get(table, {}))
    with pytest.raises(TransactionCanceled) as refused:
        driver.execute(asked)
    assert refused.value.message == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ValidationError, None]"
    )
    assert refused.value.reasons == (
        CancellationReason(),
        CancellationReason("ValidationError", WRONG_KEY),
        CancellationReason(),
    )


def test_an_empty_key_refuses_the_transaction(driver: Driver, table: str) -> None:
    assert refusal(driver, getting(Get(table, key("")))) == (
        f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty string value. "
        "Key: pk"
    )


@pytest.mark.parametrize("place", [1, 2])
def test_a_bad_table_name_is_told_by_its_place(driver: Driver, table: str, place: int) -> None:
    gets = [Get(table, key("a"))] * (place - 1)
    assert refusal(driver, getting(*gets, Get("bad!name", key("b")))) == (
        f"{ENVELOPE}Value 'bad!name' at 'transactItems.{place}.member.get.tableName' failed to "
        "satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
    )


def test_parameters_are_checked_before_anything_else(driver: Driver, table: str) -> None:
    for gets in (
        [Get(table, key("a"))],
        [Get(unused_name(), key("a"))],
        [Get(table, key("a")), Get(table, key("a"))],
    ):
        asked = replace(getting(*gets), return_consumed_capacity=BOGUS)
        assert refusal(driver, asked) == ENVELOPE + BAD_CAPACITY


# Two units for each get, whether it finds something or not; told as units of reading.
@pytest.mark.parametrize("told", ["TOTAL", "INDEXES"])
def test_a_get_of_a_transaction_costs_double(driver: Driver, table: str, told: str) -> None:
    asked = replace(
        getting(Get(table, key("a")), Get(table, key("nobody"))), return_consumed_capacity=told
    )
    entries = driver.execute(asked).consumed_capacity
    assert entries is not None
    (entry,) = entries
    assert (entry.table_name, entry.capacity_units, entry.read_capacity_units) == (table, 4, 4)
    assert entry.write_capacity_units is None
    assert (entry.table is None) == (told == "TOTAL")
    if entry.table is not None:
        assert (entry.table.capacity_units, entry.table.read_capacity_units) == (4, 4)


def test_what_was_consumed_is_told_by_table(driver: Driver, table: str) -> None:
    other = make_table(driver, pk="S")
    put(driver, other, key("large") | {"pad": text("x" * 5000)})
    asked = getting(Get(table, key("a")), Get(other, key("large")), Get(table, key("b")))
    entries = driver.execute(replace(asked, return_consumed_capacity="TOTAL")).consumed_capacity
    assert entries is not None
    assert {entry.table_name: entry.capacity_units for entry in entries} == {table: 4, other: 4}
    assert driver.execute(asked).consumed_capacity is None
