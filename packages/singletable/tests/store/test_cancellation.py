"""A canceled call ends its write first, or says that the outcome is unknown.

Rule 1. After the CancelledError of a call, nothing that it sent is in progress: a consistent read
shows what stays.
Rule 2. If no response came, the cause of the CancelledError is an error with `outcome_unknown`.
Rule 3. A call that is canceled between two requests does not send the second one.

`drills/cancellation.py` cancels at random points, on every storage.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.operations import GetItem, Operation, PutItem
from dynamodb_engine.operations.registry import is_write
from singletable.errors import ConnectionFailed, InternalError, SingleTableError
from singletable.remote import AsyncRemote
from singletable.store import AsyncStore, Store
from tests.remote.scripted_server import HANG, response, start_server
from tests.store.stores import open_store
from tools.testing.designs.votes import Ballot, ballot, votes

R = TypeVar("R")
ADA = Ballot.key("L", "ada")


class HeldEngine:
    """An engine whose writes wait in their threads until they may end."""

    def __init__(self, engine: Engine) -> None:
        self._async_engine = AsyncEngine(engine)
        self.engine = engine
        self.began, self.go_on = asyncio.Event(), threading.Event()

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation; hold the writer before a write."""
        if not is_write(operation):
            return await self._async_engine.execute(operation)
        holding = threading.Event()

        def hold(_: object) -> None:
            holding.set()
            assert self.go_on.wait(10)

        thread = threading.Thread(target=self.engine._database.write, args=(hold,))
        thread.start()
        assert holding.wait(10)
        self.began.set()
        try:
            return await self._async_engine.execute(operation)
        finally:
            thread.join()


async def cancel(
    work: Coroutine[Any, Any, object], when: Callable[[], Awaitable[object]]
) -> BaseException:
    """Cancel a call at a certain moment and return its CancelledError."""
    task = asyncio.create_task(work)
    await when()
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as raised:
        await task
    return raised.value


def cause_of(canceled: BaseException) -> SingleTableError:
    assert isinstance(canceled.__cause__, SingleTableError)
    return canceled.__cause__


# Rule 1: the write is done


@pytest.mark.parametrize("times", [1, 3])
def test_canceled_write_is_done_before_the_error(tmp_path: Path, times: int) -> None:
    async def run(engine: Engine) -> None:
        held = HeldEngine(engine)
        task = asyncio.create_task(AsyncStore(held).put(ballot("ada")))
        await held.began.wait()
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        assert not task.done()
        assert Store(engine).get(ADA, consistent=True) is None
        held.go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert Store(engine).get(ADA, consistent=True) is not None

    with Engine.on_file(tmp_path / "t.db") as engine:
        open_store(votes, driver=engine)
        asyncio.run(run(engine))


# A server that goes on after the client has left applies the write; the client waits for it.
def test_canceled_request_waits_for_the_response() -> None:
    async def run(address: str) -> BaseException:
        async with AsyncRemote.at(address) as driver:
            put = driver.execute(PutItem("t", {"pk": {"S": "a"}}))
            return await cancel(put, lambda: wait_for_request(server.requests))

    with start_server([response(b"{}")]) as server:
        assert asyncio.run(run(server.address)).__cause__ is None
        assert len(server.requests) == 1


# Rule 2: the outcome is unknown


async def wait_for_request(requests: list[bytes]) -> None:
    while not requests:
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ([HANG], ConnectionFailed),
        ([response(b'{"__type":"InternalServerError"}', 500)], InternalError),
    ],
)
def test_unknown_outcome_is_the_cause(script: list[bytes | None], error: type[Exception]) -> None:
    async def run(address: str) -> BaseException:
        async with AsyncRemote.at(address) as driver:
            store = AsyncStore(driver)
            create = store.create(ballot("ada"))
            return await cancel(create, lambda: wait_for_request(server.requests))

    with start_server(script) as server:
        cause = cause_of(asyncio.run(run(f"{server.address}?timeout=0.2")))
    assert isinstance(cause, error)
    assert cause.outcome_unknown


# A read can be abandoned: it changes nothing.
def test_canceled_read_does_not_wait() -> None:
    async def run(address: str) -> BaseException:
        async with AsyncRemote.at(address) as driver:
            read = AsyncStore(driver).get(ADA)
            return await cancel(read, lambda: wait_for_request(server.requests))

    with start_server([HANG]) as server:
        assert asyncio.run(run(f"{server.address}?timeout=600")).__cause__ is None


class LostOnce:
    """A driver that loses the first response, and never answers the second request."""

    def __init__(self) -> None:
        self.requests = 0

    async def execute(self, operation: Operation[R], /) -> R:
        """Raise for the first request; wait forever for the next one."""
        self.requests += 1
        if self.requests == 1:
            raise ConnectionFailed("lost", may_have_arrived=True)
        await asyncio.get_running_loop().create_future()
        raise AssertionError


@pytest.mark.parametrize("count", [1, 30])  # 30 items are two requests, in tasks of their own
def test_attempt_before_the_cancellation_may_have_been_applied(count: int) -> None:
    async def run() -> BaseException:
        driver = LostOnce()

        async def sent() -> None:
            while not driver.requests:
                await asyncio.sleep(0)

        items = [ballot(f"voter{number}") for number in range(count)]
        return await cancel(AsyncStore(driver).put_many(items), sent)

    cause = cause_of(asyncio.run(run()))
    assert cause.outcome_unknown
    assert "may or may not have been applied" in str(cause)


def test_interrupted_retry_says_that_the_outcome_is_unknown() -> None:
    class Interrupted:
        requests = 0

        def execute(self, operation: Operation[R], /) -> R:
            self.requests += 1
            if self.requests == 1:
                raise InternalError
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        Store(Interrupted()).put_many([ballot("ada")])
    assert isinstance(raised.value.__cause__, InternalError)


# Rule 3: between the requests


def test_canceled_transaction_block_writes_nothing() -> None:
    engine = Engine.in_memory()
    open_store(votes, driver=engine)

    async def run() -> None:
        async with AsyncStore(AsyncEngine(engine)).transaction() as transaction:
            transaction.put(ballot("ada"))
            await asyncio.sleep(10)

    async def start() -> None:
        await cancel(run(), lambda: asyncio.sleep(0))

    asyncio.run(start())
    assert Store(engine).get(ADA) is None


def test_call_that_is_canceled_while_it_reads_sends_no_write() -> None:
    sent: list[Operation[Any]] = []
    reading = asyncio.Event()

    class Slow:
        """A driver that answers no request."""

        async def execute(self, operation: Operation[R], /) -> R:
            sent.append(operation)
            reading.set()
            await asyncio.get_running_loop().create_future()
            raise AssertionError

    async def run() -> None:
        await cancel(AsyncStore(Slow()).modify(ADA, lambda found: found), reading.wait)

    asyncio.run(run())
    assert [type(one) for one in sent] == [GetItem]
