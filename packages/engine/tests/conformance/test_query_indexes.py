"""Queries of secondary indexes: which items they hold, what they project, and their pages."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dynamodb_engine.operations import Driver, Query, Scan
from dynamodb_engine.values import Item
from tests.conformance.requests import fill, pages, query, text, values_of
from tests.conformance.tables import global_index, local_index, make_indexed_table, make_table, put

WHOLE: Item = {
    "pk": text("p"),
    "sk": text("1"),
    "grade": text("g"),
    "year": text("2024"),
    "note": text("hello"),
    "extra": text("more"),
}


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table with indexes by `grade` and `year`, and one item in all of them."""
    name = make_indexed_table(driver)
    put(driver, name, WHOLE)
    return name


BY_GRADE = "grade = :g"
BY_BOTH = "grade = :g AND #year = :y"
LOCAL = "pk = :p AND grade = :g"


def ask(table: str, index: str, condition: str) -> Query:
    """Return a query of an index by the keys of WHOLE."""
    asked = query(table, condition, p=text("p"), g=text("g"), y=text("2024"))
    names = {"#year": "year"} if "#year" in condition else None
    return replace(asked, index_name=index, expression_attribute_names=names)


@pytest.mark.parametrize(
    ("index", "condition", "held"),
    [
        ("by_grade", BY_GRADE, "pk sk grade year note extra"),
        ("by_grade_and_year", BY_GRADE, "pk sk grade year note"),
        ("by_grade_and_year", BY_BOTH, "pk sk grade year note"),
        ("local_grade", LOCAL, "pk sk grade year note extra"),
        ("local_grade", "pk = :p", "pk sk grade year note extra"),
        ("local_year", "pk = :p AND #year = :y", "pk sk year grade"),
    ],
)
def test_index_query_returns_projected_attributes(
    driver: Driver, table: str, index: str, condition: str, held: str
) -> None:
    page = driver.execute(ask(table, index, condition))
    assert page.items == [{name: WHOLE[name] for name in held.split()}]


@pytest.mark.parametrize(
    ("index", "condition"),
    [("by_grade", BY_GRADE), ("local_grade", "pk = :p"), ("by_grade_and_year", BY_GRADE)],
)
def test_missing_index_key_returns_nothing(
    driver: Driver, table: str, index: str, condition: str
) -> None:
    asked = replace(
        ask(table, index, condition),
        expression_attribute_values={f":{condition.split(':')[1]}": text("nobody")},
    )
    page = driver.execute(asked)
    assert (page.raw_items, page.count) == ([], 0)


# An index is sparse: it holds only the items that have all of its keys.
def test_sparse_index_holds_only_items_with_its_key(driver: Driver) -> None:
    table = make_indexed_table(driver)
    put(driver, table, {"pk": text("p"), "sk": text("1"), "grade": text("g")})
    counts = {
        index: driver.execute(Scan(table, index_name=index)).count
        for index in ("by_grade", "by_grade_and_year", "local_grade", "local_year")
    }
    assert counts == {"by_grade": 1, "by_grade_and_year": 0, "local_grade": 1, "local_year": 0}
    assert driver.execute(Scan(table)).count == 1


@pytest.mark.parametrize("index", ["local_grade", "by_grade"])
@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("grade = :b", "b"),
        ("begins_with(grade, :b)", "b ba"),
        ("grade BETWEEN :b AND :c", "b ba c"),
        ("grade > :b", "ba c d"),
    ],
)
def test_index_sort_key_accepts_every_condition(
    driver: Driver, index: str, condition: str, found: str
) -> None:
    table = make_table(
        driver,
        local_index("local_grade", pk="S", grade="S"),
        global_index("by_grade", pk="S", grade="S"),
        pk="S",
        sk="S",
    )
    grades = ["a", "d", "c", "ba", "b"]
    fill(
        driver,
        table,
        [
            {"pk": text(pk), "sk": text(str(place)), "grade": text(grade)}
            for pk in ("p", "q")
            for place, grade in enumerate(grades)
        ],
    )
    asked = query(table, f"pk = :p AND {condition}", p=text("p"), b=text("b"), c=text("c"))
    page = driver.execute(replace(asked, index_name=index))
    assert values_of(page.items, "grade") == found.split()
    assert {item["pk"]["S"] for item in page.items} == {"p"}


