"""The embedded engine as a contender."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

from benchmarks.workload import requests
from singletable import Driver, GetItem, Item, PutItem, connect


class Embedded:
    """The engine, given operations."""

    def __init__(self, engine: Driver) -> None:
        self._execute = engine.execute
        self._execute(requests.create())

    def fill(self, items: Iterable[Item]) -> None:
        """Store many items, 25 at a time."""
        for batch in requests.batches(items):
            self._execute(batch)

    def put(self, item: Item) -> None:
        """Store an item."""
        self._execute(PutItem(requests.TABLE, item))

    def get(self, key: Item) -> Item | None:
        """The item with a key."""
        return self._execute(GetItem(requests.TABLE, key)).item

    def query(self, partition: str) -> Sequence[Item]:
        """All items of a partition; they fit into one page here."""
        return self._execute(requests.query(partition)).items

    def query_prefix(self, partition: str, prefix: str) -> Sequence[Item]:
        """The items of a partition whose sort key begins so."""
        return self._execute(requests.query_prefix(partition, prefix)).items

    def update(self, partition: str, sort: str) -> None:
        """Add one year to an item, if it has not too many."""
        self._execute(requests.update(partition, sort))

    def transact(self, new: Item, partition: str, sort: str) -> None:
        """Store an item that must be new, and add one year to another; or neither."""
        self._execute(requests.transaction(new, partition, sort))

    def batch(self, items: Sequence[Item]) -> None:
        """Store 25 items."""
        self._execute(requests.batch(items))

    def count(self, partition: str) -> int:
        """How many items a partition has, all pages asked for."""
        page = self._execute(requests.count(partition))
        found = page.count
        while page.last_evaluated_key is not None:
            page = self._execute(requests.count(partition, page.last_evaluated_key))
            found += page.count
        return found


@contextmanager
def embedded(address: str = "memory:") -> Generator[Embedded]:
    """A new engine at an address, with one empty table."""
    with connect(address) as engine:
        yield Embedded(engine)
