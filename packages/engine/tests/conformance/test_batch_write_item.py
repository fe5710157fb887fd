"""What BatchWriteItem does, and its limits."""

from __future__ import annotations

from dynamodb_engine.operations import (
    BatchWriteItem,
    DeleteRequest,
    Driver,
    PutRequest,
    Scan,
    WriteRequest,
)
from dynamodb_engine.values import Item
from tests.conformance.errors import validation_error
from tests.conformance.tables import ada, make_table, put, stored
from tests.conformance.value_positions import KEY


def _put(item: Item) -> WriteRequest:
    return WriteRequest(put_request=PutRequest(item))


def _delete(key: Item) -> WriteRequest:
    return WriteRequest(delete_request=DeleteRequest(key))


def _count(driver: Driver, table: str) -> int:
    return driver.execute(Scan(table, select="COUNT")).count


def test_batch_write_puts_and_deletes_in_several_tables(driver: Driver) -> None:
    one, other = make_table(driver, pk="S"), make_table(driver, pk="S")
    bob: Item = {"pk": {"S": "bob"}}
    put(driver, one, bob)
    put(driver, other, KEY)
    done = driver.execute(
        BatchWriteItem({one: [_put(ada(a={"N": "1"})), _delete(bob)], other: [_delete(KEY)]})
    )
    assert done.unprocessed_items == {}
    assert done.consumed_capacity is None
    assert done.item_collection_metrics is None
    assert stored(driver, one, KEY) == ada(a={"N": "1"})
    assert stored(driver, one, bob) is None
    assert stored(driver, other, KEY) is None


def test_deleting_a_missing_item_succeeds(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert driver.execute(BatchWriteItem({table: [_delete(KEY)]})).unprocessed_items == {}


def test_set_accepts_an_empty_member(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    driver.execute(BatchWriteItem({table: [_put(ada(tags={"SS": [""]}))]}))
    assert stored(driver, table, KEY) == ada(tags={"SS": [""]})


def test_rejects_more_than_25_writes(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    writes = [_put({"pk": {"S": str(number)}, "text": {"S": "x" * 20_000}}) for number in range(25)]
    assert driver.execute(BatchWriteItem({table: writes})).unprocessed_items == {}
    assert _count(driver, table) == 25
    assert validation_error(driver, BatchWriteItem({table: [*writes, _put(KEY)]})) == (
        f"1 validation error detected: Value at 'RequestItems.{table}.member' failed to satisfy "
        "constraint: Member must have length less than or equal to 25"
    )


# The limit applies to the request as a whole, and to each table as well.
def test_rejects_more_than_25_writes_across_tables(driver: Driver) -> None:
    tables = [make_table(driver, pk="S"), make_table(driver, pk="S")]
    writes = [_put({"pk": {"S": str(number)}}) for number in range(13)]
    assert validation_error(driver, BatchWriteItem(dict.fromkeys(tables, writes))) == (
        "Too many items requested for the BatchWriteItem call"
    )
