"""The requests that are measured in this process, by name; each is prepared, tried, then timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from benchmarks.in_process.contender import Contender
from benchmarks.measuring.expect import expect
from benchmarks.measuring.rates import Act
from benchmarks.measuring.scale import Scale
from benchmarks.workload.items import item, item_of, key_of, partition_of, sort_of
from benchmarks.workload.requests import BATCH
from singletable import Item

Prepare: TypeAlias = Callable[[Contender, Scale], Act]

QUERIED = 100
# Far from the numbers that are measured with.
_TRIAL = 900_000_000


def _put(contender: Contender, scale: Scale) -> Act:
    contender.fill(map(item_of, range(scale.items)))
    contender.put(item_of(_TRIAL))
    expect(contender.get(key_of(_TRIAL)), item_of(_TRIAL))
    return lambda number: contender.put(item_of(scale.items + number))


def _get(contender: Contender, scale: Scale) -> Act:
    contender.fill(map(item_of, range(scale.items)))
    expect(contender.get(key_of(7)), item_of(7))
    return lambda number: contender.get(key_of(number * 7 % scale.items))


def _query(contender: Contender, scale: Scale) -> Act:
    items = [item("QUERIED", sort_of(number), str(number)) for number in range(QUERIED)]
    contender.fill(items)
    expect(list(contender.query("QUERIED")), items)
    return lambda number: contender.query("QUERIED")


def _update(contender: Contender, scale: Scale) -> Act:
    contender.fill(map(item_of, range(scale.items)))

    def act(number: int) -> None:
        contender.update(*_place(number % scale.items))

    act(7)
    expect(contender.get(key_of(7)), _older(7))
    return act


def _transact(contender: Contender, scale: Scale) -> Act:
    contender.fill(map(item_of, range(scale.items)))

    def act(number: int) -> None:
        new = item_of(scale.items + number)
        contender.transact(new, *_place(number % scale.items))

    act(_TRIAL)
    expect(contender.get(key_of(scale.items + _TRIAL)), item_of(scale.items + _TRIAL))
    changed = _TRIAL % scale.items
    expect(contender.get(key_of(changed)), _older(changed))
    return act


def _batch(contender: Contender, scale: Scale) -> Act:
    contender.fill(map(item_of, range(scale.items)))

    def act(number: int) -> None:
        first = scale.items + number * BATCH
        contender.batch([item_of(each) for each in range(first, first + BATCH)])

    act(_TRIAL // BATCH)
    last = scale.items + _TRIAL + BATCH - 1
    expect(contender.get(key_of(last)), item_of(last))
    return act


def _count(contender: Contender, scale: Scale) -> Act:
    items = (item("COUNTED", sort_of(number), str(number)) for number in range(scale.counted))
    contender.fill(items)
    expect(contender.count("COUNTED"), scale.counted)
    return lambda number: contender.count("COUNTED")


def _place(number: int) -> tuple[str, str]:
    return partition_of(number), sort_of(number)


def _older(number: int) -> Item:
    return {**item_of(number), "years": {"N": str(number + 1)}}


ACTS: dict[str, Prepare] = {
    "PutItem": _put,
    "GetItem": _get,
    f"Query, {QUERIED} items": _query,
    "UpdateItem with a condition": _update,
    "TransactWriteItems, 2 items": _transact,
    f"BatchWriteItem, {BATCH} items": _batch,
    "Query, COUNT of a partition": _count,
}
