"""Repeat functions that read, decide and write on conditions, after conflicts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import iscoroutinefunction, isgeneratorfunction
from typing import Any, ParamSpec, TypeVar

from dynamodb_engine.retry import RetryPolicy
from dynamodb_engine.steps import Pause, Steps
from singletable.errors import ConditionFailed, InvalidValue, SingleTableError

P = ParamSpec("P")
R = TypeVar("R")


def retry_conflicts(
    *,
    attempts: int = 5,
    also: Sequence[type[Exception]] = (),
    idempotent: bool = False,
    otherwise: Callable[[], Exception] | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function, sync, async or of `Steps`, that reads, decides and writes on conditions.

    It is called again, after a backoff with jitter, while it raises ConditionFailed, because
    someone else has written since it read; if it is `idempotent`, also after errors with
    `outcome_unknown`. After the last attempt, `otherwise()` is raised, or else the last error.

    NotFound and AlreadyExists are kinds of ConditionFailed: catch them inside the function, or they
    are retried and end as `otherwise`. TransactionConflict has to be named in `also`: the store has
    repeated the request before. So have your own errors with which the function asks to be called
    again. What an attempt must know of earlier ones is kept outside of the function, which may be
    a local one.
    """
    if attempts < 1:
        raise InvalidValue(f"attempts: expected at least 1, but got {attempts}.")
    policy = RetryPolicy()

    def delay_after(attempt: int, error: Exception) -> float:
        is_unknown = idempotent and isinstance(error, SingleTableError) and error.outcome_unknown
        if not is_unknown and not isinstance(error, (ConditionFailed, *also)):
            raise error
        if attempt + 1 < attempts:
            return policy.backoff(attempt, "conflict").seconds
        if otherwise is None:
            raise error
        raise otherwise() from error

    def decorate(function: Callable[P, Any]) -> Callable[P, Any]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> Any:
            attempt = 0
            while True:
                try:
                    return function(*args, **kwargs)
                except Exception as error:
                    seconds = delay_after(attempt, error)
                time.sleep(seconds)
                attempt += 1

        @wraps(function)
        async def call_async(*args: P.args, **kwargs: P.kwargs) -> Any:
            attempt = 0
            while True:
                try:
                    return await function(*args, **kwargs)
                except Exception as error:
                    seconds = delay_after(attempt, error)
                await asyncio.sleep(seconds)
                attempt += 1

        @wraps(function)
        def call_steps(*args: P.args, **kwargs: P.kwargs) -> Steps[Any]:
            attempt = 0
            while True:
                try:
                    steps: Steps[Any] = function(*args, **kwargs)
                    return (yield from steps)
                except Exception as error:
                    seconds = delay_after(attempt, error)
                yield Pause(seconds, "conflict")
                attempt += 1

        if isgeneratorfunction(function):
            return call_steps
        return call_async if iscoroutinefunction(function) else call

    return decorate
