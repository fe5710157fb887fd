"""Pages of queries and scans: where they end, how they continue, which start keys are invalid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dynamodb_engine.operations import Driver, Query, Scan
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.errors import WRONG_KEY, check_not_found, validation_error
from tests.conformance.requests import (
    binary,
    fill,
    near_drivers,
    number,
    pages,
    query,
    scan,
    text,
    values_of,
    walk,
)
from tests.conformance.tables import (
    global_index,
    local_index,
    make_indexed_table,
    make_table,
    unused_name,
)

INVALID_START = "The provided starting key is invalid"
MISMATCH = "The provided starting key does not match the range key predicate"
OUTSIDE = "The provided starting key is outside query boundaries based on provided conditions"
NOT_RESTARTED = "The query can return at most one row and cannot be restarted"


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table whose partition `p` holds a to e."""
    name = make_table(driver, pk="S", sk="S")
    fill(driver, name, [{"pk": text("p"), "sk": text(letter)} for letter in "abcde"])
    return name


def test_next_page_starts_after_the_last_item(driver: Driver, table: str) -> None:
    asked = query(table, "pk = :p", p=text("p"))
    first = driver.execute(replace(asked, limit=2))
    assert values_of(first.items, "sk") == ["a", "b"]
    assert first.last_evaluated_key == {"pk": text("p"), "sk": text("b")}
    rest = driver.execute(replace(asked, exclusive_start_key=first.last_evaluated_key))
    assert values_of(rest.items, "sk") == ["c", "d", "e"]
    assert rest.last_evaluated_key is None


def test_pages_work_backwards(driver: Driver, table: str) -> None:
    asked = replace(query(table, "pk = :p", p=text("p")), scan_index_forward=False, limit=2)
    assert values_of(walk(driver, asked), "sk") == ["e", "d", "c", "b", "a"]


# Nothing beyond the limit is read, so DynamoDB does not know yet that there is no more.
def test_page_that_hits_its_limit_at_the_end_has_a_cursor(driver: Driver, table: str) -> None:
    asked = replace(query(table, "pk = :p", p=text("p")), limit=5)
    full, empty = pages(driver, asked)
    assert full.count == 5
    assert (empty.raw_items, empty.count, empty.last_evaluated_key) == ([], 0, None)


def test_page_below_its_limit_is_the_last(driver: Driver, table: str) -> None:
    asked = replace(query(table, "pk = :p", p=text("p")), limit=6)
    assert driver.execute(asked).last_evaluated_key is None


# The limit counts items that are read, before filtering.
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_limit_counts_items_before_filtering(driver: Driver, limit: int) -> None:
    table = make_table(driver, pk="S", sk="N")
    fill(
        driver,
        table,
        [{"pk": text("p"), "sk": number(i), "odd": {"BOOL": i % 2 == 1}} for i in range(6)],
    )
    odd: dict[str, AttributeValue] = {":p": text("p"), ":t": {"BOOL": True}}
    asked = replace(
        query(table, "pk = :p", p=text("p")),
        filter_expression="odd = :t",
        expression_attribute_values=odd,
        limit=limit,
    )
    for page in list(pages(driver, asked))[:-1]:
        assert page.scanned_count == limit
        assert page.count == len(page.items) <= limit
    assert values_of(walk(driver, asked), "sk") == ["1", "3", "5"]


def test_empty_filtered_page_has_a_cursor(driver: Driver, table: str) -> None:
    page = driver.execute(replace(scan(table, "sk = :none", none=text("none")), limit=1))
    assert (page.count, page.scanned_count, page.raw_items) == (0, 1, [])
    assert page.last_evaluated_key is not None


# A deleted item does not invalidate a cursor.
def test_page_continues_after_a_deleted_key(driver: Driver, table: str) -> None:
    start: Item = {"pk": text("p"), "sk": text("bb")}
    asked = replace(query(table, "pk = :p", p=text("p")), exclusive_start_key=start)
    assert values_of(driver.execute(asked).items, "sk") == ["c", "d", "e"]
    backwards = replace(asked, scan_index_forward=False)
    assert values_of(driver.execute(backwards).items, "sk") == ["b", "a"]


