"""Kill or pause endpoints, SQL servers, connections and nodes while clients write through several.

Run it with python -m drills.sql_failures [--rounds N] [--seed N]. The clients and the audit are
those of the ledger. A write whose outcome is unknown, because a connection was lost during it, may
or may not be present; an acknowledged one must be, and none may be applied twice. Elections, polls
and games run in two processes on one database, and some of their processes are killed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count, takewhile
from pathlib import Path
from random import Random

import psycopg
import pymysql

from drills import elections, games, polls
from drills.client_runners import CONNECTION_LOST, Client, run_concurrently, send_requests
from drills.ledger_audit import audit
from drills.ledger_workload import (
    SETTINGS,
    StepEvent,
    ledger_client,
    setup_client,
    side_table,
)
from drills.sql_servers import (
    Endpoint,
    MariaDBServer,
    PostgreSQLServer,
    PostgreSQLStandby,
    endpoints,
    galera_cluster,
    primary_and_standby,
    single_server,
    wait_for,
)
from dynamodb_engine.engine.server_engine import ServerEngine
from singletable import GetItem, Item, PutItem, SingleTableError

CLIENTS = 6
PROCESSES = 2
UNKNOWN = frozenset(["InternalServerError", CONNECTION_LOST])
EXPECTED = UNKNOWN | {
    "ConditionalCheckFailedException",
    "ResourceInUseException",
    "ResourceNotFoundException",
    "ServiceUnavailable",
    "TransactionCanceledException",
    "TransactionConflictException",
}
Server = PostgreSQLServer | MariaDBServer
# Disturbs what runs, and returns once it should work again.
Fault = Callable[[Random, list[Endpoint]], None]


@dataclass(slots=True)
class FailureRound:
    """The responses of a round by code, the longest time without one, and the faults."""

    name: str
    codes: Counter[str] = field(default_factory=Counter[str])
    longest_outage: float = 0.0
    faults: list[str] = field(default_factory=list[str])


class Load:
    """Clients that write until they are stopped: the ledger, or votes."""

    def __init__(self, seed: int, running: list[Endpoint], result: FailureRound) -> None:
        self.events: list[StepEvent] = []
        self.votes: list[tuple[int, int]] = []  # voter and client of each acknowledged vote
        self._seed, self._result = seed, result
        self._running = running
        self._done = threading.Event()
        self._recent = dict.fromkeys(range(1, CLIENTS + 1), time.monotonic())

    @contextmanager
    def run(self, *, is_vote: bool = False) -> Generator[None]:
        """Run the clients within the block, spread over the endpoints."""
        setup = self._set_up_votes() if is_vote else setup_client(self.events.append)
        self._send(0, setup)
        clients = [
            self._observe(number, self._vote(number) if is_vote else self._ledger(number))
            for number in self._recent
        ]
        works = [partial(self._send, n, client) for n, client in enumerate(clients)]
        thread = threading.Thread(target=run_concurrently, args=(works,))
        thread.start()
        try:
            yield
        finally:
            self._done.set()
            thread.join()

    def wait_for_clients(self) -> None:
        """Wait until every client has had a write acknowledged or rejected."""
        start = time.monotonic()
        try:
            wait_for(lambda: min(self._recent.values()) > start, "")
        except RuntimeError:
            self._result.faults.append("a client waits in vain for the endpoint to recover")

    def _send(self, place: int, client: Client) -> None:
        endpoint = self._running[place % len(self._running)]
        send_requests(("127.0.0.1", endpoint.port), client, survives_loss=True)

    def _steps(self) -> Iterator[int]:
        return takewhile(lambda _: not self._done.is_set(), count(1))

    def _ledger(self, number: int) -> Client:
        return ledger_client(self._seed, number, self._steps(), self.events.append, UNKNOWN)

    def _set_up_votes(self) -> Client:
        yield side_table("ballots")

    def _vote(self, number: int) -> Client:
        """Vote in the name of one voter after the other, as all other clients do."""
        for voter in self._steps():
            ballot: Item = {"pk": {"S": str(voter)}, "by": {"N": str(number)}}
            unless = "attribute_not_exists(pk)"
            response = yield PutItem("ballots", ballot, condition_expression=unless)
            if not response.code:
                self.votes.append((voter, number))

    def _observe(self, number: int, client: Client) -> Client:
        """Count the codes of a client's responses, and note errors that should not occur."""
        operation = next(client)
        with suppress(StopIteration):
            while True:
                response = yield operation
                self._result.codes[response.code or "acknowledged"] += 1
                message = str(response.body.get("message", response.body.get("Message", "")))
                is_vague = response.code == "InternalServerError" and "may or may" not in message
                if response.code not in {"", *EXPECTED} or is_vague:
                    self._result.faults.append(f"{response.code}: {message}")
                if response.code not in {*UNKNOWN, "ServiceUnavailable"}:
                    now = time.monotonic()
                    outage = now - self._recent[number]
                    self._result.longest_outage = max(self._result.longest_outage, outage)
                    self._recent[number] = now
                operation = client.send(response)


