"""Multi-step work, written once without I/O, and driven with a sync or an async driver.

It is a generator of requests and pauses (`Steps`), which `run` or `run_async` drives. Parts that do
not depend on each other are one step, `Together`: a sync driver executes them in turn, an async
driver concurrently. So does a sync driver with a method `submit`, which returns the future of an
output.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar, cast

from dynamodb_engine.cancellation import explain
from dynamodb_engine.errors import EngineError
from dynamodb_engine.operations import AsyncDriver, Driver, Operation

R = TypeVar("R")

# Why work pauses: a request was throttled or failed for now, a write conflicted with another, a
# batch came back partly unprocessed, or something that was started is still in progress.
Reason: TypeAlias = Literal["unavailable", "conflict", "unprocessed", "progress"]


@dataclass(frozen=True, slots=True)
class Pause:
    """A delay before the next step; injected latency has no reason."""

    seconds: float
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Together:
    """Independent parts, executed in any order; the results come in the order of the parts."""

    pieces: tuple[Steps[Any], ...]


Steps: TypeAlias = Generator["Operation[Any] | Pause | Together", Any, R]
# Returns up to that many further items, and none at the end.
NextItems: TypeAlias = Callable[[int | None], Steps[list[R]]]


def together(pieces: Sequence[Steps[R]]) -> Steps[list[R]]:
    """Run independent parts and return their results in order."""
    if len(pieces) == 1:
        return [(yield from pieces[0])]
    answers: list[R] = yield Together(tuple(pieces))
    return answers


def run(driver: Driver, steps: Steps[R], sleep: Callable[[float], object] | None = None) -> R:
    """Drive `steps` with a sync driver and return the result."""
    try:
        step = next(steps)
        while True:
            answer: object = None
            try:
                if isinstance(step, Pause):
                    (sleep or time.sleep)(step.seconds)
                elif isinstance(step, Together):
                    answer = _run_together(driver, step.pieces, sleep)
                else:
                    answer = driver.execute(step)
            except BaseException as error:  # an interrupt too: the steps know what is open
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def _run_together(
    driver: Driver, pieces: Sequence[Steps[R]], sleep: Callable[[float], object] | None
) -> list[R]:
    if not hasattr(driver, "submit"):
        return [run(driver, piece, sleep) for piece in pieces]
    # All parts send a request before the first waits for its answer, in this thread.
    results: list[Future[R]] = [Future() for _ in pieces]
    answers: dict[int, Future[Any] | None] = dict.fromkeys(range(len(pieces)))
    while answers:
        for number, answer in list(answers.items()):
            try:
                answers[number] = _take_step(driver, pieces[number], answer, sleep)
            except StopIteration as end:
                results[number].set_result(end.value)
                del answers[number]
            except Exception as error:
                results[number].set_exception(error)
                del answers[number]
    return [result.result() for result in results]


def _take_step(
    driver: Any,
    steps: Steps[Any],
    answer: Future[Any] | None,
    sleep: Callable[[float], object] | None,
) -> Future[Any]:
    """Continue with the answer to the last request, and send the next one."""
    try:
        value = None if answer is None else answer.result()
    except EngineError as error:
        step = steps.throw(error)
    else:
        step = steps.send(value)
    while isinstance(step, Pause):
        (sleep or time.sleep)(step.seconds)
        step = next(steps)
    if not isinstance(step, Together):
        return cast("Future[Any]", driver.submit(step))
    future: Future[Any] = Future()
    try:
        future.set_result(_run_together(driver, step.pieces, sleep))
    except EngineError as error:
        future.set_exception(error)
    return future


async def run_async(
    driver: AsyncDriver, steps: Steps[R], sleep: Callable[[float], Awaitable[None]] | None = None
) -> R:
    """Drive `steps` with an async driver and return the result.

    A cancellation takes effect between the steps: our drivers finish a write that is under way.
    """
    try:
        step = next(steps)
        while True:
            answer: object = None
            try:
                if isinstance(step, Pause):
                    await (sleep or asyncio.sleep)(step.seconds)
                elif isinstance(step, Together):
                    answer = await _gather(driver, step.pieces, sleep)
                else:
                    answer = await driver.execute(step)
            except BaseException as error:  # a cancellation too: the steps know what is open
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def _gather(
    driver: AsyncDriver,
    pieces: Sequence[Steps[R]],
    sleep: Callable[[float], Awaitable[None]] | None,
) -> list[R]:
    # Wait for all parts before raising, so that nothing keeps running after an error or a
    # cancellation.
    causes: list[BaseException] = []

    async def run_piece(piece: Steps[R]) -> R:
        try:
            return await run_async(driver, piece, sleep)
        except asyncio.CancelledError as canceled:
            causes.extend([canceled.__cause__] if canceled.__cause__ else [])
            raise

    try:
        answers = await asyncio.gather(*map(run_piece, pieces), return_exceptions=True)
    except asyncio.CancelledError as canceled:
        explain(canceled, next(iter(causes), None))
        raise
    results: list[R] = []
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
        results.append(answer)
    return results
