"""Processes whose clocks are wrong share a database: they follow the clock of the server."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from drills.ledger_workload import side_table
from dynamodb_engine import (
    DescribeTable,
    GetItem,
    Item,
    PutItem,
    Scan,
    SweepExpired,
    TimeToLiveSpecification,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateTimeToLive,
)
from dynamodb_engine.clocks import driver_clock
from dynamodb_engine.engine import AsyncEngine, Settings, server_engine
from dynamodb_engine.engine.change_feed import BLOCK
from dynamodb_engine.engine.server_engine import ServerEngine
from tools.testing.sql_servers import KINDS, new_address

COUNT_UP = TransactWriteItems(
    [
        TransactWriteItem(
            update=Update(
                "side",
                {"pk": {"S": "count"}},
                "ADD hits :one",
                expression_attribute_values={":one": {"N": "1"}},
            )
        )
    ],
    client_request_token="token",
)
HOUR = 3600.0


@contextmanager
def processes(
    monkeypatch: pytest.MonkeyPatch, kind: str, wrong: float
) -> Generator[tuple[ServerEngine, ServerEngine]]:
    """Open an engine in this process, and another whose process has a wrong clock."""
    address = new_address(kind)
    with ServerEngine.at(address) as right:

        def shown() -> float:
            return time.time() + wrong

        monkeypatch.setattr(server_engine, "_PROCESS_CLOCK", shown, raising=False)
        with ServerEngine.at(address, Settings(clock=shown)) as other:
            yield right, other


@pytest.mark.parametrize("wrong", [-HOUR, -0.5, 0.5, HOUR])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_shared_depends_on_the_clock_of_a_process(
    kind: str, wrong: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    with processes(monkeypatch, kind, wrong) as (right, other):
        for maker, user in ((right, other), (other, right)):
            name = f"made-by-{maker is right}"
            maker.execute(side_table(name))
            user.execute(PutItem(name, {"pk": {"S": "a"}}))
            assert user.execute(DescribeTable(name)).table.table_status == "ACTIVE"
        right.execute(side_table("side"))
        right.execute(COUNT_UP)
        # Deletes the tokens and changes that it believes are old.
        for number in range(BLOCK + 1):
            other.execute(PutItem("side", {"pk": {"S": "x"}, "n": {"N": str(number)}}))
        for engine in (other, right):
            engine.execute(COUNT_UP)
        found = right.execute(GetItem("side", {"pk": {"S": "count"}}, consistent_read=True)).item
        assert found is not None
        assert found["hits"] == {"N": "1"}
        right.execute(UpdateTimeToLive("side", TimeToLiveSpecification(True, "expires")))
        for key, seconds in (("later", HOUR / 2), ("past", -HOUR / 2)):
            item: Item = {"pk": {"S": key}, "expires": {"N": str(int(time.time() + seconds))}}
            right.execute(PutItem("side", item))
        assert other.execute(SweepExpired()).removed == 1
        keys = {item["pk"]["S"] for item in right.execute(Scan("side")).items or ()}
        assert keys == {"count", "x", "later"}


# Leases of stream workers and of migrations are times that stores compute.
@pytest.mark.parametrize("kind", KINDS)
def test_leases_follow_the_clock_of_the_server(kind: str) -> None:
    with ServerEngine.at(new_address(kind)) as engine:
        dialect = engine._server.dialect
        dialect.now = f"{dialect.now} + 86400"
        with engine._server._pool.connection() as connection:
            engine._server._pool._measure(connection)
        for clock in (
            driver_clock(engine),
            driver_clock(AsyncEngine(engine)),
            engine.settings.clock,
        ):
            assert clock() > time.time() + 80_000
