"""Run handlers in threads, and change threads no more often than needed.

FastAPI calls functions that are not async in a thread, one after the other: each dependency, the
handler, and the check of its response. A change of threads takes longer than most of these calls.
"""

from __future__ import annotations

import atexit
from asyncio import Future, get_running_loop
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import copy_context
from functools import partial, wraps
from inspect import iscoroutinefunction
from os import register_at_fork
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from fastapi.routing import APIRoute

T = TypeVar("T")

MAX_THREADS = 40  # as many as FastAPI has by default


class Threads:
    """Threads for calls that block. A ThreadPoolExecutor takes six times as long for a call."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Use other threads: in a forked process, those of its parent do not run."""
        self._calls = SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]()
        self._threads: list[Thread] = []

    def run(self, call: Callable[[], T]) -> Future[T]:
        """Make a call in one of the threads."""
        future: Future[T] = get_running_loop().create_future()
        self._calls.put((future, call))
        if len(self._threads) < MAX_THREADS:
            self._threads.append(Thread(target=self._work, name="handler", daemon=True))
            self._threads[-1].start()
        return future

    def finish(self) -> None:
        """Wait for the calls, so that the process may end."""
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while (waiting := self._calls.get()) is not None:
            _run(*waiting)
            del waiting


def _run(future: Future[T], call: Callable[[], T]) -> None:
    """Make a call, unless nobody waits for it any more."""
    if future.cancelled():
        return
    done: Callable[[], None]
    try:
        done = partial(future.set_result, call())
    except BaseException as error:
        done = partial(future.set_exception, error)
    with suppress(RuntimeError):  # the event loop is closed
        future.get_loop().call_soon_threadsafe(_finish, future, done)
    del future, call, done  # the error refers to this frame, which must not refer to the error


def _finish(future: Future[T], done: Callable[[], None]) -> None:
    if not future.cancelled():
        done()


# All apps of a process share them.
_threads = Threads()
register_at_fork(after_in_child=_threads.reset)
atexit.register(_threads.finish)


class ThreadRoute(APIRoute):
    """A route with a handler in a thread. Its response is made on the event loop."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        is_async = iscoroutinefunction(endpoint)
        super().__init__(path, endpoint if is_async else in_thread(endpoint), **options)


def in_thread(function: Callable[..., T]) -> Callable[..., Coroutine[Any, Any, T]]:
    """Return a dependency or handler that runs in a thread."""

    @wraps(function)
    async def run(**arguments: Any) -> T:
        return await _threads.run(partial(copy_context().run, function, **arguments))

    return run


def on_event_loop(kind: Callable[..., T]) -> Callable[..., Coroutine[Any, Any, T]]:
    """Return a dependency that makes an object of the class, without a thread."""

    @wraps(kind, updated=())
    async def make(**arguments: Any) -> T:
        return kind(**arguments)

    return make
