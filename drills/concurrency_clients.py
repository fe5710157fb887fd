"""Clients that execute random operations concurrently and record what they wrote and read."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, TypeAlias, cast

from drills.client_runners import Client, Response
from dynamodb_engine import (
    AttributeDefinition,
    BatchGetItem,
    BatchWriteItem,
    ConditionCheck,
    CreateTable,
    DeleteItem,
    Get,
    GetItem,
    Item,
    KeysAndAttributes,
    KeySchemaElement,
    PutItem,
    PutRequest,
    Query,
    TransactGetItem,
    TransactGetItems,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
    WriteRequest,
)
from dynamodb_engine.operations import Operation

Value: TypeAlias = str | int | None


@dataclass(frozen=True, slots=True)
class ItemOperation:
    """One operation on an item with a single value: a register or a counter.

    `compare_and_set` writes if the value is `expected`; `succeeded` is whether it was. `value` is
    the returned value, if `has_value`: the old one, for `add` the new one.
    """

    key: str
    started: int
    ended: int
    kind: Literal["get", "put", "compare_and_set", "remove", "add"]
    written: Value = None
    expected: Value = None
    succeeded: bool = True
    has_value: bool = True
    value: Value = None


@dataclass(frozen=True, slots=True)
class ListTransaction:
    """An atomic operation on lists: the values read from each, and the value appended to each."""

    name: str
    started: int
    ended: int
    read: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    appended: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class ConcurrentHistory:
    """What all clients wrote and read, and the appends that were rejected."""

    operations: list[ItemOperation] = field(default_factory=list[ItemOperation])
    transactions: list[ListTransaction] = field(default_factory=list[ListTransaction])
    rejected: set[str] = field(default_factory=set[str])


TABLE = "shared"
REGISTERS = ["register-1", "register-2", "register-3"]
COUNTERS = ["counter-1", "counter-2"]
LISTS = ["list-1", "list-2", "list-3"]

_APPEND = "SET entries = list_append(if_not_exists(entries, :none), :one)"


def create_table() -> CreateTable:
    """Create the table, which has one partition, so that a query reads everything."""
    return CreateTable(
        TABLE,
        [AttributeDefinition("pk", "S"), AttributeDefinition("sk", "S")],
        [KeySchemaElement("pk", "HASH"), KeySchemaElement("sk", "RANGE")],
        billing_mode="PAY_PER_REQUEST",
    )


def get(key: str) -> GetItem:
    """Read an item consistently."""
    return GetItem(TABLE, _key(key), consistent_read=True)


def put(key: str, value: str) -> PutItem:
    """Set a register and return its old value."""
    return PutItem(TABLE, {**_key(key), "payload": {"S": value}}, return_values="ALL_OLD")


def remove(key: str) -> DeleteItem:
    """Remove a register and return its old value."""
    return DeleteItem(TABLE, _key(key), return_values="ALL_OLD")


def compare_and_set(key: str, value: str, expected: str | None) -> PutItem:
    """Set a register if it has the expected value; otherwise return its value."""
    item = put(key, value).item
    if expected is None:
        return PutItem(
            TABLE,
            item,
            condition_expression="attribute_not_exists(pk)",
            return_values_on_condition_check_failure="ALL_OLD",
        )
    return PutItem(
        TABLE,
        item,
        condition_expression="payload = :expected",
        expression_attribute_values={":expected": {"S": expected}},
        return_values_on_condition_check_failure="ALL_OLD",
    )


def count(key: str) -> UpdateItem:
    """Increment a counter and return its new value."""
    return UpdateItem(
        TABLE,
        _key(key),
        update_expression="ADD times :one",
        expression_attribute_values={":one": {"N": "1"}},
        return_values="UPDATED_NEW",
    )


def append_to(key: str, value: str) -> UpdateItem:
    """Append to a list and return its old values."""
    return UpdateItem(
        TABLE,
        _key(key),
        update_expression=_APPEND,
        expression_attribute_values=_append_values(value),
        return_values="ALL_OLD",
    )


def append_to_all(
    appended: dict[str, str], unchanged: tuple[str, int] | None = None
) -> TransactWriteItems:
    """Append to several lists in one transaction, if another list still has the same length."""
    actions = [
        TransactWriteItem(
            update=Update(
                TABLE, _key(key), _APPEND, expression_attribute_values=_append_values(value)
            )
        )
        for key, value in appended.items()
    ]
    if unchanged is not None:
        key, length = unchanged
        actions.append(TransactWriteItem(condition_check=_has_length(key, length)))
    return TransactWriteItems(actions)


def value_of(item: object) -> Value:
    """Return the value of a register or a counter."""
    stored = cast("Item", item or {})
    if "times" in stored:
        return int(stored["times"]["N"])
    return stored["payload"]["S"] if "payload" in stored else None


def list_of(item: object) -> tuple[str, ...]:
    """Return the values of a list."""
    stored = cast("Item", item or {})
    return tuple(entry["S"] for entry in stored["entries"]["L"]) if "entries" in stored else ()


def _key(key: str) -> Item:
    return {"pk": {"S": "all"}, "sk": {"S": key}}


def _append_values(value: str) -> Item:
    return {":none": {"L": []}, ":one": {"L": [{"S": value}]}}


def _has_length(key: str, length: int) -> ConditionCheck:
    if length == 0:
        return ConditionCheck(
            TABLE,
            _key(key),
            "attribute_not_exists(entries)",
            return_values_on_condition_check_failure="ALL_OLD",
        )
    return ConditionCheck(
        TABLE,
        _key(key),
        "size(entries) = :length",
        expression_attribute_values={":length": {"N": str(length)}},
        return_values_on_condition_check_failure="ALL_OLD",
    )


ClientSteps: TypeAlias = Generator[Operation[Any], Response, None]
TimedStep: TypeAlias = Generator[Operation[Any], Response, tuple[int, int, Response]]


def random_client(seed: int, number: int, steps: int, history: ConcurrentHistory) -> Client:
    """Return a client that executes random steps."""
    chance = Random(f"{seed}/{number}")
    for step in range(steps):
        run_step, name = chance.choice(_STEPS), f"{number}.{step}"
        try:
            yield from run_step(chance, name, history)
        except _NothingChanged:
            history.rejected |= {name, *(f"{name}:{key}" for key in LISTS)}


def read_lists(history: ConcurrentHistory) -> Client:
    """Return a client that reads every list, after all other clients."""
    for key in LISTS:
        yield from _read_all("last", history, [key])


class _NothingChanged(Exception):
    """Ends a step whose operation was rejected, whatever the items contain."""


def _time(operation: Operation[Any]) -> TimedStep:
    started = time.perf_counter_ns()
    response = yield operation
    if response.code in ("ServiceUnavailable", "TransactionConflictException"):
        raise _NothingChanged
    return started, time.perf_counter_ns(), response


def _get(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    key = chance.choice(REGISTERS + COUNTERS)
    started, ended, response = yield from _time(get(key))
    history.operations.append(
        ItemOperation(key, started, ended, "get", value=value_of(response.body.get("Item")))
    )


def _put(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    key = chance.choice(REGISTERS)
    started, ended, response = yield from _time(put(key, name))
    value = value_of(response.body.get("Attributes"))
    history.operations.append(ItemOperation(key, started, ended, "put", name, value=value))


def _remove(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    key = chance.choice(REGISTERS)
    started, ended, response = yield from _time(remove(key))
    value = value_of(response.body.get("Attributes"))
    history.operations.append(ItemOperation(key, started, ended, "remove", value=value))


def _compare_and_set(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    """Read, then write if nobody else has written in between."""
    key = chance.choice(REGISTERS)
    started, ended, response = yield from _time(get(key))
    expected = value_of(response.body.get("Item"))
    history.operations.append(ItemOperation(key, started, ended, "get", value=expected))
    started, ended, response = yield from _time(
        compare_and_set(key, name, cast("str | None", expected))
    )
    succeeded = not response.code
    value = expected if succeeded else value_of(response.body.get("Item"))
    history.operations.append(
        ItemOperation(
            key, started, ended, "compare_and_set", name, expected, succeeded, value=value
        )
    )


def _count(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    key = chance.choice(COUNTERS)
    started, ended, response = yield from _time(count(key))
    value = value_of(response.body.get("Attributes"))
    history.operations.append(ItemOperation(key, started, ended, "add", value=value))


def _batch_put(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    """Put a batch, which is not a transaction: each item is written at its own time."""
    keys = chance.sample(REGISTERS, 2)
    puts = [WriteRequest(put_request=PutRequest(put(key, name).item)) for key in keys]
    started, ended, _ = yield from _time(BatchWriteItem({TABLE: puts}))
    history.operations += [
        ItemOperation(key, started, ended, "put", name, has_value=False) for key in keys
    ]


def _batch_get(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    keys = chance.sample(REGISTERS, 2)
    keys_and_attributes = KeysAndAttributes([get(key).key for key in keys], consistent_read=True)
    started, ended, response = yield from _time(BatchGetItem({TABLE: keys_and_attributes}))
    items = {item["sk"]["S"]: item for item in response.body["Responses"][TABLE]}
    history.operations += [
        ItemOperation(key, started, ended, "get", value=value_of(items.get(key))) for key in keys
    ]


def _query(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    """Query, which is not a transaction either: each item is read at its own time."""
    query = Query(
        TABLE,
        key_condition_expression="pk = :all",
        expression_attribute_values={":all": {"S": "all"}},
        consistent_read=True,
    )
    started, ended, response = yield from _time(query)
    items = {item["sk"]["S"]: item for item in response.body["Items"]}
    history.operations += [
        ItemOperation(key, started, ended, "get", value=value_of(items.get(key)))
        for key in REGISTERS + COUNTERS
    ]
    for key in LISTS:
        read = {key: list_of(items.get(key))}
        history.transactions.append(ListTransaction(f"{name}/{key}", started, ended, read))


def _append(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    key = chance.choice(LISTS)
    started, ended, response = yield from _time(append_to(key, name))
    read = {key: list_of(response.body.get("Attributes"))}
    history.transactions.append(ListTransaction(name, started, ended, read, {key: name}))


def _append_to_several(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    appended = {key: f"{name}:{key}" for key in chance.sample(LISTS, 2)}
    started, ended, response = yield from _time(append_to_all(appended))
    if response.code:
        history.rejected |= set(appended.values())
    else:
        history.transactions.append(ListTransaction(name, started, ended, appended=appended))


def _append_if_unchanged(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    """Append to a list if another has not grown: without isolation this gives write skew."""
    watched, key = chance.sample(LISTS, 2)
    started, ended, response = yield from _time(get(watched))
    value = list_of(response.body.get("Item"))
    history.transactions.append(ListTransaction(f"{name}/read", started, ended, {watched: value}))
    appended = {key: f"{name}:{key}"}
    started, ended, response = yield from _time(
        append_to_all(appended, unchanged=(watched, len(value)))
    )
    if not response.code:
        history.transactions.append(
            ListTransaction(name, started, ended, {watched: value}, appended)
        )
        return
    history.rejected |= set(appended.values())
    reasons = cast("list[dict[str, Any]]", response.body.get("CancellationReasons", []))
    for reason in reasons:
        if reason["Code"] == "ConditionalCheckFailed":
            grown = {watched: list_of(reason.get("Item"))}
            history.transactions.append(ListTransaction(name, started, ended, grown))


def _read_several(chance: Random, name: str, history: ConcurrentHistory) -> ClientSteps:
    yield from _read_all(name, history, chance.sample(LISTS, 2))


def _read_all(name: str, history: ConcurrentHistory, keys: list[str]) -> ClientSteps:
    gets = [TransactGetItem(Get(TABLE, get(key).key)) for key in keys]
    started, ended, response = yield from _time(TransactGetItems(gets))
    if not response.code:
        parts = response.body["Responses"]
        read = {key: list_of(part.get("Item")) for key, part in zip(keys, parts, strict=True)}
        history.transactions.append(
            ListTransaction(f"{name}/{'+'.join(keys)}", started, ended, read)
        )


_STEPS: tuple[Callable[[Random, str, ConcurrentHistory], ClientSteps], ...] = (
    _get,
    _get,
    _put,
    _remove,
    _compare_and_set,
    _count,
    _batch_put,
    _batch_get,
    _query,
    _append,
    _append_to_several,
    _append_to_several,
    _append_if_unchanged,
    _read_several,
    _read_several,
)
