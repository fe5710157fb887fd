"""Client tokens with a clock of the test's own: they are remembered for ten minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.engine import Engine, Settings
from singletable.errors import IdempotentParameterMismatch
from singletable.operations import TransactWriteItems
from tests.conformance.requests import number
from tests.conformance.tables import make_table, put, stored
from tests.conformance.transaction_actions import key, updating
from tests.engine.clock import Clock


@pytest.mark.parametrize(("later", "counted"), [(0, 1), (599, 1), (600, 2), (601, 2)])
def test_a_token_is_remembered_for_ten_minutes(later: float, counted: int) -> None:
    clock = Clock()
    with Engine.in_memory(Settings(clock=clock)) as engine:
        table = make_table(engine, pk="S")
        put(engine, table, key("a") | {"n": number(0)})
        action = updating(table, key("a"), "SET n = n + :one", one=number(1))
        asked = TransactWriteItems([action], client_request_token="token")
        engine.execute(asked)
        clock.now += later
        engine.execute(asked)
        assert stored(engine, table, key("a")) == key("a") | {"n": number(counted)}


# A caller that repeats itself because the process died is the caller that tokens are for.
def test_a_token_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with Engine.on_file(path) as engine:
        table = make_table(engine, pk="S")
        action = updating(table, key("a"), "ADD n :one", one=number(1))
        asked = TransactWriteItems([action], client_request_token="token")
        engine.execute(asked)
    with Engine.on_file(path) as engine:
        engine.execute(asked)
        assert stored(engine, table, key("a")) == key("a") | {"n": number(1)}
        other = updating(table, key("a"), "ADD n :two", two=number(2))
        with pytest.raises(IdempotentParameterMismatch):
            engine.execute(TransactWriteItems([other], client_request_token="token"))
