"""Requests on PostgreSQL and MariaDB: the engine and the same rows written by hand."""

from __future__ import annotations

import itertools
import multiprocessing
import time
from collections.abc import Generator, Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing.synchronize import Barrier
from typing import Any, TypeAlias

from benchmarks.harness.measurement import Missing, Scale, show_progress
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from benchmarks.harness.workload import TABLE, create, nth_item
from benchmarks.http_load.servers import DYNAMODB_LOCAL, running
from benchmarks.in_process.comparison import ContenderFactory, compare_all
from benchmarks.in_process.embedded import EmbeddedContender, embedded
from benchmarks.in_process.sql_server import raw_server
from drills.sql_servers import MariaDBServer, PostgreSQLServer, single_server
from singletable import Attr, DeleteTable, Entity, Key, PutItem, Store, Table, attr, connect

CLAIM = "a get costs at most twice and a put at most three times what hand-written SQL costs"
TARGETS = {"PutItem": Target(at_most=3), "GetItem": Target(at_most=2)}
SERVERS = ("postgresql", "mariadb")
PROCESSES = (1, 2, 4)
Server: TypeAlias = PostgreSQLServer | MariaDBServer
_NONE = "–"
_barrier: Barrier
_skills = Table("skills")


class Skill(Entity, table=_skills):
    """An item to load."""

    number: Attr[int] = attr()
    name: Attr[str] = attr()
    key = Key(pk=("SKILL", number), sk="SKILL")


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure requests of one client and of many, a bulk load, and puts of many processes."""
    with ExitStack() as stack:
        peers: list[ContenderFactory] = []
        if scale.includes(DYNAMODB_LOCAL.name):
            with suppress(Missing):
                peer = stack.enter_context(running(DYNAMODB_LOCAL))
                peers.append(partial(_remote, peer.port))
        for kind in SERVERS:
            try:
                with single_server(kind) as server:
                    yield _requests(server, peers, scale, 1)
                    yield _requests(server, peers, scale, max(scale.connections))
                    yield _bulk_load(server, scale)
                    yield _many_clients(server, scale)
            except FileNotFoundError as error:
                raise Missing(f"{kind} is not installed ({error.filename})") from None


def _requests(
    server: Server, peers: list[ContenderFactory], scale: Scale, clients: int
) -> ReportTable:
    show_progress(f"{server.kind}: requests of {clients} clients")
    contenders: list[ContenderFactory] = [
        lambda: embedded(server.new_address()),
        lambda: raw_server(partial(_connect, server)),
        *peers,
    ]
    comparison = compare_all(contenders, scale, -1, clients)
    rows = [_row(name, *rates, has_target=clients == 1) for name, rates in comparison]
    noun = "one client" if clients == 1 else f"{clients} clients in one process"
    title = f"On {server.kind}, {noun}: the engine, hand-written SQL and DynamoDB Local"
    columns = ["the engine", "by hand", "cost", "target", DYNAMODB_LOCAL.name, "to that"]
    note = "DynamoDB Local keeps its tables in memory, and is reached over HTTP."
    return ReportTable(title, [f"on {server.kind}", *columns], rows, [note] if peers else ())


def _row(
    name: str, ours: float, by_hand: float, local: float | None = None, *, has_target: bool
) -> list[str]:
    cost = by_hand / ours
    verdict = TARGETS[name].verdict(cost) if has_target and name in TARGETS else ""
    others = [_NONE, _NONE] if local is None else [format_rate(local), format_ratio(ours / local)]
    return [name, format_rate(ours), format_rate(by_hand), format_ratio(cost), verdict, *others]


@contextmanager
def _remote(port: int) -> Generator[EmbeddedContender]:
    """Yield a new table at an endpoint."""
    with connect(f"dynamodb+http://127.0.0.1:{port}") as driver:
        try:
            yield EmbeddedContender(driver)
        finally:
            driver.execute(DeleteTable(TABLE))


def _bulk_load(server: Server, scale: Scale) -> ReportTable:
    count = scale.counted
    with connect(server.new_address()) as engine:
        store = Store(engine)
        store.admin.create_table(_skills)
        items = [Skill(number=number, name="x" * 200) for number in range(count)]
        started = time.perf_counter()
        store.bulk_load(items)
        ours = count / (time.perf_counter() - started)
    with raw_server(partial(_connect, server)) as by_hand:
        started = time.perf_counter()
        by_hand.fill(map(nth_item, range(count)))
        theirs = count / (time.perf_counter() - started)
    title = f"On {server.kind}: a load of {count:,} items"
    row = ["items", format_rate(ours), format_rate(theirs), format_ratio(theirs / ours)]
    return ReportTable(title, ["", "`bulk_load`", "by hand, in one transaction", "cost"], [row])


def _many_clients(server: Server, scale: Scale) -> ReportTable:
    rows: list[list[str]] = []
    first = 0.0
    most = max(scale.connections)
    crowds = [(1, 1), *((count, most) for count in PROCESSES if count < most)]
    for processes, clients in crowds:
        show_progress(f"{server.kind}: {processes} processes with {clients} clients each")
        rate = _put_together(server.new_address(), processes, clients, scale.seconds)
        first = first or rate
        rows.append([f"{processes} × {clients}", format_rate(rate), format_ratio(rate / first)])
    title = f"On {server.kind}: puts of several processes on one table"
    return ReportTable(title, ["processes × clients", "puts", "to one client"], rows)


def _put_together(address: str, processes: int, clients: int, seconds: float) -> float:
    """Return the puts per second of all processes together."""
    with connect(address) as engine:
        engine.execute(create())
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes)
    with ProcessPoolExecutor(processes, context, _share, (barrier,)) as pool:
        futures = [
            pool.submit(_put_in_process, address, number, clients, seconds)
            for number in range(processes)
        ]
        return sum(future.result() for future in futures)


def _share(barrier: Barrier) -> None:
    """Keep what all processes wait at before they start."""
    global _barrier
    _barrier = barrier


def _put_in_process(address: str, process: int, clients: int, seconds: float) -> float:
    """Put items in many threads until the time is over, at least one each, and return the rate."""
    with connect(address) as engine, ThreadPoolExecutor(clients) as threads:
        _barrier.wait()
        start = time.monotonic()

        def put(client: int) -> int:
            base = (process * clients + client) * 1_000_000
            for count in itertools.count(1):
                engine.execute(PutItem(TABLE, nth_item(base + count)))
                if time.monotonic() >= start + seconds:
                    return count
            raise AssertionError("counting does not end")

        count = sum(threads.map(put, range(clients)))
        return count / (time.monotonic() - start)


def _connect(server: Server) -> Any:
    """Open a connection to a new database of its own."""
    connection = server.connect()
    if isinstance(server, MariaDBServer):
        connection.cursor().execute("CREATE DATABASE IF NOT EXISTS by_hand")
        connection.select_db("by_hand")
    return connection
