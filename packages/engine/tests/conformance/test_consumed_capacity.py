"""Capacity that reads and writes consume, and how it is reported."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.values import Item
from tests.conformance.tables import ada, global_index, local_index, make_table, put
from tests.conformance.value_positions import KEY


def _consumed(
    driver: ops.Driver, operation: ops.Operation[ops.WriteItemOutput | ops.GetItemOutput]
) -> ops.ConsumedCapacity | None:
    return driver.execute(operation).consumed_capacity


# Only transactions report read and write units separately, because they do both.
@pytest.mark.parametrize("asked", ["TOTAL", "INDEXES"])
def test_small_write_consumes_one_unit(
    driver: ops.Driver, asked: ops.ReturnConsumedCapacity
) -> None:
    table = make_table(driver, pk="S")
    parts = ops.Capacity(1) if asked == "INDEXES" else None
    capacity = ops.ConsumedCapacity(table, 1, table=parts)
    assert _consumed(driver, ops.PutItem(table, KEY, return_consumed_capacity=asked)) == capacity
    assert _consumed(driver, ops.UpdateItem(table, KEY, return_consumed_capacity=asked)) == capacity
    assert _consumed(driver, ops.DeleteItem(table, KEY, return_consumed_capacity=asked)) == capacity
    # Deleting a missing item is charged as well.
    assert _consumed(driver, ops.DeleteItem(table, KEY, return_consumed_capacity=asked)) == capacity


@pytest.mark.parametrize("asked", ["NONE", None])
def test_nothing_is_returned_unless_requested(
    driver: ops.Driver, asked: ops.ReturnConsumedCapacity | None
) -> None:
    table = make_table(driver, pk="S")
    assert _consumed(driver, ops.PutItem(table, KEY, return_consumed_capacity=asked)) is None
    assert _consumed(driver, ops.GetItem(table, KEY, return_consumed_capacity=asked)) is None
    assert _consumed(driver, ops.UpdateItem(table, KEY, return_consumed_capacity=asked)) is None
    assert _consumed(driver, ops.DeleteItem(table, KEY, return_consumed_capacity=asked)) is None


# Looking for a missing item is charged as well.
@pytest.mark.parametrize("there", [True, False])
def test_eventually_consistent_read_costs_half(driver: ops.Driver, there: bool) -> None:
    table = make_table(driver, pk="S")
    if there:
        put(driver, table, KEY)
    stale = ops.GetItem(table, KEY, return_consumed_capacity="TOTAL")
    assert _consumed(driver, stale) == ops.ConsumedCapacity(table, 0.5)
    fresh = ops.GetItem(table, KEY, consistent_read=True, return_consumed_capacity="TOTAL")
    assert _consumed(driver, fresh) == ops.ConsumedCapacity(table, 1)
    in_parts = ops.GetItem(table, KEY, consistent_read=True, return_consumed_capacity="INDEXES")
    assert _consumed(driver, in_parts) == ops.ConsumedCapacity(table, 1, table=ops.Capacity(1))


# A unit is a started block: 4 KB of a read, 1 KB of a write. Ada's item has 9 bytes besides its
# text.
@pytest.mark.parametrize(
    ("size", "read", "written"), [(1_024, 1, 1), (1_025, 1, 2), (4_096, 1, 4), (4_097, 2, 5)]
)
def test_units_round_up_to_started_blocks(
    driver: ops.Driver, size: int, read: float, written: float
) -> None:
    table = make_table(driver, pk="S")
    item = ada(text={"S": "x" * (size - 9)})
    capacity = _consumed(driver, ops.PutItem(table, item, return_consumed_capacity="TOTAL"))
    assert capacity == ops.ConsumedCapacity(table, written)
    fresh = ops.GetItem(table, KEY, consistent_read=True, return_consumed_capacity="TOTAL")
    assert _consumed(driver, fresh) == ops.ConsumedCapacity(table, read)
    stale = ops.GetItem(table, KEY, return_consumed_capacity="TOTAL")
    assert _consumed(driver, stale) == ops.ConsumedCapacity(table, read / 2)
    # A projection saves nothing: the item is read before it is projected.
    cut = ops.GetItem(table, KEY, projection_expression="pk", return_consumed_capacity="TOTAL")
    assert _consumed(driver, cut) == ops.ConsumedCapacity(table, read / 2)
    # Replacing or removing a large item is charged like writing it.
    put_again = _consumed(driver, ops.PutItem(table, KEY, return_consumed_capacity="TOTAL"))
    assert put_again == ops.ConsumedCapacity(table, written)
    put(driver, table, item)
    deleted = _consumed(driver, ops.DeleteItem(table, KEY, return_consumed_capacity="TOTAL"))
    assert deleted == ops.ConsumedCapacity(table, written)


def test_page_reports_consumed_capacity(driver: ops.Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, KEY)
    query = driver.execute(
        ops.Query(
            table,
            key_condition_expression="pk = :pk",
            expression_attribute_values={":pk": {"S": "ada"}},
            consistent_read=True,
            return_consumed_capacity="INDEXES",
        )
    )
    assert query.consumed_capacity == ops.ConsumedCapacity(table, 1, table=ops.Capacity(1))
    scan = driver.execute(ops.Scan(table, return_consumed_capacity="TOTAL"))
    assert scan.consumed_capacity == ops.ConsumedCapacity(table, 0.5)


def test_capacity_names_the_table_as_the_request_does(driver: ops.Driver) -> None:
    table = make_table(driver, pk="S")
    arn = driver.execute(ops.DescribeTable(table)).table.table_arn or ""
    requests: list[ops.Operation[Any]] = [
        ops.PutItem(arn, KEY, return_consumed_capacity="TOTAL"),
        ops.GetItem(arn, KEY, return_consumed_capacity="TOTAL"),
        ops.Scan(arn, return_consumed_capacity="TOTAL"),
        ops.BatchGetItem({arn: ops.KeysAndAttributes([KEY])}, return_consumed_capacity="TOTAL"),
        ops.TransactWriteItems(
            [ops.TransactWriteItem(delete=ops.Delete(arn, KEY))], return_consumed_capacity="TOTAL"
        ),
    ]
    for request in requests:
        consumed = driver.execute(request).consumed_capacity
        first = consumed[0] if isinstance(consumed, list) else consumed
        assert first.table_name == arn


def test_batch_reports_capacity_per_table(driver: ops.Driver) -> None:
    one, other = make_table(driver, pk="S"), make_table(driver, pk="S")
    bob: Item = {"pk": {"S": "bob"}}
    written = driver.execute(
        ops.BatchWriteItem(
            {
                one: [
                    ops.WriteRequest(put_request=ops.PutRequest(KEY)),
                    ops.WriteRequest(put_request=ops.PutRequest(bob)),
                ],
                other: [ops.WriteRequest(delete_request=ops.DeleteRequest(KEY))],
            },
            return_consumed_capacity="TOTAL",
        )
    )
    assert written.consumed_capacity == [
        ops.ConsumedCapacity(one, 2),
        ops.ConsumedCapacity(other, 1),
    ]
    got = driver.execute(
        ops.BatchGetItem(
            {
                one: ops.KeysAndAttributes([KEY, bob], consistent_read=True),
                other: ops.KeysAndAttributes([KEY]),
            },
            return_consumed_capacity="TOTAL",
        )
    )
    assert got.consumed_capacity == [ops.ConsumedCapacity(one, 2), ops.ConsumedCapacity(other, 0.5)]


FULL = ada(
    sk={"S": "1"},
    team={"S": "red"},
    place={"S": "first"},
    note={"S": "note"},
    extra={"S": "extra"},
)
BARE = ada(sk={"S": "1"})


def _make_table(driver: ops.Driver) -> str:
    """Create a table with a global index of teams and notes and a local index of everything."""
    return make_table(
        driver,
        global_index("by_team", include=("note",), team="S"),
        local_index("by_place", pk="S", place="S"),
        pk="S",
        sk="S",
    )


def _update(expression: str) -> ops.UpdateItem:
    values: Item | None = {":v": {"S": "new"}} if ":v" in expression else None
    return ops.UpdateItem(
        "", BARE, update_expression=expression, expression_attribute_values=values
    )


# An index is charged if its entry changes: one write for an entry that is created, changed or
# removed, two for one that moves. Indexes that cost nothing are not listed.
WRITES: list[tuple[Item | None, ops.Operation[object], int, int]] = [
    (None, ops.PutItem("", BARE), 0, 0),
    (None, ops.PutItem("", ada(sk={"S": "1"}, team={"S": "red"}, note={"S": "note"})), 1, 0),
    (None, ops.PutItem("", ada(sk={"S": "1"}, place={"S": "first"})), 0, 1),
    (None, ops.PutItem("", FULL), 1, 1),
    (FULL, ops.PutItem("", FULL), 0, 0),
    (FULL, ops.PutItem("", BARE), 1, 1),
    (FULL, _update("SET extra = :v"), 0, 1),
    (FULL, _update("SET note = :v"), 1, 1),
    (FULL, _update("SET team = :v"), 2, 1),
    (FULL, _update("REMOVE team"), 1, 1),
    (FULL, _update("SET place = :v"), 0, 2),
    (FULL, ops.DeleteItem("", BARE), 1, 1),
    (BARE, ops.DeleteItem("", BARE), 0, 0),
    (None, ops.DeleteItem("", BARE), 0, 0),
]


@pytest.mark.parametrize(("before", "write", "by_team", "by_place"), WRITES)
def test_index_is_charged_only_for_changed_entries(
    driver: ops.Driver,
    before: Item | None,
    write: ops.PutItem | ops.UpdateItem | ops.DeleteItem,
    by_team: int,
    by_place: int,
) -> None:
    table = _make_table(driver)
    if before is not None:
        put(driver, table, before)
    asked = replace(write, table_name=table, return_consumed_capacity="INDEXES")
    assert _consumed(driver, asked) == ops.ConsumedCapacity(
        table,
        1 + by_team + by_place,
        table=ops.Capacity(1),
        local_secondary_indexes={"by_place": ops.Capacity(by_place)} if by_place else None,
        global_secondary_indexes={"by_team": ops.Capacity(by_team)} if by_team else None,
    )


def test_total_has_no_breakdown(driver: ops.Driver) -> None:
    table = _make_table(driver)
    capacity = _consumed(driver, ops.PutItem(table, FULL, return_consumed_capacity="TOTAL"))
    assert capacity == ops.ConsumedCapacity(table, 3)


def test_batch_capacity_is_the_sum_of_its_writes(driver: ops.Driver) -> None:
    table = _make_table(driver)
    puts = [
        ada(sk={"S": "1"}, team={"S": "red"}, note={"S": "note"}),
        ada(sk={"S": "2"}),
    ]
    done = driver.execute(
        ops.BatchWriteItem(
            {table: [ops.WriteRequest(put_request=ops.PutRequest(item)) for item in puts]},
            return_consumed_capacity="INDEXES",
        )
    )
    assert done.unprocessed_items == {}
    assert done.consumed_capacity == [
        ops.ConsumedCapacity(
            table,
            3,
            table=ops.Capacity(2),
            global_secondary_indexes={"by_team": ops.Capacity(1)},
        )
    ]
