"""Unique constraints: a marker item reserves each value, and belongs to one owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypedDict, TypeVar, TypeVarTuple, Unpack, overload

from dynamodb_engine.values import AttributeValue, Item
from singletable.errors import InvalidValue
from singletable.schema.fields import EntityDeclaration, declared_entity
from singletable.schema.key_parts import KeyPart, MissingValues
from singletable.schema.key_template import KeySpec
from singletable.schema.resolved_key import ResolvedKey, in_order

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
E = TypeVar("E")
V = TypeVarTuple("V")

OWNER = "owner_"


class UniqueOptions(TypedDict, total=False):
    """The options of Unique."""

    pk: KeySpec | None
    sk: KeySpec | None
    include: Mapping[str, KeyPart[Any] | str] | None


class Unique(Generic[*V]):
    """No two items of the entity have the same values in these fields.

    A marker item reserves each value. Its key consists of `pk` and `sk`, or of the names of entity
    and fields. It stores the key of its owner, and the fields and texts of `include`.
    """

    parts: tuple[KeyPart[Any], ...]
    pk: KeySpec | None
    sk: KeySpec | None
    include: Mapping[str, KeyPart[Any] | str]
    name: str

    @overload
    def __new__(cls, a: KeyPart[A], /, **options: Unpack[UniqueOptions]) -> Unique[A]: ...
    @overload
    def __new__(
        cls, a: KeyPart[A], b: KeyPart[B], /, **options: Unpack[UniqueOptions]
    ) -> Unique[A, B]: ...
    @overload
    def __new__(
        cls, a: KeyPart[A], b: KeyPart[B], c: KeyPart[C], /, **options: Unpack[UniqueOptions]
    ) -> Unique[A, B, C]: ...
    def __new__(
        cls,
        *parts: KeyPart[Any],
        pk: KeySpec | None = None,
        sk: KeySpec | None = None,
        include: Mapping[str, KeyPart[Any] | str] | None = None,
    ) -> Any:
        """Declare the unique fields; wrap one in casefold() to compare it case-insensitively."""
        unique = super().__new__(cls)
        unique.parts = parts
        unique.pk = pk
        unique.sk = sk
        unique.include = include or {}
        return unique

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(
        self, instance: object, owner: type[EntityDeclaration[E]], /
    ) -> BoundUnique[E, *V]: ...
    @overload
    def __get__(self, instance: object, owner: type[E], /) -> BoundUnique[E, *V]: ...
    def __get__(self, instance: object, owner: type[Any], /) -> BoundUnique[Any, *V]:
        return BoundUnique(declared_entity(owner), self.name, self.parts)


class BoundUnique(Generic[E, *V]):
    """A unique constraint of an entity; call it with values to look up their owner."""

    def __init__(self, entity: type[E], name: str, parts: tuple[KeyPart[Any], ...]) -> None:
        self._entity: type[E] = entity
        self._name = name
        self._parts = parts

    def positional(self, *values: *V) -> UniqueValue[E]:
        """Return the unique value; from this signature a pattern gets its parameters."""
        return UniqueValue(self._entity, self._name, values)

    @overload
    def __call__(self) -> MissingValues: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def __call__(self, *values: *V) -> UniqueValue[E]: ...
    @overload
    def __call__(self, **values: Any) -> UniqueValue[E]: ...
    def __call__(self, *values: object, **by_name: object) -> Any:
        """Return the unique value; pass it to the store to find its owner."""
        if by_name:
            where = f"{self._entity.__name__}.{self._name}"
            values = in_order(where, tuple(part.field for part in self._parts), values, by_name)
        return UniqueValue(self._entity, self._name, values)


@dataclass(frozen=True, slots=True)
class UniqueValue(Generic[E]):
    """A unique value, which at most one item of entity E has."""

    entity: type[E]
    unique: str
    values: tuple[object, ...]
    # The access pattern that created it, if any.
    pattern: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class UniqueConstraint:
    """A unique constraint, resolved: the key and content of its markers."""

    name: str
    fields: tuple[str, ...]
    access: ResolvedKey
    # What a marker stores besides its owner's key: texts, and copies of the owner's attributes.
    constants: Mapping[str, str]
    copies: Mapping[str, str]

    def key(self, values: Mapping[str, object]) -> Item | None:
        """Return the key of the marker, or None if a value is missing: nothing is reserved then."""
        return self.access.attributes(values)

    def lookup_key(self, values: tuple[object, ...]) -> Item:
        """Return the key of the marker for a lookup; raise InvalidValue if a value is missing."""
        if len(values) != len(self.fields):
            noun = "value" if len(self.fields) == 1 else "values"
            raise InvalidValue(
                f"{self.access} expects {len(self.fields)} {noun} ({', '.join(self.fields)}), "
                f"but got {len(values)}."
            )
        return self.access.require_attributes(dict(zip(self.fields, values, strict=True)))

    def item(self, key: Item, owner: Item, attributes: Item) -> Item:
        """Return the marker item for the key and the attributes of its owner."""
        marker: dict[str, AttributeValue] = dict(key)
        marker |= {f"{OWNER}{name}": value for name, value in owner.items()}
        marker |= {name: {"S": text} for name, text in self.constants.items()}
        marker |= {
            name: attributes[copied] for name, copied in self.copies.items() if copied in attributes
        }
        return marker

    def owner(self, marker: Item) -> Item:
        """Return the key of the owner that a marker stores."""
        return {
            name.removeprefix(OWNER): value
            for name, value in marker.items()
            if name.startswith(OWNER)
        }
