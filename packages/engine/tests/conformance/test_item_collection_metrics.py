"""Metrics of an item collection: the items of one partition, including local indexes."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import (
    BatchWriteItem,
    DeleteItem,
    DeleteRequest,
    Driver,
    ItemCollectionMetrics,
    PutItem,
    PutRequest,
    ReturnItemCollectionMetrics,
    UpdateItem,
    WriteRequest,
)
from dynamodb_engine.values import Item
from tests.conformance.tables import ada, global_index, make_indexed_table, make_table
from tests.conformance.value_positions import KEY

ITEM = ada(sk={"S": "1"}, grade={"S": "A"})
ITEM_KEY = ada(sk={"S": "1"})
# The size is a range in whole gigabytes.
ADAS = ItemCollectionMetrics(KEY, [0, 1])


def _writes(
    table: str, asked: ReturnItemCollectionMetrics | None
) -> list[PutItem | UpdateItem | DeleteItem]:
    return [
        PutItem(table, ITEM, return_item_collection_metrics=asked),
        UpdateItem(table, ITEM_KEY, return_item_collection_metrics=asked),
        DeleteItem(table, ITEM_KEY, return_item_collection_metrics=asked),
        # The collection is empty after the first write and was empty before the second.
        DeleteItem(table, ITEM_KEY, return_item_collection_metrics=asked),
    ]


def test_write_reports_item_collection_size(driver: Driver) -> None:
    table = make_indexed_table(driver)
    for write in _writes(table, "SIZE"):
        assert driver.execute(write).item_collection_metrics == ADAS


@pytest.mark.parametrize("asked", ["NONE", None])
def test_nothing_is_returned_unless_requested(
    driver: Driver, asked: ReturnItemCollectionMetrics | None
) -> None:
    table = make_indexed_table(driver)
    for write in _writes(table, asked):
        assert driver.execute(write).item_collection_metrics is None


# Only tables with local indexes have item collection metrics.
def test_table_without_local_indexes_has_no_collection_metrics(driver: Driver) -> None:
    table = make_table(driver, global_index("by_grade", grade="S"), pk="S", sk="S")
    for write in _writes(table, "SIZE"):
        assert driver.execute(write).item_collection_metrics is None


def test_batch_reports_each_collection_once(driver: Driver) -> None:
    table, plain = make_indexed_table(driver), make_table(driver, pk="S", sk="S")
    puts: list[Item] = [ITEM, ada(sk={"S": "2"}), {"pk": {"S": "bob"}, "sk": {"S": "1"}}]
    writes = [WriteRequest(put_request=PutRequest(item)) for item in puts]
    done = driver.execute(
        BatchWriteItem(
            {
                table: writes,
                plain: [WriteRequest(delete_request=DeleteRequest(ITEM_KEY))],
            },
            return_item_collection_metrics="SIZE",
        )
    )
    assert done.item_collection_metrics == {
        table: [ADAS, ItemCollectionMetrics({"pk": {"S": "bob"}}, [0, 1])]
    }
