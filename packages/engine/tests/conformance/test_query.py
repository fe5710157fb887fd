"""Query: one partition in sort key order, and its cost."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dynamodb_engine.operations import Driver
from dynamodb_engine.values import AttributeValue
from tests.conformance.requests import binary, fill, number, query, text, values_of
from tests.conformance.tables import make_indexed_table, make_table, put


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table whose partition `p` holds a to e, with one item in another partition."""
    name = make_table(driver, pk="S", sk="S")
    fill(driver, name, [{"pk": text("p"), "sk": text(letter)} for letter in "daceb"])
    put(driver, name, {"pk": text("other"), "sk": text("a")})
    return name


def test_query_returns_one_partition_in_order(driver: Driver, table: str) -> None:
    page = driver.execute(replace(query(table, "pk = :p", p=text("p")), consistent_read=True))
    assert values_of(page.items, "sk") == ["a", "b", "c", "d", "e"]
    assert (page.count, page.scanned_count, page.last_evaluated_key) == (5, 5, None)


@pytest.mark.parametrize(("forward", "order"), [(None, "abcde"), (True, "abcde"), (False, "edcba")])
def test_scan_index_forward_false_reverses_the_order(
    driver: Driver, table: str, forward: bool | None, order: str
) -> None:
    asked = replace(query(table, "pk = :p", p=text("p")), scan_index_forward=forward)
    assert values_of(driver.execute(asked).items, "sk") == list(order)


# Callers iterate over Items without checking that it is present.
def test_empty_partition_returns_an_empty_list(driver: Driver, table: str) -> None:
    page = driver.execute(query(table, "pk = :p", p=text("nobody")))
    assert page.raw_items == []
    assert (page.count, page.scanned_count, page.last_evaluated_key) == (0, 0, None)


def test_table_without_sort_key_can_be_queried(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, {"pk": text("p"), "a": number(1)}, {"pk": text("q")})
    asked = query(table, "pk = :p", p=text("p"))
    assert driver.execute(asked).items == [{"pk": text("p"), "a": number(1)}]


# Keys are compared by value: 1.0 is 1.
def test_numeric_partition_key_matches_any_spelling(driver: Driver) -> None:
    table = make_table(driver, pk="N")
    put(driver, table, {"pk": number("100")})
    for spelling in ("100", "100.0", "1e2", "+100", "0100"):
        assert driver.execute(query(table, "pk = :p", p=number(spelling))).count == 1


# Strings sort by their UTF-8 bytes, in which an emoji comes after every letter; in UTF-16, which
# Java and JavaScript compare, it would come before U+FFFD.
def test_strings_sort_by_utf8_bytes(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="S")
    order = ["A", "Z", "a", "é", "ﬀ", "\ufffd", "😀"]
    fill(driver, table, [{"pk": text("p"), "sk": text(key)} for key in reversed(order)])
    page = driver.execute(query(table, "pk = :p", p=text("p")))
    assert values_of(page.items, "sk") == order


def test_numeric_sort_keys_sort_by_value(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="N")
    order = ["-100", "-5", "-1", "0", "1", "5", "10", "100"]
    fill(driver, table, [{"pk": text("p"), "sk": number(key)} for key in sorted(order)])
    page = driver.execute(query(table, "pk = :p", p=text("p")))
    assert values_of(page.items, "sk") == order


def test_binary_sorts_by_unsigned_bytes(driver: Driver) -> None:
    table = make_table(driver, pk="S", sk="B")
    order = [b"\x01", b"\x01\x02", b"\x02", b"\xff"]
    fill(driver, table, [{"pk": text("p"), "sk": binary(key)} for key in reversed(order)])
    asked = query(table, "pk = :p", p=text("p"))
    keys = [binary(key) for key in order]
    assert [item["sk"] for item in driver.execute(asked).items] == keys
    turned = replace(asked, scan_index_forward=False)
    assert [item["sk"] for item in driver.execute(turned).items] == keys[::-1]


SMALL = {"pk": text("p"), "sk": text("a")}


@pytest.mark.parametrize(("consistent", "units"), [(None, 0.5), (False, 0.5), (True, 1.0)])
def test_eventually_consistent_read_costs_half(
    driver: Driver, table: str, consistent: bool | None, units: float
) -> None:
    asked = replace(
        query(table, "pk = :p AND sk = :a", p=text("p"), a=text("a")),
        consistent_read=consistent,
        return_consumed_capacity="INDEXES",
    )
    consumed = driver.execute(asked).consumed_capacity
    assert consumed is not None
    assert (consumed.table_name, consumed.capacity_units) == (table, units)
    assert consumed.table is not None
    assert consumed.table.capacity_units == units
    # Only transactions report read and write units separately.
    assert consumed.read_capacity_units is None
    assert consumed.table.read_capacity_units is None
    assert consumed.global_secondary_indexes is None


def test_total_capacity_has_no_breakdown(driver: Driver, table: str) -> None:
    asked = replace(query(table, "pk = :p", p=text("p")), return_consumed_capacity="TOTAL")
    consumed = driver.execute(asked).consumed_capacity
    assert consumed is not None
    assert (consumed.table_name, consumed.capacity_units, consumed.table) == (table, 0.5, None)


@pytest.mark.parametrize("asked_for", [None, "NONE"])
def test_capacity_is_returned_only_on_request(driver: Driver, table: str, asked_for: str) -> None:
    asked = replace(query(table, "pk = :p", p=text("p")), return_consumed_capacity=asked_for)
    assert driver.execute(asked).consumed_capacity is None


def test_global_index_query_is_charged_to_the_index(driver: Driver) -> None:
    table = make_indexed_table(driver)
    put(driver, table, SMALL | {"grade": text("g")})
    asked = replace(
        query(table, "grade = :g", g=text("g")),
        index_name="by_grade",
        return_consumed_capacity="INDEXES",
    )
    consumed = driver.execute(asked).consumed_capacity
    assert consumed is not None
    assert consumed.table is not None
    assert consumed.global_secondary_indexes is not None
    assert consumed.global_secondary_indexes["by_grade"].capacity_units == 0.5
    assert (consumed.table.capacity_units, consumed.capacity_units) == (0, 0.5)


# A filtered query pays for what is read, not for what is returned.
@pytest.mark.parametrize(
    ("changes", "values"),
    [
        ({}, {}),
        ({"filter_expression": "sort = :v"}, {":v": number(1)}),
        ({"filter_expression": "sort = :v"}, {":v": number(9)}),
        ({"projection_expression": "sk"}, {}),
        ({"filter_expression": "sort = :v", "projection_expression": "sk"}, {":v": number(1)}),
        ({"select": "COUNT"}, {}),
    ],
)
def test_cost_counts_items_before_filtering(
    driver: Driver, changes: dict[str, object], values: dict[str, AttributeValue]
) -> None:
    table = make_table(driver, pk="S", sk="S")
    fill(
        driver,
        table,
        [
            {"pk": text("p"), "sk": text(str(i)), "sort": number(i), "pad": text("x" * 1500)}
            for i in range(6)
        ],
    )
    asked = replace(
        query(table, "pk = :p", p=text("p")), return_consumed_capacity="TOTAL", **changes
    )
    asked = replace(asked, expression_attribute_values={":p": text("p")} | values)
    consumed = driver.execute(asked).consumed_capacity
    assert consumed is not None
    assert consumed.capacity_units == 1.5
