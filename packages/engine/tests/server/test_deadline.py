"""A deadline expires once, at the time that was set last."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from dynamodb_engine.server.deadline import Deadline


def expirations(script: Callable[[Deadline], None], *, expected: int) -> list[float]:
    """Run a script; return after how many seconds the deadline expired each time."""

    async def run() -> list[float]:
        loop = asyncio.get_running_loop()
        expired: list[float] = []
        deadline = Deadline(lambda: expired.append(loop.time()))
        started = loop.time()
        script(deadline)
        # Wait for the expected expirations, however slow the machine, then a little for more.
        while len(expired) < expected:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        return [expiration - started for expiration in expired]

    return asyncio.run(run())


def postponed(deadline: Deadline) -> None:
    deadline.set(0.02)
    deadline.set(0.1)


def brought_forward(deadline: Deadline) -> None:
    deadline.set(60)
    deadline.set(0.1)


def cleared_and_set(deadline: Deadline) -> None:
    deadline.set(0.02)
    deadline.clear()
    deadline.set(0.1)


@pytest.mark.parametrize("script", [postponed, brought_forward, cleared_and_set])
def test_last_deadline_applies(script: Callable[[Deadline], None]) -> None:
    (expiration,) = expirations(script, expected=1)
    assert expiration >= 0.1


def cleared(deadline: Deadline) -> None:
    deadline.set(0.01)
    deadline.clear()


def canceled(deadline: Deadline) -> None:
    deadline.set(0.01)
    deadline.cancel()


@pytest.mark.parametrize("script", [cleared, canceled])
def test_removed_deadline_does_not_expire(script: Callable[[Deadline], None]) -> None:
    assert expirations(script, expected=0) == []
