"""DynamoDB somewhere else, as a driver for an event loop."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import TypeVar

from singletable.operations import Operation
from singletable.remote.address import Asked, read_address
from singletable.remote.async_pool import AsyncPool
from singletable.remote.chain import Found, find
from singletable.remote.core import Core, with_token
from singletable.remote.failures import Lost, may_go_again, not_answered
from singletable.remote.place import Place
from singletable.retry import RetryPolicy, run_async, send

R = TypeVar("R")


class AsyncOnce:
    """The driver that sends each request once."""

    def __init__(self, found: Found, asked: Asked) -> None:
        self._core = Core(found)
        self._credentials = found.credentials
        self._pool = AsyncPool(found, asked)
        self._timeout = asked.timeout

    async def execute(self, operation: Operation[R], /) -> R:
        """The answer; an OperationError if the request is refused."""
        core, pool, credentials = self._core, self._pool, self._credentials
        if credentials.takes_time():
            await asyncio.to_thread(credentials.now)
        request = core.request(operation, credentials.now())
        line = await pool.take()
        while True:
            keep = False
            try:
                answer = await line.exchange(request, self._timeout)
                keep = answer.keep
                break
            except Lost as lost:
                if not may_go_again(operation, lost, kept=line.kept):
                    raise not_answered(core.place, operation, lost) from None
            finally:
                # Whoever is cancelled hangs up: the answer on its way is for nobody.
                pool.give(line, keep=keep)
            line = await pool.take(fresh=True)
        return core.result(operation, answer)

    async def aclose(self) -> None:
        """Hang up."""
        self._pool.close()


class AsyncRemote:
    """DynamoDB, or what speaks its protocol, behind an address.

    It sends again what is throttled or fails for the moment, with the patience of AWS's SDKs.
    `inner` does not: a store uses that, and has patience of its own.
    """

    def __init__(self, found: Found, asked: Asked) -> None:
        self.place: Place = found.place
        self.patience: RetryPolicy = found.patience
        self.inner = AsyncOnce(found, asked)

    @classmethod
    def at(cls, address: str) -> AsyncRemote:
        """The driver for an address; nothing is sent yet."""
        asked = read_address(address)
        return cls(find(asked), asked)

    async def execute(self, operation: Operation[R], /) -> R:
        """The answer; an OperationError if the request is refused."""
        return await run_async(self.inner, send(self.patience, with_token(operation)))

    async def aclose(self) -> None:
        """Hang up. Closing twice is fine."""
        await self.inner.aclose()

    async def __aenter__(self) -> AsyncRemote:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
