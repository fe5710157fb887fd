"""Running: expired items go while the endpoint serves, whatever happens in between."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any, TypeVar, cast

import pytest

from singletable.errors import AddressError, StorageError
from singletable.operations import Operation, SweepExpired, SweepExpiredOutput
from singletable.server import DynamoDBApp, run_until_stopped

R = TypeVar("R")


class Sweeping:
    """A driver that is asked to sweep, and has something to say each time."""

    def __init__(self, *answers: SweepExpiredOutput | Exception) -> None:
        self.answers = list(answers)

    async def execute(self, operation: Operation[R], /) -> R:
        assert isinstance(operation, SweepExpired)
        if not self.answers:
            # All is said: end as a user would, and wait for that.
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.Event().wait()
        answer: Any = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return cast(R, answer)


def run(driver: Sweeping) -> list[tuple[str, int]]:
    """Where it listened, once it is stopped."""
    started: list[tuple[str, int]] = []
    asyncio.run(
        run_until_stopped(
            DynamoDBApp(driver),
            driver,
            host="127.0.0.1",
            port=0,
            sweep_every=0.001,
            on_start=lambda host, port: started.append((host, port)),
        )
    )
    return started


def test_it_sweeps_until_it_is_stopped() -> None:
    driver = Sweeping(
        SweepExpiredOutput(1000, more=True),
        SweepExpiredOutput(5, more=False),
        SweepExpiredOutput(0, more=False),
    )
    ((host, port),) = run(driver)
    assert host == "127.0.0.1"
    assert port > 0


# A disk that is full today may have room tomorrow.
def test_a_sweep_that_fails_is_not_the_last(caplog: pytest.LogCaptureFixture) -> None:
    run(Sweeping(StorageError("The disk is full."), SweepExpiredOutput(1, more=False)))
    assert "The disk is full." in caplog.text


def test_an_address_that_is_not_ours_is_told() -> None:
    driver = Sweeping()
    with pytest.raises(AddressError, match=r"192\.0\.2\.1:0"):
        asyncio.run(
            run_until_stopped(
                DynamoDBApp(driver),
                driver,
                host="192.0.2.1",
                port=0,
                on_start=lambda host, port: None,
            )
        )
