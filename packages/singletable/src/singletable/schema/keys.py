"""Keys as an entity declares them, bound keys, and the keys of items.

Rule 1. A key takes its values from left to right: first those of the partition key, then those of
        the sort key. Type checkers know their number, order and types. All of them can be passed
        by name instead; then type checkers know the result, but neither names nor types. Without
        any value they infer MissingValues, so that its use is an error.
Rule 2. The primary key called with all values is the key of one item (`ItemKey`). `partition` with
        the values of the partition key, or an index key called with them, selects items.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar, TypeVarTuple, cast, overload

from dynamodb_engine.values import Item
from singletable.schema.condition import Condition
from singletable.schema.fields import EntityDeclaration, declared_entity
from singletable.schema.key_parts import (
    FourValues,
    MissingValues,
    NoValue,
    OneValue,
    ThreeValues,
    TwoValues,
)
from singletable.schema.key_template import KeySpec
from singletable.schema.model import Model, model_of
from singletable.schema.resolved_key import ResolvedKey, in_order
from singletable.schema.selection import Partition
from singletable.schema.table import Index

E = TypeVar("E")
# Covariant: otherwise mypy expects None too where the result of `transact_get` is unpacked.
E_co = TypeVar("E_co", covariant=True)


class ItemKey(Generic[E_co]):
    """The key of an item of entity E, which may or may not exist."""

    __slots__ = ("entity", "key", "pattern", "values")

    def __init__(
        self,
        entity: type[E_co],
        key: Item,
        values: Mapping[str, object],
        pattern: str | None = None,
    ) -> None:
        self.entity = entity
        self.key = key
        self.values = values
        # The access pattern that created it, if any.
        self.pattern = pattern

    @classmethod
    def of(cls, entity: type[E], values: tuple[object, ...]) -> ItemKey[E]:
        """Return the item key with these values, from left to right."""
        access = model_of(entity).key
        named = access.bind(access.parameters, values)
        return ItemKey(entity, access.require_attributes(named), named)

    def __copy__(self) -> ItemKey[E_co]:
        return ItemKey(self.entity, self.key, self.values, self.pattern)

    @property
    def model(self) -> Model:
        """The model of the entity."""
        return model_of(self.entity)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ItemKey):
            return False
        same = cast(ItemKey[Any], other)  # type: ignore[redundant-cast]
        return self.model.table is same.model.table and self.key == same.key

    def __hash__(self) -> int:
        return hash(str(self.key))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"{self.entity.__name__}.key({shown})"


def key_of(item: E) -> ItemKey[E]:
    """Return the item key of an instance."""
    entity = type(item)
    model = model_of(entity)
    values: dict[str, Any] = {name: getattr(item, name) for name in model.key.fields}
    return ItemKey(entity, model.key.require_attributes(values), values)


A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
W = TypeVar("W")
X = TypeVar("X")
Y = TypeVar("Y")
Z = TypeVar("Z")
P = TypeVar("P", bound="tuple[Any, ...]")
S = TypeVarTuple("S")
R = TypeVarTuple("R")


class Key(Generic[P, *S]):
    """A key of texts and fields: `Key(pk=("ELECTION", name), sk=("BALLOT", voter))`."""

    pk: KeySpec
    sk: KeySpec | None
    name: str
    # By entity: a mixin declares a key for several.
    _bound: dict[type, Any]

    @overload
    def __new__(cls, *, pk: NoValue, sk: NoValue | None = None) -> Key[tuple[()]]: ...
    @overload
    def __new__(cls, *, pk: NoValue, sk: OneValue[W]) -> Key[tuple[()], W]: ...
    @overload
    def __new__(cls, *, pk: NoValue, sk: TwoValues[W, X]) -> Key[tuple[()], W, X]: ...
    @overload
    def __new__(cls, *, pk: NoValue, sk: ThreeValues[W, X, Y]) -> Key[tuple[()], W, X, Y]: ...
    @overload
    def __new__(cls, *, pk: NoValue, sk: FourValues[W, X, Y, Z]) -> Key[tuple[()], W, X, Y, Z]: ...
    @overload
    def __new__(cls, *, pk: OneValue[A], sk: NoValue | None = None) -> Key[tuple[A]]: ...
    @overload
    def __new__(cls, *, pk: OneValue[A], sk: OneValue[W]) -> Key[tuple[A], W]: ...
    @overload
    def __new__(cls, *, pk: OneValue[A], sk: TwoValues[W, X]) -> Key[tuple[A], W, X]: ...
    @overload
    def __new__(cls, *, pk: OneValue[A], sk: ThreeValues[W, X, Y]) -> Key[tuple[A], W, X, Y]: ...
    @overload
    def __new__(
        cls, *, pk: OneValue[A], sk: FourValues[W, X, Y, Z]
    ) -> Key[tuple[A], W, X, Y, Z]: ...
    @overload
    def __new__(cls, *, pk: TwoValues[A, B], sk: NoValue | None = None) -> Key[tuple[A, B]]: ...
    @overload
    def __new__(cls, *, pk: TwoValues[A, B], sk: OneValue[W]) -> Key[tuple[A, B], W]: ...
    @overload
    def __new__(cls, *, pk: TwoValues[A, B], sk: TwoValues[W, X]) -> Key[tuple[A, B], W, X]: ...
    @overload
    def __new__(
        cls, *, pk: TwoValues[A, B], sk: ThreeValues[W, X, Y]
    ) -> Key[tuple[A, B], W, X, Y]: ...
    @overload
    def __new__(
        cls, *, pk: TwoValues[A, B], sk: FourValues[W, X, Y, Z]
    ) -> Key[tuple[A, B], W, X, Y, Z]: ...
    @overload
    def __new__(
        cls, *, pk: ThreeValues[A, B, C], sk: NoValue | None = None
    ) -> Key[tuple[A, B, C]]: ...
    @overload
    def __new__(cls, *, pk: ThreeValues[A, B, C], sk: OneValue[W]) -> Key[tuple[A, B, C], W]: ...
    @overload
    def __new__(
        cls, *, pk: ThreeValues[A, B, C], sk: TwoValues[W, X]
    ) -> Key[tuple[A, B, C], W, X]: ...
    @overload
    def __new__(
        cls, *, pk: ThreeValues[A, B, C], sk: ThreeValues[W, X, Y]
    ) -> Key[tuple[A, B, C], W, X, Y]: ...
    @overload
    def __new__(
        cls, *, pk: ThreeValues[A, B, C], sk: FourValues[W, X, Y, Z]
    ) -> Key[tuple[A, B, C], W, X, Y, Z]: ...
    @overload
    def __new__(
        cls, *, pk: FourValues[A, B, C, D], sk: NoValue | None = None
    ) -> Key[tuple[A, B, C, D]]: ...
    @overload
    def __new__(
        cls, *, pk: FourValues[A, B, C, D], sk: OneValue[W]
    ) -> Key[tuple[A, B, C, D], W]: ...
    @overload
    def __new__(
        cls, *, pk: FourValues[A, B, C, D], sk: TwoValues[W, X]
    ) -> Key[tuple[A, B, C, D], W, X]: ...
    @overload
    def __new__(
        cls, *, pk: FourValues[A, B, C, D], sk: ThreeValues[W, X, Y]
    ) -> Key[tuple[A, B, C, D], W, X, Y]: ...
    @overload
    def __new__(
        cls, *, pk: FourValues[A, B, C, D], sk: FourValues[W, X, Y, Z]
    ) -> Key[tuple[A, B, C, D], W, X, Y, Z]: ...
    def __new__(cls, *, pk: Any, sk: Any = None) -> Any:
        """Declare a key by its texts and fields, in order; `#` is inserted between them.

        `concat` writes them as they are.
        """
        key = super().__new__(cls)
        key.pk = pk
        key.sk = sk
        key._bound = {}
        return key

    def on(
        self, index: Index, *, when: Condition[Any] | None = None, checked: bool = True
    ) -> IndexKey[P, *S]:
        """Declare the key in an index; `when` makes it sparse: only matching items are in it.

        A stored item with another key in the index raises ItemMismatch. With checked=False it is
        read, and a write gives it the declared key: for the time in which a migration changes it.
        """
        return IndexKey(self, index, when, checked=checked)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(
        self, instance: object, owner: type[EntityDeclaration[E]], /
    ) -> BoundKey[E, P, *S]: ...
    @overload
    def __get__(self, instance: object, owner: type[E], /) -> BoundKey[E, P, *S]: ...
    def __get__(self, instance: object, owner: type[Any], /) -> BoundKey[Any, P, *S]:
        entity = declared_entity(owner)
        bound: Any = self._bound.get(entity)
        if bound is None:
            bound = self._bound[entity] = BoundKey[Any, P, *S](entity, self.name)
        return bound  # type: ignore[no-any-return]


class IndexKey(Generic[P, *S]):
    """A key in an index."""

    def __init__(
        self, key: Key[P, *S], index: Index, when: Condition[Any] | None, *, checked: bool = True
    ) -> None:
        self.key = key
        self.index = index
        self.when = when
        self.checked = checked
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(
        self, instance: object, owner: type[EntityDeclaration[E]], /
    ) -> BoundIndexKey[E, P, *S]: ...
    @overload
    def __get__(self, instance: object, owner: type[E], /) -> BoundIndexKey[E, P, *S]: ...
    def __get__(self, instance: object, owner: type[Any], /) -> BoundIndexKey[Any, P, *S]:
        return BoundIndexKey(declared_entity(owner), self.name)


class BoundKey(Generic[E, P, *S]):
    """The primary key of an entity; call it with values to get an item key."""

    def __init__(self, entity: type[E], name: str) -> None:
        self._entity: type[Any] = entity
        self._name = name

    @overload
    def positional(self: BoundKey[E, tuple[()], *R], *rest: *R) -> ItemKey[E]: ...
    @overload
    def positional(self: BoundKey[E, tuple[A], *R], a: A, /, *rest: *R) -> ItemKey[E]: ...
    @overload
    def positional(self: BoundKey[E, tuple[A, B], *R], a: A, b: B, /, *rest: *R) -> ItemKey[E]: ...
    @overload
    def positional(
        self: BoundKey[E, tuple[A, B, C], *R], a: A, b: B, c: C, /, *rest: *R
    ) -> ItemKey[E]: ...
    @overload
    def positional(
        self: BoundKey[E, tuple[A, B, C, D], *R], a: A, b: B, c: C, d: D, /, *rest: *R
    ) -> ItemKey[E]: ...
    def positional(self, *values: object) -> Any:  # pyright: ignore[reportInconsistentOverload]
        """Return the key of one item; from this signature a pattern gets its parameters."""
        return ItemKey.of(self._entity, values)

    @overload
    def __call__(self: BoundKey[E, tuple[()], *R], *rest: *R) -> ItemKey[E]: ...
    @overload
    def __call__(self: BoundKey[E, tuple[A], *R], a: A, /, *rest: *R) -> ItemKey[E]: ...
    @overload
    def __call__(self: BoundKey[E, tuple[A, B], *R], a: A, b: B, /, *rest: *R) -> ItemKey[E]: ...
    @overload
    def __call__(
        self: BoundKey[E, tuple[A, B, C], *R], a: A, b: B, c: C, /, *rest: *R
    ) -> ItemKey[E]: ...
    @overload
    def __call__(
        self: BoundKey[E, tuple[A, B, C, D], *R], a: A, b: B, c: C, d: D, /, *rest: *R
    ) -> ItemKey[E]: ...
    @overload
    def __call__(self) -> MissingValues: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def __call__(self, **values: Any) -> ItemKey[E]: ...
    def __call__(self, *values: object, **by_name: object) -> Any:  # pyright: ignore[reportInconsistentOverload]
        """Return the key of one item, from values in order or by name: `key(org="acme")`."""
        if by_name:
            access = model_of(self._entity).key
            values = in_order(access, (*access.pk_fields, *access.sk_fields), values, by_name)
        return ItemKey.of(self._entity, values)

    @property
    def partition(self) -> BoundIndexKey[E, P, *S]:
        """The entity's items in one partition: call it with the values of the partition key."""
        return BoundIndexKey(self._entity, self._name)

    def parse(self, item: Item) -> ItemKey[E] | None:
        """Return the key of a stored item, or None if the item's key has another shape."""
        model = model_of(self._entity)
        values = model.parse_key(item)
        if values is None:
            return None
        return ItemKey(self._entity, model.table_key(item), values)

    def __repr__(self) -> str:
        return f"{self._entity.__name__}.{self._name}"


