"""The crash drill in short, and a fault that it must detect."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from drills import crash
from drills.client_runners import Client
from drills.crash import run_rounds
from drills.ledger_workload import Outcome, Step, StepEvent, action_at


def test_killed_processes_lose_nothing(tmp_path: Path) -> None:
    results = list(run_rounds(20, tmp_path, 0, 12))
    assert [fault for result in results for fault in result.faults] == []
    assert sum(result.acknowledged for result in results) > 50


def test_acknowledgments_before_the_write_are_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hasty_client(
        seed: int, number: int, steps: Iterable[int], report: Callable[[StepEvent], None]
    ) -> Client:
        for step in (Step(number, n) for n in steps):
            report(StepEvent(step, Outcome.STARTED))
            report(StepEvent(step, Outcome.ACKNOWLEDGED))
            yield action_at(seed, step).operation

    monkeypatch.setattr(crash, "ledger_client", hasty_client)
    monkeypatch.setattr(crash, "KILL_POINTS", ("acknowledging",))
    faults = [fault for result in run_rounds(21, tmp_path, 0, 3) for fault in result.faults]
    assert any("was acknowledged, but" in fault for fault in faults)


# To repeat a round, the earlier rounds on the same file run first.
def test_single_round_can_be_repeated(tmp_path: Path) -> None:
    (result,) = run_rounds(22, tmp_path, 2, 3)
    assert result.name == "round 2 of seed 22"
    assert result.faults == []
