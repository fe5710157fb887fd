"""The drill of elections in short; and that it finds what it looks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from drills.elections import faults_in, rounds
from drills.elections.opening import PASSWORD, service_on, store_on
from singletable import Engine
from singletable_apps.elections.entities import User
from singletable_apps.elections.log import Event


def test_processes_that_write_at_once_and_die_lose_and_double_nothing(tmp_path: Path) -> None:
    (one,) = rounds(1, tmp_path, count=1, clients=3, commands=8, kills=1)
    assert one.faults == []
    assert one.acknowledged >= 16


@pytest.fixture
def engine() -> Engine:
    """Two users and an election."""
    engine = Engine.in_memory()
    elections = service_on(engine)
    ada = elections.people.register("Ada", "ada@example.org", PASSWORD)
    elections.conducting.create(ada, "E")
    return engine


CREATED = ("ElectionCreated", "E")


@pytest.mark.parametrize(
    ("before", "told", "killed", "words"),
    [
        (1, [CREATED, ("ElectionCreated", "F")], 0, "'F'.* was acknowledged, and is not"),
        (1, [], 0, "0 commands were acknowledged and 0 processes killed"),
        (1, [CREATED, CREATED], 1, "2 commands were acknowledged"),
    ],
)
def test_what_was_lost_or_doubled_is_found(
    engine: Engine, before: int, told: list[tuple[str, str]], killed: int, words: str
) -> None:
    assert faults_in(engine, 1, [CREATED], 0) == []
    assert faults_in(engine, 1, [], 1) == []
    faults = faults_in(engine, before, told, killed)
    assert any(re.search(words, fault) for fault in faults), faults


def test_a_table_that_is_not_what_the_log_says_is_found(engine: Engine) -> None:
    store_on(engine).update(User.key("Ada"), User.ballots_cast.set(7))
    assert any("another item" in fault for fault in faults_in(engine, 1, [CREATED], 0))


def test_a_log_with_a_gap_is_found(engine: Engine) -> None:
    store_on(engine).delete(Event.key(1))
    assert any("is missing" in fault for fault in faults_in(engine, 1, [CREATED], 0))