# A page reads at most one megabyte, before filtering.
@pytest.mark.parametrize("select", [None, "COUNT"])
@pytest.mark.parametrize("kind", ["query", "scan"])
def test_page_holds_at_most_one_megabyte(driver: Driver, kind: str, select: str) -> None:
    table = make_table(driver, pk="S", sk="N")
    fill(
        driver,
        table,
        [{"pk": text("p"), "sk": number(i), "pad": text("x" * 60_000)} for i in range(20)],
    )
    asked: Query | Scan = query(table, "pk = :p", p=text("p")) if kind == "query" else Scan(table)
    first, *rest = pages(driver, replace(asked, select=select))
    assert 16 <= first.count <= 18
    assert first.last_evaluated_key is not None
    assert first.count + sum(page.count for page in rest) == 20
    few = driver.execute(replace(asked, limit=5))
    assert (few.count, few.last_evaluated_key is None) == (5, False)


def start(**key: AttributeValue) -> Item:
    """Return a start key."""
    return key


A, ONE, RAW = text("a"), number(1), binary(b"a")


# AWS walks the key of the table or index once and checks, attribute by attribute, the start key and
# the condition; it checks the table's own key last.
@pytest.mark.parametrize(
    ("index", "condition", "key", "message"),
    [
        (None, "pk = :a", start(), INVALID_START),
        (None, "pk = :a", start(bad=A), INVALID_START),
        (None, "pk = :a", start(pk=A), INVALID_START),
        (None, "pk = :a", start(pk=A, sk=A, more=A), INVALID_START),
        (None, "pk = :a", start(pk=A, bad=A), INVALID_START),
        (None, "pk = :a", start(bad=A, sk=A), INVALID_START),
        (None, "pk = :a", start(pk=ONE, bad=A), WRONG_KEY),
        (None, "pk = :a", start(pk=A, sk=ONE), WRONG_KEY),
        (None, "pk = :a", start(pk=A, sk=RAW), WRONG_KEY),
        (None, "z = :a", start(pk=RAW, sk=A), WRONG_KEY),
        (None, "z = :a", start(pk=A, sk=ONE), "Query condition missed key schema element: pk"),
        (None, "z = :a", start(pk=A, bad=A), "Query condition missed key schema element: pk"),
        (None, "pk = :a", start(pk=text("b"), sk=A), OUTSIDE),
        (None, "pk = :a AND sk > :b", start(pk=A, sk=A), MISMATCH),
        (None, "pk = :a AND sk > :b", start(pk=text("b"), sk=A), MISMATCH),
        (None, "pk = :a AND sk < :b", start(pk=text("b"), sk=A), NOT_RESTARTED),
        (None, "pk = :a AND begins_with(sk, :b)", start(pk=A, sk=A), MISMATCH),
        ("local_grade", "pk = :a", start(pk=A, sk=A), INVALID_START),
        ("local_grade", "pk = :a", start(pk=A, sk=A, bad=A), INVALID_START),
        ("local_grade", "pk = :a", start(pk=A, sk=ONE, grade=ONE), WRONG_KEY),
        ("local_grade", "pk = :a", start(pk=A, sk=ONE, grade=A), f"{INVALID_START}: {WRONG_KEY}"),
        ("local_grade", "pk = :a", start(pk=A, bad=A, grade=A), f"{INVALID_START}: {WRONG_KEY}"),
        ("local_grade", "pk = :a", start(pk=text("b"), sk=A, grade=A), OUTSIDE),
        ("local_grade", "pk = :a AND grade > :b", start(pk=A, sk=A, grade=A), MISMATCH),
        ("by_grade", "grade = :a", start(pk=A), INVALID_START),
        ("by_grade", "grade = :a", start(pk=A, sk=A, bad=A), INVALID_START),
        ("by_grade", "grade = :a", start(pk=A, sk=A, grade=ONE), WRONG_KEY),
        ("by_grade", "z = :a", start(bad=A, worse=A, grade=ONE), WRONG_KEY),
        (
            "by_grade",
            "z = :a",
            start(pk=ONE, sk=ONE, grade=A),
            "Query condition missed key schema element: grade",
        ),
        ("by_grade", "grade = :a", start(bad=A, worse=A, grade=A), f"{INVALID_START}: {WRONG_KEY}"),
        ("by_grade", "grade = :a", start(pk=ONE, sk=A, grade=A), f"{INVALID_START}: {WRONG_KEY}"),
        ("by_grade", "grade = :a", start(pk=A, sk=A, grade=text("b")), OUTSIDE),
    ],
)
def test_query_rejects_start_keys_outside_its_range(
    driver: Driver, index: str | None, condition: str, key: Item, message: str
) -> None:
    table = make_indexed_table(driver)
    asked = query(table, condition, a=text("a"), b=text("b"))
    asked = replace(asked, index_name=index, exclusive_start_key=key)
    assert validation_error(driver, asked) == message


