"""TTL with a controlled clock: an item expires when its second is over."""

from __future__ import annotations

import pytest

from dynamodb_engine.engine import Engine, Settings
from dynamodb_engine.operations import (
    ReadChanges,
    Scan,
    SweepExpired,
    TimeToLiveSpecification,
    UpdateTimeToLive,
)
from tests.conformance.requests import number
from tests.conformance.tables import make_table, put
from tests.conformance.transaction_actions import key
from tools.testing.clock import NOON, Clock

FIVE_YEARS = 5 * 365 * 24 * 60 * 60


@pytest.mark.parametrize(
    ("expires", "removed"),
    [
        (NOON - 1, 1),
        (NOON, 0),
        (NOON + 1, 0),
        (NOON - FIVE_YEARS + 1, 1),
        (NOON - FIVE_YEARS, 0),
        (NOON - FIVE_YEARS - 1, 0),
    ],
)
def test_item_expires_in_the_second_after_its_timestamp(expires: float, removed: int) -> None:
    with Engine.in_memory(Settings(clock=Clock())) as engine:
        table = make_table(engine, pk="S")
        engine.execute(UpdateTimeToLive(table, TimeToLiveSpecification(True, "expires")))
        put(engine, table, key("a") | {"expires": number(int(expires))})
        assert engine.execute(SweepExpired()).removed == removed


def test_items_expire_as_time_passes() -> None:
    clock = Clock()
    with Engine.in_memory(Settings(clock=clock)) as engine:
        table = make_table(engine, pk="S")
        engine.execute(UpdateTimeToLive(table, TimeToLiveSpecification(True, "expires")))
        for minute in range(3):
            put(engine, table, key(str(minute)) | {"expires": number(int(NOON) + 60 * minute)})
        remaining: list[int] = []
        for _ in range(4):
            engine.execute(SweepExpired())
            remaining.append(engine.execute(Scan(table)).count)
            clock.now += 60
        expirations = [c for c in engine.execute(ReadChanges()).changes if c.expired]
    assert remaining == [3, 2, 1, 0]
    assert [(change.keys, change.when - NOON) for change in expirations] == [
        (key("0"), 60),
        (key("1"), 120),
        (key("2"), 180),
    ]
