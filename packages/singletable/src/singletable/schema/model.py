"""The model of an entity: its resolved fields, keys, constraints and codec, and their registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dynamodb_engine.values import Item
from singletable.errors import DeclarationError, InvalidValue, ItemMismatch, show_key
from singletable.schema.codec import ItemCodec
from singletable.schema.count import Counter
from singletable.schema.fields import Attr, Role
from singletable.schema.item_encryption import (
    EncryptedFields,
    encrypted_fields,
    open_item,
    seal_item,
)
from singletable.schema.resolved_key import ResolvedKey, TextColumn
from singletable.schema.schema_versions import NO_VERSIONS, SchemaVersions
from singletable.schema.stored_keys import check_index_keys, check_item_key
from singletable.schema.table import STATE_ATTRIBUTE, Table
from singletable.schema.unique import UniqueConstraint

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class IndexOnly:
    """Where a field is stored that is only in the key of an index."""

    access: ResolvedKey
    column: TextColumn


def _index_only(name: str, indexes: Iterable[ResolvedKey]) -> IndexOnly | None:
    """Return the key attribute from which a field can be read back, if there is one."""
    for access in indexes:
        for column in access.columns:
            if (
                access.when is None
                and isinstance(column, TextColumn)
                and column.dedicated
                and name in column.recoverable_fields
            ):
                return IndexOnly(access, column)
    return None


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
    # The fields that are stored in a key only: the primary key, or one in an index.
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
    # The indexes whose stored keys must equal the keys that the fields render.
    checked_indexes: tuple[ResolvedKey, ...] = field(init=False, repr=False)
    # The attributes of indexes that alone have the value of a field, by field.
    index_only: Mapping[str, IndexOnly] = field(init=False, repr=False)
    # What other modules derive from this model, once: a decoder, for example.
    derived: dict[object, Any] = field(
        init=False, repr=False, compare=False, default_factory=dict[object, Any]
    )

    def __post_init__(self) -> None:
        roles = {one.role: one for one in self.fields.values() if one.role is not None}
        object.__setattr__(self, "roles", roles)
        checked = any(one.check is not None for one in self.fields.values())
        object.__setattr__(self, "has_checks", checked)
        object.__setattr__(self, "encrypted", encrypted_fields(self.fields))
        indexes = [one for one in self.indexes.values() if one.checked and one.dedicated_attributes]
        object.__setattr__(self, "checked_indexes", tuple(indexes))
        names = [name for name in self.key_only_fields if name not in self.key.recoverable_fields]
        found = ((name, _index_only(name, self.indexes.values())) for name in names)
        object.__setattr__(self, "index_only", {name: one for name, one in found if one})

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
            self._check_nothing_lost(access, values)
            return {}
        dedicated = access.dedicated_attributes
        if len(attributes) == len(dedicated):
            return attributes
        return {name: attributes[name] for name in dedicated}

    def _check_nothing_lost(self, access: ResolvedKey, values: Mapping[str, object]) -> None:
        for name, place in self.index_only.items():
            if place.access is access and values.get(name) is not None:
                missing = [one for one in access.fields if values.get(one) is None]
                raise InvalidValue(
                    f"it is stored only in {access} (key_only=True), which an item without "
                    f"{', '.join(missing)} does not have. Set it to None, or set "
                    f"{', '.join(missing)}.",
                    f"{self.name}.{name}",
                )

    def values(self, item: Item) -> dict[str, object]:
        """Return the stored values of an item by field; its key does not matter."""
        return self._values(self.decrypted(self.versions.upgraded(item)))

    def _values(self, item: Item) -> dict[str, object]:
        values = self.codec.decode(item)
        if self.key_only_fields:
            parsed = self.key.parse(item) or {}
            for name in self.key_only_fields:
                if name in self.index_only:
                    values[name] = self.key_only_value(name, item)
                else:
                    values[name] = parsed.get(name)
        return values

    def key_only_value(self, name: str, item: Item) -> object:
        """Return the value of a field that only a key of the item has."""
        place = self.index_only.get(name)
        if place is None:
            return (self.key.parse(item) or {}).get(name)
        field, attribute = self.fields[name], place.column.attribute.name
        if attribute not in item:
            if field.default is not None:
                return field.default()
            if field.codec().optional:
                return None
        parsed = place.column.parse(item)
        if parsed is None:
            stored = show_key({attribute: item[attribute]}) if attribute in item else "none"
            raise ItemMismatch(
                f"expected attribute {attribute!r} with a key such as {place.column}, which has "
                f"this field, but the item has {stored}. Correct the key, or the declaration of "
                f"{place.access}.",
                f"{self.name}.{name}",
            )
        return parsed[name]

    def attribute_of(self, name: str) -> str:
        """Return the attribute that has the value of a field, which may be a key in an index."""
        place = self.index_only.get(name)
        return self.fields[name].attribute if place is None else place.column.attribute.name

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
            self.check_index_keys(current, values, self.checked_indexes)
        return self.create(values)

    def check_index_keys(
        self, item: Item, values: Mapping[str, object], accesses: Iterable[ResolvedKey]
    ) -> None:
        """Raise ItemMismatch if a stored item has other keys in these indexes than its values."""
        check_index_keys(accesses, item, self._rendered_indexes(item, values))

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
