"""The change feed is bounded: by number, by weight and by age."""

from __future__ import annotations

import pytest

from singletable.engine import Engine, Retention, Settings
from singletable.engine.change_feed import BLOCK
from singletable.errors import TrimmedDataAccess
from singletable.operations import (
    AttributeDefinition,
    CreateTable,
    KeySchemaElement,
    PutItem,
    ReadChanges,
)

TABLE = CreateTable(
    "things",
    [AttributeDefinition("pk", "S")],
    [KeySchemaElement("pk", "HASH")],
    billing_mode="PAY_PER_REQUEST",
)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def oldest(engine: Engine) -> int:
    """The first position that the feed still holds."""
    try:
        return engine.execute(ReadChanges(after=0, limit=1)).changes[0].position
    except TrimmedDataAccess as refusal:
        return int(str(refusal).split("position ")[1].split(",")[0])


def write(engine: Engine, count: int, weight: int = 0) -> None:
    for number in range(count):
        engine.execute(PutItem("things", {"pk": {"S": f"{number}"}, "x": {"S": "x" * weight}}))


def test_the_feed_keeps_so_many_changes_and_a_block_at_most() -> None:
    with Engine.in_memory(Settings(retention=Retention(records=100))) as engine:
        engine.execute(TABLE)
        write(engine, 1000)
        kept = 1000 - oldest(engine) + 1
        assert 100 <= kept <= 100 + BLOCK


def test_the_feed_keeps_so_many_bytes_and_a_block_at_most() -> None:
    with Engine.in_memory(Settings(retention=Retention(bytes=200_000))) as engine:
        engine.execute(TABLE)
        write(engine, 1000, weight=1000)
        kept = 1000 - oldest(engine) + 1
        assert kept <= 200 + BLOCK
        assert kept >= BLOCK


def test_the_feed_keeps_changes_for_so_long() -> None:
    clock = Clock()
    with Engine.in_memory(Settings(clock=clock, retention=Retention(seconds=60))) as engine:
        engine.execute(TABLE)
        write(engine, 100, weight=1)
        clock.now += 61
        write(engine, 2 * BLOCK, weight=2)
        assert oldest(engine) == 101


def test_a_position_that_is_gone_is_refused_with_the_way_out() -> None:
    with Engine.in_memory(Settings(retention=Retention(records=10))) as engine:
        engine.execute(TABLE)
        write(engine, 200)
        with pytest.raises(TrimmedDataAccess, match=r"continue from the current end"):
            engine.execute(ReadChanges(after=0))
        end = engine.execute(ReadChanges(after=None)).position
        assert end == 200
        assert engine.execute(ReadChanges(after=end)).changes == []
        write(engine, 1, weight=7)
        assert [c.position for c in engine.execute(ReadChanges(after=end)).changes] == [201]
