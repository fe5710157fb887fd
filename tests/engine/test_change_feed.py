"""The change feed with a clock and a retention of the test's own."""

from __future__ import annotations

import pytest

from singletable.engine import Engine, Retention, Settings
from singletable.errors import TrimmedDataAccess
from singletable.operations import ReadChanges
from tests.conformance.requests import fill
from tests.conformance.tables import make_table, put
from tests.conformance.transaction_actions import key
from tests.engine.clock import NOON, Clock


def test_a_change_tells_when_it_was_made() -> None:
    clock = Clock()
    with Engine.in_memory(Settings(clock=clock)) as engine:
        table = make_table(engine, pk="S")
        for later in (0, 1.5, 60):
            clock.now = NOON + later
            put(engine, table, key(str(later)))
        changes = engine.execute(ReadChanges()).changes
    assert [change.when for change in changes] == [NOON, NOON + 1.5, NOON + 60]


# The feed may keep somewhat more than it was told to, never less; what it does keep is whole.
def test_the_feed_keeps_the_latest_changes_without_a_gap() -> None:
    with Engine.in_memory(Settings(retention=Retention(records=10))) as engine:
        table = make_table(engine, pk="S")
        fill(engine, table, [key(str(i)) for i in range(1000)])
        newest = engine.execute(ReadChanges(after=None)).position
        with pytest.raises(TrimmedDataAccess) as refused:
            engine.execute(ReadChanges(after=0))
        kept = engine.execute(ReadChanges(after=newest - 10)).changes
    assert refused.value.code == "TrimmedDataAccessException"
    assert [change.position for change in kept] == list(range(newest - 9, newest + 1))


# A quiet table's reader has fallen behind as well: nobody can tell any more whether it changed.
def test_a_reader_of_one_table_is_told_that_it_fell_behind() -> None:
    with Engine.in_memory(Settings(retention=Retention(records=10))) as engine:
        busy, quiet = make_table(engine, pk="S"), make_table(engine, pk="S")
        put(engine, quiet, key("a"))
        fill(engine, busy, [key(str(i)) for i in range(1000)])
        with pytest.raises(TrimmedDataAccess):
            engine.execute(ReadChanges(after=0, table_name=quiet))
