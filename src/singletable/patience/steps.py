"""Work in several steps, without I/O: a generator that yields operations and receives answers.

It is written once. Two short functions run it: one with a driver, one with an async driver.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

from singletable.errors import SingleTableError
from singletable.operations import AsyncDriver, Driver, Operation

R = TypeVar("R")


# Why work waits: a request was refused for the moment, met another's write, or came back
# unprocessed in part; or something that was begun takes its time.
Reason: TypeAlias = Literal["refused", "conflict", "unprocessed", "progress"]


@dataclass(frozen=True, slots=True)
class Pause:
    """A wait before the next step."""

    seconds: float
    reason: Reason


Steps: TypeAlias = Generator["Operation[Any] | Pause", Any, R]
# The next of something, at most so many; none at the end.
More: TypeAlias = Callable[[int | None], Steps[list[R]]]


def run(driver: Driver, steps: Steps[R]) -> R:
    """What the work gives, carried out with a driver."""
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                step = next(steps)
                continue
            try:
                answer = driver.execute(step)
            except SingleTableError as error:
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def run_async(driver: AsyncDriver, steps: Steps[R]) -> R:
    """What the work gives, carried out with an async driver."""
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                step = next(steps)
                continue
            try:
                answer = await driver.execute(step)
            except SingleTableError as error:
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
