"""What a contender in this process can do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from singletable import Item


class Contender(Protocol):
    """A store of items. Reads give what a program would look at: items decoded, not bytes."""

    def fill(self, items: Iterable[Item]) -> None:
        """Store many items, however it is done best."""
        ...

    def put(self, item: Item) -> None:
        """Store an item."""
        ...

    def get(self, key: Item) -> Item | None:
        """The item with a key."""
        ...

    def query(self, partition: str) -> Sequence[Item]:
        """All items of a partition, in order."""
        ...

    def update(self, partition: str, sort: str) -> None:
        """Add one year to an item, if it has not too many."""
        ...

    def transact(self, new: Item, partition: str, sort: str) -> None:
        """Store an item that must be new, and add one year to another; or neither."""
        ...

    def batch(self, items: Sequence[Item]) -> None:
        """Store 25 items."""
        ...

    def count(self, partition: str) -> int:
        """How many items a partition has."""
        ...
