"""Compare two contenders in this process: each request is prepared, tried once, and timed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Protocol, TypeAlias

from benchmarks.harness.measurement import Scale, Work, expect, measure_rates
from benchmarks.harness.workload import BATCH, item, nth_item, nth_key, nth_partition, nth_sort_key
from singletable import Item


class Contender(Protocol):
    """A store of items. Reads return decoded items, not bytes."""

    def fill(self, items: Iterable[Item]) -> None:
        """Put many items, in the fastest way."""
        ...

    def put(self, item: Item) -> None:
        """Put an item."""
        ...

    def get(self, key: Item) -> Item | None:
        """Return the item with a key."""
        ...

    def query(self, partition: str) -> Sequence[Item]:
        """Return all items of a partition, in order."""
        ...

    def update(self, partition: str, sort: str) -> None:
        """Add one to the years of an item, with a condition."""
        ...

    def transact(self, new: Item, partition: str, sort: str) -> None:
        """Put a new item and update another one, in a transaction."""
        ...

    def batch(self, items: Sequence[Item]) -> None:
        """Put 25 items."""
        ...

    def count(self, partition: str) -> int:
        """Return the number of items of a partition."""
        ...


Prepare: TypeAlias = Callable[[Contender, Scale], Work]

QUERIED = 100
# Far from the numbers of the measurement.
_TRIAL = 900_000_000


def _put(contender: Contender, scale: Scale) -> Work:
    contender.fill(map(nth_item, range(scale.items)))
    contender.put(nth_item(_TRIAL))
    expect(contender.get(nth_key(_TRIAL)), nth_item(_TRIAL))
    return lambda number: contender.put(nth_item(scale.items + number))


def _get(contender: Contender, scale: Scale) -> Work:
    contender.fill(map(nth_item, range(scale.items)))
    expect(contender.get(nth_key(7)), nth_item(7))
    return lambda number: contender.get(nth_key(number * 7 % scale.items))


def _query(contender: Contender, scale: Scale) -> Work:
    items = [item("QUERIED", nth_sort_key(number), str(number)) for number in range(QUERIED)]
    contender.fill(items)
    expect(list(contender.query("QUERIED")), items)
    return lambda number: contender.query("QUERIED")


def _update(contender: Contender, scale: Scale) -> Work:
    contender.fill(map(nth_item, range(scale.items)))

    def work(number: int) -> None:
        contender.update(*_keys(number % scale.items))

    work(7)
    expect(contender.get(nth_key(7)), _updated(7))
    return work


def _transact(contender: Contender, scale: Scale) -> Work:
    contender.fill(map(nth_item, range(scale.items)))

    def work(number: int) -> None:
        new = nth_item(scale.items + number)
        contender.transact(new, *_keys(number % scale.items))

    work(_TRIAL)
    expect(contender.get(nth_key(scale.items + _TRIAL)), nth_item(scale.items + _TRIAL))
    changed = _TRIAL % scale.items
    expect(contender.get(nth_key(changed)), _updated(changed))
    return work


def _batch(contender: Contender, scale: Scale) -> Work:
    contender.fill(map(nth_item, range(scale.items)))

    def work(number: int) -> None:
        first = scale.items + number * BATCH
        contender.batch([nth_item(number) for number in range(first, first + BATCH)])

    work(_TRIAL // BATCH)
    last = scale.items + _TRIAL + BATCH - 1
    expect(contender.get(nth_key(last)), nth_item(last))
    return work


def _count(contender: Contender, scale: Scale) -> Work:
    items = (item("COUNTED", nth_sort_key(number), str(number)) for number in range(scale.counted))
    contender.fill(items)
    expect(contender.count("COUNTED"), scale.counted)
    return lambda number: contender.count("COUNTED")


def _keys(number: int) -> tuple[str, str]:
    return nth_partition(number), nth_sort_key(number)


def _updated(number: int) -> Item:
    return {**nth_item(number), "years": {"N": str(number + 1)}}


OPERATIONS: dict[str, Prepare] = {
    "PutItem": _put,
    "GetItem": _get,
    f"Query, {QUERIED} items": _query,
    "UpdateItem with a condition": _update,
    "TransactWriteItems, 2 items": _transact,
    f"BatchWriteItem, {BATCH} items": _batch,
    "Query, COUNT of a partition": _count,
}


ContenderFactory: TypeAlias = Callable[[], AbstractContextManager[Contender]]


def compare(
    ours: ContenderFactory, theirs: ContenderFactory, scale: Scale, count: int | None = None
) -> Iterator[tuple[str, float, float]]:
    """Yield the names of the first requests and both rates; each request gets new contenders."""
    for name, (our_rate, their_rate) in compare_all([ours, theirs], scale, count):
        yield name, our_rate, their_rate


def compare_all(
    factories: Sequence[ContenderFactory], scale: Scale, count: int | None = None, clients: int = 1
) -> Iterator[tuple[str, list[float]]]:
    """Yield the names of the first requests and the rate of each contender."""
    for name, prepare in list(OPERATIONS.items())[:count]:
        with ExitStack() as stack:
            contenders = [stack.enter_context(factory()) for factory in factories]
            works = [prepare(contender, scale) for contender in contenders]
            rates = measure_rates(works, scale.seconds, clients)
        yield name, rates
