"""Counts that are updated in the same transaction as the items that they count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from singletable.schema.key_parts import KeyPart
from singletable.schema.path import Path

E = TypeVar("E")


class Count(Generic[E]):
    """Each item of the entity adds one to a number of another item, for as long as it exists.

    `Count(Poll, Poll.votes, key=(poll_id,))` counts in the poll whose key has this value. One item
    takes about a thousand writes a second; for more, count by shard, or count when you read. Items
    that expire cannot be counted, because DynamoDB deletes them without updating the number.
    """

    def __init__(
        self, entity: type[E], path: Path[E, int], *, key: tuple[KeyPart[Any], ...]
    ) -> None:
        self.entity = entity
        self.path = path
        self.key = key
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


@dataclass(frozen=True, slots=True)
class Counter:
    """A count, resolved: the number to update, and the fields with the key of its item."""

    name: str
    entity: type[Any]
    path: Path[Any, int]
    fields: tuple[str, ...]

    def values(self, values: Mapping[str, object]) -> tuple[object, ...]:
        """Return the key values of the item with the counter, from left to right."""
        return tuple(values[field] for field in self.fields)


_COUNTERS: dict[type, list[Path[Any, int]]] = {}


def register_counter(counter: Counter) -> None:
    """Remember that items of the counter's entity have this counter."""
    _COUNTERS.setdefault(counter.entity, []).append(counter.path)


def counters_of(entity: type) -> Sequence[Path[Any, int]]:
    """Return the paths of an entity's numbers that count items of other entities."""
    return _COUNTERS.get(entity, ())
