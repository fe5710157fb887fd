"""The crash drill in short; and that it finds what it looks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from drills.crash import child, killing
from drills.crash.killing import rounds
from drills.faces import Client
from drills.ledger import Mark, Outcome, Step, action_at


def test_killed_processes_lose_nothing(tmp_path: Path) -> None:
    killed = list(rounds(20, tmp_path, 0, 12))
    assert [fault for one in killed for fault in one.faults] == []
    assert sum(one.acknowledged for one in killed) > 50


# An acknowledgement before the write, and not after it, is the fault that the drill is there for.
def test_hasty_acknowledgements_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def hasty(seed: int, number: int, steps: Iterable[int], mark: Callable[[Mark], None]) -> Client:
        for step in (Step(number, n) for n in steps):
            mark(Mark(step, Outcome.STARTED))
            mark(Mark(step, Outcome.KEPT))
            yield action_at(seed, step).operation

    monkeypatch.setattr(child, "ledger_client", hasty)
    monkeypatch.setattr(killing, "MOMENTS", ("acknowledging",))
    faults = [fault for one in rounds(21, tmp_path, 0, 3) for fault in one.faults]
    assert any("was acknowledged, and" in fault for fault in faults)


# A round can be run again by itself: those before it, on the same file, come first.
def test_a_round_begins_where_its_file_was_new(tmp_path: Path) -> None:
    (one,) = rounds(22, tmp_path, 2, 3)
    assert one.name == "round 2 of seed 22"
    assert one.faults == []
