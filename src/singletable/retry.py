"""Retry requests the way the AWS SDKs' standard mode does.

Throttling, ServiceUnavailable and TransactionInProgress change nothing, so the request is retried
after exponential backoff with full jitter; so is a request that never arrived. After InternalError,
or when the connection broke after sending, a write may or may not have been applied: it is retried
only if that is idempotent (reads, batches, unconditional puts, transactions, which carry a client
token). Otherwise the caller gets the error.

Multi-step work is written once, without I/O, as a generator of requests and pauses (`Steps`), and
driven by `run` or `run_async`. Parts that do not depend on each other are one step, `Together`: a
sync driver executes them in turn, an async driver concurrently.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal, TypeAlias, TypeVar, cast

from singletable.errors import (
    CertificateError,
    ConnectionFailed,
    InternalError,
    InvalidValue,
    OperationError,
    ResourceNotFound,
    ServiceUnavailable,
    SingleTableError,
    Throttled,
    TransactionInProgress,
)
from singletable.operations import AsyncDriver, Driver, Operation
from singletable.operations.registry import OPERATIONS, table_names

R = TypeVar("R")
D = TypeVar("D", Driver, AsyncDriver)

BUDGET = 500
RETRY_COST = 5
SUCCESS_REWARD = 1

# Why work pauses: a request was throttled or failed for now, a write conflicted with another, a
# batch came back partly unprocessed, or something that was started is still in progress.
Reason: TypeAlias = Literal["unavailable", "conflict", "unprocessed", "progress"]


@dataclass(frozen=True, slots=True)
class Pause:
    """A delay before the next step; injected latency has no reason."""

    seconds: float
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Together:
    """Independent parts, executed in any order; the results come in the order of the parts."""

    pieces: tuple[Steps[Any], ...]


Steps: TypeAlias = Generator["Operation[Any] | Pause | Together", Any, R]
# Returns up to that many further items, and none at the end.
NextItems: TypeAlias = Callable[[int | None], Steps[list[R]]]


def together(pieces: Sequence[Steps[R]]) -> Steps[list[R]]:
    """Run independent parts and return their results in order."""
    if len(pieces) == 1:
        return [(yield from pieces[0])]
    answers: list[R] = yield Together(tuple(pieces))
    return answers


def run(driver: Driver, steps: Steps[R], sleep: Callable[[float], object] | None = None) -> R:
    """Drive `steps` with a sync driver and return the result."""
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                (sleep or time.sleep)(step.seconds)
                step = next(steps)
                continue
            try:
                answer = (
                    [run(driver, piece, sleep) for piece in step.pieces]
                    if isinstance(step, Together)
                    else driver.execute(step)
                )
            except SingleTableError as error:
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def run_async(
    driver: AsyncDriver, steps: Steps[R], sleep: Callable[[float], Awaitable[None]] | None = None
) -> R:
    """Drive `steps` with an async driver and return the result."""
    try:
        step = next(steps)
        while True:
            if isinstance(step, Pause):
                await (sleep or asyncio.sleep)(step.seconds)
                step = next(steps)
                continue
            try:
                answer = (
                    await _gather(driver, step.pieces, sleep)
                    if isinstance(step, Together)
                    else await driver.execute(step)
                )
            except SingleTableError as error:
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def _gather(
    driver: AsyncDriver,
    pieces: Sequence[Steps[R]],
    sleep: Callable[[float], Awaitable[None]] | None,
) -> list[R]:
    # Wait for all parts before raising, so that nothing keeps running after an error.
    running = [run_async(driver, piece, sleep) for piece in pieces]
    answers = await asyncio.gather(*running, return_exceptions=True)
    results: list[R] = []
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
        results.append(answer)
    return results


class RetryBudget:
    """Token bucket shared by all requests of a client, so that an outage is not amplified.

    A retry costs 5 tokens of 500; a success earns back 1, or the cost of its last retry. These are
    the amounts of the AWS SDKs.
    """

    def __init__(self, capacity: int = BUDGET) -> None:
        self._capacity = capacity
        self.left = capacity

    def spend(self) -> bool:
        """Pay for one retry; return False if too few tokens are left."""
        if self.left < RETRY_COST:
            return False
        self.left -= RETRY_COST
        return True

    def earn(self, *, retried: bool) -> None:
        """Record a success, which earns tokens back."""
        if self.left < self._capacity:
            reward = RETRY_COST if retried else SUCCESS_REWARD
            self.left = min(self._capacity, self.left + reward)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How many attempts to make and how long to back off between them.

    `throttled_base_delay` replaces `base_delay` after throttling.
    """

    max_attempts: int = 10
    base_delay: float = 0.02
    max_delay: float = 2.0
    throttled_base_delay: float | None = None
    budget: RetryBudget = field(default_factory=RetryBudget, compare=False)

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise InvalidValue(f"max_attempts: expected at least 1, but got {self.max_attempts}.")

    def may_retry(self, attempt: int) -> bool:
        """Return whether another attempt is allowed after this one (from 0), and charge for it."""
        return attempt + 1 < self.max_attempts and self.budget.spend()

    def backoff(self, attempt: int, reason: Reason, *, throttled: bool = False) -> Pause:
        """Return a random delay of up to base_delay * 2**attempt (full jitter)."""
        base = (throttled and self.throttled_base_delay) or self.base_delay
        return Pause(random.uniform(0, min(self.max_delay, base * 2**attempt)), reason)


