"""DynamoDB somewhere else, as a driver."""

from __future__ import annotations

from types import TracebackType
from typing import TypeVar

from singletable.operations import Operation
from singletable.remote.address import Asked, read_address
from singletable.remote.chain import Found, find
from singletable.remote.core import Core, with_token
from singletable.remote.failures import Lost, may_go_again, not_answered
from singletable.remote.place import Place
from singletable.remote.pool import Pool
from singletable.retry import RetryPolicy, run, send

R = TypeVar("R")


class Once:
    """The driver that sends each request once; safe to use from many threads."""

    def __init__(self, found: Found, asked: Asked) -> None:
        self._core = Core(found)
        self._credentials = found.credentials
        self._pool = Pool(found, asked)
        self._timeout = asked.timeout

    def execute(self, operation: Operation[R], /) -> R:
        """The answer; an OperationError if the request is refused."""
        core, pool = self._core, self._pool
        request = core.request(operation, self._credentials.now())
        line = pool.take()
        while True:
            keep = False
            try:
                answer = line.exchange(request, self._timeout)
                keep = answer.keep
                break
            except Lost as lost:
                if not may_go_again(operation, lost, kept=line.kept):
                    raise not_answered(core.place, operation, lost) from None
            finally:
                pool.give(line, keep=keep)
            line = pool.take(fresh=True)
        return core.result(operation, answer)

    def close(self) -> None:
        """Hang up."""
        self._pool.close()


class Remote:
    """DynamoDB, or what speaks its protocol, behind an address.

    It sends again what is throttled or fails for the moment, with the patience of AWS's SDKs.
    `inner` does not: a store uses that, and has patience of its own.
    """

    def __init__(self, found: Found, asked: Asked) -> None:
        self.place: Place = found.place
        self.patience: RetryPolicy = found.patience
        self.inner = Once(found, asked)

    @classmethod
    def at(cls, address: str) -> Remote:
        """The driver for an address; nothing is sent yet."""
        asked = read_address(address)
        return cls(find(asked), asked)

    def execute(self, operation: Operation[R], /) -> R:
        """The answer; an OperationError if the request is refused."""
        return run(self.inner, send(self.patience, with_token(operation)))

    def close(self) -> None:
        """Hang up. Closing twice is fine."""
        self.inner.close()

    def __enter__(self) -> Remote:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
