"""The cancellation drill in short, and the fault that it must detect."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from drills.cancellation import Open, run_round
from dynamodb_engine.engine.server_engine import ServerEngine
from dynamodb_engine.operations import Operation
from dynamodb_engine.operations.registry import is_write
from singletable import AsyncDriver, Engine
from tools.testing.sql_servers import KINDS, new_address

R = TypeVar("R")
TRIES = 60


class Abandoning:
    """A driver whose canceled requests go on, as if nobody had to know."""

    def __init__(self, inner: AsyncDriver) -> None:
        self._inner = inner

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute a write in a task that is not canceled."""
        if not is_write(operation):
            return await self._inner.execute(operation)
        return await asyncio.shield(self._execute_later(operation))

    async def _execute_later(self, operation: Operation[R]) -> R:
        await asyncio.sleep(0.005)
        return await self._inner.execute(operation)


@pytest.mark.parametrize("over_http", [False, True])
def test_read_after_a_cancellation_shows_what_stays(tmp_path: Path, over_http: bool) -> None:
    result = run_round(1, partial(Engine.on_file, tmp_path / "t.db"), TRIES, over_http=over_http)
    assert result.faults == []
    assert result.canceled
    assert result.applied


def test_read_after_a_cancellation_shows_what_stays_in_memory() -> None:
    with Engine.in_memory() as engine:
        assert run_round(1, _reopen(engine), TRIES).faults == []


@pytest.mark.parametrize("kind", KINDS)
def test_read_after_a_cancellation_shows_what_stays_on_a_server(kind: str) -> None:
    result = run_round(1, partial(ServerEngine.at, new_address(kind)), TRIES)
    assert result.faults == []
    assert result.canceled
    assert result.applied


def test_abandoned_writes_are_detected(tmp_path: Path) -> None:
    with Engine.in_memory() as engine:
        assert run_round(1, _reopen(engine), TRIES, wrap=Abandoning).faults != []


def _reopen(engine: Engine) -> Open:
    return lambda: nullcontext(engine)
