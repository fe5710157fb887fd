"""Functions are repeated after a conflict, with backoff."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dynamodb_engine.steps import Pause
from singletable import (
    ConditionFailed,
    ConnectionFailed,
    Engine,
    InternalError,
    InvalidValue,
    Steps,
    Store,
    TransactionConflict,
    VersionConflict,
    retry_conflicts,
)


class Work:
    """Raises errors one after the other, then returns what it was called with."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)

    def run(self, name: str, *, rank: int) -> tuple[str, int]:
        if self.errors:
            raise self.errors.pop(0)
        return name, rank


KINDS = ["sync", "async", "steps"]


def _decorated(work: Work, kind: str, **options: Any) -> Any:
    """Call the function of `work`, of one of the KINDS, with conflicts repeated."""

    @retry_conflicts(**options)
    def call(name: str, *, rank: int) -> tuple[str, int]:
        return work.run(name, rank=rank)

    @retry_conflicts(**options)
    async def call_async(name: str, *, rank: int) -> tuple[str, int]:
        await asyncio.sleep(0)
        return work.run(name, rank=rank)

    @retry_conflicts(**options)
    def call_steps(name: str, *, rank: int) -> Steps[tuple[str, int]]:
        yield Pause(0)
        return work.run(name, rank=rank)

    if kind == "steps":
        return Store(Engine.in_memory()).run_steps(call_steps("a", rank=1))[0]
    return asyncio.run(call_async("a", rank=1)) if kind == "async" else call("a", rank=1)


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Wait for no time, and record how long each wait could have been."""
    found: list[float] = []

    def uniform(_low: float, high: float) -> float:
        found.append(high)
        return 0

    monkeypatch.setattr("dynamodb_engine.retry.random.uniform", uniform)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_conflicts_are_retried_with_backoff(kind: str, limits: list[float]) -> None:
    work = Work(VersionConflict("one"), ConditionFailed("two"), TransactionConflict("three"))
    assert _decorated(work, kind, attempts=4, also=[TransactionConflict]) == ("a", 1)
    assert limits == [0.02, 0.04, 0.08]
    assert _decorated(Work(KeyError("taken")), kind, also=[KeyError]) == ("a", 1)


@pytest.mark.parametrize("kind", KINDS)
def test_last_conflict_is_raised_or_replaced(kind: str, limits: list[float]) -> None:
    errors = [ConditionFailed(str(attempt)) for attempt in range(5)]
    with pytest.raises(ConditionFailed) as raised:
        _decorated(Work(*errors), kind)
    assert raised.value is errors[-1]
    with pytest.raises(RuntimeError, match="busy") as busy:
        _decorated(Work(*errors[:2]), kind, attempts=2, otherwise=lambda: RuntimeError("busy"))
    assert busy.value.__cause__ is errors[1]
    assert len(limits) == 4 + 1


# The store has repeated a request ten times before it raises TransactionConflict.
@pytest.mark.parametrize(
    "error", [TransactionConflict("busy"), InternalError("lost"), KeyError("x")]
)
def test_other_errors_are_not_retried(error: Exception, limits: list[float]) -> None:
    with pytest.raises(type(error)):
        _decorated(Work(error), kind="sync", otherwise=lambda: RuntimeError("busy"))
    assert limits == []
    with pytest.raises(InvalidValue, match=r"^attempts: expected at least 1, but got 0\."):
        retry_conflicts(attempts=0)


def test_idempotent_function_is_retried_if_its_outcome_is_unknown(limits: list[float]) -> None:
    lost = ConnectionFailed("lost", may_have_arrived=True)
    assert _decorated(Work(InternalError("lost"), lost), kind="sync", idempotent=True)
    refused = ConnectionFailed("refused", may_have_arrived=False)
    with pytest.raises(ConnectionFailed, match="refused"):
        _decorated(Work(refused), kind="sync", idempotent=True)
    assert len(limits) == 2
