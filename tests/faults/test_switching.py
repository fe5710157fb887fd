"""Faults are off until they are switched on: for good, for a while, or for one request."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from singletable.errors import InternalError, OperationError, Throttled
from singletable.faults import Faults, FaultyDriver, Next
from singletable.operations import Operation, PutItem, ReadChanges
from tests.faults.votes import contents, engine_with_votes, get, put


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


def test_nothing_goes_wrong_until_it_is_asked_for() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine)
        assert [outcome(driver, put()) for _ in range(100)] == ["done"] * 100
        assert driver.struck == {}


# Production imports the library, not the faults.
def test_importing_the_library_imports_no_faults() -> None:
    script = "import sys, singletable; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "singletable.faults" not in ran.stdout


def test_faults_can_be_set_while_others_use_the_driver() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine)
        driver.faults = Faults(throttle=Next(2))
        assert [outcome(driver, put()) for _ in range(3)] == [
            "ThrottlingException",
            "ThrottlingException",
            "done",
        ]
        assert driver.struck == {"throttle": 2}
        # Said again, it begins again.
        driver.faults = driver.faults
        assert outcome(driver, put()) == "ThrottlingException"
        driver.faults = Faults()
        assert outcome(driver, put()) == "done"


def test_faults_can_be_injected_for_a_while() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(throttle=Next(2)))
        assert outcome(driver, put()) == "ThrottlingException"
        with driver.injecting(Faults(internal=1)), pytest.raises(InternalError):
            driver.execute(put())
        # What was in force before goes on where it was.
        assert [outcome(driver, put()) for _ in range(2)] == ["ThrottlingException", "done"]


def test_faults_can_come_with_a_request() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(internal=1))
        with pytest.raises(Throttled):
            driver.execute_with(put(), Faults(throttle=1))
        driver.execute_with(put(), Faults())
        with pytest.raises(InternalError):
            driver.execute(put())


# A header is sent with every request, and its count and its luck go on from one to the next.
def test_equal_faults_of_several_requests_are_one_sequence() -> None:
    faults, half = Faults(throttle=Next(2)), Faults(throttle=0.5, seed=5)
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine)
        assert [outcome(driver, put(), Faults(throttle=Next(2))) for _ in range(3)] == [
            "ThrottlingException",
            "ThrottlingException",
            "done",
        ]
        luck = [outcome(driver, put(), half) for _ in range(50)]
        assert set(luck) == {"ThrottlingException", "done"}
        driver.forget()
        assert outcome(driver, put(), faults) == "ThrottlingException"
        assert [outcome(driver, put(), half) for _ in range(50)] == luck


def test_faults_of_many_requests_do_not_fill_the_memory() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine)
        for seed in range(1500):
            driver.execute_with(ReadChanges(limit=1), Faults(throttle=1, seed=seed))
        assert len(driver._requests) == 1000


def test_latency_is_slept_before_the_operation() -> None:
    slept: list[float] = []
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(latency=0.25), sleep=slept.append)
        driver.execute(put())
        driver.execute(get())
        assert slept == [0.25, 0.25]


# Drivers wrap drivers: two wishes are two wrappers.
def test_faults_can_be_stacked() -> None:
    with engine_with_votes() as engine:
        inner = FaultyDriver(engine, Faults(throttle=1, operations=("PutItem",)))
        driver = FaultyDriver(inner, Faults(stale=1))
        engine.execute(put())
        assert driver.execute(get()).item is None
        assert outcome(driver, put()) == "ThrottlingException"


def test_what_is_not_refused_by_a_fault_is_refused_by_the_driver() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(throttle=0.5, stale=0.5, keys=("ELECTION#1",)))
        assert outcome(driver, PutItem("votes", {})) == "ValidationException"


def test_threads_share_one_sequence() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(throttle=Next(25)))
        outcomes: list[str] = []

        def work(name: str) -> None:
            outcomes.extend(outcome(driver, put(sort=f"{name}{number}")) for number in range(25))

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert outcomes.count("ThrottlingException") == driver.struck["throttle"] == 25
        assert len(contents(engine)) == outcomes.count("done") == 75
