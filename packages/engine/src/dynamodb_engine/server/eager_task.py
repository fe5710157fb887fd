"""Start a coroutine eagerly: run it at once, and create a task only if it has to wait."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from types import coroutine
from typing import Any


def start_eagerly(work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
    """Run the coroutine up to its first wait; return a task for the rest, or None if it ended.

    Until that first wait the coroutine runs outside any task, so it must not need the current task
    (`asyncio.timeout`, for example, does).
    """
    try:
        awaited = work.send(None)
    except StopIteration:
        return None
    return asyncio.get_running_loop().create_task(_continue(work, awaited))


async def _continue(work: Coroutine[Any, Any, None], awaited: object) -> None:
    await _drive(work, awaited)


@coroutine
def _drive(work: Coroutine[Any, Any, None], awaited: object) -> Generator[object, None, None]:
    """Drive the coroutine from its first wait to its end."""
    while True:
        thrown: BaseException | None = None
        try:
            yield awaited
        except BaseException as error:  # pass it on, a cancellation included: `work` handles it
            thrown = error
        try:
            awaited = work.send(None) if thrown is None else work.throw(thrown)
        except StopIteration:
            return
        finally:
            del thrown  # its traceback refers to this frame
