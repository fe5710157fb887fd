"""A count takes the way that ARCHITECTURE.md describes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ranked_ballots.cli import main
from tools.testing.walks import missing_stops, traced

BALLOTS = Path(__file__).parents[1] / "data/ballots/tree.blt"


def test_count_takes_the_described_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["ranked-ballots", str(BALLOTS)])
    with traced() as trace, pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert missing_stops("ranked-ballots FILE", trace) == []
