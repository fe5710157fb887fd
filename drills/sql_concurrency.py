"""Run many clients at once through several processes on one SQL server, and check serializability.

Run it with python -m drills.sql_concurrency [--rounds N] [--seed N]. The clients and the checkers
are those of `concurrency`. In between, a transaction is held open before its COMMIT while others
write the same item, create the same item, or read the change feed.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from drills.client_runners import Client, run_concurrently, send_requests
from drills.concurrency import ConcurrencyRound, random_clients
from drills.concurrency_clients import (
    TABLE,
    ConcurrentHistory,
    compare_and_set,
    count,
    create_table,
    put,
    read_lists,
    value_of,
)
from drills.serializability import check_history
from drills.sql_servers import (
    MariaDBServer,
    PostgreSQLServer,
    endpoints,
    galera_cluster,
    single_server,
)
from dynamodb_engine import DeleteTable, Engine, ReadChanges, Settings
from dynamodb_engine.engine.server_engine import ServerEngine
from dynamodb_engine.engine.storage.server import ServerDatabase
from dynamodb_engine.engine.storage.server.dialect import Dialect, ResultRows, Statement
from dynamodb_engine.engine.storage.server.mariadb import MariaDB
from dynamodb_engine.engine.storage.server.postgresql import PostgreSQL
from singletable import ConditionFailed

PROCESSES = 3
RACERS = 20
HELD = 0.4  # seconds that a transaction is held open
DIALECTS: dict[str, type[PostgreSQL | MariaDB]] = {"postgresql": PostgreSQL, "mariadb": MariaDB}


def run_rounds(
    seed: int, kind: str, ports: Sequence[int], rounds: int, steps: int = 40
) -> Iterator[ConcurrencyRound]:
    """Run the rounds, each on a new table, with the clients spread over the endpoints."""
    addresses = [("127.0.0.1", port) for port in ports]
    for number in range(rounds):
        history = ConcurrentHistory()
        # One endpoint replaces the table, and the others learn of it by themselves.
        send_requests(addresses[number % len(addresses)], _replace_table())
        clients = random_clients(seed * 1_000_003 + number, steps, history)
        run_concurrently(
            [
                partial(send_requests, addresses[place % len(addresses)], client)
                for place, client in enumerate(clients)
            ]
        )
        send_requests(addresses[0], read_lists(history))
        operations = len(history.operations) + len(history.transactions)
        name = f"round {number} of seed {seed}"
        yield ConcurrencyRound(name, kind, operations, check_history(history))


def _replace_table() -> Client:
    yield DeleteTable(TABLE)
    response = yield create_table()
    if response.code:
        raise RuntimeError(f"the table was not created: {response}")


class HeldCommits:
    """Holds transactions of a dialect open before their COMMIT, while `is_holding`."""

    def __init__(self, dialect: Dialect) -> None:
        self.is_holding = False
        self.reached = threading.Event()
        self.released = threading.Event()
        self._run = dialect.run
        setattr(dialect, "run", self.run)  # noqa: B010

    def run(self, connection: Any, statements: Sequence[Statement]) -> list[ResultRows]:
        """Run the statements; wait before a COMMIT."""
        texts = [sql for sql, _ in statements]
        if not self.is_holding or "COMMIT" not in texts[1:]:
            return self._run(connection, statements)
        end = texts.index("COMMIT")
        results = self._run(connection, statements[:end])
        self.reached.set()
        self.released.wait(60)
        return [*results, *self._run(connection, statements[end:])]


def open_with(dialect: Dialect, address: str) -> ServerEngine:
    """Open an engine with a dialect, which may be a faulty one."""
    return ServerEngine(ServerDatabase(dialect, address), Settings())


@contextmanager
def _held(
    dialect: type[PostgreSQL | MariaDB], address: str, work: Callable[[Engine], object]
) -> Generator[tuple[list[ServerEngine], Callable[[], None]]]:
    """Hold the transaction of `work` open within the block; yield engines, and what ends it."""
    with ExitStack() as stack:
        slow = dialect()
        holder, *others = [
            stack.enter_context(open_with(one, address)) for one in (slow, dialect(), dialect())
        ]
        others[0].execute(create_table())
        for engine in others:
            engine.execute(put("register-1", "known"))
        held = HeldCommits(slow)
        held.is_holding = True
        thread = threading.Thread(target=work, args=(holder,))
        thread.start()
        held.reached.wait(60)

        def release() -> None:
            held.released.set()
            thread.join()

        try:
            yield others, release
        finally:
            release()


def race_updates(dialect: type[PostgreSQL | MariaDB], address: str) -> list[str]:
    """Count twenty times while one count is held open; return the faults."""
    results: list[object] = []

    def add_one(engine: Engine) -> None:
        results.append(value_of(engine.execute(count("counter-1")).attributes))

    return _race(
        dialect, address, add_one, lambda: sorted(map(str, results)) == _numbers(RACERS + 1)
    )


def race_creates(dialect: type[PostgreSQL | MariaDB], address: str) -> list[str]:
    """Create one item twenty times while one create is held open; return the faults."""
    winners: list[int] = []

    def create(engine: Engine) -> None:
        try:
            engine.execute(compare_and_set("register-2", "new", None))
            winners.append(1)
        except ConditionFailed:
            pass

    return _race(dialect, address, create, lambda: len(winners) == 1)


def _race(
    dialect: type[PostgreSQL | MariaDB],
    address: str,
    work: Callable[[Engine], None],
    is_right: Callable[[], bool],
) -> list[str]:
    faults: list[str] = []
    with (
        ThreadPoolExecutor(RACERS) as threads,
        _held(dialect, address, work) as (engines, release),
    ):
        futures = [threads.submit(work, engines[n % 2]) for n in range(RACERS)]
        time.sleep(HELD)
        if any(future.done() for future in futures):
            faults.append("a write did not wait for the transaction that has written the item")
        release()
        faults += [repr(error) for future in futures if (error := future.exception())]
    return faults if is_right() else [*faults, "writes of the same item overwrote each other"]


def read_held_feed(dialect: type[PostgreSQL | MariaDB], address: str) -> list[str]:
    """Read the change feed while a transaction with a number is open; return the faults."""
    seen: list[int] = []

    def read(engine: Engine) -> None:
        changes = engine.execute(ReadChanges(after=seen[-1] if seen else 0)).changes
        seen.extend(change.position for change in changes)

    with (
        ThreadPoolExecutor(1) as threads,
        _held(dialect, address, lambda engine: engine.execute(put("list-1", "held"))) as held,
    ):
        (writer, reader), release = held
        later = threads.submit(writer.execute, put("list-2", "later"))
        end = time.monotonic() + HELD
        while time.monotonic() < end:
            read(reader)
        release()
        later.result()
        read(reader)
        everything = [change.position for change in reader.execute(ReadChanges(after=0)).changes]
    return [] if seen == everything else [f"a reader saw {seen}, but the feed is {everything}"]


INTERLEAVINGS = {"updates": race_updates, "creates": race_creates, "feed": read_held_feed}


def _numbers(number: int) -> list[str]:
    return sorted(str(n) for n in range(1, number + 1))


def main() -> int:
    """Run the drill and return the exit code: 0 if every history is serializable."""
    parser = argparse.ArgumentParser(prog="python -m drills.sql_concurrency", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    operations = failed = 0
    with ExitStack() as stack:
        clusters: dict[str, Sequence[PostgreSQLServer | MariaDBServer]] = {
            kind: [stack.enter_context(single_server(kind))] for kind in DIALECTS
        }
        galera = stack.enter_context(galera_cluster(PROCESSES))
        clusters |= {"galera": galera[:1], "galera, several writers": galera}
        for kind, nodes in clusters.items():
            for name, interleave in INTERLEAVINGS.items():
                faults = interleave(DIALECTS.get(kind, MariaDB), nodes[0].new_address())
                failed += bool(faults)
                print(f"sql: {kind}, held transaction, {name}: {faults or 'correct'}", flush=True)
            address = nodes[0].new_address()
            hosts = [nodes[number % len(nodes)].host for number in range(PROCESSES)]
            with endpoints([address.replace(nodes[0].host, host) for host in hosts]) as running:
                ports = [endpoint.port for endpoint in running]
                for result in run_rounds(options.seed, kind, ports, options.rounds):
                    operations += result.operations
                    failed += bool(result.faults)
                    for fault in result.faults[:10]:
                        print(f"  {result.name} ({result.kind}): {fault}", flush=True)
            print(f"sql: {kind}, {options.rounds} histories, {operations} operations", flush=True)
    print(f"sql: {operations} operations checked, SEED={options.seed}; {failed} histories failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
