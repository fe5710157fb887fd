"""Scan: every item of a table or index, what it returns, and what it rejects."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dynamodb_engine.operations import Driver, Scan
from dynamodb_engine.values import Item
from tests.conformance.requests import fill, number, pages, scan, text, values_of, walk
from tests.conformance.tables import global_index, local_index, make_indexed_table, make_table, put


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table with five items."""
    name = make_table(driver, pk="S")
    fill(driver, name, [{"pk": text(letter), "a": number(1)} for letter in "abcde"])
    return name


@pytest.mark.parametrize("consistent", [None, True])
def test_scan_returns_every_item_once(driver: Driver, table: str, consistent: bool | None) -> None:
    page = driver.execute(Scan(table, consistent_read=consistent))
    assert sorted(values_of(page.items, "pk")) == list("abcde")
    assert (page.count, page.scanned_count, page.last_evaluated_key) == (5, 5, None)


def test_scan_of_empty_table_returns_an_empty_list(driver: Driver) -> None:
    page = driver.execute(Scan(make_table(driver, pk="S")))
    assert (page.raw_items, page.count, page.scanned_count) == ([], 0, 0)
    assert page.last_evaluated_key is None


def test_filter_without_match_returns_an_empty_list(driver: Driver, table: str) -> None:
    page = driver.execute(scan(table, "a = :none", none=number(9)))
    assert (page.raw_items, page.count, page.scanned_count) == ([], 0, 5)


# Unlike a query, a scan uses no key, so a filter may use any.
def test_scan_filter_may_use_the_key(driver: Driver, table: str) -> None:
    page = driver.execute(scan(table, "pk = :b", b=text("b")))
    assert (values_of(page.items, "pk"), page.scanned_count) == (["b"], 5)


def test_projection_does_not_add_the_key(driver: Driver, table: str) -> None:
    page = driver.execute(Scan(table, projection_expression="a"))
    assert page.items == [{"a": number(1)}] * 5


# An item without the projected attributes is returned empty.
def test_projection_without_match_returns_empty_items(driver: Driver, table: str) -> None:
    page = driver.execute(Scan(table, projection_expression="nothing"))
    assert page.items == [{}] * 5


@pytest.mark.parametrize(
    ("projection", "given"),
    [
        ("m.a, m.b", {"m": {"M": {"a": number(1), "b": number(2)}}}),
        ("l[0].x, l[0].y", {"l": {"L": [{"M": {"x": number(1), "y": number(2)}}]}}),
        ("l[0].y, l[0].x", {"l": {"L": [{"M": {"x": number(1), "y": number(2)}}]}}),
        ("l[1], l[2]", {"l": {"L": [text("one"), text("two")]}}),
        ("l[2], l[1]", {"l": {"L": [text("one"), text("two")]}}),
        ("l[2]", {"l": {"L": [text("two")]}}),
        ("l[0].x, l[2]", {"l": {"L": [{"M": {"x": number(1)}}, text("two")]}}),
    ],
)
def test_paths_with_a_common_prefix_are_merged(
    driver: Driver, projection: str, given: Item
) -> None:
    table = make_table(driver, pk="S")
    element: Item = {"x": number(1), "y": number(2), "z": number(3)}
    item: Item = {
        "pk": text("p"),
        "m": {"M": {"a": number(1), "b": number(2), "c": number(3)}},
        "l": {"L": [{"M": element}, text("one"), text("two")]},
    }
    put(driver, table, item)
    assert driver.execute(Scan(table, projection_expression=projection)).items == [given]


# The order must be stable, or paging would not work.
def test_scan_order_is_stable(driver: Driver, table: str) -> None:
    assert driver.execute(Scan(table)).items == driver.execute(Scan(table)).items


# A position in an index needs the index key, and the table key to distinguish equal ones.
def test_index_scan_cursor_has_index_keys(driver: Driver) -> None:
    table = make_indexed_table(driver)
    item: Item = {name: text("x") for name in ("pk", "sk", "grade", "year", "note")}
    put(driver, table, item)
    page = driver.execute(Scan(table, index_name="by_grade_and_year", limit=1))
    assert page.last_evaluated_key == {name: item[name] for name in ("pk", "sk", "grade", "year")}


@pytest.mark.parametrize(
    ("index", "given"),
    [
        ("by_grade", "pk sk grade year note extra"),
        ("by_grade_and_year", "pk sk grade year note"),
        ("local_grade", "pk sk grade year note extra"),
        ("local_year", "pk sk year grade"),
    ],
)
def test_index_scan_returns_projected_attributes(driver: Driver, index: str, given: str) -> None:
    table = make_indexed_table(driver)
    item: Item = {name: text("x") for name in ("pk", "sk", "grade", "year", "note", "extra")}
    put(driver, table, item, {"pk": text("q"), "sk": text("1")})
    page = driver.execute(Scan(table, index_name=index))
    assert page.items == [{name: item[name] for name in given.split()}]
    filtered = scan(table, "grade <> :x", x=text("x"))
    page = driver.execute(replace(filtered, index_name=index))
    assert (page.count, page.scanned_count) == (0, 1)


def test_local_index_supports_consistent_scans(driver: Driver) -> None:
    table = make_indexed_table(driver)
    put(driver, table, {"pk": text("p"), "sk": text("1"), "grade": text("g")})
    page = driver.execute(Scan(table, index_name="local_grade", consistent_read=True))
    assert page.count == 1


# Entries with equal keys are all returned, with or without a filter.
@pytest.mark.parametrize("index", ["local", "global"])
@pytest.mark.parametrize(("filter_", "count"), [(None, 50), ("n IN (:a, :b, :c)", 3)])
def test_index_scan_pages_to_the_end(
    driver: Driver, index: str, filter_: str | None, count: int
) -> None:
    table = make_table(
        driver,
        local_index("local", pk="S", kind="S"),
        global_index("global", kind="S"),
        pk="S",
        sk="N",
    )
    fill(
        driver,
        table,
        [
            {"pk": text("p"), "sk": number(i), "kind": text("same"), "n": number(i)}
            for i in range(50)
        ],
    )
    asked: Scan = Scan(table)
    if filter_ is not None:
        asked = scan(table, filter_, a=number(0), b=number(24), c=number(49))
    asked = replace(asked, index_name=index, limit=10)
    assert len({item["sk"]["N"] for item in walk(driver, asked)}) == count
    assert len(list(pages(driver, asked))) <= 6


# A filtered scan pays for what is read, not for what is returned.
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"filter_expression": "attribute_exists(nothing)"},
        {"filter_expression": "attribute_exists(pk)"},
        {"projection_expression": "pk"},
        {"filter_expression": "attribute_exists(nothing)", "projection_expression": "pk"},
        {"select": "COUNT"},
    ],
)
def test_cost_counts_items_before_filtering(driver: Driver, changes: dict[str, object]) -> None:
    table = make_table(driver, pk="S")
    fill(driver, table, [{"pk": text(str(i)), "pad": text("x" * 1500)} for i in range(6)])
    asked = replace(Scan(table, return_consumed_capacity="TOTAL"), **changes)
    consumed = driver.execute(asked).consumed_capacity
    assert consumed is not None
    assert (consumed.table_name, consumed.capacity_units) == (table, 1.5)
    assert consumed.read_capacity_units is None