def test_local_index_supports_consistent_reads(driver: Driver, table: str) -> None:
    asked = replace(ask(table, "local_grade", LOCAL), consistent_read=True)
    assert driver.execute(asked).items == [WHOLE]


# A position in an index needs the index key, and the table key to distinguish equal ones.
@pytest.mark.parametrize(
    ("index", "condition", "key"),
    [
        ("by_grade", BY_GRADE, "grade pk sk"),
        ("by_grade_and_year", BY_BOTH, "grade pk sk year"),
        ("local_grade", LOCAL, "grade pk sk"),
        (None, "pk = :p", "pk sk"),
    ],
)
def test_last_evaluated_key_has_table_and_index_keys(
    driver: Driver, table: str, index: str | None, condition: str, key: str
) -> None:
    names = {"#year": "year"} if "#year" in condition else None
    asked = query(table, condition, p=text("p"), g=text("g"), y=text("2024"))
    page = driver.execute(
        replace(asked, index_name=index, limit=1, expression_attribute_names=names)
    )
    assert page.last_evaluated_key == {name: WHOLE[name] for name in key.split()}


# Entries with equal index keys are distinguished by the table key, so none is lost or repeated.
@pytest.mark.parametrize(
    ("index", "condition"),
    [("by_grade", BY_GRADE), ("by_grade_and_year", BY_BOTH), ("local_grade", LOCAL)],
)
@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize("forward", [True, False])
def test_entries_with_equal_keys_are_each_returned_once(
    driver: Driver, index: str, condition: str, limit: int, forward: bool
) -> None:
    table = make_indexed_table(driver)
    fill(driver, table, [WHOLE | {"sk": text(str(place))} for place in range(5)])
    asked = replace(ask(table, index, condition), limit=limit, scan_index_forward=forward)
    found = list(pages(driver, asked))
    given = [item["sk"]["S"] for page in found for item in page.items]
    assert sorted(given) == ["0", "1", "2", "3", "4"]
    assert given == sorted(given, reverse=not forward)
    assert len(found) <= 5 // limit + 1


# DynamoDB fetches unprojected attributes of a local index from its table, and charges a table read
# for each entry.
@pytest.mark.parametrize(
    ("changes", "given"),
    [
        ({"select": "ALL_ATTRIBUTES"}, "pk sk grade year note extra"),
        ({"projection_expression": "sk, extra"}, "sk extra"),
    ],
)
def test_local_index_fetches_unprojected_attributes(
    driver: Driver, table: str, changes: dict[str, object], given: str
) -> None:
    asked = replace(
        ask(table, "local_year", "pk = :p"), return_consumed_capacity="INDEXES", **changes
    )
    page = driver.execute(asked)
    assert page.items == [{name: WHOLE[name] for name in given.split()}]
    consumed = page.consumed_capacity
    assert consumed is not None
    assert consumed.table is not None
    assert consumed.local_secondary_indexes is not None
    assert consumed.table.capacity_units == 0.5
    assert consumed.local_secondary_indexes["local_year"].capacity_units == 0.5
    assert consumed.capacity_units == 1


def test_filter_accepts_keys_of_other_indexes(driver: Driver, table: str) -> None:
    asked = replace(ask(table, "by_grade", BY_GRADE), filter_expression="attribute_exists(sk)")
    assert driver.execute(asked).count == 1
    asked = replace(query(table, "pk = :p", p=text("p")), filter_expression="grade <> :p")
    assert driver.execute(asked).count == 1
