"""Canceled tasks: a write that is under way ends before its task gets the CancelledError.

A request that was sent cannot be taken back. If its task went on at once, a read would not find
the write, which is applied a moment later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from functools import partial
from typing import Any, TypeVar

from dynamodb_engine.errors import EngineError

R = TypeVar("R")


class WriteFuture(asyncio.Future[R]):
    """The result of a write. A task that awaits it is canceled once it is done, not before."""

    def cancel(self, msg: Any | None = None) -> bool:
        """Return False: the task remembers that it is canceled, and goes on waiting."""
        return False

    def __await__(self) -> Generator[Any, None, R]:
        """Wait for the result; say in a CancelledError if the outcome of the write is unknown."""
        try:
            return (yield from super().__await__())
        except asyncio.CancelledError as canceled:
            if self.done():
                explain(canceled, self.exception())
            raise


def finish(work: asyncio.Future[R]) -> WriteFuture[R]:
    """Return the result of a write that `work` does, to which only the caller may refer."""
    future: WriteFuture[R] = WriteFuture(loop=work.get_loop())
    work.add_done_callback(partial(_copy, future))
    return future


def explain(interrupt: BaseException, error: BaseException | None) -> None:
    """Make the error of a write the cause of an interrupt if its outcome is unknown."""
    if isinstance(error, EngineError) and error.outcome_unknown:
        interrupt.__cause__ = error


def _copy(future: WriteFuture[R], work: asyncio.Future[R]) -> None:
    error = work.exception()
    if error is None:
        future.set_result(work.result())
    else:
        future.set_exception(error)
