"""Requests from the side of the client: our driver and boto3 on the same endpoint."""

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

from benchmarks.harness import workload
from benchmarks.harness.measurement import Scale
from benchmarks.harness.report import ReportTable, Target, format_microseconds, format_ratio
from benchmarks.harness.workload import item, key, nth_item
from benchmarks.http_load.servers import OURS, running
from singletable import GetItem, Operation, PutItem
from singletable.remote import AsyncRemote, Remote

CLAIM = "a request costs a client at most a fifth of the CPU time of boto3"
RATIO = Target(at_least=5)
MANY = 100
CONCURRENCY = 16
ROUNDS = 4

# Sends a request this many times; all clients decode the items.
RepeatedRequest: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """The CPU time and the latency of a request, in seconds."""

    cpu: float
    latency: float


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure the CPU time of the client and the latency of a request."""
    with running(OURS) as server, _Clients(server.port) as clients:
        costs_by_request = {
            name: _costs(requests, scale.seconds) for name, requests in clients.requests()
        }
    names = ["boto3", "Remote", f"AsyncRemote, {CONCURRENCY} concurrent"]
    yield ReportTable(
        "CPU time of the client for a request to our endpoint, which is another process",
        ["request", *names, "boto3 to Remote", "target"],
        [
            [
                name,
                *(format_microseconds(cost.cpu) for cost in costs),
                format_ratio(costs[0].cpu / costs[1].cpu),
                "" if name == "PutItem" else RATIO.verdict(costs[0].cpu / costs[1].cpu),
            ]
            for name, costs in costs_by_request.items()
        ],
        [
            "Each returns items as dictionaries of DynamoDB JSON: boto3's client by its parser, "
            "our drivers by `.item` and `.items`. Requests are signed. boto3 has no event loop."
        ],
    )
    yield ReportTable(
        "Latency of a request",
        ["request", *names[:2], "boto3 to Remote"],
        [
            [
                name,
                *(format_microseconds(cost.latency) for cost in costs[:2]),
                format_ratio(costs[0].latency / costs[1].latency),
            ]
            for name, costs in costs_by_request.items()
        ],
    )


class _Clients:
    """Three clients of one endpoint, and their requests."""

    def __init__(self, port: int) -> None:
        host = f"127.0.0.1:{port}"
        self._remote = Remote.at(f"dynamodb+http://{host}")
        self._async_remote = AsyncRemote.at(f"dynamodb+http://{host}")
        self._loop = asyncio.new_event_loop()
        client: Any = boto3  # it has no types
        self._boto3 = client.client(
            "dynamodb",
            endpoint_url=f"http://{host}",
            region_name="us-east-1",
            aws_access_key_id="singletable",
            aws_secret_access_key="singletable",
            config=Config(account_id_endpoint_mode="disabled"),
        )
        self._remote.execute(workload.create())
        self._remote.execute(PutItem(workload.TABLE, nth_item(1)))
        for number in range(MANY):
            many_item = item("MANY", f"SKILL#{number:09}", str(number))
            self._remote.execute(PutItem(workload.TABLE, many_item))

    def __enter__(self) -> _Clients:
        return self

    def __exit__(self, *_: object) -> None:
        self._remote.close()
        self._loop.run_until_complete(self._async_remote.aclose())
        self._loop.close()
        self._boto3.close()

    def requests(self) -> Iterator[tuple[str, list[RepeatedRequest]]]:
        """Yield the name of each request, and how each client sends it."""
        get = GetItem(workload.TABLE, key(nth_item(1)["PK"]["S"], nth_item(1)["SK"]["S"]))
        put = PutItem(workload.TABLE, nth_item(2))
        query = workload.query("MANY")
        yield "GetItem", self._by_client(get, "get_item", lambda got: got.item)
        yield f"Query, {MANY} items", self._by_client(query, "query", lambda page: page.items)
        yield "PutItem", self._by_client(put, "put_item", lambda written: written.attributes)

    def _by_client(
        self, operation: Operation[Any], method: str, decode: Callable[[Any], object]
    ) -> list[RepeatedRequest]:
        call = getattr(self._boto3, method)
        arguments = msgspec.to_builtins(operation)

        def use_boto3(times: int) -> None:
            for _ in range(times):
                call(**arguments)

        def use_remote(times: int) -> None:
            for _ in range(times):
                decode(self._remote.execute(operation))

        async def repeat(times: int) -> None:
            for _ in range(times):
                decode(await self._async_remote.execute(operation))

        async def concurrently(times: int) -> None:
            await asyncio.gather(*(repeat(times // CONCURRENCY) for _ in range(CONCURRENCY)))

        def use_async_remote(times: int) -> None:
            self._loop.run_until_complete(concurrently(times))

        return [use_boto3, use_remote, use_async_remote]


def _costs(requests: list[RepeatedRequest], seconds: float) -> list[Cost]:
    """Return the cost of each; they take turns, so that other load affects all alike."""
    costs_by_request: list[list[Cost]] = [[] for _ in requests]
    for _ in range(ROUNDS):
        for costs, request in zip(costs_by_request, requests, strict=True):
            costs.append(_cost(request, seconds / ROUNDS))
    return [
        Cost(median(cost.cpu for cost in costs), median(cost.latency for cost in costs))
        for costs in costs_by_request
    ]


def _cost(request: RepeatedRequest, seconds: float) -> Cost:
    cpu_before, started, done = time.process_time(), time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        request(CONCURRENCY)
        done += CONCURRENCY
    latency = time.perf_counter() - started
    return Cost((time.process_time() - cpu_before) / done, latency / done)
