"""The model of an entity: its resolved fields, keys, constraints and codec, and their registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.codec import ItemCodec
from singletable.schema.count import Counter
from singletable.schema.fields import Attr, Role
from singletable.schema.item_encryption import (
    EncryptedFields,
    encrypted_fields,
    open_item,
    seal_item,
)
from singletable.schema.resolved_key import ResolvedKey
from singletable.schema.schema_versions import NO_VERSIONS, SchemaVersions
from singletable.schema.stored_keys import check_index_keys, check_item_key
from singletable.schema.table import STATE_ATTRIBUTE, Table
from singletable.schema.unique import UniqueConstraint
from singletable.values import Item

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Model:
    """Everything that an entity declares, resolved."""

    entity: type[Any]
    table: Table
    fields: Mapping[str, Attr[Any]]
    tag: tuple[str, str] | None
    key: ResolvedKey
    indexes: Mapping[str, ResolvedKey]
    uniques: Mapping[str, UniqueConstraint]
    counts: Mapping[str, Counter]
    codec: ItemCodec
    # The fields that are stored in the key only.
    key_only_fields: tuple[str, ...]
    # Creates an instance from values; None: the values become its attributes.
    factory: Callable[[dict[str, object]], Any] | None = None
    # The number of another entity from which `create` takes the number of an item.
    sequence: Counter | None = None
    # The schema versions of the items.
    versions: SchemaVersions = NO_VERSIONS
    # The fields that the store maintains, by role; and whether any field has a check of its own.
    roles: Mapping[Role, Attr[Any]] = field(init=False, repr=False)
    has_checks: bool = field(init=False, repr=False)
    # The fields that are encrypted, by attribute.
    encrypted: EncryptedFields = field(init=False, repr=False)
    # The index keys that a stored item must have as they are rendered.
    checked_indexes: tuple[ResolvedKey, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        roles = {one.role: one for one in self.fields.values() if one.role is not None}
        object.__setattr__(self, "roles", roles)
        checked = any(one.check is not None for one in self.fields.values())
        object.__setattr__(self, "has_checks", checked)
        object.__setattr__(self, "encrypted", encrypted_fields(self.fields))
        indexes = [one for one in self.indexes.values() if one.checked and one.dedicated_attributes]
        object.__setattr__(self, "checked_indexes", tuple(indexes))

    @property
    def name(self) -> str:
        """The name of the entity."""
        return self.entity.__name__

    def role(self, role: Role) -> Attr[Any] | None:
        """Return the field with this role, if there is one."""
        return self.roles.get(role)

    def is_optional(self, fields: Iterable[str]) -> bool:
        """Return whether one of these fields may be absent: it is neither unique nor counted."""
        return any(self.fields[name].codec().optional for name in fields)

    def item(self, values: Mapping[str, object]) -> Item:
        """Return the item for these values, with keys, type tag and unknown attributes."""
        item = self.codec.encode(values)
        if self.tag is not None:
            item[self.tag[0]] = {"S": self.tag[1]}
        self.versions.stamp(item)
        item.update(self.key.require_attributes(values))
        for access in self.indexes.values():
            item.update(self.index_attributes(access, values, item))
        if self.encrypted:
            seal_item(self.encrypted, item, self.table_key(item))
        return item

    def index_attributes(
        self, access: ResolvedKey, values: Mapping[str, object], item: Item
    ) -> Item:
        """Return the attributes that place the item in an index; none if it is not in the index."""
        if not access.includes(item):
            return {}
        attributes = access.attributes(values)
        if attributes is None:
            return {}
        dedicated = access.dedicated_attributes
        if len(attributes) == len(dedicated):
            return attributes
        return {name: attributes[name] for name in dedicated}

    def values(self, item: Item) -> dict[str, object]:
        """Return the stored values of an item by field; its key does not matter."""
        return self._values(self.decrypted(self.versions.upgraded(item)))

    def _values(self, item: Item) -> dict[str, object]:
        values = self.codec.decode(item)
        if self.key_only_fields:
            parsed = self.key.parse(item) or {}
            for name in self.key_only_fields:
                values[name] = parsed.get(name)
        return values

    def decrypted(self, item: Item) -> Item:
        """Return the item as the codecs of the fields read it, and equal values as equal."""
        return open_item(self.encrypted, item, self.table_key(item)) if self.encrypted else item

    def table_key(self, item: Item) -> Item:
        """Return the key attributes of an item."""
        names = (attribute.name for attribute in self.table.key_attributes)
        return {name: item[name] for name in names if name in item}

    def instance(self, item: Item, *, check_indexes: bool = True) -> Any:
        """Return the instance that is stored in an item; raise ItemMismatch if it does not fit.

        Without `check_indexes` it may have other index keys than it would be written with.
        """
        current = self.decrypted(self.versions.upgraded(item))
        values = self._values(current)
        check_item_key(self.key, item, values)
        if check_indexes and self.checked_indexes:
            rendered = self._rendered_indexes(current, values)
            check_index_keys(self.checked_indexes, current, rendered)
        return self.create(values)

    def _rendered_indexes(self, item: Item, values: Mapping[str, object]) -> Item:
        """Return the index keys with which a stored item would be written."""
        rendered: Item = {}
        for access in self.indexes.values():
            try:
                rendered.update(self.index_attributes(access, values, item))
            except InvalidValue:
                continue  # a write would be rejected
        return rendered

    def create(self, values: dict[str, object]) -> Any:
        """Return an instance with these values."""
        if self.factory is not None:
            return self.factory(values)
        instance = object.__new__(self.entity)
        object.__setattr__(instance, "__dict__", values)  # an entity checks assignments
        return instance

    def parse_key(self, item: Item) -> dict[str, object] | None:
        """Return the values in an item's key; None if it has another shape."""
        return self.key.parse(item)

    def matches(self, item: Item) -> bool:
        """Return whether the item is of this entity: by type tag or, without one, by its key."""
        if self.tag is not None:
            return item.get(self.tag[0]) == {"S": self.tag[1]}
        return self.key.parse(item) is not None and STATE_ATTRIBUTE not in item


MODELS: dict[type, Model] = {}


def model_of(entity: type) -> Model:
    """Return the model of an entity; raise DeclarationError if the class is not one."""
    model = MODELS.get(entity)
    if model is None:
        raise DeclarationError(
            f"{entity.__name__} is not an entity with a table. Declare it: "
            f"class {entity.__name__}(Entity, table=…)."
        )
    return model
