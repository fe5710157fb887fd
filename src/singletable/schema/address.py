"""The address of one item: its entity, and its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypeVar, cast

from singletable.schema.model import Model, model_of
from singletable.values import Item

E = TypeVar("E")
# Covariant: mypy asks for None too where the items of `transact_get` are unpacked at once.
E_co = TypeVar("E_co", covariant=True)


class ItemKey(Generic[E_co]):
    """Where an item of entity E is, or would be."""

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
        # The access pattern that it was made by, if it was.
        self.pattern = pattern

    @classmethod
    def of(cls, entity: type[E], values: tuple[object, ...]) -> ItemKey[E]:
        """The address for the values of the key, from left to right."""
        access = model_of(entity).key
        named = access.named((*access.pk_fields, *access.sk_fields), values)
        return ItemKey(entity, access.complete(named), named)

    @property
    def model(self) -> Model:
        """What the entity declares."""
        return model_of(self.entity)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ItemKey) and self.same_as(cast(ItemKey[Any], other))  # type: ignore[redundant-cast]

    def same_as(self, other: ItemKey[Any]) -> bool:
        """Whether it is the address of the same item."""
        return self.model.table is other.model.table and self.key == other.key

    def __hash__(self) -> int:
        return hash(str(self.key))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"{self.entity.__name__}.key({shown})"


def key_of(item: E) -> ItemKey[E]:
    """The address of an instance."""
    entity = type(item)
    model = model_of(entity)
    values: dict[str, Any] = {name: getattr(item, name) for name in model.key.fields}
    return ItemKey(entity, model.key.complete(values), values)
