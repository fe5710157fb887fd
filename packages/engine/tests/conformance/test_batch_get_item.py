"""What BatchGetItem returns, and its limits."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import BatchGetItem, Driver, KeysAndAttributes
from dynamodb_engine.values import Item
from tests.conformance.errors import validation_error
from tests.conformance.tables import ada, make_table, put
from tests.conformance.value_positions import KEY


def _keys(*names: str) -> list[Item]:
    return [{"pk": {"S": name}} for name in names]


# The order is undefined.
def _names(items: list[Item]) -> set[str]:
    return {item["pk"]["S"] for item in items}


def test_batch_get_reads_several_tables(driver: Driver) -> None:
    one, other = make_table(driver, pk="S"), make_table(driver, pk="S")
    put(driver, one, *_keys("ada", "bob"))
    put(driver, other, *_keys("eve"))
    got = driver.execute(
        BatchGetItem(
            {
                one: KeysAndAttributes(_keys("ada", "bob")),
                other: KeysAndAttributes(_keys("eve"), consistent_read=True),
            }
        )
    )
    assert _names(got.responses[one]) == {"ada", "bob"}
    assert got.responses[other] == _keys("eve")
    assert got.unprocessed_keys == {}
    assert got.consumed_capacity is None


# Missing items are omitted; a table without results still has its empty list.
def test_missing_items_are_omitted(driver: Driver) -> None:
    one, other = make_table(driver, pk="S"), make_table(driver, pk="S")
    put(driver, one, *_keys("ada"))
    got = driver.execute(
        BatchGetItem(
            {
                one: KeysAndAttributes(_keys("nobody", "ada")),
                other: KeysAndAttributes(_keys("nobody")),
            }
        )
    )
    assert got.responses == {one: _keys("ada"), other: []}
    assert got.unprocessed_keys == {}


PROJECTED: list[tuple[str, Item]] = [
    ("a, c", {"a": {"N": "1"}, "c": {"N": "3"}}),
    ("none_such", {}),
    ("m.x, m.y", {"m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}}),
    ("l[0].x, l[0].y", {"l": {"L": [{"M": {"x": {"N": "1"}, "y": {"N": "2"}}}]}}),
    ("few[0], few[1]", {"few": {"L": [{"S": "zero"}, {"S": "one"}]}}),
]


@pytest.mark.parametrize(("projection", "item"), PROJECTED, ids=[text for text, _ in PROJECTED])
def test_projection_returns_only_requested_attributes(
    driver: Driver, projection: str, item: Item
) -> None:
    table = make_table(driver, pk="S")
    put(
        driver,
        table,
        ada(
            a={"N": "1"},
            b={"N": "2"},
            c={"N": "3"},
            m={"M": {"x": {"N": "1"}, "y": {"N": "2"}, "z": {"N": "3"}}},
            l={"L": [{"M": {"x": {"N": "1"}, "y": {"N": "2"}, "z": {"N": "3"}}}]},
            few={"L": [{"S": "zero"}, {"S": "one"}, {"S": "two"}]},
        ),
    )
    wanted = KeysAndAttributes([KEY], projection_expression=projection)
    assert driver.execute(BatchGetItem({table: wanted})).responses == {table: [item]}


def test_rejects_more_than_100_keys(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    hundred = _keys(*map(str, range(100)))
    assert driver.execute(BatchGetItem({table: KeysAndAttributes(hundred)})).responses == {
        table: []
    }
    more = KeysAndAttributes([*hundred, KEY])
    assert validation_error(driver, BatchGetItem({table: more})) == (
        f"1 validation error detected: Value at 'RequestItems.{table}.member.Keys' failed to "
        "satisfy constraint: Member must have length less than or equal to 100"
    )


# The limit applies to the request as a whole, and to each table as well.
def test_rejects_more_than_100_keys_across_tables(driver: Driver) -> None:
    tables = [make_table(driver, pk="S"), make_table(driver, pk="S")]
    keys = KeysAndAttributes(_keys(*map(str, range(51))))
    assert validation_error(driver, BatchGetItem(dict.fromkeys(tables, keys))) == (
        "Too many items requested for the BatchGetItem call"
    )


# A response holds 16 MB; the rest comes back unprocessed, as it was requested.
def test_keys_beyond_16_megabytes_come_back_unprocessed(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    keys = _keys(*map(str, range(50)))
    put(driver, table, *(ada(text={"S": "x" * 390_000}) | key for key in keys))
    wanted = KeysAndAttributes(keys, consistent_read=True, projection_expression="pk")
    got = driver.execute(BatchGetItem({table: wanted}))
    left = got.unprocessed_keys[table]
    assert 0 < len(left.keys) < 50
    assert (left.consistent_read, left.projection_expression) == (True, "pk")
    again = driver.execute(BatchGetItem(got.unprocessed_keys))
    assert again.unprocessed_keys == {}
    both = [*got.responses[table], *again.responses[table]]
    assert len(both) == 50
    assert _names(both) == _names(keys)
