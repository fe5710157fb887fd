"""One transaction's worth of an event on its way into the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from singletable import ItemKey, Store, Transaction
from singletable_apps.elections.entities import Ballot, Candidate, Definition, Voter
from singletable_apps.elections.events import Event
from singletable_apps.elections.read_model import ReadModel

T = TypeVar("T")
P = TypeVar("P", Ballot, Candidate, Definition, Voter)

# A moved item is two of the hundred writes of a transaction, and takes its size twice of 4 MB; a
# ballot with a hundred candidates of the longest names, sealed, has 108 KB.
ITEMS_PER_STEP = 18


class StaleReadModel(Exception):
    """The table is not as this step needs it: somebody else was faster, or it is broken."""


class IndexLag(Exception):
    """An index does not show yet what the table has."""


@dataclass(frozen=True, slots=True)
class ProjectionStep:
    """The event, which of its steps this is, what can be read, and what is to be written."""

    event: Event
    number: int
    store: Store
    read: ReadModel
    transaction: Transaction

    @property
    def revision(self) -> int:
        """What an item that changes now has as its revision: the number of the event."""
        return self.event.event_id

    def slice_names(self, names: Sequence[str]) -> tuple[Sequence[str], bool]:
        """The names of this step, and whether they are the last."""
        begin = self.number * ITEMS_PER_STEP
        return names[begin : begin + ITEMS_PER_STEP], begin + ITEMS_PER_STEP >= len(names)

    def require(self, item: T | None, what: str) -> T:
        """An item that must be there when this event is applied."""
        if item is None:
            raise StaleReadModel(f"{what} is not there")
        return item


def take_step(items: Iterable[T]) -> list[T]:
    """As many as a chunk takes."""
    return list(islice(items, ITEMS_PER_STEP))


def copy_with(item: P, **names: str) -> P:
    """A copy of an item under other names."""
    moved = copy(item)
    for field, name in names.items():
        setattr(moved, field, name)
    return moved


def load_indexed(
    chunk: ProjectionStep,
    shown: Iterable[T],
    count: int,
    address: Callable[[T], ItemKey[T]],
    *,
    still: Callable[[T], bool] = lambda _: True,
) -> list[T]:
    """Some of the items that an index shows and the table has; IndexBehind if it shows too few.

    The index may show what is gone and not yet show what is there; `count` says how many there
    are, and `still` whether an item is what it was.
    """
    if count == 0:
        return []
    there = chunk.store.get_many(map(address, take_step(shown)), consistent=True)
    items = [item for item in there if item is not None and still(item)][:count]
    if not items:
        raise IndexLag
    return items