def send_once(operation: Operation[R]) -> Steps[R]:
    """Send `operation` without retries."""
    output: R = yield operation
    return output


def send(policy: RetryPolicy, operation: Operation[R]) -> Steps[R]:
    """Send `operation`, retrying while the policy allows it."""
    for attempt in count():
        throttled = False
        try:
            answer: R = yield operation
        except (Throttled, ServiceUnavailable, TransactionInProgress) as error:
            if not policy.may_retry(attempt):
                raise
            throttled = isinstance(error, Throttled)
        except CertificateError:  # a retry would fail in the same way
            raise
        except ConnectionFailed as error:
            if error.may_have_arrived and not is_idempotent(operation):
                raise
            if not policy.may_retry(attempt):
                raise
        except ResourceNotFound as error:
            error.add_note(_missing_resource_hint(operation))
            raise
        except InternalError as error:
            if not is_idempotent(operation):
                raise _unknown_outcome(error) from error
            if not policy.may_retry(attempt):
                raise
        else:
            policy.budget.earn(retried=attempt > 0)
            return answer
        yield policy.backoff(attempt, "unavailable", throttled=throttled)
    raise AssertionError  # count() does not end


def is_idempotent(operation: Operation[Any]) -> bool:
    """Return whether sending the request twice has the same effect as sending it once."""
    spec = OPERATIONS.get(type(operation))
    if spec is None or spec.idempotent == "always":
        return True
    if spec.idempotent == "never":
        return False
    fields = ("condition_expression", "expected")
    return all(getattr(operation, field) is None for field in fields)


def unwrap_retries(driver: D) -> D:
    """Return the driver that sends each request once, so that retries do not multiply.

    A driver that retries has it as `inner`.
    """
    return cast(D, getattr(driver, "inner", driver))


def _missing_resource_hint(operation: Operation[Any]) -> str:
    """Name the table and index that were requested; DynamoDB's error does not."""
    tables = dict.fromkeys(table_names(operation)) or ["…"]
    index: str | None = getattr(operation, "index_name", None)
    named = ", ".join(map(repr, tables)) + (f", index {index!r}" if index else "")
    return (
        f"{type(operation).__name__} uses table {named}. Check that it exists at this address. "
        "store.admin.create_table(…) creates a table; Store(…, tables={table: name}) maps a "
        "declared table to its real name."
    )


def _unknown_outcome(error: OperationError) -> InternalError:
    return InternalError(
        f"{error.message}. The write may or may not have been applied. Read the item to find out, "
        "or use a transaction, which is retried safely."
    )
