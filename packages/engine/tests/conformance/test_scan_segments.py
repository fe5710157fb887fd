"""Parallel scans: segments divide a table among workers without gaps or overlap."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dynamodb_engine.operations import Driver, Scan
from dynamodb_engine.values import Item
from tests.conformance.errors import validation_error
from tests.conformance.requests import fill, near_drivers, number, text, walk
from tests.conformance.tables import global_index, make_table


def test_scan_accepts_a_million_segments(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    fill(driver, table, [{"pk": text("a")}])
    counts = [
        driver.execute(Scan(table, segment=segment, total_segments=1_000_000)).count
        for segment in (0, 999_999)
    ]
    assert sum(counts) <= 1


# A cursor of another segment means that the worker mixed up its pages.
def test_segment_rejects_start_keys_of_other_segments(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    fill(driver, table, [{"pk": text(str(i))} for i in range(20)])
    for segment in (0, 1):
        asked = Scan(table, segment=segment, total_segments=2, limit=1)
        last = driver.execute(asked).last_evaluated_key
        other = replace(asked, segment=1 - segment, exclusive_start_key=last)
        assert validation_error(driver, other) == (
            "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
            "ExclusiveStartKey with correct Segment. "
            f"TotalSegments: 2 Segment: {1 - segment}"
        )


# Independent workers together read everything once; the items of one partition stay in one segment.
@near_drivers
@given(
    rows=st.sets(st.tuples(st.integers(0, 40), st.integers(0, 2)), max_size=40),
    total=st.integers(1, 9),
    limit=st.sampled_from([None, 1, 3]),
    index=st.sampled_from([None, "by_kind"]),
)
def test_segments_cover_all_items_once(
    driver: Driver,
    rows: set[tuple[int, int]],
    total: int,
    limit: int | None,
    index: str | None,
) -> None:
    table = make_table(driver, global_index("by_kind", kind="N"), pk="S", sk="N")
    items: list[Item] = [
        {"pk": text(str(pk)), "sk": number(sk), "kind": number(pk % 7)} for pk, sk in rows
    ]
    fill(driver, table, items)
    asked = Scan(table, index_name=index, total_segments=total, limit=limit)
    shares = [walk(driver, replace(asked, segment=segment)) for segment in range(total)]
    assert sorted(map(str, items)) == sorted(str(item) for share in shares for item in share)
    partition = "pk" if index is None else "kind"
    owners = [{str(item[partition]) for item in share} for share in shares]
    assert sum(map(len, owners)) == len(set[str]().union(*owners))


# Many partitions are spread over all segments, or parallel scans would not be parallel.
def test_partitions_are_spread_over_segments(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    fill(driver, table, [{"pk": text(str(i))} for i in range(100)])
    counts = [
        driver.execute(Scan(table, segment=segment, total_segments=4)).count for segment in range(4)
    ]
    assert sum(counts) == 100
    assert min(counts) > 0
