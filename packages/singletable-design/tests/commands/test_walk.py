"""A plan takes the way that ARCHITECTURE.md describes."""

from __future__ import annotations

from tools.testing.commands import Run
from tools.testing.walks import missing_stops, traced


def test_plan_takes_the_described_way(run: Run) -> None:
    with traced() as trace:
        assert run("plan", "tests.designs.rated_shop")[0] == 0
    assert missing_stops("singletable plan", trace) == []
