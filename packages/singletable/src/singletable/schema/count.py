"""Numbers of an item about others: counts, and the last number of a sequence."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
    """A count or sequence, resolved: the number to update, the fields with the key of its item."""

    name: str
    entity: type[Any]
    path: Path[Any, int]
    fields: tuple[str, ...]
    # Whether the number is the last one of a sequence, which never decreases.
    is_sequence: bool = False

    def values(self, values: Mapping[str, object]) -> tuple[object, ...]:
        """Return the key values of the item with the counter, from left to right."""
        return tuple(values[field] for field in self.fields)


# By the entity with the number; then by the entity that is counted, and the name of its count.
_COUNTERS: dict[type, dict[tuple[type, str], Counter]] = {}


def register_counter(counted: type, counter: Counter) -> None:
    """Remember that items of the counter's entity have this counter."""
    _COUNTERS.setdefault(counter.entity, {})[counted, counter.name] = counter


def replace_counters(previous: type, entity: type, fields: Collection[str]) -> None:
    """Let a class that was declared again have the counters of the previous one, and no others."""
    for counters in _COUNTERS.values():
        for counted, name in [key for key in counters if key[0] is previous]:
            del counters[counted, name]
    kept = _COUNTERS.get(previous, {})
    _COUNTERS[entity] = {
        key: counter for key, counter in kept.items() if counter.path.field in fields
    }


def counters_of(entity: type, *, sequences: bool = True) -> Collection[Path[Any, int]]:
    """Return the paths of an entity's numbers that count, or number, items of other entities."""
    counters = _COUNTERS.get(entity)
    if counters is None:
        return ()
    return [one.path for one in counters.values() if sequences or not one.is_sequence]
