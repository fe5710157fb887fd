"""The async face does what the sync face does, in the same sequence."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from singletable.engine import AsyncEngine, Engine
from singletable.errors import OperationError
from singletable.faults import AsyncFaultyDriver, Faults, FaultyDriver
from singletable.operations import Operation, Scan, TransactWriteItems
from tests.faults.strategies import passing_faults
from tests.faults.votes import (
    batch_of,
    engine_with_votes,
    get,
    of_voter,
    put,
    transact_put,
    votes,
)

OPERATIONS: list[Operation[object]] = [
    put(),
    put(choice="no"),
    get(),
    of_voter("ada"),
    Scan("votes"),
    batch_of("ada", "bob", "eve"),
    TransactWriteItems([transact_put("ada"), transact_put("bob")], client_request_token="t"),
]


@given(passing_faults, st.lists(st.sampled_from(OPERATIONS), max_size=20))
def test_both_faces_answer_alike(faults: Faults, sequence: list[Operation[object]]) -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, faults)
        answers = list[object]()
        for operation in sequence:
            try:
                answers.append(driver.execute(operation))
            except OperationError as error:
                answers.append((error.code, error.message))

    async def run() -> list[object]:
        awaited = list[object]()
        async with AsyncEngine(engine_with_votes()) as engine:
            driver = AsyncFaultyDriver(engine, faults)
            for operation in sequence:
                try:
                    awaited.append(await driver.execute(operation))
                except OperationError as error:
                    awaited.append((error.code, error.message))
        return awaited

    assert asyncio.run(run()) == answers


def test_latency_is_awaited() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def run() -> None:
        async with AsyncEngine(engine_with_votes()) as engine:
            driver = AsyncFaultyDriver(engine, sleep=sleep)
            await driver.execute(put())
            await driver.execute_with(put(), Faults(latency=0.5))
            with driver.injecting(Faults(latency=0.25)):
                await driver.execute(put())

    asyncio.run(run())
    assert slept == [0.5, 0.25]


# Many tasks move one copy while each waits for the disk; every one of them sees a past state.
def test_stale_reads_side_by_side_see_past_states(tmp_path: Path) -> None:
    async def run() -> None:
        async with AsyncEngine(Engine.on_file(tmp_path / "votes.db")) as engine:
            await engine.execute(votes())
            driver = AsyncFaultyDriver(engine, Faults(stale=1, behind=3))

            async def write() -> None:
                for number in range(60):
                    await driver.execute(put(sort=f"{number:03}"))

            async def read(behind: int) -> None:
                faults = Faults(stale=1, behind=behind)
                for _ in range(30):
                    page = await driver.execute_with(Scan("votes"), faults)
                    names = sorted(item["SK"]["S"] for item in page.items)
                    # Written in order, so a past state is a beginning without a hole.
                    assert names == [f"{number:03}" for number in range(len(names))]

            await asyncio.gather(write(), *[read(behind) for behind in (1, 5, 2, 20)])
            page = await driver.execute(Scan("votes"))
            assert page.count == 57

    asyncio.run(run())
