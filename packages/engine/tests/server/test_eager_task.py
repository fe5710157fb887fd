"""A coroutine that is started eagerly gets a task only when it has to wait."""

from __future__ import annotations

import asyncio

import pytest

from dynamodb_engine.server.eager_task import start_eagerly


def test_coroutine_without_wait_finishes_without_task() -> None:
    done: list[str] = []

    async def work() -> None:
        done.append("done")

    async def run() -> None:
        assert start_eagerly(work()) is None
        assert done == ["done"]

    asyncio.run(run())


def test_coroutine_that_waits_continues_in_task() -> None:
    async def run() -> None:
        steps: list[object] = []
        event = asyncio.Event()

        async def work() -> None:
            steps.append("started")
            await event.wait()
            await asyncio.sleep(0)
            steps.append(asyncio.current_task())

        task = start_eagerly(work())
        assert task is not None
        assert steps == ["started"]
        await asyncio.sleep(0.01)
        event.set()
        await task
        assert steps == ["started", task]

    asyncio.run(run())


# The awaited future may be done before the task starts to wait for it.
def test_result_set_before_task_starts_is_received() -> None:
    async def run() -> None:
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        results: list[str] = []

        async def work() -> None:
            results.append(await future)

        task = start_eagerly(work())
        future.set_result("here")
        assert task is not None
        await asyncio.wait_for(task, 5)
        assert results == ["here"]

    asyncio.run(run())


def test_error_is_raised_before_and_after_first_wait() -> None:
    async def fail(delay: float | None) -> None:
        if delay is not None:
            await asyncio.sleep(delay)
        raise LookupError("no")

    async def run() -> None:
        with pytest.raises(LookupError):
            start_eagerly(fail(None))
        task = start_eagerly(fail(0))
        assert task is not None
        with pytest.raises(LookupError):
            await task

    asyncio.run(run())


def test_canceled_coroutine_can_clean_up() -> None:
    async def run() -> None:
        cleaned_up: list[str] = []

        async def work() -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.sleep(0.001)
                cleaned_up.append("done")

        task = start_eagerly(work())
        assert task is not None
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait_for(task, 5)
        assert cleaned_up == ["done"]

    asyncio.run(run())
