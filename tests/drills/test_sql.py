"""The drills on SQL servers in short, and the faults that they must detect."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import partial
from random import Random

import pytest

from drills.ledger_workload import side_table
from drills.polls import OPTIONS, check_poll
from drills.sql_concurrency import DIALECTS, INTERLEAVINGS, read_held_feed, run_rounds
from drills.sql_failures import (
    Fault,
    check_votes,
    drop_connections,
    hang_server,
    kill_endpoint,
    kill_server,
    run_game,
    run_ledger,
    run_poll,
)
from drills.sql_neighbors import SCENARIOS
from drills.sql_servers import endpoints, single_server
from dynamodb_engine.engine.server_engine import ServerEngine
from dynamodb_engine.engine.storage.server.dialect import ChangeValues, Statement
from dynamodb_engine.engine.storage.server.mariadb import MariaDB
from dynamodb_engine.engine.storage.server.postgresql import PostgreSQL
from singletable import Engine, GetItem, PutItem, ServiceUnavailable
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import Voter, open_polls
from singletable_apps.polls.tokens import Secret
from tools.testing.sql_servers import KINDS, new_address, running_server

VOTE = PutItem("ballots", {"pk": {"S": "1"}})
READ_VOTE = GetItem("ballots", VOTE.item)


class WithoutKeyLocks(PostgreSQL):
    """Reads items without a lock, as a transaction does that is only READ COMMITTED."""

    def lock(self, numbers: Iterable[int], hashes: Iterable[int]) -> list[Statement]:
        """Lock the tables alone."""
        return super().lock(numbers, ())


class MariaDBWithoutKeyLocks(MariaDB):
    """The same for MariaDB."""

    def lock(self, numbers: Iterable[int], hashes: Iterable[int]) -> list[Statement]:
        """Lock the tables alone."""
        return super().lock(numbers, ())


class NumbersFromSequence(PostgreSQL):
    """Numbers changes with a sequence: a later number can be committed first."""

    def append_changes(self, changes: Sequence[ChangeValues]) -> list[Statement]:
        """Return a statement that takes the next number of a sequence."""
        ((sql, values),) = super().append_changes(changes)
        number = "WITH counter AS (SELECT nextval('feed_numbers') AS newest) INSERT"
        return [(number + sql.partition(") INSERT")[2], values[1:])]


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


@pytest.mark.parametrize("kind", KINDS)
def test_hung_server_is_unavailable_until_it_goes_on(kind: str) -> None:
    with single_server(kind) as server:
        address = server.new_address()
        address += f"{'&' if '?' in address else '?'}timeout=2"
        result = run_ledger(7, [address] * 2, "short", [partial(hang_server, server, 5)])
        assert result.faults == []
        assert result.codes["ServiceUnavailable"] > 0
        with ServerEngine.at(address) as engine:
            engine.execute(side_table("ballots"))
            server.pause()
            for number, operation in enumerate((VOTE, READ_VOTE, VOTE)):
                start = time.monotonic()
                with pytest.raises(ServiceUnavailable):
                    engine.execute(operation)
                assert time.monotonic() - start < 5, number
            server.pause(resume=True)
            assert engine.execute(READ_VOTE).item is None
            engine.execute(VOTE)


@pytest.mark.parametrize("kind", KINDS)
def test_polls_in_two_processes_count_every_vote_once(kind: str) -> None:
    acknowledged, faults = run_poll(new_address(kind), Random(1), voters=24)
    assert faults == []
    assert 18 <= acknowledged <= 24


@pytest.mark.parametrize("kind", KINDS)
def test_games_in_two_processes_count_every_answer_once(kind: str) -> None:
    acknowledged, faults = run_game(new_address(kind), Random(1), players=8, kills=0)
    assert faults == []
    # The third of five questions is closed while players answer.
    assert acknowledged >= 4 * 8


def test_lost_vote_in_a_poll_is_detected() -> None:
    polls = open_polls(Engine.in_memory(), Secret(bytes(32)))
    poll = polls.lifecycle.create(PollDraft("Lunch", tuple(OPTIONS))).poll
    polls.voting.cast(poll.id, OPTIONS, Voter("first"))
    assert list(check_poll(polls, poll.id, {"first": OPTIONS})) == []
    assert len(list(check_poll(polls, poll.id, {"first": OPTIONS[::-1]}))) == 1
    assert len(list(check_poll(polls, poll.id, {"first": OPTIONS, "second": OPTIONS}))) == 2


def test_lost_vote_is_detected() -> None:
    with ServerEngine.at(new_address(KINDS[0])) as engine:
        engine.execute(side_table("ballots"))
        engine.execute(PutItem("ballots", {"pk": {"S": "1"}, "by": {"N": "2"}}))
        assert list(check_votes(engine, [(1, 2)])) == []
        assert len(list(check_votes(engine, [(1, 3), (2, 2)]))) == 2


# Another process or a person may do this at any time, to every database that is shared.
@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("kind", KINDS)
def test_frozen_forgetful_and_untimely_neighbors_harm_nobody(kind: str, name: str) -> None:
    with single_server(kind) as server:
        assert list(SCENARIOS[name](server, 1)) == []
