"""Names and digests of stored items, to compare many items without keeping them."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any

import msgspec

from dynamodb_engine.values import AttributeValue, Item, check_item, item_from_json, item_to_json
from singletable.errors import SingleTableError
from singletable.migration.derivation import Unit, unit_hash
from singletable.schema import Model, Table, model_of
from singletable.schema.codec.encryption import Unsealed
from singletable.schema.fields import Role
from singletable.schema.unique import OWNER

NO_ENTITY = "(no entity)"

_CACHE_KB = 64 * 1024

STAMPS: tuple[Role, ...] = ("version", "created", "updated")

_encode_sorted = msgspec.json.Encoder(order="sorted").encode


class ItemNames:
    """Tells to which entity a stored item of a table belongs, or which unique value it marks."""

    def __init__(self, table: Table) -> None:
        self._models = [model_of(entity) for entity in table.entities]
        self._owner = f"{OWNER}{table.pk.name}"

    def model(self, item: Item) -> Model | None:
        """Return the model of an item's entity; None for markers and unknown items."""
        for model in self._models:
            if model.matches(item):
                return model
        return None

    def name(self, item: Item) -> str:
        """Return the name of an item's entity or unique constraint, or NO_ENTITY."""
        if self._owner in item:
            for one in self._models:
                for name, marker in one.uniques.items():
                    if marker.access.parse(item) is not None:
                        return f"{one.name}.{name}"
        model = self.model(item)
        return NO_ENTITY if model is None else model.name


class CanonicalItems:
    """Brings items into a form in which equal items are equal: decrypted, numbers and sets too.

    With `without_stamps`, versions and timestamps that the store sets are left out.
    """

    def __init__(self, names: ItemNames, table: Table, *, without_stamps: bool = False) -> None:
        self._names = names
        models = [model_of(entity) for entity in table.entities]
        self._is_encrypted = any(model.encrypted for model in models)
        self._without_stamps = without_stamps and any(model.roles for model in models)

    def canonical(self, item: Item) -> Item:
        """Return the canonical form. An item that cannot be decrypted stays as it is."""
        if not self._is_encrypted and not self._without_stamps:
            return check_item(item)[0]
        model = self._names.model(item)
        if model is not None and model.encrypted:
            with suppress(SingleTableError):
                item = {name: _opened(value) for name, value in model.decrypted(item).items()}
        if model is not None and self._without_stamps:
            stamps = {model.roles[role].attribute for role in STAMPS if role in model.roles}
            item = {name: value for name, value in item.items() if name not in stamps}
        return check_item(item)[0]

    def digest(self, item: Item) -> int:
        """Return a hash of the canonical form, as a 64-bit number."""
        encoded = _encode_sorted(self.canonical(item))
        return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "big", signed=True)


def _opened(value: AttributeValue) -> AttributeValue:
    content: object = value.get("B")
    return content.value if isinstance(content, Unsealed) else value


def changed_attributes(expected: Item, stored: Item) -> list[str]:
    """Return the names of the attributes in which two canonical items differ."""
    names = dict.fromkeys([*expected, *stored])
    return [name for name in names if expected.get(name) != stored.get(name)]


class DigestTable:
    """Digests of the stored items of a table by key, and the units from which each is derived.

    They are in a temporary database: SQLite moves it from memory to a file if there are many.
    """

    def __init__(self, sources: Sequence[Table]) -> None:
        self._sources = sources
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        self._database.execute("BEGIN")
        self._database.execute(
            "CREATE TABLE items (hash BLOB PRIMARY KEY, digest INTEGER, name TEXT, key BLOB, "
            "unit INTEGER, source INTEGER, source_key BLOB) WITHOUT ROWID"
        )

    def __enter__(self) -> DigestTable:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def add(self, hashed: bytes, digest: int, name: str, key: Item) -> None:
        """Add a stored item."""
        self._database.execute(
            "INSERT OR REPLACE INTO items (hash, digest, name, key) VALUES (?, ?, ?, ?)",
            (hashed, digest, name, item_to_json(key)),
        )

    def claim(self, hashed: bytes, unit: Unit) -> tuple[int | None, tuple[Table, Item] | None]:
        """Record that an item is derived from a unit.

        Return the digest of the stored item, None if it is missing; and the table and key of an old
        item, if the item is also derived from the unit of that.
        """
        found: tuple[Any, ...] | None = self._database.execute(
            "SELECT digest, unit, source, source_key FROM items WHERE hash = ?", (hashed,)
        ).fetchone()
        owner = unit_hash(unit)
        if found is not None and found[1] not in (None, owner):
            place: int = found[2]
            return found[0], (self._sources[place], item_from_json(found[3]))
        source = next(n for n, table in enumerate(self._sources) if table is unit.table)
        self._database.execute(
            "INSERT INTO items (hash, unit, source, source_key) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (hash) DO UPDATE SET unit = excluded.unit, source = excluded.source, "
            "source_key = excluded.source_key",
            (hashed, owner, source, item_to_json(unit.key)),
        )
        return (None if found is None else found[0]), None

    def count_extras(self) -> dict[str, int]:
        """Return the number of stored items that are derived from no unit, by name."""
        return dict(self._database.execute(f"SELECT name, count(*) FROM {_EXTRAS} GROUP BY name"))

    def extras(self, names: Collection[str], size: int) -> Iterator[dict[bytes, Item]]:
        """Yield the keys of stored items that are derived from no unit, by hash, in batches."""
        rows = self._database.execute(f"SELECT hash, name, key FROM {_EXTRAS}")
        while batch := rows.fetchmany(size):
            if found := {one[0]: item_from_json(one[2]) for one in batch if one[1] in names}:
                yield found


_EXTRAS = "items WHERE unit IS NULL AND digest IS NOT NULL"
