"""TransactGetItems: a consistent snapshot of items, in request order."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dynamodb_engine.errors import CancellationReason, TransactionCanceled
from dynamodb_engine.operations import Driver, Get, TransactGetItem, TransactGetItems
from dynamodb_engine.values import Item
from tests.conformance.errors import ENVELOPE, WRONG_KEY, validation_error
from tests.conformance.requests import fill, number, text
from tests.conformance.tables import make_table, put
from tests.conformance.transaction_actions import key


def getting(*gets: Get) -> TransactGetItems:
    """Return a transaction of gets."""
    return TransactGetItems([TransactGetItem(get) for get in gets])


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table with the items a, b and c."""
    name = make_table(driver, pk="S")
    fill(driver, name, [key(letter) | {"n": number(1), "m": number(2)} for letter in "abc"])
    return name


def test_items_are_returned_in_request_order(driver: Driver, table: str) -> None:
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
        # A projection that matches nothing returns no item here; GetItem returns an empty one.
        ("nothing", None),
    ],
)
def test_each_get_applies_its_projection(
    driver: Driver, table: str, projection: str, given: Item | None
) -> None:
    names = {"#n": "n"} if "#n" in projection else None
    gets = [Get(table, key(name), projection, names) for name in ("a", "nobody")]
    found = [response.item for response in driver.execute(getting(*gets)).responses]
    assert found == [given, None]


def test_accepts_100_gets(driver: Driver, table: str) -> None:
    keys = [key(str(i)) for i in range(100)]
    fill(driver, table, keys)
    asked = getting(*(Get(table, one) for one in keys))
    assert [response.item for response in driver.execute(asked).responses] == keys


def test_rejects_more_than_100_gets(driver: Driver, table: str) -> None:
    asked = getting(*(Get(table, key(str(i))) for i in range(101)))
    assert validation_error(driver, asked) == (
        f"{ENVELOPE}Value at 'TransactItems' failed to satisfy constraint: "
        "Member must have length less than or equal to 100"
    )


# A key that does not match the schema cancels the transaction, and only the first is reported; an
# empty key rejects it.
@pytest.mark.parametrize(
    "bad", [{}, {"pk": number(1)}, {"other": text("a")}, key("a") | key("b") | {"c": text("c")}]
)
def test_key_mismatch_cancels_the_transaction(driver: Driver, table: str, bad: Item) -> None:
    asked = getting(Get(table, key("a")), Get(table, bad), Get(table, {}))
    with pytest.raises(TransactionCanceled) as raised:
        driver.execute(asked)
    assert raised.value.message == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ValidationError, None]"
    )
    assert raised.value.reasons == (
        CancellationReason(),
        CancellationReason("ValidationError", WRONG_KEY),
        CancellationReason(),
    )


# Two units for each get, whether or not it finds an item, reported as read units.
@pytest.mark.parametrize("level", ["TOTAL", "INDEXES"])
def test_transactional_get_costs_double(driver: Driver, table: str, level: str) -> None:
    asked = replace(
        getting(Get(table, key("a")), Get(table, key("nobody"))), return_consumed_capacity=level
    )
    entries = driver.execute(asked).consumed_capacity
    assert entries is not None
    (entry,) = entries
    assert (entry.table_name, entry.capacity_units, entry.read_capacity_units) == (table, 4, 4)
    assert entry.write_capacity_units is None
    assert (entry.table is None) == (level == "TOTAL")
    if entry.table is not None:
        assert (entry.table.capacity_units, entry.table.read_capacity_units) == (4, 4)


def test_capacity_is_reported_per_table(driver: Driver, table: str) -> None:
    other = make_table(driver, pk="S")
    put(driver, other, key("large") | {"pad": text("x" * 5000)})
    asked = getting(Get(table, key("a")), Get(other, key("large")), Get(table, key("b")))
    entries = driver.execute(replace(asked, return_consumed_capacity="TOTAL")).consumed_capacity
    assert entries is not None
    assert {entry.table_name: entry.capacity_units for entry in entries} == {table: 4, other: 4}
    assert driver.execute(asked).consumed_capacity is None
