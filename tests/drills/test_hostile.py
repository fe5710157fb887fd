"""The drill of hostile requests in short, and the growth that it must detect."""

from __future__ import annotations

from drills.hostile import MAX_GROWTH, MemoryReport, run


def test_memory_of_an_endpoint_does_not_grow() -> None:
    reports = list(run(300, size=300_000))
    assert [report.faults for report in reports] == [[], []]
    assert all(report.requests.total() >= 300 for report in reports)


def test_growth_is_detected() -> None:
    growing = [number * MAX_GROWTH for number in range(1, 9)]
    assert MemoryReport("open", sizes=growing).faults != []
    assert MemoryReport("open", sizes=[*growing[:2], *growing[:6]]).faults != []
    assert MemoryReport("open", sizes=[1, *[MAX_GROWTH] * 7]).faults == []
