"""The requests that are measured over HTTP, by name; each is prepared, tried, sent and proved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import msgspec

from benchmarks.measuring.expect import expect
from benchmarks.measuring.missing import WrongAnswer
from benchmarks.measuring.scale import Scale
from benchmarks.over_http.client import Client
from benchmarks.over_http.load import Sent, filled
from benchmarks.workload import requests
from benchmarks.workload.items import PARTITIONS, item, item_of, key, key_of, partition_of, sort_of
from singletable import GetItem, Item, Operation, PutItem, Query

R = TypeVar("R")

QUERIED = 100
INDEXED = 10
_PARTITIONS = 10
_NAMES = 100
# An item whose numbers are filled in when it is sent.
_PARTITION, _SORT, _YEARS = "USER#<m>", "SKILL#<n>", "<y>"
_ITEM = item(_PARTITION, _SORT, _YEARS)


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent, how to see afterwards that a number was really done, and its parts.

    `parts` is how many requests make one of what is counted: a COUNT is all its pages.
    """

    sent: Sent
    proof: Callable[[int], None]
    parts: int = 1


Prepare: TypeAlias = Callable[[Client, Scale], Request]


def _get(client: Client, scale: Scale) -> Request:
    client.fill(map(item_of, range(scale.items)))
    sent = _tried(client, GetItem(requests.TABLE, key(_PARTITION, _SORT)), span=scale.items)
    return Request(sent, lambda number: _is_there(client, item_of(number)))


def _update(client: Client, scale: Scale) -> Request:
    sent = _tried(client, requests.update(_PARTITION, _SORT), span=scale.items)
    return Request(sent, lambda number: _is_older(client, number))


def _transaction(client: Client, scale: Scale) -> Request:
    new = item(_PARTITION, "NEW#<n>", _YEARS)
    sent = _tried(client, requests.transaction(new, _PARTITION, "SKILL#<k>"))

    def proof(number: int) -> None:
        _is_there(client, item(partition_of(number), f"NEW#{number:09}", str(number)))
        _is_older(client, number % PARTITIONS)

    return Request(sent, proof)


def put(client: Client, scale: Scale) -> Request:
    """Puts of new items."""
    sent = _tried(client, PutItem(requests.TABLE, _ITEM))
    return Request(sent, lambda number: _is_there(client, item_of(number)))


def _batch(client: Client, scale: Scale) -> Request:
    each = [item(_PARTITION, f"{_SORT}#{number:02}", _YEARS) for number in range(requests.BATCH)]
    sent = _tried(client, requests.batch(each))

    def proof(number: int) -> None:
        for part in range(requests.BATCH):
            sort = f"{sort_of(number)}#{part:02}"
            _is_there(client, item(partition_of(number), sort, str(number)))

    return Request(sent, proof)


def _query(client: Client, scale: Scale) -> Request:
    def items(partition: int) -> Iterable[Item]:
        return (item(f"QUERIED#{partition}", sort_of(n), str(n)) for n in range(QUERIED))

    client.create(requests.create(requests.QUERIED))
    for partition in range(_PARTITIONS):
        client.fill(items(partition), requests.QUERIED)
    sent = _tried(client, requests.query("QUERIED#<m>", requests.QUERIED), span=_PARTITIONS)
    query = requests.query(f"QUERIED#{_PARTITIONS - 1}", requests.QUERIED)
    expect(client.ask(query).get("Items"), list(items(_PARTITIONS - 1)))
    return Request(sent, lambda number: None)


def _query_index(client: Client, scale: Scale) -> Request:
    def name(number: str) -> str:
        return f"{'x' * 195}#{number}"

    def items(group: int) -> list[Item]:
        numbers = range(group, _NAMES * INDEXED, _NAMES)
        return [{**item_of(number), "name": {"S": name(str(group))}} for number in numbers]

    client.create(requests.CREATE_INDEXED)
    for group in range(_NAMES):
        client.fill(items(group), requests.INDEXED)
    sent = _tried(client, requests.query_index(name("<m>")), span=_NAMES)
    last = _NAMES - 1
    expect(client.ask(requests.query_index(name(str(last)))).get("Items"), items(last))
    return Request(sent, lambda number: None)


def _count(client: Client, scale: Scale) -> Request:
    items = (item("COUNTED", sort_of(n), str(n)) for n in range(scale.counted))
    client.create(requests.create(requests.COUNTED))
    client.fill(items, requests.COUNTED)
    pages = list(_pages(client, "COUNTED"))
    expect(sum(count for _, count in pages), scale.counted)
    bodies = [_body(query) for query, _ in pages]
    return Request(Sent("Query", tuple(bodies)), lambda number: None, parts=len(bodies))


def _pages(client: Client, partition: str) -> Iterator[tuple[Query, int]]:
    """The requests for all pages of a COUNT, and what each answers."""
    start = None
    while True:
        query = requests.count(partition, start, requests.COUNTED)
        page = client.ask(query)
        yield query, page.get("Count", 0)
        start = page.get("LastEvaluatedKey")
        if start is None:
            return


def _tried(client: Client, operation: Operation[R], span: int | None = None) -> Sent:
    """The request, sent once; whatever comes later is not much smaller than this answer."""
    name, body = type(operation).__name__, _body(operation)
    answer = client.send(name, filled(body, 0).encode())
    return Sent(name, (body,), span, smallest=len(answer))


def _body(operation: Operation[R]) -> str:
    return msgspec.json.encode(operation).decode()


def _got(client: Client, key: Item) -> Item:
    found = client.ask(GetItem(requests.TABLE, key, consistent_read=True)).get("Item")
    if found is None:
        raise WrongAnswer(f"{key} was acknowledged and is not there")
    return found


def _is_there(client: Client, item: Item) -> None:
    expect(_got(client, {"PK": item["PK"], "SK": item["SK"]}), item)


def _is_older(client: Client, number: int) -> None:
    years = int(_got(client, key_of(number))["years"]["N"])
    if years <= number:
        raise WrongAnswer(f"{key_of(number)} was updated and still has {years} years")


# Some servers take longer the more they hold, whatever is asked: so reads come before most writes.
REQUESTS: dict[str, Prepare] = {
    "GetItem": _get,
    "UpdateItem with a condition": _update,
    "TransactWriteItems, 2 items": _transaction,
    f"Query, {QUERIED} items": _query,
    f"Query of an index, {INDEXED} items": _query_index,
    "PutItem": put,
    f"BatchWriteItem, {requests.BATCH} items": _batch,
    "Query, COUNT of a partition": _count,
}
