"""The stream drill in short, and the faults that its checker must detect."""

from __future__ import annotations

from pathlib import Path

import pytest

from drills.streams import check_deliveries, run_rounds


def test_every_change_is_delivered_in_order(tmp_path: Path) -> None:
    (result,) = run_rounds(3, tmp_path, rounds=1, numbers=30)
    assert result.faults == []
    assert result.crashes > 0
    assert result.shards > 1


@pytest.mark.parametrize(
    ("deliveries", "fault"),
    [
        ([("a", 1), ("a", 2), ("a", 1), ("a", 3)], None),
        ([("a", 1), ("a", 2)], "a: nothing after 2 of 3"),
        ([("a", 1), ("a", 3), ("a", 2)], "a: 3 was delivered before 2"),
        ([], "a: nothing after 0 of 3"),
    ],
)
def test_checker_detects_lost_and_reordered_changes(
    deliveries: list[tuple[str, int]], fault: str | None
) -> None:
    assert check_deliveries(deliveries, {"a": 3}) == ([] if fault is None else [fault])
