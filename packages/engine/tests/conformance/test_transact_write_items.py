"""TransactWriteItems: all actions are applied or none, and what that costs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dynamodb_engine.errors import CancellationReason
from dynamodb_engine.operations import (
    ConsumedCapacity,
    Driver,
    Put,
    Scan,
    TransactWriteItem,
    TransactWriteItems,
)
from dynamodb_engine.values import Item
from tests.conformance.requests import number, text
from tests.conformance.tables import global_index, make_indexed_table, make_table, put, stored
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

FAILED = "The conditional request failed"


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table with an item `old` whose `n` is 1."""
    name = make_table(driver, pk="S")
    put(driver, name, key("old") | {"n": number(1)})
    return name


def test_transaction_applies_every_kind_of_action(driver: Driver, table: str) -> None:
    put(driver, table, key("gone"), key("checked"))
    transact(
        driver,
        putting(table, key("new") | {"a": text("a")}),
        updating(table, key("old"), "SET n = n + :one", one=number(1)),
        deleting(table, key("gone")),
        checking(table, key("checked"), "attribute_exists(pk)"),
    )
    items = driver.execute(Scan(table)).items
    assert sorted(items, key=str) == [
        key("checked"),
        key("new") | {"a": text("a")},
        key("old") | {"n": number(2)},
    ]


def test_transaction_spans_tables(driver: Driver, table: str) -> None:
    other = make_table(driver, pk="S", sk="N")
    item: Item = key("p") | {"sk": number(1)}
    transact(driver, putting(table, key("p")), putting(other, item))
    assert stored(driver, table, key("p")) == key("p")
    assert stored(driver, other, item) == item


# A put sets the whole item; an update creates a missing one unless it only removes.
def test_transaction_actions_match_single_operations(driver: Driver, table: str) -> None:
    transact(
        driver,
        putting(table, key("old") | {"b": text("b")}),
        updating(table, key("made"), "SET a = :a", a=text("a")),
        updating(table, key("nothing"), "REMOVE a"),
        deleting(table, key("never there")),
    )
    assert stored(driver, table, key("old")) == key("old") | {"b": text("b")}
    assert stored(driver, table, key("made")) == key("made") | {"a": text("a")}
    assert stored(driver, table, key("nothing")) is None


HOLDING = [
    "attribute_exists(pk)",
    "(attribute_exists(pk)) AND (n = :one)",
    "(attribute_exists(pk) AND n = :one)",
    "(attribute_exists(pk) AND (n = :one))",
    "n = :one",
]
FAILING = ["attribute_not_exists(pk)", "(n = :two) AND (attribute_exists(pk))", "n > :one"]
KINDS = pytest.mark.parametrize("kind", ["put", "update", "delete", "check"])


@KINDS
@pytest.mark.parametrize("condition", HOLDING)
def test_action_is_applied_if_its_condition_holds(
    driver: Driver, table: str, kind: str, condition: str
) -> None:
    transact(driver, conditional(kind, table, key("old"), condition), putting(table, key("new")))
    assert stored(driver, table, key("new")) == key("new")


@KINDS
@pytest.mark.parametrize("condition", FAILING)
def test_nothing_is_applied_if_one_condition_fails(
    driver: Driver, table: str, kind: str, condition: str
) -> None:
    failing = conditional(kind, table, key("old"), condition)
    failed = CancellationReason("ConditionalCheckFailed", FAILED)
    fine = CancellationReason("None")
    assert canceled(driver, failing, putting(table, key("new"))) == (failed, fine)
    assert canceled(driver, putting(table, key("new")), failing) == (fine, failed)
    assert driver.execute(Scan(table)).items == [key("old") | {"n": number(1)}]


# A failed update must not leave a key-only item behind.
@pytest.mark.parametrize(
    "condition", ["attribute_exists(pk)", "n > :min", "attribute_exists(pk) AND n = :min"]
)
def test_failed_update_creates_no_item(driver: Driver, table: str, condition: str) -> None:
    values = {"min": number(0)} if ":min" in condition else {}
    ghost = updating(table, key("ghost"), "SET a = pk", condition, **values)
    assert [reason.code for reason in canceled(driver, ghost)] == ["ConditionalCheckFailed"]
    assert stored(driver, table, key("ghost")) is None


def test_update_creates_an_item_if_none_exists(driver: Driver, table: str) -> None:
    transact(
        driver,
        updating(table, key("new"), "SET a = :a", "attribute_not_exists(pk)", a=text("a")),
    )
    assert stored(driver, table, key("new")) == key("new") | {"a": text("a")}


