"""A deadline is met once, at the moment that was set last."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from singletable.server.deadline import Deadline


def moments(script: Callable[[Deadline], None], *, enough: int) -> list[float]:
    """When the deadline was met, in seconds after the script: so often, or once more too often."""

    async def run() -> list[float]:
        loop = asyncio.get_running_loop()
        met: list[float] = []
        deadline = Deadline(lambda: met.append(loop.time()))
        began = loop.time()
        script(deadline)
        # However late this is run, what was due by then has had its turn.
        while len(met) < enough:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        return [moment - began for moment in met]

    return asyncio.run(run())


def put_off(deadline: Deadline) -> None:
    deadline.set(0.02)
    deadline.set(0.1)


def brought_forward(deadline: Deadline) -> None:
    deadline.set(60)
    deadline.set(0.1)


def cleared_and_set(deadline: Deadline) -> None:
    deadline.set(0.02)
    deadline.clear()
    deadline.set(0.1)


@pytest.mark.parametrize("script", [put_off, brought_forward, cleared_and_set])
def test_the_last_moment_holds(script: Callable[[Deadline], None]) -> None:
    (moment,) = moments(script, enough=1)
    assert moment >= 0.1


def cleared(deadline: Deadline) -> None:
    deadline.set(0.01)
    deadline.clear()


def ended(deadline: Deadline) -> None:
    deadline.set(0.01)
    deadline.end()


@pytest.mark.parametrize("script", [cleared, ended])
def test_a_moment_that_is_taken_back_is_not_met(script: Callable[[Deadline], None]) -> None:
    assert moments(script, enough=0) == []
