"""The clock, interrupted drivers and the endpoint that tests of apps use."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from dynamodb_engine.testing import AsyncInterruptedDriver, Crash, InterruptedDriver
from singletable import AsyncEngine, Engine, ListTables, Operation, Scan
from singletable.errors import InternalError, ResourceNotFound
from singletable.testing import StoreClock

LIST, SCAN = ListTables(), Scan("missing")
# Options, what becomes of each operation, and how many operations are selected.
CASES: list[tuple[dict[str, Any], str, int]] = [
    ({}, "creee", 5),
    ({"first": 1, "times": 2}, "eccee", 5),
    ({"first": 2, "times": None}, "erccc", 5),
    ({"when": Scan}, "eceee", 1),
    ({"when": (Scan, ListTables), "first": 4}, "ereec", 5),
    ({"when": lambda operation: operation is SCAN, "first": 1}, "ereee", 1),
]


def run(driver: InterruptedDriver, *operations: Operation[object]) -> str:
    """Return a letter for each operation: executed, rejected by the engine, or crashed."""
    outcomes = ""
    for operation in operations:
        try:
            driver.execute(operation)
            outcomes += "e"
        except ResourceNotFound:
            outcomes += "r"
        except Crash:
            outcomes += "c"
    return outcomes


@pytest.mark.parametrize(
    ("options", "outcomes", "count"),
    CASES,
)
def test_chosen_operations_are_interrupted(
    options: dict[str, Any], outcomes: str, count: int
) -> None:
    driver = InterruptedDriver(Engine.in_memory(), before=Crash, **options)
    assert run(driver, LIST, SCAN, LIST, LIST, LIST) == outcomes
    assert driver.count == count
    assert driver.interrupted == outcomes.count("c")
    driver.interrupt()
    assert run(driver, LIST, LIST) == "ee"
    driver.crash_after(1)
    assert run(driver, LIST, LIST, LIST) == "ecc"


def test_actions_run_before_and_after_the_operation() -> None:
    seen: list[str] = []

    class Recorder:
        def execute(self, operation: Operation[object], /) -> Any:
            seen.append("executed")

    before, after = partial(seen.append, "before"), partial(seen.append, "after")
    driver = InterruptedDriver(Recorder(), before=before, after=after)
    driver.execute(LIST)
    driver.interrupt(after=InternalError("lost"))
    with pytest.raises(InternalError, match="lost"):
        driver.execute(LIST)
    assert seen == ["before", "executed", "after", "executed"]


def test_actions_of_async_drivers_may_be_async() -> None:
    seen: list[str] = []

    async def note() -> None:
        await asyncio.sleep(0)
        seen.append("note")

    async def use() -> None:
        with Engine.in_memory() as engine:
            driver = AsyncInterruptedDriver(AsyncEngine(engine), before=note, after=note)
            await driver.execute(LIST)
            driver.interrupt(before=partial(seen.append, "sync"))
            await driver.execute(LIST)
            driver.crash_after(1)
            await driver.execute(LIST)
            await driver.execute(LIST)

    with pytest.raises(Crash):
        asyncio.run(use())
    assert seen == ["note", "note", "sync"]


def test_clock_moves_only_if_it_is_advanced_or_ticks() -> None:
    clock = StoreClock()
    start = clock()
    assert clock() == start == clock.now
    assert clock.advance(hours=2) == clock() == start + timedelta(hours=2)
    clock.tick = timedelta(seconds=1)
    assert clock.seconds() - start.timestamp() == 7201
    assert clock() - start == timedelta(hours=2, seconds=2)