# Every condition is evaluated, even after one has failed.
def test_every_failed_condition_is_reported(driver: Driver, table: str) -> None:
    reasons = canceled(
        driver,
        putting(table, key("a"), "attribute_exists(pk)"),
        putting(table, key("b")),
        checking(table, key("c"), "attribute_exists(pk)"),
    )
    assert [reason.code for reason in reasons] == [
        "ConditionalCheckFailed",
        "None",
        "ConditionalCheckFailed",
    ]
    assert [reason.message for reason in reasons] == [FAILED, None, FAILED]


@KINDS
@pytest.mark.parametrize(
    ("asked", "item"), [("ALL_OLD", key("old") | {"n": number(1)}), ("NONE", None), (None, None)]
)
def test_item_that_failed_a_condition_is_returned_on_request(
    driver: Driver, table: str, kind: str, asked: str | None, item: Item | None
) -> None:
    action = conditional(kind, table, key("old"), "attribute_not_exists(pk)")
    field = "condition_check" if kind == "check" else kind
    inner = replace(getattr(action, field), return_values_on_condition_check_failure=asked)
    (reason,) = canceled(driver, replace(action, **{field: inner}))
    assert reason == CancellationReason("ConditionalCheckFailed", FAILED, item)


def test_failed_condition_returns_no_item_if_none_existed(driver: Driver, table: str) -> None:
    action = Put(
        table,
        key("new"),
        "attribute_exists(pk)",
        return_values_on_condition_check_failure="ALL_OLD",
    )
    (reason,) = canceled(driver, TransactWriteItem(put=action))
    assert reason == CancellationReason("ConditionalCheckFailed", FAILED)


def consumed(driver: Driver, asked: TransactWriteItems) -> list[ConsumedCapacity]:
    """Return what the transaction consumed."""
    capacity = driver.execute(asked).consumed_capacity
    assert capacity is not None
    return capacity


# A transaction reads before it writes, so it costs twice what its writes cost alone.
@pytest.mark.parametrize("condition", [None, "attribute_not_exists(pk)"])
def test_transactional_write_costs_double(
    driver: Driver, table: str, condition: str | None
) -> None:
    actions = [putting(table, key("a"), condition), putting(table, key("b"), condition)]
    (entry,) = consumed(driver, TransactWriteItems(actions, return_consumed_capacity="TOTAL"))
    assert (entry.table_name, entry.capacity_units, entry.table) == (table, 4, None)


# One entry per table; a condition check is charged like a write.
def test_capacity_is_reported_per_table(driver: Driver, table: str) -> None:
    other = make_table(driver, pk="S")
    asked = TransactWriteItems(
        [putting(table, key("a")), checking(other, key("b"), "attribute_not_exists(pk)")],
        return_consumed_capacity="INDEXES",
    )
    entries = {entry.table_name: entry for entry in consumed(driver, asked)}
    assert sorted(entries) == sorted([table, other])
    checked = entries[other]
    assert (checked.capacity_units, checked.write_capacity_units) == (2, 2)
    assert checked.read_capacity_units is None
    assert checked.table is not None
    assert (checked.table.capacity_units, checked.table.write_capacity_units) == (2, 2)


@pytest.mark.parametrize(("size", "units"), [(100, 2), (1536, 4), (2100, 6)])
def test_write_cost_rounds_up_to_kilobytes(
    driver: Driver, table: str, size: int, units: int
) -> None:
    actions = [putting(table, key("a") | {"pad": text("x" * size)})]
    (entry,) = consumed(driver, TransactWriteItems(actions, return_consumed_capacity="TOTAL"))
    assert (entry.capacity_units, entry.write_capacity_units) == (units, units)


# Only the table is charged twice; its indexes are charged once.
def test_index_is_charged_once(driver: Driver) -> None:
    table = make_table(driver, global_index("index", grade="S"), pk="S")
    actions = [putting(table, key("a") | {"grade": text("g")})]
    (entry,) = consumed(driver, TransactWriteItems(actions, return_consumed_capacity="INDEXES"))
    assert entry.table is not None
    assert entry.global_secondary_indexes is not None
    assert entry.table.capacity_units == 2
    assert entry.global_secondary_indexes["index"].capacity_units == 1
    assert entry.capacity_units == 3


def test_capacity_is_reported_only_on_request(driver: Driver, table: str) -> None:
    written = driver.execute(TransactWriteItems([putting(table, key("a"))]))
    assert (written.consumed_capacity, written.item_collection_metrics) == (None, None)


def test_collection_metrics_cover_tables_with_local_indexes(driver: Driver) -> None:
    table = make_indexed_table(driver)
    items: list[Item] = [{"pk": text("p"), "sk": text(str(i))} for i in range(2)]
    asked = TransactWriteItems(
        [putting(table, item) for item in items], return_item_collection_metrics="SIZE"
    )
    metrics = driver.execute(asked).item_collection_metrics
    assert metrics is not None
    (entry,) = metrics[table]
    assert entry.item_collection_key == {"pk": text("p")}
    assert entry.size_estimate_range_gb == [0, 1]
