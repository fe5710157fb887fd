"""One step of applying an event: what handlers read from, and the transaction they write to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from singletable import Edit, Store, Transaction, key_of
from singletable_apps.elections.changes import changes_of
from singletable_apps.elections.events import Event, EventData
from singletable_apps.elections.read_model import ReadModel

T = TypeVar("T")

# Moving an item takes two of the 100 writes of a transaction, and its size twice of 4 MB. A sealed
# ballot with a hundred candidates with the longest names has 108 KB.
ITEMS_PER_STEP = 18


class StaleReadModel(Exception):
    """The table is not as this step needs it: another process was first, or it is broken."""


class IndexLag(Exception):
    """An index does not show yet what the table contains."""


@dataclass(frozen=True, slots=True)
class ProjectionStep:
    """One transaction of applying an event; `number` counts the steps of the event from 0."""

    event: Event
    number: int
    store: Store
    read: ReadModel
    transaction: Transaction

    @property
    def revision(self) -> int:
        """Return the revision of all items that this event changes: its id."""
        return self.event.event_id

    def slice(self, items: Sequence[T], size: int = ITEMS_PER_STEP) -> tuple[Sequence[T], bool]:
        """Return the items that this step handles, and whether they are the last ones."""
        start = self.number * size
        return items[start : start + size], start + size >= len(items)

    def require(self, item: T | None, description: str) -> T:
        """Return an item that must exist. Raise StaleReadModel if it does not."""
        if item is None:
            raise StaleReadModel(f"{description} does not exist")
        return item

    def load_indexed(
        self, indexed: Iterable[T], count: int, *, is_current: Callable[[T], bool] = lambda _: True
    ) -> list[T]:
        """Return some of the items that an index shows, as the table has them.

        The index may show deleted items and miss new ones. `count` is the true number of items;
        IndexLag is raised if the index shows none of them yet. `is_current` tells whether an item
        still belongs to them.
        """
        if count == 0:
            return []
        stored = self.store.get_many(map(key_of, take_step(indexed)), consistent=True)
        items = [item for item in stored if item is not None and is_current(item)][:count]
        if not items:
            raise IndexLag
        return items


def set_fields(step: ProjectionStep, data: EventData, *edits: Edit[Any]) -> bool:
    """Set the fields that the event changes. `edits` are further ones of the last item."""
    for entity, name, fields in changes_of(step.revision, data):
        sets = [getattr(entity, field).set(value) for field, value in fields.items()]
        sets.append(entity.revision.set(step.revision))
        step.transaction.update(entity.key(name), *sets, *edits)
    return True


def take_step(items: Iterable[T]) -> list[T]:
    """Return as many items as one step can handle."""
    return list(islice(items, ITEMS_PER_STEP))


def copy_with(item: T, **fields: object) -> T:
    """Return a copy of an item with some fields changed."""
    changed = copy(item)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed
