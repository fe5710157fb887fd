"""Disturb processes that share a SQL server: freeze one, forget a transaction, set clocks wrong.

Run it with python -m drills.sql_neighbors [--seed N]. One endpoint is stopped (SIGSTOP) while its
transaction holds locks; then `psql` or `mariadb` locks the items of a table and does not go on.
Meanwhile clients write to what is locked and to everything else through another endpoint. Last,
endpoints whose clocks are an hour wrong (faketime) share tokens, tables and TTL.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from drills.client_runners import CONNECTION_LOST, Client, Response, send_requests
from drills.ledger_workload import side_table
from drills.sql_servers import (
    Endpoint,
    MariaDBServer,
    PostgreSQLServer,
    endpoints,
    single_server,
    wait_for,
)
from dynamodb_engine import (
    GetItem,
    Item,
    Operation,
    PutItem,
    Scan,
    TimeToLiveSpecification,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
    UpdateTimeToLive,
)

KINDS = ("postgresql", "mariadb")
LOCKED, OTHER = "locked-table", "other-table"
HELD = 13.0  # seconds that a lock is kept; a write waits for ten
# Seconds that a write may wait: one of something else, and one of what a frozen process has locked.
OTHERS_WAIT, FROZEN_WAIT = 5.0, 12.0
UNKNOWN = frozenset(["InternalServerError", CONNECTION_LOST])
FAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), Path())
Server = PostgreSQLServer | MariaDBServer


@dataclass(slots=True)
class Writer:
    """A client that counts an item up; what it was told, and the longest time without success."""

    table: str
    key: str
    codes: Counter[str] = field(default_factory=Counter[str])
    messages: set[str] = field(default_factory=set[str])
    longest: float = 0.0
    last: float = field(default_factory=time.monotonic)

    def run(self, done: threading.Event) -> Client:
        """Count until it is done."""
        while not done.is_set():
            response = yield add(self.table, self.key)
            self.codes[response.code or "acknowledged"] += 1
            if response.code:
                self.messages.add(str(response.body.get("message", "")))
                time.sleep(0.05)
            else:
                self.longest = max(self.longest, time.monotonic() - self.last)
                self.last = time.monotonic()

    @property
    def count(self) -> int:
        """Return how often the item was certainly counted up."""
        return self.codes["acknowledged"]


def add(table: str, key: str) -> UpdateItem:
    """Return the operation that counts an item up."""
    values: Item = {":one": {"N": "1"}}
    return UpdateItem(
        table,
        {"pk": {"S": key}},
        update_expression="ADD hits :one",
        expression_attribute_values=values,
    )


def ask(endpoint: Endpoint, operation: Operation[Any]) -> Response:
    """Send one request to an endpoint and return the response."""
    responses: list[Response] = []

    def client() -> Client:
        responses.append((yield operation))

    send_requests(("127.0.0.1", endpoint.port), client())
    return responses[0]


@contextmanager
def writing(writers: list[tuple[Endpoint, Writer]]) -> Generator[None]:
    """Run the writers within the block, each in a thread."""
    done = threading.Event()
    threads = [
        threading.Thread(
            target=partial(send_requests, survives_loss=True),
            args=(("127.0.0.1", endpoint.port), writer.run(done)),
        )
        for endpoint, writer in writers
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()


def check_counts(endpoint: Endpoint, writers: list[Writer]) -> Iterator[str]:
    """Return a fault for each item that was not counted as its writers were told."""
    for table, key in {(writer.table, writer.key) for writer in writers}:
        item = ask(endpoint, GetItem(table, {"pk": {"S": key}}, consistent_read=True)).body["Item"]
        mine = [writer for writer in writers if (writer.table, writer.key) == (table, key)]
        least = sum(writer.count for writer in mine)
        most = least + sum(writer.codes[code] for writer in mine for code in UNKNOWN)
        if not least <= int(item["hits"]["N"]) <= most:
            yield f"{table}/{key} is {item['hits']['N']}, but {least} to {most} were acknowledged"


def freeze_with_lock(server: Server, endpoint: Endpoint, chance: Random) -> None:
    """Stop an endpoint at a moment in which its transaction holds locks."""

    def is_frozen_with_lock() -> bool:
        endpoint.freeze()
        time.sleep(0.1)
        first = open_transactions(server, endpoint)
        time.sleep(0.2)
        if first & open_transactions(server, endpoint):
            return True
        endpoint.freeze(resume=True)
        time.sleep(chance.uniform(0, 0.1))
        return False

    wait_for(is_frozen_with_lock, "the endpoint never has a lock when it is stopped")


def open_transactions(server: Server, endpoint: Endpoint) -> set[tuple[Any, ...]]:
    """Return the transactions whose client sends nothing; MariaDB does not say whose they are."""
    if isinstance(server, PostgreSQLServer):
        return set(
            server.run(
                "SELECT pid, xact_start FROM pg_stat_activity WHERE state = 'idle in transaction' "
                f"AND application_name LIKE 'singletable {endpoint.process_id}@%'"
            )
        )
    return set(
        server.run(
            "SELECT t.trx_id FROM information_schema.innodb_trx AS t "
            "JOIN information_schema.processlist AS p ON p.id = t.trx_mysql_thread_id "
            "WHERE p.command = 'Sleep' AND t.trx_rows_locked > 0"
        )
    )


def freeze_endpoint(server: Server, seed: int) -> Iterator[str]:
    """Freeze an endpoint that has a lock, and return what went wrong at another one."""
    with endpoints([server.new_address()] * 2) as (frozen, running):
        for table in (LOCKED, OTHER):
            ask(running, side_table(table))
        hot = [(frozen, Writer(LOCKED, "hot")) for _ in range(4)]
        waiting = (running, Writer(LOCKED, "hot"))
        others = [
            (running, Writer(table, f"cold-{n}")) for n in range(2) for table in (LOCKED, OTHER)
        ]
        everything = [*hot, waiting, *others]
        with writing(everything):
            time.sleep(0.5)
            freeze_with_lock(server, frozen, Random(seed))
            time.sleep(HELD)
            frozen.freeze(resume=True)
            time.sleep(1)
        for limit, (_, writer) in [(FROZEN_WAIT, waiting), *((OTHERS_WAIT, o) for o in others)]:
            if writer.longest > limit or set(writer.codes) - {"acknowledged"}:
                yield (
                    f"{writer.table}/{writer.key} waited {writer.longest:.1f} s: "
                    f"{dict(writer.codes)} {writer.messages}"
                )
        yield from check_counts(running, [writer for _, writer in everything])
        print(
            f"  longest wait: locked item {waiting[1].longest:.1f} s, "
            f"others {max(writer.longest for _, writer in others):.1f} s"
        )


@contextmanager
def forgotten_transaction(server: Server, schema: str) -> Generator[int]:
    """Lock all items of a table in `psql` or `mariadb` within the block; yield the session."""
    ((number,),) = server.run(f"SELECT number FROM {schema}.tables WHERE name = '{LOCKED}'")
    port = str(server.port)
    if isinstance(server, PostgreSQLServer):
        command = ["psql", "-X", "-At", "-h", "127.0.0.1", "-p", port, "-U", "postgres", "postgres"]
        own = "pg_backend_pid()"
    else:
        place = ["--host=127.0.0.1", f"--port={port}", "--user=root"]
        command = ["mariadb", "--no-defaults", "--unbuffered", "-NB", *place, "--skip-ssl"]
        own = "connection_id()"
    lock = f"SELECT size FROM {schema}.items_{number} FOR UPDATE; SELECT 'session', {own};"
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write(f"BEGIN; {lock}\n")
        client.stdin.flush()
        try:
            line = next(line for line in client.stdout if line.startswith("session"))
            yield int(line.replace("|", "\t").split("\t")[1])
        finally:
            client.kill()


def forget_transaction(server: Server, seed: int) -> Iterator[str]:
    """Forget a transaction in a client of the server, and return what went wrong."""
    address = server.new_address()
    schema = server.run(
        "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'drill%' "
        "ORDER BY length(schema_name) DESC, schema_name DESC LIMIT 1"
    )[0][0]
    with endpoints([address]) as (running,):
        for table in (LOCKED, OTHER):
            ask(running, side_table(table))
        locked = [Writer(LOCKED, f"item-{n}") for n in range(4)]
        others = [Writer(OTHER, f"item-{n}") for n in range(4)]
        for writer in (*locked, *others):
            ask(running, PutItem(writer.table, {"pk": {"S": writer.key}, "hits": {"N": "0"}}))
        with writing([(running, writer) for writer in (*locked, *others)]):
            time.sleep(0.5)
            with forgotten_transaction(server, schema) as session:
                time.sleep(HELD)
            last = {writer.key: writer.count for writer in locked}
            wait_for(
                lambda: all(writer.count > last[writer.key] for writer in locked),
                "locked items are not written after the transaction has ended",
            )
        for writer in others:
            if writer.longest > OTHERS_WAIT or set(writer.codes) - {"acknowledged"}:
                yield f"{writer.table} waited {writer.longest:.1f} s: {dict(writer.codes)}"
        for writer in locked:
            errors = set(writer.codes) - {"acknowledged"}
            named = [message for message in writer.messages if f"process {session}," in message]
            if errors != {"ServiceUnavailable"} or len(named) != len(writer.messages):
                yield f"{writer.key}: expected 503 by {session}: {writer.codes} {writer.messages}"
        yield from check_counts(running, [*locked, *others])
        print(f"  longest wait: others {max(writer.longest for writer in others):.1f} s")


def set_clocks_wrong(server: Server, seed: int) -> Iterator[str]:
    """Share a database with endpoints whose clocks are wrong, and return what went wrong."""
    count = TransactWriteItems(
        [
            TransactWriteItem(
                update=Update(
                    OTHER,
                    {"pk": {"S": "count"}},
                    "ADD hits :one",
                    expression_attribute_values={":one": {"N": "1"}},
                )
            )
        ],
        client_request_token="token",
    )
    with ExitStack() as stack:
        address = server.new_address()
        running: dict[str, Endpoint] = {}
        for shift in ("", "+1h", "-1h", "-0.5s"):
            faked = {"LD_PRELOAD": str(FAKETIME), "FAKETIME": shift, "FAKETIME_DONT_RESET": "1"}
            running[shift] = Endpoint(address, faked if shift else None)
            stack.callback(running[shift].kill)
        right = running[""]
        for shift, maker in running.items():
            name = f"made-by{shift.replace('+', '-')}"
            for endpoint in (maker, *running.values()):
                put = PutItem(name, {"pk": {"S": "a"}})
                response = ask(endpoint, side_table(name) if endpoint is maker else put)
                if response.code not in ("", "ResourceInUseException"):
                    yield f"a table made by {shift or 'the right clock'}: {response}"
        ask(right, side_table(OTHER))
        for shift, endpoint in [*running.items(), *running.items()]:
            if (response := ask(endpoint, count)).code:
                yield f"the token at {shift}: {response}"
            for number in range(100):  # removes what seems to be too old
                ask(endpoint, PutItem(OTHER, {"pk": {"S": "x"}, "n": {"N": str(number)}}))
        item = ask(right, GetItem(OTHER, {"pk": {"S": "count"}}, consistent_read=True)).body["Item"]
        if item["hits"] != {"N": "1"}:
            yield f"a transaction with a token was applied {item['hits']['N']} times"
        ask(right, UpdateTimeToLive(OTHER, TimeToLiveSpecification(True, "expires")))
        for key, seconds in (("later", 1800), ("past", -1800)):
            new: Item = {"pk": {"S": key}, "expires": {"N": str(int(time.time()) + seconds)}}
            ask(right, PutItem(OTHER, new))
        right.freeze()  # one of the others deletes what has expired

        def keys() -> set[str]:
            return {one["pk"]["S"] for one in ask(running["+1h"], Scan(OTHER)).body["Items"]}

        wait_for(lambda: "past" not in keys(), "an expired item is not deleted")
        right.freeze(resume=True)
        if "later" not in keys():
            yield "an item was deleted before it expired"
    for shift, endpoint in running.items():
        warnings = endpoint.output.count("The clock of this process is 3600.0 seconds")
        if warnings != shift.endswith("h"):
            yield f"{warnings} warnings about the clock {shift}: {endpoint.output}"


SCENARIOS = {
    "endpoint frozen": freeze_endpoint,
    "transaction forgotten": forget_transaction,
    "clocks wrong": set_clocks_wrong,
}


def main() -> int:
    """Run the drill and return the exit code: 0 if nothing went wrong."""
    parser = argparse.ArgumentParser(prog="python -m drills.sql_neighbors", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(SCENARIOS))
    options = parser.parse_args()
    failed = 0
    for kind in KINDS:
        with single_server(kind) as server:
            for name in options.only.split(","):
                faults = list(SCENARIOS[name](server, options.seed))
                failed += bool(faults)
                print(f"sql: {kind}, {name}: {'; '.join(faults[:10]) or 'correct'}", flush=True)
    print(f"sql neighbors: {failed} scenarios failed, SEED={options.seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
