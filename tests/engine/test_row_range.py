"""Counting a page gives the same end as reading every row."""

from __future__ import annotations

import apsw
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine.storage import Execute, RowRange, count_page
from singletable.engine.storage.connection import bind_execute

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
        count_page(_rows(sizes), RowRange("FROM rows ORDER BY id", ()), PAGE_SIZE, limit)
        == expected
    )
