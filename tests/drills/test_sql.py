"""The drills on SQL servers in short, and the faults that they must detect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import pytest

from drills.ledger_workload import side_table
from drills.sql_concurrency import DIALECTS, INTERLEAVINGS, read_held_feed, run_rounds
from drills.sql_failures import (
    Fault,
    check_votes,
    drop_connections,
    kill_endpoint,
    kill_server,
    run_ledger,
)
from drills.sql_servers import endpoints, single_server
from singletable import PutItem
from singletable.engine.server_engine import ServerEngine
from singletable.engine.storage.server.dialect import Statement, Value
from singletable.engine.storage.server.mariadb import MariaDB
from singletable.engine.storage.server.postgresql import PostgreSQL
from tests.sql_servers import KINDS, new_address, running_server


class WithoutKeyLocks(PostgreSQL):
    """Reads items without a lock, as a transaction does that is only READ COMMITTED."""

    def lock_keys(self, hashes: Iterable[int]) -> Statement:
        """Lock nothing."""
        return "SELECT 1", ()


class MariaDBWithoutKeyLocks(MariaDB):
    """The same for MariaDB."""

    def lock_keys(self, hashes: Iterable[int]) -> Statement:
        """Lock nothing."""
        return "SELECT 1", ()


class NumbersFromSequence(PostgreSQL):
    """Numbers changes with a sequence: a later number can be committed first."""

    def append_changes(self, changes: Sequence[tuple[Value, ...]]) -> list[Statement]:
        """Return a statement that takes the next number of a sequence."""
        ((sql, values),) = super().append_changes(changes)
        number = "WITH counter AS (SELECT nextval('feed_numbers') AS newest), stored"
        return [(number + sql.partition("stored")[2], values)]


BROKEN: dict[str, type[PostgreSQL | MariaDB]] = {
    "postgresql": WithoutKeyLocks,
    "mariadb": MariaDBWithoutKeyLocks,
}


@pytest.mark.parametrize("kind", KINDS)
def test_processes_on_one_database_are_serializable(kind: str) -> None:
    address = new_address(kind)
    with endpoints([address] * 2) as running:
        ports = [endpoint.port for endpoint in running]
        results = list(run_rounds(3, kind, ports, rounds=2, steps=20))
    assert [(result.name, fault) for result in results for fault in result.faults] == []
    assert sum(result.operations for result in results) > 300


@pytest.mark.parametrize("name", INTERLEAVINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_writes_and_readers_wait_for_an_open_transaction(kind: str, name: str) -> None:
    assert INTERLEAVINGS[name](DIALECTS[kind], new_address(kind)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_missing_key_locks_are_detected(kind: str) -> None:
    faults = INTERLEAVINGS["updates"](BROKEN[kind], new_address(kind))
    assert "writes of the same item overwrote each other" in faults


@pytest.mark.skipif("postgresql" not in KINDS, reason="another server is tested")
def test_feed_numbers_in_another_order_than_commits_are_detected() -> None:
    server = running_server("postgresql")
    name = server.create()
    server.run(f"CREATE SEQUENCE {name}.feed_numbers")
    (fault,) = read_held_feed(NumbersFromSequence, server.address(name))
    assert fault.startswith("a reader saw")


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_lost_when_servers_endpoints_and_connections_end(kind: str) -> None:
    with single_server(kind) as server:
        faults: list[Fault] = [
            kill_endpoint,
            partial(kill_server, server),
            partial(drop_connections, server),
        ]
        result = run_ledger(7, [server.new_address()] * 2, "short", faults)
    assert result.faults == []
    assert result.codes["acknowledged"] > 50
    assert result.codes["ConnectionLost"] + result.codes["InternalServerError"] > 0


def test_lost_vote_is_detected() -> None:
    with ServerEngine.at(new_address(KINDS[0])) as engine:
        engine.execute(side_table("ballots"))
        engine.execute(PutItem("ballots", {"pk": {"S": "1"}, "by": {"N": "2"}}))
        assert list(check_votes(engine, [(1, 2)])) == []
        assert len(list(check_votes(engine, [(1, 3), (2, 2)]))) == 2
