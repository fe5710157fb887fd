"""The change feed: every written or removed item, in commit order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dynamodb_engine.errors import OperationError, ResourceNotFound
from dynamodb_engine.operations import (
    AttributeDefinition,
    BatchWriteItem,
    ChangeRecord,
    CreateTable,
    DeleteItem,
    DeleteRequest,
    DeleteTable,
    Driver,
    KeySchemaElement,
    Operation,
    PutItem,
    PutRequest,
    ReadChanges,
    Scan,
    TransactWriteItems,
    UpdateItem,
    WriteRequest,
)
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.drivers import DRIVERS, open_driver
from tests.conformance.errors import validation_error
from tests.conformance.requests import near_drivers, number, text, walk
from tests.conformance.tables import make_table, put, unused_name
from tests.conformance.transaction_actions import checking, deleting, key, putting, updating

Change: TypeAlias = tuple[str, Item | None, Item | None]


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """Return a driver without tables, since the feed is read from its beginning."""
    with open_driver(request) as driver:
        yield driver


def changes_in(driver: Driver, **asked: object) -> list[Change]:
    """Return the kinds and images of the changes."""
    changes = driver.execute(replace(ReadChanges(), **asked)).changes
    return [(change.kind, change.old, change.new) for change in changes]


@pytest.fixture
def table(driver: Driver) -> str:
    """Create an empty table."""
    return make_table(driver, pk="S")


A, B = key("a"), key("b")
A1: Item = A | {"n": number(1)}
A2: Item = A | {"n": number(2)}


def test_change_record_has_old_and_new_image(driver: Driver, table: str) -> None:
    put(driver, table, A1, A2)
    driver.execute(DeleteItem(table, A))
    assert changes_in(driver) == [("INSERT", None, A1), ("MODIFY", A1, A2), ("REMOVE", A2, None)]


def test_change_record_names_table_and_key(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="N")
    item: Item = {"pk": text("p"), "sk": number(1)}
    put(driver, table, item | {"more": text("more")})
    (change,) = driver.execute(ReadChanges()).changes
    assert (change.table_name, change.keys, change.expired) == (table, item, False)


# A position lies between changes: a reader that stores it can continue from there.
def test_positions_increase_with_each_change(driver: Driver, table: str) -> None:
    put(driver, table, *(key(str(i)) for i in range(5)))
    read = driver.execute(ReadChanges())
    positions = [change.position for change in read.changes]
    assert positions == sorted(set(positions))
    assert read.position == positions[-1]
    for place, position in enumerate(positions):
        rest = driver.execute(ReadChanges(after=position))
        assert [change.position for change in rest.changes] == positions[place + 1 :]


def test_empty_feed_starts_at_position_zero(driver: Driver) -> None:
    read = driver.execute(ReadChanges())
    assert (read.changes, read.position) == ([], 0)


# A reader that wants only future changes first reads the end.
def test_reading_from_the_end_returns_position_without_changes(driver: Driver, table: str) -> None:
    put(driver, table, A)
    end = driver.execute(ReadChanges(after=None))
    assert end.changes == []
    put(driver, table, B)
    assert changes_in(driver, after=end.position) == [("INSERT", None, B)]


def test_reader_at_the_end_keeps_its_position(driver: Driver, table: str) -> None:
    put(driver, table, A)
    end = driver.execute(ReadChanges())
    again = driver.execute(ReadChanges(after=end.position))
    assert (again.changes, again.position) == ([], end.position)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
def test_feed_is_read_in_pages(driver: Driver, table: str, limit: int) -> None:
    put(driver, table, *(key(str(i)) for i in range(7)))
    pieces: list[list[ChangeRecord]] = []
    position = 0
    while True:
        read = driver.execute(ReadChanges(after=position, limit=limit))
        if not read.changes:
            break
        pieces.append(read.changes)
        position = read.position
    keys = [change.keys["pk"]["S"] for piece in pieces for change in piece]
    assert keys == [str(i) for i in range(7)]
    assert max(map(len, pieces)) <= limit


@pytest.mark.parametrize("limit", [0, 1001])
def test_page_has_at_most_1000_changes(driver: Driver, limit: int) -> None:
    assert "Limit must have value" in validation_error(driver, ReadChanges(limit=limit))


def test_feed_can_be_limited_to_one_table(driver: Driver, table: str) -> None:
    other = make_table(driver, pk="S")
    put(driver, table, A)
    put(driver, other, B)
    put(driver, table, A1)
    assert changes_in(driver, table_name=table) == [("INSERT", None, A), ("MODIFY", A, A1)]
    assert changes_in(driver, table_name=other) == [("INSERT", None, B)]
    names = [change.table_name for change in driver.execute(ReadChanges()).changes]
    assert names == [table, other, table]


# Otherwise a reader of a quiet table would scan the changes of other tables every time.
def test_reader_of_one_table_advances_past_other_tables(driver: Driver, table: str) -> None:
    other = make_table(driver, pk="S")
    put(driver, table, A)
    put(driver, other, A, B)
    read = driver.execute(ReadChanges(table_name=table))
    assert len(read.changes) == 1
    assert read.position == driver.execute(ReadChanges(after=None)).position


def test_feed_of_a_missing_table_raises_resource_not_found(driver: Driver) -> None:
    with pytest.raises(ResourceNotFound):
        driver.execute(ReadChanges(table_name=unused_name()))


# A table with the name of a deleted one is a different table.
def test_recreated_table_does_not_inherit_changes(driver: Driver) -> None:
    name = unused_name()
    create = CreateTable(
        name,
        [AttributeDefinition("pk", "S")],
        [KeySchemaElement("pk", "HASH")],
        billing_mode="PAY_PER_REQUEST",
    )
    for item in (A, B):
        driver.execute(create)
        put(driver, name, item)
        assert changes_in(driver, table_name=name) == [("INSERT", None, item)]
        driver.execute(DeleteTable(name))
    assert changes_in(driver) == [("INSERT", None, A), ("INSERT", None, B)]


def test_batch_write_records_every_item(driver: Driver, table: str) -> None:
    put(driver, table, A1)
    start = driver.execute(ReadChanges(after=None)).position
    writes = [WriteRequest(PutRequest(B)), WriteRequest(delete_request=DeleteRequest(A))]
    driver.execute(BatchWriteItem({table: writes}))
    assert changes_in(driver, after=start) == [("INSERT", None, B), ("REMOVE", A1, None)]


def test_transaction_records_every_item_in_order(driver: Driver, table: str) -> None:
    other = make_table(driver, pk="S")
    put(driver, table, A1, key("gone"))
    start = driver.execute(ReadChanges(after=None)).position
    driver.execute(
        TransactWriteItems(
            [
                updating(table, A, "SET n = n + :one", one=number(1)),
                checking(other, A, "attribute_not_exists(pk)"),
                putting(other, B),
                deleting(table, key("gone")),
            ]
        )
    )
    read = driver.execute(ReadChanges(after=start))
    assert [(change.table_name, change.kind) for change in read.changes] == [
        (table, "MODIFY"),
        (other, "INSERT"),
        (table, "REMOVE"),
    ]
    positions = [change.position for change in read.changes]
    assert positions == list(range(start + 1, start + 4))


# The feed records differences, so a write that changes nothing is not recorded.
IDLE: dict[str, Callable[[str], Operation[object]]] = {
    "put": lambda table: PutItem(table, A1),
    "put in other words": lambda table: PutItem(table, {"n": number("1.00"), **A}),
    "update": lambda table: UpdateItem(
        table,
        A,
        update_expression="SET n = :one",
        expression_attribute_values={":one": number("1.0")},
    ),
    "remove": lambda table: UpdateItem(table, A, update_expression="REMOVE nothing"),
    "remove from nothing": lambda table: UpdateItem(table, B, update_expression="REMOVE nothing"),
    "no update": lambda table: UpdateItem(table, A),
    "delete nothing": lambda table: DeleteItem(table, B),
    "batch": lambda table: BatchWriteItem({table: [WriteRequest(PutRequest(A1))]}),
    "transaction": lambda table: TransactWriteItems(
        [putting(table, A1), deleting(table, B), checking(table, key("c"), "pk <> n")]
    ),
}


@pytest.mark.parametrize("write", IDLE)
def test_write_that_changes_nothing_is_not_recorded(driver: Driver, table: str, write: str) -> None:
    put(driver, table, A1)
    start = driver.execute(ReadChanges(after=None)).position
    driver.execute(IDLE[write](table))
    assert changes_in(driver, after=start) == []


# The order of members matters in a list but not in a set.
@pytest.mark.parametrize(
    ("value", "other", "kinds"),
    [
        ({"SS": ["x", "y"]}, {"SS": ["y", "x"]}, ["INSERT"]),
        ({"L": [text("x"), text("y")]}, {"L": [text("y"), text("x")]}, ["INSERT", "MODIFY"]),
    ],
)
def test_reordering_is_recorded_only_for_lists(
    driver: Driver, table: str, value: AttributeValue, other: AttributeValue, kinds: list[str]
) -> None:
    put(driver, table, A | {"v": value}, A | {"v": other})
    assert [kind for kind, _, _ in changes_in(driver)] == kinds


REFUSED: dict[str, Callable[[str], Operation[object]]] = {
    "put": lambda table: PutItem(table, A2, condition_expression="attribute_not_exists(pk)"),
    "bad key": lambda table: PutItem(table, {"pk": number(1)}),
    "delete": lambda table: DeleteItem(table, A, condition_expression="n > m"),
    "update": lambda table: UpdateItem(table, A, update_expression="SET a = gone"),
    "transaction": lambda table: TransactWriteItems(
        [putting(table, B), putting(table, A2, "attribute_not_exists(pk)")]
    ),
    "batch": lambda table: BatchWriteItem(
        {table: [WriteRequest(PutRequest(B)), WriteRequest(PutRequest({"pk": number(1)}))]}
    ),
}


@pytest.mark.parametrize("write", REFUSED)
def test_rejected_write_is_not_recorded(driver: Driver, table: str, write: str) -> None:
    put(driver, table, A1)
    start = driver.execute(ReadChanges(after=None)).position
    with pytest.raises(OperationError):
        driver.execute(REFUSED[write](table))
    assert changes_in(driver, after=start) == []
    # It leaves no gap either.
    put(driver, table, B)
    (change,) = driver.execute(ReadChanges(after=start)).changes
    assert change.position == start + 1


def test_idempotent_replay_is_not_recorded_again(driver: Driver, table: str) -> None:
    asked = TransactWriteItems([putting(table, A)], client_request_token=unused_name()[:36])
    driver.execute(asked)
    driver.execute(asked)
    assert changes_in(driver) == [("INSERT", None, A)]


# A reader that applies the feed from the beginning ends up with a copy of the table.
@near_drivers
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    writes=st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from([None, "1", "2"])), max_size=25
    )
)
def test_replaying_the_feed_copies_the_table(
    driver: Driver, writes: list[tuple[str, str | None]]
) -> None:
    table = make_table(driver, pk="S")
    for name, value in writes:
        driver.execute(
            DeleteItem(table, key(name))
            if value is None
            else PutItem(table, key(name) | {"n": number(value)})
        )
    copy: dict[str, Item] = {}
    for change in driver.execute(ReadChanges(table_name=table)).changes:
        name = change.keys["pk"]["S"]
        assert copy.get(name) == change.old
        if change.new is None:
            del copy[name]
        else:
            copy[name] = change.new
    assert sorted(copy.values(), key=str) == sorted(walk(driver, Scan(table)), key=str)
