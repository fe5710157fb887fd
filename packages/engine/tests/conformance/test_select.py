"""Select: all, projected or specific attributes, or only the count."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dynamodb_engine.operations import Condition, Driver, Query, Scan
from dynamodb_engine.values import Item
from tests.conformance.requests import fill, number, query, text
from tests.conformance.tables import make_indexed_table, make_table, put

KINDS = pytest.mark.parametrize("kind", ["query", "scan"])


def ask(kind: str, table: str) -> Query | Scan:
    """Return a query of the partition `p`, or a scan."""
    return query(table, "pk = :p", p=text("p")) if kind == "query" else Scan(table)


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table whose partition `p` holds three items."""
    name = make_table(driver, pk="S", sk="N")
    fill(driver, name, [{"pk": text("p"), "sk": number(i), "a": number(i)} for i in range(3)])
    return name


# A count does not return the counted items.
@KINDS
def test_count_returns_no_items(driver: Driver, table: str, kind: str) -> None:
    page = driver.execute(replace(ask(kind, table), select="COUNT"))
    assert (page.count, page.scanned_count, page.raw_items) == (3, 3, None)


@KINDS
def test_count_counts_items_after_filtering(driver: Driver, table: str, kind: str) -> None:
    values = {":one": number(1)} | ({":p": text("p")} if kind == "query" else {})
    asked = replace(
        ask(kind, table),
        select="COUNT",
        filter_expression="a >= :one",
        expression_attribute_values=values,
    )
    page = driver.execute(asked)
    assert (page.count, page.scanned_count, page.raw_items) == (2, 3, None)


@KINDS
def test_count_continues_from_a_cursor(driver: Driver, table: str, kind: str) -> None:
    asked = replace(ask(kind, table), select="COUNT", limit=2)
    first = driver.execute(asked)
    assert first.last_evaluated_key == {"pk": text("p"), "sk": number(1)}
    second = driver.execute(replace(asked, exclusive_start_key=first.last_evaluated_key))
    assert (first.count, second.count, second.last_evaluated_key) == (2, 1, None)


@KINDS
@pytest.mark.parametrize("select", ["SPECIFIC_ATTRIBUTES", None])
@pytest.mark.parametrize("parameter", ["projection_expression", "attributes_to_get"])
def test_specific_attributes_returns_requested_attributes(
    driver: Driver, table: str, kind: str, select: str | None, parameter: str
) -> None:
    wanted: object = "sk, a" if parameter == "projection_expression" else ["sk", "a"]
    asked = replace(ask(kind, table), select=select, **{parameter: wanted})
    if parameter == "attributes_to_get" and kind == "query":
        asked = _with_key_conditions(asked)
    assert driver.execute(asked).items == [{"sk": number(i), "a": number(i)} for i in range(3)]


def _with_key_conditions(asked: Query | Scan) -> Query | Scan:
    """Return the query with the legacy parameter that AttributesToGet needs."""
    return replace(
        asked,
        key_condition_expression=None,
        expression_attribute_values=None,
        key_conditions={"pk": Condition("EQ", [text("p")])},
    )


WHOLE: Item = {name: text("p") for name in ("pk", "sk", "grade", "year", "note", "extra")}


@pytest.mark.parametrize(
    ("index", "condition", "select", "given"),
    [
        ("by_grade_and_year", "grade = :p", "ALL_PROJECTED_ATTRIBUTES", "pk sk grade year note"),
        ("by_grade", "grade = :p", "ALL_PROJECTED_ATTRIBUTES", "pk sk grade year note extra"),
        ("by_grade", "grade = :p", "ALL_ATTRIBUTES", "pk sk grade year note extra"),
        ("local_grade", "pk = :p", "ALL_ATTRIBUTES", "pk sk grade year note extra"),
        ("local_year", "pk = :p", "ALL_PROJECTED_ATTRIBUTES", "pk sk grade year"),
        ("local_year", "pk = :p", "ALL_ATTRIBUTES", "pk sk grade year note extra"),
        (None, "pk = :p", "ALL_ATTRIBUTES", "pk sk grade year note extra"),
    ],
)
@KINDS
def test_all_attributes_depends_on_item_or_projection(
    driver: Driver, kind: str, index: str | None, condition: str, select: str, given: str
) -> None:
    table = make_indexed_table(driver)
    put(driver, table, WHOLE)
    asked = query(table, condition, p=text("p")) if kind == "query" else Scan(table)
    page = driver.execute(replace(asked, index_name=index, select=select))
    assert page.items == [{name: WHOLE[name] for name in given.split()}]
