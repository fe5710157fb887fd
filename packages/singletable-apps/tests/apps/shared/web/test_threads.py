"""Which functions run in threads, and which on the event loop."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import weakref
from functools import partial
from threading import Event, current_thread
from typing import Annotated

import pytest
from fastapi import Depends
from fastapi.testclient import TestClient
from pydantic import BaseModel

from singletable_apps.shared.web import api_router, in_thread, make_app, on_event_loop
from singletable_apps.shared.web.threads import MAX_THREADS
from singletable_apps.shared.web.threads import Threads as ThreadPool

router = api_router("threads")


class Threads(BaseModel):
    """The threads in which the parts of a request ran."""

    made: str
    dependency: str
    handler: str


class Made:
    """A class whose objects FastAPI would make in a thread."""

    def __init__(self, name: str = "") -> None:
        self.name, self.thread = name, current_thread().name


@in_thread
def dependency() -> str:
    """Return the thread of this dependency."""
    return current_thread().name


@router.get("/threads")
def read_threads(
    parameters: Annotated[Made, Depends(on_event_loop(Made))],
    dependency: Annotated[str, Depends(dependency)],
) -> Threads:
    """Return the threads of this request."""
    return Threads(made=parameters.thread, dependency=dependency, handler=current_thread().name)


@router.get("/loop")
async def read_loop() -> str:
    """Return the thread of the event loop."""
    return current_thread().name


def test_handlers_and_dependencies_run_in_threads_but_objects_are_made_on_the_event_loop() -> None:
    with TestClient(make_app("Threads", "1", routers=[router])) as client:
        threads, loop = client.get("/threads?name=x").json(), client.get("/loop").json()
    assert threads["made"] == loop
    assert threads["handler"].startswith("handler")
    assert threads["dependency"].startswith("handler")


# Garbage is rarely collected while an app is served.
def test_error_of_a_call_is_raised_and_leaves_no_garbage() -> None:
    class Argument:
        pass

    def fail(given: Argument) -> None:
        raise LookupError(str(given))

    async def call() -> weakref.ref[Argument]:
        argument = Argument()
        with pytest.raises(LookupError):
            await threads.run(partial(fail, argument))
        return weakref.ref(argument)

    threads = ThreadPool()
    gc.disable()
    try:
        argument = asyncio.run(call())
        threads.finish()  # until then, a thread may have the argument for another moment
        assert argument() is None
    finally:
        gc.enable()


def test_canceled_call_that_waits_for_a_thread_is_not_made() -> None:
    threads, end, made_calls = ThreadPool(), Event(), list[int]()

    async def call() -> None:
        busy = [threads.run(end.wait) for _ in range(MAX_THREADS)]
        threads.run(lambda: made_calls.append(1)).cancel()
        end.set()
        await asyncio.gather(*busy)

    asyncio.run(call())
    threads.finish()
    assert made_calls == []


def test_process_ends_after_its_calls() -> None:
    program = """
import asyncio, time
from singletable_apps.shared.web import in_thread

def work():
    time.sleep(0.2)
    print("done", flush=True)

async def main():
    task = asyncio.create_task(in_thread(work)())
    await asyncio.sleep(0.05)
    task.cancel()

asyncio.run(main())
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("done\n", "")
