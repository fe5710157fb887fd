"""Work in several steps, without I/O: a generator that yields operations and receives answers.

It is written once. Two short functions run it: one with a driver, one with an async driver. Where
pieces of it do not wait for each other they are one step, `Together`: a driver carries them out one
after another, an async driver at once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Sequence
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


@dataclass(frozen=True, slots=True)
class Together:
    """Pieces of work in any order, or at once; the answer is what each gives, in their order."""

    pieces: tuple[Steps[Any], ...]


Steps: TypeAlias = Generator["Operation[Any] | Pause | Together", Any, R]
# The next of something, at most so many; none at the end.
More: TypeAlias = Callable[[int | None], Steps[list[R]]]


def together(pieces: Sequence[Steps[R]]) -> Steps[list[R]]:
    """What each of some pieces of work gives."""
    if len(pieces) == 1:
        return [(yield from pieces[0])]
    answers: list[R] = yield Together(tuple(pieces))
    return answers


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
                answer = (
                    [run(driver, piece) for piece in step.pieces]
                    if isinstance(step, Together)
                    else driver.execute(step)
                )
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
                answer = (
                    await _at_once(driver, step.pieces)
                    if isinstance(step, Together)
                    else await driver.execute(step)
                )
            except SingleTableError as error:
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def _at_once(driver: AsyncDriver, pieces: Sequence[Steps[R]]) -> list[R]:
    # All are over before one that failed is told of: nothing goes on behind the caller's back.
    running = [run_async(driver, piece) for piece in pieces]
    answers = await asyncio.gather(*running, return_exceptions=True)
    found: list[R] = []
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
        found.append(answer)
    return found
