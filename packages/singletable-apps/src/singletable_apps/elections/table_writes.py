"""Writes to the table, as values. What an event changes is a list of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, TypeAlias

from singletable import Entity, ItemKey, Transaction, key_of


@dataclass(frozen=True, slots=True)
class Move:
    """Gives a stored item another key: some of its fields change, and the others stay."""

    key: ItemKey[Any]
    fields: Mapping[str, object]


Write: TypeAlias = Callable[[Transaction], None] | Move


def create(item: Entity) -> Write:
    """Create the item as it is now."""
    now = copy(item)
    return lambda transaction: transaction.create(now)


def put(make: Callable[[], Entity]) -> Write:
    """Put an item, which is made when it is written: most events are in the table already."""
    return lambda transaction: transaction.put(make())


def delete(key: ItemKey[Any]) -> Write:
    """Delete an item."""
    return lambda transaction: transaction.delete(key)


def edit(key: ItemKey[Any], **values: object) -> Write:
    """Set fields of an item."""

    def write(transaction: Transaction) -> None:
        edits = [getattr(key.entity, name).set(value) for name, value in values.items()]
        transaction.update(key, *edits)

    return write


def save(item: Entity, *names: str) -> Write:
    """Set these fields of an item to the values that they have now."""
    return edit(key_of(item), **{name: getattr(item, name) for name in names})


def replace_item(key: ItemKey[Any], item: Entity) -> Write:
    """Delete an item, and create another one as it is now."""
    now = copy(item)

    def write(transaction: Transaction) -> None:
        transaction.delete(key)
        transaction.create(now)

    return write
