"""The change feed with a controlled clock, and its retention by number, size and age."""

from __future__ import annotations

import pytest

from dynamodb_engine.engine import Engine, Retention, Settings
from dynamodb_engine.engine.change_feed import BLOCK
from dynamodb_engine.errors import TrimmedDataAccess
from dynamodb_engine.operations import PutItem, ReadChanges
from tests.conformance.requests import fill
from tests.conformance.tables import make_table, put
from tests.conformance.transaction_actions import key
from tools.testing.clock import NOON, Clock
from tools.testing.processes import with_table


def oldest(engine: Engine) -> int:
    """Return the first position that the feed has."""
    position, newest = 0, engine.execute(ReadChanges(after=None)).position
    while position < newest:
        try:
            engine.execute(ReadChanges(after=position, limit=1))
        except TrimmedDataAccess:
            position += 1
        else:
            break
    return position + 1


def write(engine: Engine, count: int, size: int = 0) -> None:
    for number in range(count):
        engine.execute(PutItem("things", {"pk": {"S": f"{number}"}, "x": {"S": "x" * size}}))


def test_change_has_its_timestamp() -> None:
    clock = Clock()
    with Engine.in_memory(Settings(clock=clock)) as engine:
        table = make_table(engine, pk="S")
        for later in (0, 1.5, 60):
            clock.now = NOON + later
            put(engine, table, key(str(later)))
        changes = engine.execute(ReadChanges()).changes
    assert [change.when for change in changes] == [NOON, NOON + 1.5, NOON + 60]


# The feed may keep slightly more than the retention, never less, and without gaps.
def test_feed_keeps_the_latest_changes_without_a_gap() -> None:
    with Engine.in_memory(Settings(retention=Retention(records=10))) as engine:
        table = make_table(engine, pk="S")
        fill(engine, table, [key(str(i)) for i in range(1000)])
        newest = engine.execute(ReadChanges(after=None)).position
        with pytest.raises(TrimmedDataAccess) as raised:
            engine.execute(ReadChanges(after=0))
        kept = engine.execute(ReadChanges(after=newest - 10)).changes
    assert raised.value.code == "TrimmedDataAccessException"
    assert [change.position for change in kept] == list(range(newest - 9, newest + 1))


# This includes the reader of a quiet table: whether it changed is no longer known.
def test_reader_of_one_table_that_fell_behind_gets_trimmed_data_access() -> None:
    with Engine.in_memory(Settings(retention=Retention(records=10))) as engine:
        busy, quiet = make_table(engine, pk="S"), make_table(engine, pk="S")
        put(engine, quiet, key("a"))
        fill(engine, busy, [key(str(i)) for i in range(1000)])
        with pytest.raises(TrimmedDataAccess):
            engine.execute(ReadChanges(after=0, table_name=quiet))


def test_feed_is_limited_by_number_of_changes() -> None:
    with Engine.in_memory(Settings(retention=Retention(records=100))) as engine:
        with_table(engine)
        write(engine, 1000)
        kept = 1000 - oldest(engine) + 1
        assert 100 <= kept <= 100 + BLOCK


def test_feed_is_limited_by_size() -> None:
    with Engine.in_memory(Settings(retention=Retention(bytes=200_000))) as engine:
        with_table(engine)
        write(engine, 1000, size=1000)
        kept = 1000 - oldest(engine) + 1
        assert kept <= 200 + BLOCK
        assert kept >= BLOCK


def test_feed_is_limited_by_age() -> None:
    clock = Clock()
    with Engine.in_memory(Settings(clock=clock, retention=Retention(seconds=60))) as engine:
        with_table(engine)
        write(engine, 100, size=1)
        clock.now += 61
        write(engine, 2 * BLOCK, size=2)
        assert oldest(engine) == 101


def test_reading_a_trimmed_position_raises_and_reading_can_continue_at_the_end() -> None:
    with Engine.in_memory(Settings(retention=Retention(records=10))) as engine:
        with_table(engine)
        write(engine, 200)
        with pytest.raises(TrimmedDataAccess, match=r"continue from the current end"):
            engine.execute(ReadChanges(after=0))
        end = engine.execute(ReadChanges(after=None)).position
        assert end == 200
        assert engine.execute(ReadChanges(after=end)).changes == []
        write(engine, 1, size=7)
        assert [c.position for c in engine.execute(ReadChanges(after=end)).changes] == [201]
