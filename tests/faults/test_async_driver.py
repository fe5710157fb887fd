"""The async driver injects the same faults as the sync driver."""

from __future__ import annotations

import asyncio
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from singletable.engine import AsyncEngine, Engine
from singletable.errors import OperationError
from singletable.faults import AsyncFaultyDriver, Faults, FaultyDriver
from singletable.operations import Operation, Scan, TransactWriteItems
from tests.faults.strategies import transient_faults
from tests.faults.votes_table import (
    batch_put,
    create_engine,
    create_votes,
    get,
    put,
    query_voter,
    transact_put,
)

OPERATIONS: list[Operation[object]] = [
    put(),
    put(choice="no"),
    get(),
    query_voter("ada"),
    Scan("votes"),
    batch_put("ada", "bob", "eve"),
    TransactWriteItems([transact_put("ada"), transact_put("bob")], client_request_token="t"),
]


@given(transient_faults, st.lists(st.sampled_from(OPERATIONS), max_size=20))
def test_async_driver_matches_sync_driver(
    faults: Faults, sequence: list[Operation[object]]
) -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, faults)
        outputs = list[object]()
        for operation in sequence:
            try:
                outputs.append(driver.execute(operation))
            except OperationError as error:
                outputs.append((error.code, error.message))

    async def run() -> list[object]:
        async_outputs = list[object]()
        async with AsyncEngine(create_engine()) as engine:
            driver = AsyncFaultyDriver(engine, faults)
            for operation in sequence:
                try:
                    async_outputs.append(await driver.execute(operation))
                except OperationError as error:
                    async_outputs.append((error.code, error.message))
        return async_outputs

    assert asyncio.run(run()) == outputs


def test_latency_is_async_outputs() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def run() -> None:
        async with AsyncEngine(create_engine()) as engine:
            driver = AsyncFaultyDriver(engine, sleep=sleep)
            await driver.execute(put())
            await driver.execute_with(put(), Faults(latency=0.5))
            with driver.inject(Faults(latency=0.25)):
                await driver.execute(put())

    asyncio.run(run())
    assert slept == [0.5, 0.25]


# Tasks move one replica while each waits for the disk; each must read a past state.
def test_concurrent_stale_reads_return_past_states(tmp_path: Path) -> None:
    async def run() -> None:
        async with AsyncEngine(Engine.on_file(tmp_path / "votes.db")) as engine:
            await engine.execute(create_votes())
            driver = AsyncFaultyDriver(engine, Faults(stale=1, behind=3))

            async def write() -> None:
                for number in range(60):
                    await driver.execute(put(sort=f"{number:03}"))

            async def read(behind: int) -> None:
                faults = Faults(stale=1, behind=behind)
                for _ in range(30):
                    page = await driver.execute_with(Scan("votes"), faults)
                    names = sorted(item["SK"]["S"] for item in page.items)
                    # Items are written in order, so a past state is a prefix without gaps.
                    assert names == [f"{number:03}" for number in range(len(names))]

            await asyncio.gather(write(), *[read(behind) for behind in (1, 5, 2, 20)])
            page = await driver.execute(Scan("votes"))
            assert page.count == 57

    asyncio.run(run())
