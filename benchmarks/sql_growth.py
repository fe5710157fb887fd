"""Updates that move items in an index, in a large table and in one ten times as large."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from benchmarks.harness.measurement import Missing, Scale, measure_rates, show_progress
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from benchmarks.harness.workload import batches, key
from benchmarks.sql_servers import SERVERS, Server
from drills.sql_servers import single_server
from dynamodb_engine import (
    AttributeDefinition,
    CreateTable,
    Driver,
    GlobalSecondaryIndex,
    Item,
    KeySchemaElement,
    Projection,
    UpdateItem,
)
from dynamodb_engine.engine.storage.server.mariadb import MariaDB
from dynamodb_engine.engine.storage.server.postgresql import PostgreSQL
from singletable import connect

CLAIM = "in a table ten times as large, a server updates an index at least half as fast"
TARGET = Target(at_least=0.5)
TABLE = "growing"
_CHUNK = 250_000
_CREATE = CreateTable(
    TABLE,
    [AttributeDefinition(name, "S") for name in ("PK", "SK", "team")],
    [KeySchemaElement("PK", "HASH"), KeySchemaElement("SK", "RANGE")],
    global_secondary_indexes=[
        GlobalSecondaryIndex(
            "by_team",
            [KeySchemaElement("team", "HASH"), KeySchemaElement("SK", "RANGE")],
            Projection("KEYS_ONLY"),
        )
    ],
    billing_mode="PAY_PER_REQUEST",
)
# Rows with keys that divide the space of digests evenly, in its order: 32 bits for the place and
# 64 for the number. They fill the trees; requests use other items, whose digests are random.
_ITEM = '{"PK":{"S":"filler"},"SK":{"S":"filler"},"name":{"S":"' + "x" * 150 + '"}}'
_FILL = {
    "PostgreSQL": "INSERT INTO {name} SELECT decode(lpad(to_hex((n * 4294967296) / {total}), 8, "
    "'0') || lpad(to_hex(n + {total}), 16, '0') || repeat('00', 20), 'hex'), 'filler'::bytea, 200, "
    "NULL::bigint, '{item}'::bytea FROM generate_series({first}::bigint, {last}::bigint) AS n",
    "MariaDB": "INSERT INTO {name} SELECT unhex(concat(lpad(hex((seq * 4294967296) DIV {total}), "
    "8, '0'), lpad(hex(seq + {total}), 16, '0'), repeat('00', 20))), 'filler', 200, NULL, "
    "'{item}' FROM seq_{first}_to_{last}",
}


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure updates at both sizes, by one client and by many."""
    sizes = scale.many, 10 * scale.many
    rows: list[list[str]] = []
    for kind in SERVERS:
        try:
            with single_server(kind) as server:
                rows += _measure_server(server, sizes, scale)
        except FileNotFoundError as error:
            raise Missing(f"{kind} is not installed ({error.filename})") from None
    columns = ["updates that move an index entry", *(f"{size:,} items" for size in sizes)]
    title = "Updates of an index on SQL servers, as the table grows"
    yield ReportTable(title, [*columns, "ratio", "target"], rows)


def _measure_server(server: Server, sizes: tuple[int, int], scale: Scale) -> list[list[str]]:
    address = server.new_address()
    rates: list[list[float]] = []
    crowds = 1, max(scale.connections)
    numbers = itertools.count()
    with connect(address) as engine:
        engine.execute(_CREATE)

        def work(_: int) -> None:
            _update(engine, scale.counted, numbers)

        for batch in batches(map(_item, range(scale.counted)), TABLE):
            engine.execute(batch)
        for size, before in ((sizes[0], 0), (sizes[1], sizes[0])):
            _fill(server, address, before, size)
            show_progress(f"{server.kind}: updates with {size:,} items")
            rates.append(
                [measure_rates([work], 4 * scale.seconds, clients)[0] for clients in crowds]
            )
    return [
        [
            f"{server.kind}, {clients} client{'s'[: clients - 1]}",
            format_rate(before),
            format_rate(after),
            format_ratio(after / before),
            TARGET.verdict(after / before),
        ]
        for clients, before, after in zip(crowds, *rates, strict=True)
    ]


def _item(number: int) -> Item:
    return {**key(f"USER#{number}", "USER"), "team": {"S": "none"}, "name": {"S": "x" * 150}}


def _update(engine: Driver, count: int, numbers: Iterator[int]) -> None:
    """Move an item to a team of its own. 7,919 is prime to the count: all items take turns."""
    number = next(numbers)
    update = UpdateItem(
        TABLE,
        key(f"USER#{number * 7_919 % count}", "USER"),
        update_expression="SET team = :team",
        expression_attribute_values={":team": {"S": f"TEAM#{number}"}},
    )
    engine.execute(update)


def _fill(server: Server, address: str, first: int, last: int) -> None:
    """Add rows to the table and its index with hand-written SQL."""
    dialect = PostgreSQL() if server.kind == "PostgreSQL" else MariaDB()
    connection = dialect.connect(address)
    (names,) = dialect.run(connection, [(dialect.list_rows, ())])
    for start in range(first, last, _CHUNK):
        show_progress(f"{server.kind}: filling the table, {start:,} of {last:,} items")
        end = min(start + _CHUNK, last)
        for (name,) in names:
            values = {"name": name, "total": last, "first": start + 1, "last": end, "item": _ITEM}
            dialect.run(connection, [(_FILL[server.kind].format(**values), ())])
    dialect.close(connection)
