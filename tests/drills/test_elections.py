"""The elections drill in short, and the faults that it must detect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from drills.elections import check_tables, run_rounds
from drills.elections_client import PASSWORD, open_service, open_store
from singletable import Engine
from singletable_apps.elections.entities import User
from singletable_apps.elections.events import Event


def test_concurrent_and_killed_processes_lose_and_repeat_nothing(tmp_path: Path) -> None:
    (result,) = run_rounds(1, tmp_path, count=1, clients=3, commands=8, kills=1)
    assert result.faults == []
    assert result.acknowledged >= 16


@pytest.fixture
def engine() -> Engine:
    """Return an engine with a user and an election."""
    engine = Engine.in_memory()
    elections = open_service(engine)
    ada = elections.people.register("Ada", "ada@example.org", PASSWORD)
    elections.lifecycle.create(ada, "E")
    return engine


CREATED = ("ElectionCreated", "E")


@pytest.mark.parametrize(
    ("before", "acknowledged", "killed", "fault"),
    [
        (1, [CREATED, ("ElectionCreated", "F")], 0, "'F'.* was acknowledged, but is not"),
        (1, [], 0, "0 commands were acknowledged and 0 processes killed"),
        (1, [CREATED, CREATED], 1, "2 commands were acknowledged"),
    ],
    ids=["lost command", "command without acknowledgment", "repeated acknowledgment"],
)
def test_lost_or_repeated_command_is_detected(
    engine: Engine, before: int, acknowledged: list[tuple[str, str]], killed: int, fault: str
) -> None:
    assert check_tables(engine, 1, [CREATED], 0) == []
    assert check_tables(engine, 1, [], 1) == []
    faults = check_tables(engine, before, acknowledged, killed)
    assert any(re.search(fault, text) for text in faults), faults


def test_table_that_differs_from_the_log_is_detected(engine: Engine) -> None:
    open_store(engine).update(User.key("Ada"), User.ballots_cast.set(7))
    assert any("another item" in fault for fault in check_tables(engine, 1, [CREATED], 0))


def test_gap_in_the_log_is_detected(engine: Engine) -> None:
    open_store(engine).delete(Event.key(1))
    assert any("is missing" in fault for fault in check_tables(engine, 1, [CREATED], 0))