class BoundIndexKey(Generic[E, P, *S]):
    """The partitions of a key, often one in an index; call it with the values of one of them."""

    def __init__(self, entity: type[E], name: str) -> None:
        self._entity: type[Any] = entity
        self._name = name

    @overload
    def __call__(self: BoundIndexKey[E, tuple[()], *R]) -> Partition[E, *R]: ...
    @overload
    def __call__(self: BoundIndexKey[E, tuple[A], *R], a: A, /) -> Partition[E, *R]: ...
    @overload
    def __call__(self: BoundIndexKey[E, tuple[A, B], *R], a: A, b: B, /) -> Partition[E, *R]: ...
    @overload
    def __call__(
        self: BoundIndexKey[E, tuple[A, B, C], *R], a: A, b: B, c: C, /
    ) -> Partition[E, *R]: ...
    @overload
    def __call__(
        self: BoundIndexKey[E, tuple[A, B, C, D], *R], a: A, b: B, c: C, d: D, /
    ) -> Partition[E, *R]: ...
    @overload
    def __call__(self) -> MissingValues: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def __call__(self: BoundIndexKey[E, P, *R], **values: Any) -> Partition[E, *R]: ...
    def __call__(self, *values: object, **by_name: object) -> Any:
        """Return the entity's items in one partition, to narrow by sort key."""
        access = self._access
        if by_name:
            values = in_order(access, access.pk_fields, values, by_name)
        return Partition[Any].of(self._entity, access, values)

    @property
    def _access(self) -> ResolvedKey:
        model = model_of(self._entity)
        return model.indexes.get(self._name, model.key)

    def __repr__(self) -> str:
        return f"{self._entity.__name__}.{self._name}"