# Without a sort key a partition has one item, so nothing follows it.
def test_query_without_sort_key_ends_at_its_start_key(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    fill(driver, table, [{"pk": A}, {"pk": text("b")}])
    asked = replace(query(table, "pk = :a", a=A), exclusive_start_key={"pk": A})
    assert driver.execute(asked).items == []
    other = replace(asked, exclusive_start_key={"pk": text("b")})
    assert validation_error(driver, other) == OUTSIDE


@pytest.mark.parametrize(
    ("index", "key", "message"),
    [
        (None, start(), INVALID_START),
        (None, start(bad=A), INVALID_START),
        (None, start(pk=A, bad=A), INVALID_START),
        ("by_grade", start(pk=A, sk=A), INVALID_START),
        ("by_grade", start(pk=A, sk=A, bad=A), INVALID_START),
        ("by_grade", start(pk=A, sk=A, grade=ONE), WRONG_KEY),
        ("by_grade", start(pk=A, sk=ONE, grade=A), f"{INVALID_START}: {WRONG_KEY}"),
    ],
)
def test_scan_rejects_invalid_start_keys(
    driver: Driver, index: str | None, key: Item, message: str
) -> None:
    table = make_indexed_table(driver)
    asked = Scan(table, index_name=index, exclusive_start_key=key)
    assert validation_error(driver, asked) == message


# A value can be checked without the table; whether it is a key cannot.
def test_start_key_values_are_checked_before_table_lookup(driver: Driver) -> None:
    asked = query(unused_name(), "pk = :a", a=text("a"))
    check_not_found(driver, replace(asked, exclusive_start_key={}))
    bad_number = replace(asked, exclusive_start_key={"pk": number("abc")})
    assert validation_error(driver, bad_number) == (
        "The parameter cannot be converted to a numeric value: abc"
    )
    empty_set = replace(asked, exclusive_start_key={"pk": {"SS": []}})
    assert validation_error(driver, empty_set) == (
        f"{INVALID_START}: One or more parameter values were invalid: "
        "An string set  may not be empty"
    )


ITEMS = st.lists(
    st.tuples(st.sampled_from(["p", "q"]), st.integers(0, 30), st.integers(0, 2)),
    max_size=25,
    unique_by=lambda row: row[:2],
)


@near_drivers
@given(
    rows=ITEMS,
    limit=st.integers(1, 8),
    forward=st.booleans(),
    index=st.sampled_from([None, "local", "global"]),
)
def test_query_pages_of_any_size_cover_all_items_in_order(
    driver: Driver,
    rows: list[tuple[str, int, int]],
    limit: int,
    forward: bool,
    index: str | None,
) -> None:
    table = _graded(driver, rows)
    condition = "grade = :one" if index == "global" else "pk = :p"
    asked = replace(
        query(table, condition, p=text("p"), one=number(1)),
        index_name=index,
        limit=limit,
        scan_index_forward=forward,
    )
    found = [
        (item["pk"]["S"], int(item["sk"]["N"]), int(item["grade"]["N"]))
        for item in walk(driver, asked)
    ]
    wanted = [row for row in rows if (row[2] == 1 if index == "global" else row[0] == "p")]
    assert sorted(found) == sorted(wanted)
    if index == "local":
        wanted.sort(key=lambda row: (row[2], row[1]), reverse=not forward)
        assert found == wanted
    elif index is None:
        assert found == sorted(wanted, reverse=not forward)
    else:
        # Entries with equal index keys are ordered too, and reversed as well.
        turned = replace(asked, scan_index_forward=not forward)
        assert walk(driver, turned)[::-1] == walk(driver, asked)


@near_drivers
@given(rows=ITEMS, limit=st.integers(1, 8), index=st.sampled_from([None, "local", "global"]))
def test_scan_pages_of_any_size_cover_all_items(
    driver: Driver, rows: list[tuple[str, int, int]], limit: int, index: str | None
) -> None:
    table = _graded(driver, rows)
    asked = Scan(table, index_name=index)
    whole = driver.execute(asked).items
    assert len(whole) == len(rows)
    assert walk(driver, replace(asked, limit=limit)) == whole


def _graded(driver: Driver, rows: list[tuple[str, int, int]]) -> str:
    """Create a table with a local and a global index by grade, which many items share."""
    table = make_table(
        driver,
        local_index("local", pk="S", grade="N"),
        global_index("global", grade="N"),
        pk="S",
        sk="N",
    )
    fill(
        driver,
        table,
        [{"pk": text(pk), "sk": number(sk), "grade": number(grade)} for pk, sk, grade in rows],
    )
    return table