def run_ledger(
    seed: int, addresses: Sequence[str], name: str, faults: list[Fault], *, is_vote: bool = False
) -> FailureRound:
    """Run the ledger, or votes, while faults happen, and audit what is stored."""
    result, chance = FailureRound(name), Random(f"{seed}/{name}")
    with endpoints(addresses) as running:
        load = Load(seed, running, result)
        with load.run(is_vote=is_vote):
            for fault in faults:
                time.sleep(chance.uniform(0.3, 1.5))
                fault(chance, running)
                load.wait_for_clients()
            time.sleep(0.5)
    if result.faults:
        result.faults += [endpoint.output[-2000:] for endpoint in running]
    try:
        with ServerEngine.at(addresses[0], SETTINGS) as engine:
            check = check_votes(engine, load.votes) if is_vote else audit(engine, seed, load.events)
            result.faults += check
    except SingleTableError as error:
        result.faults.append(f"{type(error).__name__}: {error}")
    return result


def check_votes(engine: ServerEngine, votes: list[tuple[int, int]]) -> Iterator[str]:
    """Return a fault for each acknowledged vote that is not the stored one."""
    for voter, client in votes:
        item = engine.execute(GetItem("ballots", {"pk": {"S": str(voter)}})).item
        if item is None or item["by"]["N"] != str(client):
            yield f"the vote of client {client} for voter {voter} was acknowledged, but is {item}"


def kill_endpoint(chance: Random, running: list[Endpoint]) -> None:
    """Kill an endpoint and replace it."""
    endpoint = chance.choice(running)
    endpoint.kill()
    endpoint.start()


def kill_server(server: Server, chance: Random, running: list[Endpoint]) -> None:
    """Kill the server and start it again."""
    server.kill()
    time.sleep(chance.uniform(0, 3))
    server.start()


def drop_connections(server: Server, chance: Random, running: list[Endpoint]) -> None:
    """End connections at random moments, half of the time during COMMIT if possible."""
    for _ in range(30):
        with suppress(psycopg.Error, pymysql.MySQLError):
            server.drop_connections(chance.randrange(1, 6), committing=chance.random() < 0.5)
        time.sleep(chance.uniform(0, 0.05))


def hang_server(server: Server, seconds: float, chance: Random, running: list[Endpoint]) -> None:
    """Stop the server for some seconds; it keeps its connections and answers nobody."""
    server.pause()
    time.sleep(seconds)
    server.pause(resume=True)


def run_server(kind: str, seed: int, rounds: int) -> Iterator[FailureRound]:
    """Run rounds on one server, each with three random faults."""
    with single_server(kind) as server:
        if isinstance(server, PostgreSQLServer):
            # A COMMIT takes so long that many connections are ended during it.
            server.run("ALTER SYSTEM SET commit_delay = 10000")
            server.run("ALTER SYSTEM SET commit_siblings = 0")
            server.run("SELECT pg_reload_conf()")
        faults: dict[str, Fault] = {
            "endpoint": kill_endpoint,
            "server": partial(kill_server, server),
            "connections": partial(drop_connections, server),
            "hang": partial(hang_server, server, 35),
        }
        for number in range(rounds):
            chosen = Random(f"{seed}/{number}").choices(list(faults), k=3)
            name = f"{kind}, round {number} of seed {seed} ({', '.join(chosen)})"
            # Seeds that are multiples of three write large items.
            own_seed = seed * 3_000 + 3 * number + 1
            addresses = [server.new_address()] * PROCESSES
            yield run_ledger(own_seed, addresses, name, [faults[c] for c in chosen])


def fail_over(
    primary: PostgreSQLServer, standby: PostgreSQLStandby, chance: Random, running: list[Endpoint]
) -> None:
    """Kill the primary and promote the standby."""
    primary.kill()
    time.sleep(chance.uniform(0, 1))
    standby.promote()


def run_failover(seed: int) -> Iterator[FailureRound]:
    """Kill the primary of PostgreSQL and promote its synchronous standby."""
    for is_vote in (False, True):
        with primary_and_standby() as (primary, standby):
            name = f"standby promoted, {'votes' if is_vote else 'ledger'} of seed {seed}"
            faults: list[Fault] = [partial(fail_over, primary, standby)]
            addresses = [primary.new_address(standby)] * PROCESSES
            yield run_ledger(3 * seed + 1, addresses, name, faults, is_vote=is_vote)


