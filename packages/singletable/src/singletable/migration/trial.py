"""What a step would do: the result of running it on a copy of its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from dynamodb_engine.operations import TableDescription
from dynamodb_engine.values import Item
from singletable.migration.derivation import Key

MAX_KEYS = 10


@dataclass
class CopiedTable:
    """A table of which items were copied for a rehearsal."""

    described: TableDescription
    items: int = 0
    bytes: int = 0
    # Whether all items were copied.
    is_complete: bool = True

    @property
    def item_count(self) -> int:
        """The number of items in the table itself."""
        return self.items if self.is_complete else max(self.described.item_count, self.items)


@dataclass
class ConsumedUnits:
    """The capacity units that requests consumed.

    Those for the state of the migration do not depend on the number of items.
    """

    read_units: float = 0.0
    write_units: float = 0.0
    state_read_units: float = 0.0
    state_write_units: float = 0.0


@dataclass
class FailedItems:
    """Items that fail in the same way: how many, and the keys and reasons of the first ones."""

    count: int = 0
    keys: list[Key] = field(default_factory=list[Key])
    reasons: list[str] = field(default_factory=list[str])

    def add(self, key: Key, reason: str) -> None:
        """Add an item."""
        self.count += 1
        if len(self.keys) < MAX_KEYS:
            self.keys.append(key)
            self.reasons.append(reason)


@dataclass(frozen=True, slots=True)
class Example:
    """Old items and the new ones that are derived from them: entities, or attributes.

    Of an item that is changed in place, only its key and the attributes that change.
    """

    rule: str
    before: list[object]
    after: list[object]


@dataclass
class StepTrial:
    """What a step would do."""

    step: str
    items: int = 0
    # The number of old items by rule, and of new items by entity.
    by_rule: Counter[str] = field(default_factory=Counter[str])
    new_items: Counter[str] = field(default_factory=Counter[str])
    examples: list[Example] = field(default_factory=list[Example])
    # Items that fail, by reason; and items with the same new item as another.
    failures: dict[str, FailedItems] = field(default_factory=dict[str, FailedItems])
    collisions: FailedItems = field(default_factory=FailedItems)
    notes: list[str] = field(default_factory=list[str])
    units: ConsumedUnits = field(default_factory=ConsumedUnits)
    # The keys of items that were removed from the copy, because they fail.
    removed: list[Item] = field(default_factory=list[Item])
    # What undoing the step right after it would do; None if it was not tried.
    undo: StepTrial | None = None

    @property
    def failed(self) -> int:
        """The number of items that fail."""
        return self.collisions.count + sum(one.count for one in self.failures.values())

    def fail(self, failures: Iterable[tuple[Key, str]]) -> None:
        """Record items that fail."""
        for key, reason in failures:
            self.failures.setdefault(reason, FailedItems()).add(key, reason)
