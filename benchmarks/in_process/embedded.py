"""The embedded engine as a contender."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

from benchmarks.harness import workload
from singletable import Driver, GetItem, Item, PutItem, connect


class EmbeddedContender:
    """The engine, which executes operations."""

    def __init__(self, engine: Driver) -> None:
        self._execute = engine.execute
        self._execute(workload.create())

    def fill(self, items: Iterable[Item]) -> None:
        """Put many items, 25 at a time."""
        for batch in workload.batches(items):
            self._execute(batch)

    def put(self, item: Item) -> None:
        """Put an item."""
        self._execute(PutItem(workload.TABLE, item))

    def get(self, key: Item) -> Item | None:
        """Return the item with a key."""
        return self._execute(GetItem(workload.TABLE, key)).item

    def query(self, partition: str) -> Sequence[Item]:
        """Return all items of a partition, which fit into one page."""
        return self._execute(workload.query(partition)).items

    def query_prefix(self, partition: str, prefix: str) -> Sequence[Item]:
        """Return the items of a partition whose sort key has a prefix."""
        return self._execute(workload.query_prefix(partition, prefix)).items

    def update(self, partition: str, sort: str) -> None:
        """Add one to the years of an item, with a condition."""
        self._execute(workload.update(partition, sort))

    def transact(self, new: Item, partition: str, sort: str) -> None:
        """Put a new item and update another one, in a transaction."""
        self._execute(workload.transaction(new, partition, sort))

    def batch(self, items: Sequence[Item]) -> None:
        """Put 25 items."""
        self._execute(workload.batch(items))

    def count(self, partition: str) -> int:
        """Return the number of items of a partition, from all pages."""
        page = self._execute(workload.count(partition))
        total = page.count
        while page.last_evaluated_key is not None:
            page = self._execute(workload.count(partition, page.last_evaluated_key))
            total += page.count
        return total


@contextmanager
def embedded(address: str = "memory:") -> Generator[EmbeddedContender]:
    """Yield a new engine at an address, with one empty table."""
    with connect(address) as engine:
        yield EmbeddedContender(engine)
