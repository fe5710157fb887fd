"""Clients that do at random what DynamoDB can do at once, and note what they saw."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from random import Random
from typing import Any, TypeAlias, cast

from drills.concurrency.events import Events, Touch, Transaction
from drills.concurrency.requests import (
    COUNTERS,
    LISTS,
    REGISTERS,
    TABLE,
    add_to,
    add_to_all,
    count,
    get,
    list_of,
    put,
    remove,
    swap,
    value_of,
)
from drills.faces import Answer, Client
from singletable import (
    BatchGetItem,
    BatchWriteItem,
    Get,
    KeysAndAttributes,
    PutRequest,
    Query,
    TransactGetItem,
    TransactGetItems,
    WriteRequest,
)
from singletable.operations import Operation

Asking: TypeAlias = Generator[Operation[Any], Answer, None]
Timed: TypeAlias = Generator[Operation[Any], Answer, tuple[int, int, Answer]]


def client(seed: int, number: int, steps: int, events: Events) -> Client:
    """A client that does so many things."""
    chance = Random(f"{seed}/{number}")
    for step in range(steps):
        act = chance.choice(_ACTS)
        yield from act(chance, f"{number}.{step}", events)


def reader(events: Events) -> Client:
    """Read every list once more, after everyone."""
    for key in LISTS:
        yield from _read_lists("last", events, [key])


def _timed(operation: Operation[Any]) -> Timed:
    began = time.perf_counter_ns()
    answer = yield operation
    return began, time.perf_counter_ns(), answer


def _get(chance: Random, name: str, events: Events) -> Asking:
    key = chance.choice(REGISTERS + COUNTERS)
    began, ended, answer = yield from _timed(get(key))
    events.touches.append(Touch(key, began, ended, "get", seen=value_of(answer.body.get("Item"))))


def _put(chance: Random, name: str, events: Events) -> Asking:
    key = chance.choice(REGISTERS)
    began, ended, answer = yield from _timed(put(key, name))
    seen = value_of(answer.body.get("Attributes"))
    events.touches.append(Touch(key, began, ended, "put", name, seen=seen))


def _remove(chance: Random, name: str, events: Events) -> Asking:
    key = chance.choice(REGISTERS)
    began, ended, answer = yield from _timed(remove(key))
    seen = value_of(answer.body.get("Attributes"))
    events.touches.append(Touch(key, began, ended, "remove", seen=seen))


def _swap(chance: Random, name: str, events: Events) -> Asking:
    """Read, and write if nobody else has meanwhile."""
    key = chance.choice(REGISTERS)
    began, ended, answer = yield from _timed(get(key))
    expected = value_of(answer.body.get("Item"))
    events.touches.append(Touch(key, began, ended, "get", seen=expected))
    began, ended, answer = yield from _timed(swap(key, name, cast("str | None", expected)))
    done = not answer.code
    seen = expected if done else value_of(answer.body.get("Item"))
    events.touches.append(Touch(key, began, ended, "swap", name, expected, done, seen=seen))


def _count(chance: Random, name: str, events: Events) -> Asking:
    key = chance.choice(COUNTERS)
    began, ended, answer = yield from _timed(count(key))
    seen = value_of(answer.body.get("Attributes"))
    events.touches.append(Touch(key, began, ended, "add", seen=seen))


def _batch_put(chance: Random, name: str, events: Events) -> Asking:
    """A batch is no transaction: each item is written by itself, some time in between."""
    keys = chance.sample(REGISTERS, 2)
    puts = [WriteRequest(put_request=PutRequest(put(key, name).item)) for key in keys]
    began, ended, _ = yield from _timed(BatchWriteItem({TABLE: puts}))
    events.touches += [Touch(key, began, ended, "put", name, saw=False) for key in keys]


def _batch_get(chance: Random, name: str, events: Events) -> Asking:
    keys = chance.sample(REGISTERS, 2)
    wanted = KeysAndAttributes([get(key).key for key in keys], consistent_read=True)
    began, ended, answer = yield from _timed(BatchGetItem({TABLE: wanted}))
    found = {item["sk"]["S"]: item for item in answer.body["Responses"][TABLE]}
    events.touches += [
        Touch(key, began, ended, "get", seen=value_of(found.get(key))) for key in keys
    ]


def _query(chance: Random, name: str, events: Events) -> Asking:
    """A query, too, sees each item at some moment of its own."""
    question = Query(
        TABLE,
        key_condition_expression="pk = :all",
        expression_attribute_values={":all": {"S": "all"}},
        consistent_read=True,
    )
    began, ended, answer = yield from _timed(question)
    found = {item["sk"]["S"]: item for item in answer.body["Items"]}
    events.touches += [
        Touch(key, began, ended, "get", seen=value_of(found.get(key)))
        for key in REGISTERS + COUNTERS
    ]
    for key in LISTS:
        read = {key: list_of(found.get(key))}
        events.transactions.append(Transaction(f"{name}/{key}", began, ended, read))


def _add(chance: Random, name: str, events: Events) -> Asking:
    key = chance.choice(LISTS)
    began, ended, answer = yield from _timed(add_to(key, name))
    read = {key: list_of(answer.body.get("Attributes"))}
    events.transactions.append(Transaction(name, began, ended, read, {key: name}))


def _add_to_several(chance: Random, name: str, events: Events) -> Asking:
    added = {key: f"{name}:{key}" for key in chance.sample(LISTS, 2)}
    began, ended, answer = yield from _timed(add_to_all(added))
    if answer.code:
        events.refused |= set(added.values())
    else:
        events.transactions.append(Transaction(name, began, ended, added=added))


def _add_if_unchanged(chance: Random, name: str, events: Events) -> Asking:
    """Add to one list if another has not grown meanwhile: write skew, if it went wrong."""
    watched, key = chance.sample(LISTS, 2)
    began, ended, answer = yield from _timed(get(watched))
    seen = list_of(answer.body.get("Item"))
    events.transactions.append(Transaction(f"{name}/read", began, ended, {watched: seen}))
    added = {key: f"{name}:{key}"}
    began, ended, answer = yield from _timed(add_to_all(added, unchanged=(watched, len(seen))))
    if not answer.code:
        events.transactions.append(Transaction(name, began, ended, {watched: seen}, added))
        return
    events.refused |= set(added.values())
    reasons = cast("list[dict[str, Any]]", answer.body.get("CancellationReasons", []))
    for reason in reasons:
        if reason["Code"] == "ConditionalCheckFailed":
            grown = {watched: list_of(reason.get("Item"))}
            events.transactions.append(Transaction(name, began, ended, grown))


def _read_several(chance: Random, name: str, events: Events) -> Asking:
    yield from _read_lists(name, events, chance.sample(LISTS, 2))


def _read_lists(name: str, events: Events, keys: list[str]) -> Asking:
    gets = [TransactGetItem(Get(TABLE, get(key).key)) for key in keys]
    began, ended, answer = yield from _timed(TransactGetItems(gets))
    if not answer.code:
        found = answer.body["Responses"]
        read = {key: list_of(one.get("Item")) for key, one in zip(keys, found, strict=True)}
        events.transactions.append(Transaction(f"{name}/{'+'.join(keys)}", began, ended, read))


_ACTS: tuple[Callable[[Random, str, Events], Asking], ...] = (
    _get,
    _get,
    _put,
    _remove,
    _swap,
    _count,
    _batch_put,
    _batch_get,
    _query,
    _add,
    _add_to_several,
    _add_to_several,
    _add_if_unchanged,
    _read_several,
    _read_several,
)
