"""Requests that DynamoDB rejects, and its messages: every row of the files in `rejected`.

    PutItem {"TableName": "$table", "Item": {"pk": {"S": "ada"}}} on pk sk, missing
    {"ReturnValues": "ALL_NEW"}
        1 validation error detected: ReturnValues can only be ALL_OLD or NONE

A section starts with one or more requests, each with the tables that it is sent to: the key of a
table with one item, one of TABLES, or a table that is missing. Each row changes some members of
the requests (null leaves one out) and has the expected message, after the code unless that is
ValidationException. "missing first" stands for a missing table that is reported instead.
`<a*256>` stands for 256 times the letter a, and `$operation` for the name of the operation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from dynamodb_engine.errors import OperationError, TableNotFound, ValidationError
from dynamodb_engine.operations import (
    CreateTable,
    DescribeTable,
    Driver,
    ListTables,
    SSESpecification,
    TableDescription,
)
from dynamodb_engine.values import AttributeValue, KeyType
from dynamodb_engine.wire import read_request
from dynamodb_engine.wire.requests import VERSION
from tests.conformance.table_requests import (
    FIVE,
    STREAM,
    local,
    made,
    on_demand,
    provisioned,
    sorted_table,
    typed,
    wide,
)
from tests.conformance.tables import INDEXES, global_index, put, table_request, unused_name

BY_G = {"attribute_definitions": typed(pk="S", g="S")}
BY_L = {"attribute_definitions": typed(pk="S", sk="S", l="S")}
VALUES: dict[KeyType, AttributeValue] = {"S": {"S": "p"}, "N": {"N": "7"}, "B": {"B": "AA=="}}
TABLES: dict[str, CreateTable] = {
    "empty": table_request(pk="S"),
    "indexed": table_request(*INDEXES, pk="S", sk="S"),
    "by_code:B": table_request(global_index("by_code", code="B"), pk="S"),
    "by-g": on_demand(**BY_G, global_secondary_indexes=[wide()]),
    "local": sorted_table(**BY_L, local_secondary_indexes=[local("local")]),
    "encrypted": on_demand(sse_specification=SSESpecification(enabled=True)),
    "streamed": on_demand(stream_specification=STREAM),
    "provisioned": provisioned(),
    "provisioned by-g": provisioned(
        **BY_G, global_secondary_indexes=[wide(provisioned_throughput=FIVE)]
    ),
}
# Which kinds of lines may follow each other.
FOLLOWING = {
    "": ["head"],
    "head": ["head", "change"],
    "change": ["error"],
    "error": ["change", "head"],
}
NOT_FOUND = "ResourceNotFoundException: Requested resource not found"


@dataclass(frozen=True)
class Row:
    """A request, the tables that it is sent to, and the error that rejects it."""

    place: str
    operation: str
    request: dict[str, Any]
    tables: list[str]
    error: str


def read_rows(file: Path) -> Iterator[Row]:
    """Yield the rows of a file, each with every request of its section."""
    heads: list[tuple[str, str, str]] = []
    change, previous = "", ""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        line = re.sub(r"<(.)\*(\d+)>", lambda found: found[1] * int(found[2]), line)
        kind = "change" if line.startswith("{") else "error" if line.startswith("    ") else "head"
        if kind not in FOLLOWING[previous]:
            raise ValueError(f"{file.name}:{number}: unexpected {kind}")
        previous = kind
        if kind == "head":
            head = re.fullmatch(r"(\w+) (\{.*\}) on (.+)", line)
            assert head is not None, f"{file.name}:{number}"
            heads = [*([] if change else heads), cast("tuple[str, str, str]", head.groups())]
            change = ""
        elif kind == "change":
            change = line
        else:
            for operation, request, tables in heads:
                changed = msgspec.json.decode(request) | msgspec.json.decode(change)
                given = {name: value for name, value in changed.items() if value is not None}
                place = f"{file.name}:{number - 1} {operation}"
                yield Row(place, operation, _written_out(given), tables.split(", "), line[4:])


def _written_out(value: Any, name: str = "") -> Any:
    """Return a request with lists for "pk HASH, sk RANGE" and "pk S, sk S"."""
    kinds = {"KeySchema": "KeyType", "AttributeDefinitions": "AttributeType"}
    if isinstance(value, dict):
        return {name: _written_out(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return [_written_out(member) for member in value]
    if isinstance(value, str) and name in kinds:
        pairs = [pair.split() for pair in value.split(", ") if pair]
        return [{"AttributeName": attribute, kinds[name]: kind} for attribute, kind in pairs]
    return value


@pytest.fixture(scope="module")
def table_named(driver: Driver) -> Iterator[Callable[[str], str]]:
    """Yield a function that creates a table of a kind once and returns its name.

    Check in the end that the rejected requests changed neither tables nor the number of items.
    """
    described: dict[str, TableDescription] = {}

    def name_of(kind: str) -> str:
        if kind.startswith("missing"):
            return unused_name()
        if kind not in described:
            parts = [part.partition(":") for part in kind.split()]
            key = {name: cast(KeyType, type_ or "S") for name, _, type_ in parts}
            table = made(driver, TABLES.get(kind) or table_request(**key))
            if kind not in TABLES:
                put(driver, table, {name: VALUES[type_] for name, type_ in key.items()})
            described[kind] = driver.execute(DescribeTable(table)).table
        return described[kind].table_name

    yield name_of
    names = driver.execute(ListTables()).table_names
    found = [driver.execute(DescribeTable(name)).table for name in names]
    assert sorted(found, key=str) == sorted(described.values(), key=str)


FILES = sorted(Path(__file__).with_name("rejected").glob("*.txt"))
ROWS = [row for file in FILES for row in read_rows(file)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.place)
def test_request_is_rejected(driver: Driver, table_named: Callable[[str], str], row: Row) -> None:
    for kind in row.tables:
        table = table_named(kind)
        request = msgspec.json.encode(row.request).replace(b"$table", table.encode())
        with pytest.raises(OperationError) as raised:
            driver.execute(read_request(f"{VERSION}.{row.operation}", request))
        expected = NOT_FOUND if kind == "missing first" else row.error
        expected = expected.replace("$table", table).replace("$operation", row.operation)
        code = "" if isinstance(raised.value, ValidationError) else f"{raised.value.code}: "
        assert code + raised.value.message == expected
        assert isinstance(raised.value, TableNotFound) == (": Table: " in expected)
