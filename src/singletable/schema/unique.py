"""Values that no two items share: a marker item include each value, and belongs to one owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, TypeVarTuple, overload

from singletable.errors import InvalidValue
from singletable.schema.fields import EntityDeclaration, declared_entity
from singletable.schema.key_parts import KeyPart
from singletable.schema.key_template import KeySpec
from singletable.schema.resolved_key import ResolvedKey
from singletable.values import AttributeValue, Item

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
E = TypeVar("E")
V = TypeVarTuple("V")

OWNER = "owner_"
RELEASED = "released"


class Unique(Generic[*V]):
    """The values of some fields, together, belong to one item of the entity.

    The marker's key is made of `pk` and `sk`, or of the names of entity and fields. It include the
    key of its owner, and what `include` names. With `keep_released` a value that its owner gave up stays
    taken: its marker remains, with the time at which it was released.
    """

    parts: tuple[KeyPart[Any], ...]
    pk: KeySpec | None
    sk: KeySpec | None
    include: Mapping[str, KeyPart[Any] | str]
    keep_released: bool
    name: str

    @overload
    def __new__(
        cls,
        a: KeyPart[A],
        /,
        *,
        pk: KeySpec | None = None,
        sk: KeySpec | None = None,
        include: Mapping[str, KeyPart[Any] | str] | None = None,
        keep_released: bool = False,
    ) -> Unique[A]: ...
    @overload
    def __new__(
        cls,
        a: KeyPart[A],
        b: KeyPart[B],
        /,
        *,
        pk: KeySpec | None = None,
        sk: KeySpec | None = None,
        include: Mapping[str, KeyPart[Any] | str] | None = None,
        keep_released: bool = False,
    ) -> Unique[A, B]: ...
    @overload
    def __new__(
        cls,
        a: KeyPart[A],
        b: KeyPart[B],
        c: KeyPart[C],
        /,
        *,
        pk: KeySpec | None = None,
        sk: KeySpec | None = None,
        include: Mapping[str, KeyPart[Any] | str] | None = None,
        keep_released: bool = False,
    ) -> Unique[A, B, C]: ...
    def __new__(
        cls,
        *parts: KeyPart[Any],
        pk: KeySpec | None = None,
        sk: KeySpec | None = None,
        include: Mapping[str, KeyPart[Any] | str] | None = None,
        keep_released: bool = False,
    ) -> Any:
        """The parts whose values are unique, in the form in which they are compared."""
        unique = super().__new__(cls)
        unique.parts = parts
        unique.pk = pk
        unique.sk = sk
        unique.include = include or {}
        unique.keep_released = keep_released
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
        return BoundUnique(declared_entity(owner), self.name)


class BoundUnique(Generic[E, *V]):
    """The unique values of an entity, to be called with one."""

    def __init__(self, entity: type[E], name: str) -> None:
        self._entity: type[E] = entity
        self._name = name

    def __call__(self, *values: *V) -> UniqueValue[E]:
        """Whoever has these values."""
        return UniqueValue(self._entity, self._name, values)


@dataclass(frozen=True, slots=True)
class UniqueValue(Generic[E]):
    """The item of entity E that has some unique values, if there is one."""

    entity: type[E]
    unique: str
    values: tuple[object, ...]
    # The access pattern that it was made by, if it was.
    pattern: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class UniqueConstraint:
    """A unique constraint that is ready to use."""

    name: str
    fields: tuple[str, ...]
    access: ResolvedKey
    # What the marker include beside its owner's key: texts, and copies of the owner's attributes.
    constants: Mapping[str, str]
    copies: Mapping[str, str]
    keep_released: bool

    def key(self, values: Mapping[str, object]) -> Item | None:
        """The key of the marker for these values; None if one is absent: nothing is taken then."""
        return self.access.attributes(values)

    def lookup_key(self, values: tuple[object, ...]) -> Item:
        """The key of the marker for the values of a look-up."""
        if len(values) != len(self.fields):
            raise InvalidValue(
                f"{self.access} expects {len(self.fields)} values ({', '.join(self.fields)}), "
                f"but got {len(values)}."
            )
        return self.access.require_attributes(dict(zip(self.fields, values, strict=True)))

    def item(self, key: Item, owner: Item, attributes: Item) -> Item:
        """The marker itself, for the key of its owner and the owner's attributes."""
        marker: dict[str, AttributeValue] = dict(key)
        marker |= {f"{OWNER}{name}": value for name, value in owner.items()}
        marker |= {name: {"S": text} for name, text in self.constants.items()}
        marker |= {
            name: attributes[copied] for name, copied in self.copies.items() if copied in attributes
        }
        return marker

    def owner(self, marker: Item) -> Item:
        """The key of the owner that a marker names."""
        return {
            name.removeprefix(OWNER): value
            for name, value in marker.items()
            if name.startswith(OWNER)
        }
