"""Names and digests of stored items, to compare many items without keeping them."""

from __future__ import annotations

from array import array
from contextlib import suppress
from hashlib import blake2b

import msgspec

from dynamodb_engine.values import AttributeValue, Item, check_item
from singletable.errors import SingleTableError
from singletable.schema import Model, Table, model_of
from singletable.schema.codec.encryption import Unsealed
from singletable.schema.fields import Role
from singletable.schema.unique import OWNER

# The number of ranges of key hashes whose sums of digests are compared.
SEGMENTS = 65_536
NO_ENTITY = "(no entity)"

STAMPS: tuple[Role, ...] = ("version", "created", "updated")

_MODULUS = 2**64
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
        return int.from_bytes(blake2b(encoded, digest_size=8).digest(), "big")


def _opened(value: AttributeValue) -> AttributeValue:
    content: object = value.get("B")
    return content.value if isinstance(content, Unsealed) else value


def changed_attributes(expected: Item, stored: Item) -> list[str]:
    """Return the names of the attributes in which two canonical items differ."""
    names = dict.fromkeys([*expected, *stored])
    return [name for name in names if expected.get(name) != stored.get(name)]


class Checksums:
    """Sums of digests by entity and segment, in which the order of items does not matter."""

    def __init__(self) -> None:
        self.sums: dict[str, array[int]] = {}
        self.counts: dict[str, array[int]] = {}

    def add(self, name: str, segment: int, digest: int) -> None:
        """Add an item."""
        if name not in self.sums:
            self.sums[name] = array("Q", bytes(8 * SEGMENTS))
            self.counts[name] = array("Q", bytes(8 * SEGMENTS))
        sums = self.sums[name]
        sums[segment] = (sums[segment] + digest) % _MODULUS
        self.counts[name][segment] += 1

    def differing(self, other: Checksums, names: set[str]) -> list[int]:
        """Return the segments in which the items with these names differ."""
        empty = array("Q", bytes(8 * SEGMENTS))
        segments: set[int] = set()
        for name in names:
            left, right = self.sums.get(name, empty), other.sums.get(name, empty)
            if left != right:
                segments.update(n for n in range(SEGMENTS) if left[n] != right[n])
        return sorted(segments)

    def count(self, segment: int) -> int:
        """Return the number of items in a segment."""
        return sum(counts[segment] for counts in self.counts.values())
