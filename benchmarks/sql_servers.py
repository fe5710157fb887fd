"""Requests on PostgreSQL and MariaDB: the engine and the same rows written by hand."""

from __future__ import annotations

import itertools
import multiprocessing
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.synchronize import Barrier
from typing import Any

from benchmarks.harness.measurement import Missing, Scale, show_progress
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from benchmarks.harness.workload import TABLE, create, nth_item
from benchmarks.in_process.comparison import compare
from benchmarks.in_process.embedded import embedded
from benchmarks.in_process.sql_server import raw_server
from drills.sql_servers import MariaDBServer, PostgreSQLServer, single_server
from singletable import PutItem, connect

CLAIM = "a get costs at most twice and a put at most three times what hand-written SQL costs"
TARGETS = {"PutItem": Target(at_most=3), "GetItem": Target(at_most=2)}
COLUMNS = ("the engine", "by hand", "cost", "target")
SERVERS = ("postgresql", "mariadb")
# Processes, and clients in each of them.
CROWDS = ((1, 1), (1, 16), (2, 16), (4, 16))
_barrier: Barrier


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure requests per second of one client, then puts of many clients and processes."""
    for kind in SERVERS:
        try:
            with single_server(kind) as server:
                yield _one_client(server, scale)
                yield _many_clients(server, scale)
        except FileNotFoundError as error:
            raise Missing(f"{kind} is not installed ({error.filename})") from None


def _one_client(server: PostgreSQLServer | MariaDBServer, scale: Scale) -> ReportTable:
    comparison = compare(
        lambda: embedded(server.new_address()), lambda: raw_server(_connect(server)), scale
    )
    title = f"On {server.kind}, one client: the engine and hand-written SQL"
    rows = [_row(*figures) for figures in comparison]
    return ReportTable(title, [f"on {server.kind}", *COLUMNS], rows)


def _row(name: str, ours: float, by_hand: float) -> list[str]:
    cost = by_hand / ours
    verdict = TARGETS[name].verdict(cost) if name in TARGETS else ""
    return [name, format_rate(ours), format_rate(by_hand), format_ratio(cost), verdict]


def _many_clients(server: PostgreSQLServer | MariaDBServer, scale: Scale) -> ReportTable:
    rows: list[list[str]] = []
    first = 0.0
    for processes, clients in CROWDS:
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


def _connect(server: PostgreSQLServer | MariaDBServer) -> Any:
    """Open a connection to a new database of its own."""
    connection = server.connect()
    if isinstance(server, MariaDBServer):
        connection.cursor().execute("CREATE DATABASE IF NOT EXISTS by_hand")
        connection.select_db("by_hand")
    return connection
