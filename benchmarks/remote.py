"""Requests from a client's side: our driver and boto3, on the same endpoint."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias

import boto3
import msgspec
from botocore.config import Config

from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.table import Table
from benchmarks.over_http.server import running
from benchmarks.over_http.servers import OURS
from benchmarks.workload import requests
from benchmarks.workload.items import item, item_of, key
from singletable import GetItem, Operation, PutItem
from singletable.remote import AsyncRemote, Remote

CLAIM = "a request costs a client at least five times less processor time than one through boto3"
RATIO = Bar(at_least=5)
MANY = 100
AT_ONCE = 16
ROUNDS = 4

# Asks so often; how deep an answer is decoded is the same for all.
Asking: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a request took: of the processor, and by the clock."""

    processor: float
    clock: float


def measure(scale: Scale) -> Iterable[Table]:
    """The client's processor time for a request, and how long one waits for an answer."""
    with running(OURS) as server, _Clients(server.port) as clients:
        found = {name: _costs(acts, scale.seconds) for name, acts in clients.acts()}
    names = ["boto3", "Remote", f"AsyncRemote, {AT_ONCE} at once"]
    yield Table(
        "The client's processor time for a request to our endpoint, which is another process",
        ["request", *names, "boto3 to Remote", "bar"],
        [
            [
                name,
                *(units.microseconds(cost.processor) for cost in costs),
                units.times(costs[0].processor / costs[1].processor),
                "" if name == "PutItem" else RATIO.verdict(costs[0].processor / costs[1].processor),
            ]
            for name, costs in found.items()
        ],
        [
            "Each gives items as dictionaries in DynamoDB's JSON: boto3's client by its parser, "
            "our drivers by `.item` and `.items`. Requests are signed. boto3 has no event loop."
        ],
    )
    yield Table(
        "How long one client waits for an answer",
        ["request", *names[:2], "boto3 to Remote"],
        [
            [
                name,
                *(units.microseconds(cost.clock) for cost in costs[:2]),
                units.times(costs[0].clock / costs[1].clock),
            ]
            for name, costs in found.items()
        ],
    )


class _Clients:
    """Three clients of one endpoint, and what they ask."""

    def __init__(self, port: int) -> None:
        place = f"127.0.0.1:{port}"
        self._remote = Remote.at(f"dynamodb+http://{place}")
        self._far = AsyncRemote.at(f"dynamodb+http://{place}")
        self._loop = asyncio.new_event_loop()
        client: Any = boto3  # it has no types of its own
        self._boto3 = client.client(
            "dynamodb",
            endpoint_url=f"http://{place}",
            region_name="us-east-1",
            aws_access_key_id="singletable",
            aws_secret_access_key="singletable",
            config=Config(account_id_endpoint_mode="disabled"),
        )
        self._remote.execute(requests.create())
        self._remote.execute(PutItem(requests.TABLE, item_of(1)))
        for number in range(MANY):
            one = item("MANY", f"SKILL#{number:09}", str(number))
            self._remote.execute(PutItem(requests.TABLE, one))

    def __enter__(self) -> _Clients:
        return self

    def __exit__(self, *_: object) -> None:
        self._remote.close()
        self._loop.run_until_complete(self._far.aclose())
        self._loop.close()
        self._boto3.close()

    def acts(self) -> Iterator[tuple[str, list[Asking]]]:
        """Each request, as each client asks it."""
        get = GetItem(requests.TABLE, key(item_of(1)["PK"]["S"], item_of(1)["SK"]["S"]))
        put = PutItem(requests.TABLE, item_of(2))
        query = requests.query("MANY")
        yield "GetItem", self._each(get, "get_item", lambda got: got.item)
        yield f"Query, {MANY} items", self._each(query, "query", lambda page: page.items)
        yield "PutItem", self._each(put, "put_item", lambda written: written.attributes)

    def _each(
        self, operation: Operation[Any], method: str, decoded: Callable[[Any], object]
    ) -> list[Asking]:
        call = getattr(self._boto3, method)
        given = msgspec.to_builtins(operation)

        def by_boto3(times: int) -> None:
            for _ in range(times):
                call(**given)

        def by_remote(times: int) -> None:
            for _ in range(times):
                decoded(self._remote.execute(operation))

        async def some(times: int) -> None:
            for _ in range(times):
                decoded(await self._far.execute(operation))

        async def at_once(times: int) -> None:
            await asyncio.gather(*(some(times // AT_ONCE) for _ in range(AT_ONCE)))

        def awaited(times: int) -> None:
            self._loop.run_until_complete(at_once(times))

        return [by_boto3, by_remote, awaited]


def _costs(acts: list[Asking], seconds: float) -> list[Cost]:
    """What each costs, measured in turns, so that what disturbs the machine disturbs all alike."""
    found: list[list[Cost]] = [[] for _ in acts]
    for _ in range(ROUNDS):
        for costs, act in zip(found, acts, strict=True):
            costs.append(_cost(act, seconds / ROUNDS))
    return [
        Cost(median(one.processor for one in costs), median(one.clock for one in costs))
        for costs in found
    ]


def _cost(act: Asking, seconds: float) -> Cost:
    worked, begun, done = time.process_time(), time.perf_counter(), 0
    while time.perf_counter() - begun < seconds:
        act(AT_ONCE)
        done += AT_ONCE
    clock = time.perf_counter() - begun
    return Cost((time.process_time() - worked) / done, clock / done)
