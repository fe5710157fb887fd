"""The order and pages of ListTables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dynamodb_engine.operations import Driver, ListTables
from tests.conformance.drivers import DRIVERS, open_driver
from tests.conformance.table_requests import on_demand

NAMES = ("_low", "Upper", "a.dot", "a-dash", "zebra", "A00", "a_under")


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """Return a driver without tables, since all tables are listed."""
    with open_driver(request) as driver:
        yield driver


def make_them(driver: Driver) -> list[str]:
    """Create the tables and return their names in byte order."""
    for name in NAMES:
        driver.execute(on_demand(table_name=name))
    return sorted(NAMES, key=str.encode)


# In byte order, upper case comes before lower case.
def test_names_are_sorted_by_bytes(driver: Driver) -> None:
    names = make_them(driver)
    page = driver.execute(ListTables())
    assert page.table_names == names
    assert page.last_evaluated_table_name is None


# The last name of a page is its cursor; AWS returns one only if there is more.
def test_pages_cover_all_tables(driver: Driver) -> None:
    names = make_them(driver)
    start, seen = None, list[str]()
    while True:
        page = driver.execute(ListTables(start, limit=3))
        seen += page.table_names
        start = page.last_evaluated_table_name
        if start is None:
            break
        assert start == page.table_names[-1]
        assert len(page.table_names) == 3
    assert seen == names


def test_page_that_just_fits_has_no_cursor(driver: Driver) -> None:
    names = make_them(driver)
    page = driver.execute(ListTables(limit=len(names)))
    assert (page.table_names, page.last_evaluated_table_name) == (names, None)


# The cursor is a position between names and need not be a table.
def test_page_may_start_after_a_missing_table(driver: Driver) -> None:
    names = make_them(driver)
    page = driver.execute(ListTables("a-e"))
    assert page.table_names == [name for name in names if name > "a-e"]
    assert driver.execute(ListTables("zzz")).table_names == []


def test_default_page_has_100_names(driver: Driver) -> None:
    for number in range(101):
        driver.execute(on_demand(table_name=f"table-{number:03}"))
    page = driver.execute(ListTables())
    assert len(page.table_names) == 100
    assert page.last_evaluated_table_name == "table-099"


def test_no_tables_give_an_empty_page(driver: Driver) -> None:
    page = driver.execute(ListTables())
    assert (page.table_names, page.last_evaluated_table_name) == ([], None)
