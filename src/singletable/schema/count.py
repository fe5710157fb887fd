"""Counts that are kept in the same transaction as what they count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from singletable.schema.key_parts import KeyPart
from singletable.schema.path import Path

E = TypeVar("E")


class Count(Generic[E]):
    """Each item of the entity adds one to a number of another item, for as long as it is there.

    `Count(Poll, Poll.votes, key=(poll_id,))`: the poll whose key has this value. An item bears about
    a thousand writes a second; for more, count shards or count what was read.
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
    """A count that is ready to use."""

    name: str
    entity: type[Any]
    path: Path[Any, int]
    fields: tuple[str, ...]

    def values(self, values: Mapping[str, object]) -> tuple[object, ...]:
        """The key of the item that counts, from left to right."""
        return tuple(values[field] for field in self.fields)


_KEPT: dict[type, list[Path[Any, int]]] = {}


def register_counter(counted: Counter) -> None:
    """Let it be known that an entity keeps this count."""
    _KEPT.setdefault(counted.entity, []).append(counted.path)


def counters_of(entity: type) -> Sequence[Path[Any, int]]:
    """The numbers of an entity that count items of others."""
    return _KEPT.get(entity, ())
