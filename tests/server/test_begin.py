"""Work begins at once and has a task only while it waits."""

from __future__ import annotations

import asyncio

import pytest

from singletable.server.begin import begin


def test_work_that_does_not_wait_is_done_at_once() -> None:
    done: list[str] = []

    async def work() -> None:
        done.append("done")

    async def run() -> None:
        assert begin(work()) is None
        assert done == ["done"]

    asyncio.run(run())


def test_work_that_waits_goes_on_in_a_task() -> None:
    async def run() -> None:
        steps: list[object] = []
        bell = asyncio.Event()

        async def work() -> None:
            steps.append("began")
            await bell.wait()
            await asyncio.sleep(0)
            steps.append(asyncio.current_task())

        task = begin(work())
        assert task is not None
        assert steps == ["began"]
        await asyncio.sleep(0.01)
        bell.set()
        await task
        assert steps == ["began", task]

    asyncio.run(run())


# What is waited for may be there before the task has begun to wait.
def test_nothing_is_missed_between_the_first_step_and_the_task() -> None:
    async def run() -> None:
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        heard: list[str] = []

        async def work() -> None:
            heard.append(await answer)

        task = begin(work())
        answer.set_result("here")
        assert task is not None
        await asyncio.wait_for(task, 5)
        assert heard == ["here"]

    asyncio.run(run())


def test_work_that_fails_says_so_whenever_it_does() -> None:
    async def fail(waits: float | None) -> None:
        if waits is not None:
            await asyncio.sleep(waits)
        raise LookupError("no")

    async def run() -> None:
        with pytest.raises(LookupError):
            begin(fail(None))
        task = begin(fail(0))
        assert task is not None
        with pytest.raises(LookupError):
            await task

    asyncio.run(run())


def test_work_that_is_cancelled_may_tidy_up_first() -> None:
    async def run() -> None:
        tidied: list[str] = []

        async def work() -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.sleep(0.001)
                tidied.append("tidy")

        task = begin(work())
        assert task is not None
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait_for(task, 5)
        assert tidied == ["tidy"]

    asyncio.run(run())
