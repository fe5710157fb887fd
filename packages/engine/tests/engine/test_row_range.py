"""Counting a page gives the same end as reading every row, and later pages cost no more."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.engine.storage import (
    Execute,
    KeyRange,
    RowKey,
    RowRange,
    SqliteRows,
    count_page,
)
from dynamodb_engine.engine.storage.sqlite.connection import bind_execute
from dynamodb_engine.engine.storage.sqlite.row_range import SqliteRange

PAGE_SIZE = 1000

SIZES = st.lists(
    st.one_of(st.integers(1, 4), st.integers(1, 40), st.sampled_from([1, 1, 1, 900])), max_size=900
)


def _rows(sizes: list[int]) -> Execute:
    execute = bind_execute(apsw.Connection(":memory:"))
    execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, size INTEGER, item BLOB)")
    for number, size in enumerate(sizes):
        execute("INSERT INTO rows VALUES (?, ?, ?)", (number, size, str(number).encode()))
    return execute


# A page ends with the row that fills it, at the limit, or at the end of the range.
@given(sizes=SIZES, limit=st.none() | st.integers(1, 900))
def test_count_page_ends_at_the_same_row_as_reading(sizes: list[int], limit: int | None) -> None:
    expected: tuple[int, int, bytes | None] = (len(sizes), sum(sizes), None)
    total = 0
    for number, size in enumerate(sizes, 1):
        total += size
        if total >= PAGE_SIZE or number == limit:
            expected = (number, total, str(number - 1).encode())
            break
    assert (
        count_page(_rows(sizes), SqliteRange("FROM rows ORDER BY id", ()), PAGE_SIZE, limit)
        == expected
    )


def _key(number: int) -> bytes:
    return f"{number:06}".encode()


WHOLE, BOUNDED = KeyRange(b"P", b"", None), KeyRange(b"P", _key(0), _key(9999))
# The ranges of queries and scans, and the row that follows the one in the middle.
RANGES: dict[str, tuple[Callable[[SqliteRows, int], RowRange], int]] = {
    "query": (lambda r, n: r.partition_range(WHOLE, _key(n), forward=True), 1),
    "query of a range": (lambda r, n: r.partition_range(BOUNDED, _key(n), forward=True), 1),
    "descending": (lambda r, n: r.partition_range(WHOLE, _key(n), forward=False), -1),
    "descending range": (lambda r, n: r.partition_range(BOUNDED, _key(n), forward=False), -1),
    "scan": (lambda r, n: r.scan_range(b"", None, RowKey(b"P", _key(n))), 1),
    "scan of a segment": (lambda r, n: r.scan_range(b"A", b"Z", RowKey(b"P", _key(n))), 1),
}


# Otherwise reading all pages of a partition takes quadratic time.
@pytest.mark.parametrize(("create", "step"), RANGES.values(), ids=RANGES)
def test_page_starts_at_its_first_row_without_reading_those_before_it(
    create: Callable[[SqliteRows, int], RowRange], step: int
) -> None:
    connection = apsw.Connection(":memory:")
    execute = bind_execute(connection)
    rows = SqliteRows.for_table("items_1", "{} {}".format, in_memory=True)
    rows.create(execute)
    for number in range(2000):
        rows.add(execute, RowKey(b"P", _key(number)), 1, _key(number), 0)
    steps = count()
    connection.set_progress_handler(lambda: next(steps) < 0, 1)  # pyright: ignore
    page = create(rows, 1000)
    assert page.slice(execute, 0, 1) == [(1, _key(1000 + step))]
    assert page.total(execute, 1) == (1, 1)
    assert next(steps) < 500
