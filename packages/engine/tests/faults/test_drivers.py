"""Faults are activated for a driver, a `with` block or one request."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.engine import AsyncEngine
from dynamodb_engine.errors import InternalError, OperationError, Throttled
from dynamodb_engine.faults import AsyncFaultyDriver, Faults, FaultyDriver, Next
from dynamodb_engine.operations import Operation, PutItem, ReadChanges, Scan, TransactWriteItems
from tests.faults.strategies import transient_faults
from tests.faults.votes_table import (
    batch_put,
    contents,
    create_engine,
    get,
    put,
    query_voter,
    transact_put,
)


def outcome(
    driver: FaultyDriver, operation: Operation[object], faults: Faults | None = None
) -> str:
    try:
        if faults is None:
            driver.execute(operation)
        else:
            driver.execute_with(operation, faults)
    except OperationError as error:
        return error.code
    return "done"


def test_driver_without_faults_does_nothing() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine)
        assert [outcome(driver, put()) for _ in range(100)] == ["done"] * 100
        assert driver.injected == {}


# Production code must not load fault injection.
def test_import_singletable_does_not_import_faults() -> None:
    script = "import sys, singletable; print(*sys.modules)"
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "dynamodb_engine.faults" not in process.stdout


def test_faults_can_be_replaced() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine)
        driver.faults = Faults(throttle=Next(2))
        assert [outcome(driver, put()) for _ in range(3)] == [
            "ThrottlingException",
            "ThrottlingException",
            "done",
        ]
        assert driver.injected == {"throttle": 2}
        # Setting the same faults restarts the sequence.
        driver.faults = driver.faults
        assert outcome(driver, put()) == "ThrottlingException"
        driver.faults = Faults()
        assert outcome(driver, put()) == "done"


def test_inject_restores_previous_faults() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(throttle=Next(2)))
        assert outcome(driver, put()) == "ThrottlingException"
        with driver.inject(Faults(internal=1)), pytest.raises(InternalError):
            driver.execute(put())
        # The previous faults continue where they were.
        assert [outcome(driver, put()) for _ in range(2)] == ["ThrottlingException", "done"]


def test_execute_with_uses_faults_of_the_request() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(internal=1))
        with pytest.raises(Throttled):
            driver.execute_with(put(), Faults(throttle=1))
        driver.execute_with(put(), Faults())
        with pytest.raises(InternalError):
            driver.execute(put())


# A header is sent with every request; its counts and random numbers continue.
def test_equal_request_faults_share_a_sequence() -> None:
    faults, half = Faults(throttle=Next(2)), Faults(throttle=0.5, seed=5)
    with create_engine() as engine:
        driver = FaultyDriver(engine)
        assert [outcome(driver, put(), Faults(throttle=Next(2))) for _ in range(3)] == [
            "ThrottlingException",
            "ThrottlingException",
            "done",
        ]
        first_run = [outcome(driver, put(), half) for _ in range(50)]
        assert set(first_run) == {"ThrottlingException", "done"}
        driver.reset()
        assert outcome(driver, put(), faults) == "ThrottlingException"
        assert [outcome(driver, put(), half) for _ in range(50)] == first_run


def test_request_sequences_are_limited() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine)
        for seed in range(1500):
            driver.execute_with(ReadChanges(limit=1), Faults(throttle=1, seed=seed))
        assert len(driver._requests) == 1000


def test_latency_uses_sleep() -> None:
    slept: list[float] = []
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(latency=0.25), sleep=slept.append)
        driver.execute(put())
        driver.execute(get())
        assert slept == [0.25, 0.25]


def test_faulty_drivers_can_be_nested() -> None:
    with create_engine() as engine:
        inner = FaultyDriver(engine, Faults(throttle=1, operations=("PutItem",)))
        driver = FaultyDriver(inner, Faults(throttle=1, operations=("GetItem",)))
        assert outcome(driver, get()) == "ThrottlingException"
        assert outcome(driver, put()) == "ThrottlingException"


def test_invalid_request_is_rejected_by_wrapped_driver() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(throttle=0.5, keys=("ELECTION#1",)))
        assert outcome(driver, PutItem("votes", {})) == "ValidationException"


def test_threads_share_one_sequence() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(throttle=Next(25)))
        outcomes: list[str] = []

        def work(name: str) -> None:
            outcomes.extend(outcome(driver, put(sort=f"{name}{number}")) for number in range(25))

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert outcomes.count("ThrottlingException") == driver.injected["throttle"] == 25
        assert len(contents(engine)) == outcomes.count("done") == 75


# The async driver

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