def run_galera(seed: int) -> Iterator[FailureRound]:
    """Kill and pause nodes of a Galera cluster; endpoints use the first that accepts writes."""
    with galera_cluster() as nodes:

        def restart(number: int, chance: Random, running: list[Endpoint]) -> None:
            nodes[number].kill()
            time.sleep(chance.uniform(0, 8))
            nodes[number].start()
            wait_for(nodes[number].is_synced, "the node does not return")

        def pause(number: int, chance: Random, running: list[Endpoint]) -> None:
            nodes[number].pause()
            time.sleep(10)  # the others exclude it after five seconds
            nodes[number].pause(resume=True)
            wait_for(nodes[number].is_synced, "the node does not return")

        plans: dict[str, list[Fault]] = {
            "reader killed": [partial(restart, 2)],
            "reader paused": [partial(pause, 1)],
            "writer killed": [partial(restart, 0)],
            "writer paused": [partial(pause, 0)],
            "two writers": [lambda chance, running: time.sleep(10)],
        }
        for plan, faults in plans.items():
            for is_vote in (False, True):
                name = f"Galera, {plan}, {'votes' if is_vote else 'ledger'} of seed {seed}"
                addresses = [nodes[0].new_address(*nodes[1:])] * PROCESSES
                if plan == "two writers":
                    addresses[1] = addresses[1].replace(nodes[0].host, nodes[1].host)
                yield run_ledger(3 * seed + 1, addresses, name, faults, is_vote=is_vote)


def run_apps(kind: str, seed: int, rounds: int) -> Iterator[FailureRound]:
    """Run elections, polls and games in two processes on one database, and kill some of them."""
    with single_server(kind) as server:
        for number in range(rounds):
            for app, run in APPS.items():
                acknowledged, faults = run(server.new_address(), Random(f"{seed}/{number}"))
                name = f"{app} on {kind}, round {number} of seed {seed}"
                yield FailureRound(name, Counter(acknowledged=acknowledged), 0, faults)


def run_elections(address: str, chance: Random) -> tuple[int, list[str]]:
    """Run elections through two endpoints; return the acknowledged commands and the faults."""
    with endpoints([address] * PROCESSES) as running:
        addresses = [f"dynamodb+http://127.0.0.1:{endpoint.port}" for endpoint in running]
        done = elections.run_round(addresses, chance, (6, 20, 2), "elections")
    return done.acknowledged, done.faults


def run_poll(address: str, chance: Random, voters: int = 300) -> tuple[int, list[str]]:
    """Vote through two servers; return the acknowledged votes and the faults."""
    with tempfile.TemporaryDirectory() as folder:
        done = asyncio.run(polls.run_drill(Path(folder), voters, chance, address))
    return len(done.acknowledged), done.faults


def run_game(
    address: str, chance: Random, players: int = 100, kills: int = 2
) -> tuple[int, list[str]]:
    """Play through two servers; return the acknowledged answers and the faults."""
    options = {"seed": chance.randrange(1000), "kills": kills}
    with tempfile.TemporaryDirectory() as folder:
        play = games.run_drill(Path(folder), [players], within=0.5, address=address, **options)
        done = asyncio.run(play)
    return done.answers, done.faults


APPS: dict[str, Callable[[str, Random], tuple[int, list[str]]]] = {
    "elections": run_elections,
    "polls": run_poll,
    "games": run_game,
}


def main() -> int:
    """Run the drill and return the exit code: 0 if nothing was lost or applied twice."""
    parser = argparse.ArgumentParser(prog="python -m drills.sql_failures", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="postgresql,mariadb,standby,galera,apps")
    options = parser.parse_args()
    runs: dict[str, Callable[[], Iterator[FailureRound]]] = {
        "postgresql": partial(run_server, "postgresql", options.seed, options.rounds),
        "mariadb": partial(run_server, "mariadb", options.seed, options.rounds),
        "standby": partial(run_failover, options.seed),
        "galera": partial(run_galera, options.seed),
        "apps": lambda: chain.from_iterable(
            run_apps(kind, options.seed, options.rounds // 5 or 1)
            for kind in ("postgresql", "mariadb")
        ),
    }
    failed = 0
    for only in options.only.split(","):
        for result in runs[only]():
            failed += bool(result.faults)
            codes = ", ".join(f"{code} {times}" for code, times in sorted(result.codes.items()))
            print(
                f"{result.name}: {codes}; longest outage {result.longest_outage:.1f} s", flush=True
            )
            for fault in result.faults[:10]:
                print(f"  {fault}", flush=True)
    print(f"sql failures: {failed} rounds failed, SEED={options.seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
