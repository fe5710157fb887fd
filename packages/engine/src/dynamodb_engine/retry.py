"""Retry requests the way the AWS SDKs' standard mode does.

Throttling and ServiceUnavailable change nothing, so the request is retried after exponential
backoff with full jitter; so is a request that never arrived. After InternalError, or when the
connection broke after sending, a write may or may not have been applied: it is retried only if that
is idempotent (reads, batches, unconditional puts, transactions with a client token). Otherwise the
caller gets the error.

An attempt that may have been applied stays open until another attempt of the same request settles
it: a success, or a condition that failed. Throttling or a conflict says nothing about the earlier
attempt, so the same request is sent again. If nothing settles it, the caller gets an error with
`outcome_unknown`; every other error means that nothing was changed.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeVar, cast

from dynamodb_engine import errors
from dynamodb_engine.cancellation import explain
from dynamodb_engine.operations import (
    AsyncDriver,
    Driver,
    ExecuteTransaction,
    Operation,
    TransactWriteItems,
)
from dynamodb_engine.operations.registry import OPERATIONS, is_write
from dynamodb_engine.operations.touches import table_names
from dynamodb_engine.steps import Pause, Reason, Steps

R = TypeVar("R")
D = TypeVar("D", Driver, AsyncDriver)

BUDGET = 500
RETRY_COST = 5
SUCCESS_REWARD = 1

# DynamoDB remembers a client token for ten minutes, and the last attempt takes a while to arrive.
TOKEN_SECONDS = 540.0
# The reasons of a canceled transaction that may succeed if it is sent again.
TRANSIENT_CODES = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


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
    # The time in seconds; not a monotonic clock, because those stop while the machine sleeps.
    clock: Callable[[], float] = field(default=time.time, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.max_attempts < 1:
            raise errors.InvalidValue(
                f"max_attempts: expected at least 1, but got {self.max_attempts}."
            )

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
    is_transaction = isinstance(operation, TransactWriteItems | ExecuteTransaction)
    deadline = policy.clock() + TOKEN_SECONDS if is_transaction else math.inf
    is_open = False  # whether an earlier attempt may have been applied
    last: errors.EngineError | None = None
    try:
        for attempt in count():
            try:
                answer: R = yield operation
            except errors.EngineError as error:
                if isinstance(error, errors.ResourceNotFound):
                    error.add_note(_missing_resource_hint(operation))
                is_open = (is_open and not _settles(error)) or _may_be_applied(operation, error)
                is_late = is_open and policy.clock() >= deadline
                may_repeat = _may_repeat(operation, error, is_open=is_open)
                if is_late or not may_repeat or not policy.may_retry(attempt):
                    if is_open and (
                        isinstance(error, errors.InternalError) or not error.outcome_unknown
                    ):
                        raise _unknown_outcome(operation, error) from error
                    raise
                last = error
            else:
                policy.budget.earn(retried=attempt > 0)
                return answer
            throttled = isinstance(last, errors.Throttled)
            yield policy.backoff(attempt, "unavailable", throttled=throttled)
    except errors.EngineError:
        raise
    except BaseException as interrupt:  # canceled, or Ctrl-C
        if is_open and last is not None:
            explain(interrupt, _unknown_outcome(operation, last))
        raise
    finally:
        last = None  # its traceback refers to this frame
    raise AssertionError  # count() does not end


# Errors after which the same request may succeed.
_RETRYABLE = (
    errors.Throttled,
    errors.ServiceUnavailable,
    errors.InternalError,
    errors.TransactionInProgress,
    errors.ConnectionFailed,
)
# Errors after which the caller may plan another request, unless an earlier attempt is open.
_CONFLICTS = (errors.TransactionCanceled, errors.TransactionConflict)


def _may_repeat(operation: Operation[Any], error: errors.EngineError, *, is_open: bool) -> bool:
    """Return whether to send the same request again, if an earlier attempt may be open."""
    if isinstance(error, errors.CertificateError):  # it will not be trusted the next time either
        return False
    if isinstance(error, errors.LimitExceeded):  # of streams, a limit of requests per second
        spec = OPERATIONS.get(type(operation))
        return spec is not None and spec.service == "dynamodbstreams"
    if not is_open:
        return isinstance(error, _RETRYABLE)
    return isinstance(error, (*_RETRYABLE, *_CONFLICTS)) and is_idempotent(operation)


def _may_be_applied(operation: Operation[Any], error: errors.EngineError) -> bool:
    """Return whether a write may have been applied, or may still be, although it got `error`."""
    spec = OPERATIONS.get(type(operation))
    is_about_items = spec is not None and spec.scope == "items"
    return error.outcome_unknown and is_about_items and is_write(operation)


def _settles(error: errors.EngineError) -> bool:
    """Return whether `error` proves that no earlier attempt of the same request was applied.

    The conditions of a transaction are not evaluated again after it was applied.
    """
    if isinstance(error, errors.TransactionCanceled):
        return not is_transient(error)
    return isinstance(error, errors.IdempotentParameterMismatch)


def is_transient(canceled: errors.TransactionCanceled) -> bool:
    """Return whether a transaction was canceled by conflicts and throttling alone."""
    return {reason.code for reason in canceled.reasons} - {"None"} <= TRANSIENT_CODES


def is_idempotent(operation: Operation[Any]) -> bool:
    """Return whether sending the request twice has the same effect as sending it once."""
    spec = OPERATIONS.get(type(operation))
    if spec is None or spec.idempotent == "always" or not is_write(operation):
        return True
    if spec.idempotent == "never":
        return False
    if spec.idempotent == "with token":
        return getattr(operation, "client_request_token", None) is not None
    fields = ("condition_expression", "expected", "return_values")
    return all(getattr(operation, field) in (None, "NONE") for field in fields)


class RetryingDriver:
    """The base of drivers that retry by themselves; `inner` sends each request once."""

    inner: Any


def unwrap_retries(driver: D) -> D:
    """Return the driver that sends each request once, so that retries do not multiply.

    Only our own drivers are unwrapped: a wrapper, or a subclass of ours, may do more than retry.
    """
    if RetryingDriver in type(driver).__bases__ and "execute" not in vars(driver):
        return cast(D, cast(RetryingDriver, driver).inner)
    return driver


def may_lose_responses(driver: Driver | AsyncDriver) -> bool:
    """Return whether a request may be applied although its response is lost, as over a network.

    A wrapper, or a subclass of an embedded engine, may lose responses on purpose; so may the engine
    of an AsyncEngine.
    """
    is_ours = "is_embedded" in vars(type(driver)) and getattr(driver, "is_embedded", False)
    if not is_ours or not vars(driver).keys().isdisjoint(("execute", "execute_async")):
        return True
    engine = vars(driver).get("engine")
    return engine is not None and may_lose_responses(engine)


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


def _unknown_outcome(operation: Operation[Any], error: errors.EngineError) -> errors.InternalError:
    if isinstance(operation, TransactWriteItems | ExecuteTransaction):
        advice = "Read its items to find out."
    else:
        advice = "Read the item to find out, or use a transaction, which is retried safely."
    text = str(error).rstrip(".")
    return errors.InternalError(f"{text}. The write may or may not have been applied. {advice}")
