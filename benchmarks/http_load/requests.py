"""The requests that are measured over HTTP; each is prepared, tried once, and verified."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import msgspec

from benchmarks.harness import workload
from benchmarks.harness.measurement import Scale, WrongResult, expect
from benchmarks.harness.workload import (
    PARTITIONS,
    item,
    key,
    nth_item,
    nth_key,
    nth_partition,
    nth_sort_key,
)
from benchmarks.http_load.client import Client
from benchmarks.http_load.load import LoadSpec, fill_placeholders
from singletable import GetItem, Item, Operation, PutItem, Query

R = TypeVar("R")

QUERIED = 100
INDEXED = 10
_PARTITIONS = 10
_NAMES = 100
# An item with placeholders for its number.
_PARTITION, _SORT, _YEARS = "USER#<m>", "SKILL#<n>", "<y>"
_ITEM = item(_PARTITION, _SORT, _YEARS)


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """The load, a function that verifies that the request with a number was executed, and pages.

    `pages` is the number of requests that count as one: a COUNT is all its pages.
    """

    spec: LoadSpec
    verify: Callable[[int], None]
    pages: int = 1


Prepare: TypeAlias = Callable[[Client, Scale], PreparedRequest]


def _get(client: Client, scale: Scale) -> PreparedRequest:
    client.fill(map(nth_item, range(scale.items)))
    spec = _spec_of(client, GetItem(workload.TABLE, key(_PARTITION, _SORT)), span=scale.items)
    return PreparedRequest(spec, lambda number: _check_item(client, nth_item(number)))


def _update(client: Client, scale: Scale) -> PreparedRequest:
    spec = _spec_of(client, workload.update(_PARTITION, _SORT), span=scale.items)
    return PreparedRequest(spec, lambda number: _check_update(client, number))


def _transaction(client: Client, scale: Scale) -> PreparedRequest:
    new = item(_PARTITION, "NEW#<n>", _YEARS)
    spec = _spec_of(client, workload.transaction(new, _PARTITION, "SKILL#<k>"))

    def verify(number: int) -> None:
        _check_item(client, item(nth_partition(number), f"NEW#{number:09}", str(number)))
        _check_update(client, number % PARTITIONS)

    return PreparedRequest(spec, verify)


def put(client: Client, scale: Scale) -> PreparedRequest:
    """Put new items."""
    spec = _spec_of(client, PutItem(workload.TABLE, _ITEM))
    return PreparedRequest(spec, lambda number: _check_item(client, nth_item(number)))


def _batch(client: Client, scale: Scale) -> PreparedRequest:
    items = [item(_PARTITION, f"{_SORT}#{number:02}", _YEARS) for number in range(workload.BATCH)]
    spec = _spec_of(client, workload.batch(items))

    def verify(number: int) -> None:
        for part in range(workload.BATCH):
            sort = f"{nth_sort_key(number)}#{part:02}"
            _check_item(client, item(nth_partition(number), sort, str(number)))

    return PreparedRequest(spec, verify)


def _query(client: Client, scale: Scale) -> PreparedRequest:
    def items(partition: int) -> Iterable[Item]:
        return (item(f"QUERIED#{partition}", nth_sort_key(n), str(n)) for n in range(QUERIED))

    client.create(workload.create(workload.QUERIED))
    for partition in range(_PARTITIONS):
        client.fill(items(partition), workload.QUERIED)
    spec = _spec_of(client, workload.query("QUERIED#<m>", workload.QUERIED), span=_PARTITIONS)
    query = workload.query(f"QUERIED#{_PARTITIONS - 1}", workload.QUERIED)
    expect(client.execute(query).get("Items"), list(items(_PARTITIONS - 1)))
    return PreparedRequest(spec, lambda number: None)


def _query_index(client: Client, scale: Scale) -> PreparedRequest:
    def name(number: str) -> str:
        return f"{'x' * 195}#{number}"

    def items(group: int) -> list[Item]:
        numbers = range(group, _NAMES * INDEXED, _NAMES)
        return [{**nth_item(number), "name": {"S": name(str(group))}} for number in numbers]

    client.create(workload.CREATE_INDEXED)
    for group in range(_NAMES):
        client.fill(items(group), workload.INDEXED)
    spec = _spec_of(client, workload.query_index(name("<m>")), span=_NAMES)
    last = _NAMES - 1
    expect(client.execute(workload.query_index(name(str(last)))).get("Items"), items(last))
    return PreparedRequest(spec, lambda number: None)


def _count(client: Client, scale: Scale) -> PreparedRequest:
    items = (item("COUNTED", nth_sort_key(n), str(n)) for n in range(scale.counted))
    client.create(workload.create(workload.COUNTED))
    client.fill(items, workload.COUNTED)
    pages = list(_pages(client, "COUNTED"))
    expect(sum(count for _, count in pages), scale.counted)
    bodies = [_body(query) for query, _ in pages]
    return PreparedRequest(LoadSpec("Query", tuple(bodies)), lambda number: None, pages=len(bodies))


def _pages(client: Client, partition: str) -> Iterator[tuple[Query, int]]:
    """Yield the requests for all pages of a COUNT, and the count of each."""
    start = None
    while True:
        query = workload.count(partition, start, workload.COUNTED)
        page = client.execute(query)
        yield query, page.get("Count", 0)
        start = page.get("LastEvaluatedKey")
        if start is None:
            return


def _spec_of(client: Client, operation: Operation[R], span: int | None = None) -> LoadSpec:
    """Send the request once; the size of its response is the minimum for all others."""
    name, body = type(operation).__name__, _body(operation)
    response = client.send(name, fill_placeholders(body, 0).encode())
    return LoadSpec(name, (body,), span, min_size=len(response))


def _body(operation: Operation[R]) -> str:
    return msgspec.json.encode(operation).decode()


def _get_item(client: Client, key: Item) -> Item:
    stored = client.execute(GetItem(workload.TABLE, key, consistent_read=True)).get("Item")
    if stored is None:
        raise WrongResult(f"{key} was acknowledged but is not stored")
    return stored


def _check_item(client: Client, item: Item) -> None:
    expect(_get_item(client, {"PK": item["PK"], "SK": item["SK"]}), item)


def _check_update(client: Client, number: int) -> None:
    years = int(_get_item(client, nth_key(number))["years"]["N"])
    if years <= number:
        raise WrongResult(f"{nth_key(number)} was updated but still has {years} years")


# Some servers get slower with more items, so reads come before most writes.
REQUESTS: dict[str, Prepare] = {
    "GetItem": _get,
    "UpdateItem with a condition": _update,
    "TransactWriteItems, 2 items": _transaction,
    f"Query, {QUERIED} items": _query,
    f"Query of an index, {INDEXED} items": _query_index,
    "PutItem": put,
    f"BatchWriteItem, {workload.BATCH} items": _batch,
    "Query, COUNT of a partition": _count,
}
