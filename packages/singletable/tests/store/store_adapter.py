"""An adapter that lets a test use the async store like the sync one."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, TypeVar, cast

from dynamodb_engine.operations import AsyncDriver, Driver, Operation
from singletable.store import AsyncStore, Store

R = TypeVar("R")


class AwaitedStore:
    """An async store with the interface of the sync one: each result is awaited at once."""

    def __init__(self, inner: object, loop: asyncio.AbstractEventLoop) -> None:
        self._inner = inner
        self._loop = loop

    @property
    def admin(self) -> AwaitedStore:
        """The administration of the store."""
        return AwaitedStore(cast(AsyncStore, self._inner).admin, self._loop)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._inner, name)

        def call(*arguments: Any, **options: Any) -> Any:
            answer = method(*arguments, **options)
            if inspect.isawaitable(answer):
                return self._loop.run_until_complete(cast(Any, answer))
            if isinstance(answer, AbstractAsyncContextManager):
                return self._block(cast(Any, answer))
            if isinstance(answer, AsyncIterator):
                return self._each(answer)
            if isinstance(answer, AsyncStore):
                return AwaitedStore(answer, self._loop)
            return answer

        return call

    def _each(self, answers: Any) -> Iterator[Any]:
        while True:
            try:
                yield self._loop.run_until_complete(anext(answers))
            except StopAsyncIteration:
                return

    @contextmanager
    def _block(self, block: AbstractAsyncContextManager[R]) -> Generator[R]:
        value = self._loop.run_until_complete(block.__aenter__())
        try:
            yield value
        except BaseException as error:
            leave = block.__aexit__(type(error), error, error.__traceback__)
            if not self._loop.run_until_complete(leave):
                raise
        else:
            self._loop.run_until_complete(block.__aexit__(None, None, None))


class AsyncDriverAdapter:
    """An async driver around a sync one."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation on the sync driver."""
        return self._driver.execute(operation)


class StoreOpener:
    """A driver, and how to open a store on it."""

    def __init__(
        self,
        driver: Driver,
        clock: Callable[[], Any],
        loop: asyncio.AbstractEventLoop | None,
        far: AsyncDriver | None = None,
    ) -> None:
        self.driver = driver
        self._clock = clock
        self._loop = loop
        self._far = far or AsyncDriverAdapter(driver)

    def open(self, **options: Any) -> Store:
        """Open a store on the driver, sync or async."""
        chosen: dict[str, Any] = {"clock": self._clock, **options}
        if self._loop is None:
            return Store(self.driver, **chosen)
        return cast(Store, AwaitedStore(AsyncStore(self._far, **chosen), self._loop))
