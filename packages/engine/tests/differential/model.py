"""A table as plain Python: a dictionary of items, from which everything else follows.

Written without looking at the engine, and without its help: numbers are Decimals, and an index is
computed again whenever it is needed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeAlias

from dynamodb_engine.values import AttributeValue, Item
from tests.differential.peer import as_list, as_map, each
from tests.differential.strategies.tables import Index, Table

Key: TypeAlias = tuple[Any, ...]
Change: TypeAlias = tuple[str, Item, Item | None, Item | None]


@dataclass
class Model:
    """The contents of the table, and its changes since they were last read."""

    table: Table
    items: dict[Key, Item] = field(default_factory=dict[Key, Item])
    changes: list[Change] = field(default_factory=list[Change])

    def key_of(self, item: Item) -> Key:
        """Return the item's key; numbers are equal by value."""
        return tuple(rank(item[name]) for name in self.table.keys.names)

    def get(self, key: Item) -> Item | None:
        """Return the item with that key."""
        return self.items.get(self.key_of(key))

    def put(self, item: Item) -> None:
        """Put the item."""
        new = as_kept(item)
        key = self.key_of(new)
        old = self.items.get(key)
        self.items[key] = new
        if old != new:
            self._tell("INSERT" if old is None else "MODIFY", new, old, new)

    def delete(self, key: Item) -> None:
        """Remove the item with that key."""
        old = self.items.pop(self.key_of(key), None)
        if old is not None:
            self._tell("REMOVE", old, old, None)

    def update(self, key: Item, change: Callable[[Item], None], *, makes: bool) -> None:
        """Update the item, creating it if something is set."""
        old = self.get(key)
        if old is None and not makes:
            return
        new = dict(key if old is None else old)
        change(new)
        self.put(new)

    def partition(self, index: Index | None, value: AttributeValue) -> list[Item]:
        """Return the items of one partition, by sort key."""
        keys = self.table.keys if index is None else index.keys
        found = [item for item in self.held(index) if rank(item[keys.partition]) == rank(value)]
        if (sort := keys.sort) is not None:
            found.sort(key=lambda item: rank(item[sort]))
        return found

    def held(self, index: Index | None) -> list[Item]:
        """Return the contents of the table or the index."""
        if index is None:
            return list(self.items.values())
        names = {*self.table.keys.names, *index.keys.names}
        names |= set(index.projection.non_key_attributes or ())
        whole = index.projection.projection_type == "ALL"
        return [
            {name: value for name, value in item.items() if whole or name in names}
            for item in self.items.values()
            if all(name in item for name in index.keys.names)
        ]

    def _tell(self, kind: str, item: Item, old: Item | None, new: Item | None) -> None:
        key = {name: item[name] for name in self.table.keys.names}
        self.changes.append((kind, key, old, new))


def rank(value: AttributeValue) -> Any:
    """Return the sort value of a key: bytes or a number."""
    if "S" in value:
        return value["S"].encode()
    return Decimal(value["N"]) if "N" in value else base64.b64decode(value["B"])


def as_kept(value: Any) -> Any:
    """Return the value as DynamoDB returns it: canonical numbers, ordered sets."""
    pairs = as_map(value) or {}
    if isinstance(number := pairs.get("N"), str):
        return {"N": plain(number)}
    if (numbers := as_list(pairs.get("NS"))) is not None:
        return {"NS": sorted(map(plain, numbers), key=Decimal)}
    if (texts := as_list(pairs.get("SS"))) is not None:
        return {"SS": sorted(texts, key=str.encode)}
    if (binaries := as_list(pairs.get("BS"))) is not None:
        return {"BS": sorted(binaries, key=base64.b64decode)}
    return each(value, as_kept)


def plain(number: str) -> str:
    """Return the number without exponent or superfluous zeros."""
    text = f"{Decimal(number):f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if Decimal(text).is_zero() else text


def in_any_order(items: list[Item]) -> list[str]:
    """Return the items as sorted strings, to be compared regardless of order."""
    return sorted(json.dumps(item, sort_keys=True) for item in items)
