"""The model of an entity: its resolved fields, keys, constraints and codec, and their registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from singletable.errors import DeclarationError, ItemMismatch
from singletable.schema.codec import ItemCodec
from singletable.schema.count import Counter
from singletable.schema.evolution import (
    EvolvedFields,
    current_item,
    evolved_fields,
    is_current,
    rename_attributes,
    write_old_names,
)
from singletable.schema.fields import Attr, Role
from singletable.schema.item_encryption import (
    EncryptedFields,
    encrypted_fields,
    open_item,
    seal_item,
)
from singletable.schema.resolved_key import ResolvedKey
from singletable.schema.schema_versions import SchemaVersions
from singletable.schema.stored_keys import check_item_key
from singletable.schema.table import STATE_ATTRIBUTE, Table
from singletable.schema.unique import UniqueConstraint
from singletable.schema.version_conversion import downgrade_item, old_values, upgrade_item
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
    # The schema versions of the items, if the entity declares one.
    versions: SchemaVersions | None = None
    # The formats that the primary key had before.
    old_keys: tuple[ResolvedKey, ...] = ()
    # The fields that the store maintains, by role; and whether any field has a check of its own.
    roles: Mapping[Role, Attr[Any]] = field(init=False, repr=False)
    has_checks: bool = field(init=False, repr=False)
    # The fields that are encrypted, by attribute.
    encrypted: EncryptedFields = field(init=False, repr=False)
    # The fields with old names or old types, by attribute.
    evolved: EvolvedFields = field(init=False, repr=False)

    def __post_init__(self) -> None:
        roles = {one.role: one for one in self.fields.values() if one.role is not None}
        object.__setattr__(self, "roles", roles)
        checked = any(one.check is not None for one in self.fields.values())
        object.__setattr__(self, "has_checks", checked)
        object.__setattr__(self, "encrypted", encrypted_fields(self.fields))
        object.__setattr__(self, "evolved", evolved_fields(self.fields.values()))

    @property
    def name(self) -> str:
        """The name of the entity."""
        return self.entity.__name__

    @property
    def attribute_names(self) -> frozenset[str]:
        """The names of all declared attributes: fields, old names included, keys and type tag."""
        old = (name for field in self.evolved.values() for name in field.old_names)
        return self.codec.names.union(old)

    def role(self, role: Role) -> Attr[Any] | None:
        """Return the field with this role, if there is one."""
        return self.roles.get(role)

    def item(self, values: Mapping[str, object]) -> Item:
        """Return the item for these values, with keys, type tag and unknown attributes."""
        item = self.codec.encode(values)
        if self.tag is not None:
            item[self.tag[0]] = {"S": self.tag[1]}
        if self.versions is not None:
            item[self.versions.attribute] = self.versions.number
        item.update(self.key.require_attributes(values))
        for access in self.indexes.values():
            item.update(self.index_attributes(access, values, item))
        if self.evolved:
            write_old_names(self.evolved, item)
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
        if self.versions is not None:
            item = self.upgraded(item)
        item = self.decrypted(item)
        if self.evolved:
            item = rename_attributes(self.evolved, item)
        values = self.codec.decode(item)
        if self.key_only_fields:
            parsed = self.parse_key(item) or {}
            for name in self.key_only_fields:
                values[name] = parsed.get(name)
        return values

    def decrypted(self, item: Item) -> Item:
        """Return the item as the codecs of the fields read it, and equal values as equal."""
        return open_item(self.encrypted, item, self.table_key(item)) if self.encrypted else item

    def current(self, item: Item) -> Item:
        """Return a stored item with the current names and types of its attributes."""
        return current_item(self.evolved, item) if self.evolved else item

    def is_current(self, item: Item) -> bool:
        """Return whether a stored item has the names, types and version that a write gives it."""
        versions = self.versions
        if versions is not None and not versions.is_current(item):
            return versions.number_of(item) == versions.write
        return not self.evolved or is_current(self.evolved, item)

    def table_key(self, item: Item) -> Item:
        """Return the key attributes of an item."""
        names = (attribute.name for attribute in self.table.key_attributes)
        return {name: item[name] for name in names if name in item}

    def instance(self, item: Item) -> Any:
        """Return the instance that is stored in an item; raise ItemMismatch if it does not fit."""
        values = self.values(item)
        self.check_key(item, values)
        if self.factory is not None:
            return self.factory(values)
        instance = object.__new__(self.entity)
        object.__setattr__(instance, "__dict__", values)  # an entity checks assignments
        return instance

    def parse_key(self, item: Item) -> dict[str, object] | None:
        """Return the values in an item's key, of any format; None if it has another shape."""
        values = self.key.parse(item)
        if values is not None or not self.old_keys:
            return values
        for old in self.old_keys:
            values = old.parse(item)
            if values is not None:
                return {**self._added_values(old), **values}
        return None

    def _added_values(self, old: ResolvedKey) -> dict[str, object]:
        """Return the defaults of key-only fields that an old key does not have."""
        added = [self.fields[name] for name in self.key_only_fields if name not in old.fields]
        return {field.name: field.default() for field in added if field.default is not None}

    def check_key(self, item: Item, values: Mapping[str, object]) -> None:
        """Raise ItemMismatch unless the values belong to the key of the item, or to an old one."""
        try:
            check_item_key(self.key, item, values)
        except ItemMismatch:
            if not any(_is_key_of(old, item, values) for old in self.old_keys):
                raise

    def rekeyed(self, item: Item) -> Item:
        """Return an item under an old key as it would be stored under the new one."""
        values = self.values(item)
        self.check_key(item, values)
        return self.item(values)

    def upgraded(self, item: Item) -> Item:
        """Return a stored item as it would be stored with the current schema version.

        Raises ItemMismatch if the program does not know the version of the item.
        """
        if self.versions is None:
            return item
        try:
            is_current = self.versions.is_current(item)
            return item if is_current else upgrade_item(self, self.versions, item)
        except ItemMismatch as error:
            error.key = error.key or self.table_key(item) or None
            raise

    def old_values(self, item: Item) -> dict[str, object]:
        """Return the values of an item of an older version by its fields; none if current."""
        versions = self.versions
        if versions is None or versions.is_current(item):
            return {}
        return old_values(self, versions.old_version(versions.number_of(item)), item)

    def stored(self, item: Item) -> Item:
        """Return an item in the schema version that is written, if it is an older one.

        Raises InvalidValue if a value would be lost.
        """
        if self.versions is None or self.versions.write is None:
            return item
        return downgrade_item(self, self.versions, self.versions.write, item)

    def matches(self, item: Item) -> bool:
        """Return whether the item is of this entity: by type tag or, without one, by its key."""
        if self.tag is not None:
            return item.get(self.tag[0]) == {"S": self.tag[1]}
        return self.parse_key(item) is not None and STATE_ATTRIBUTE not in item


def _is_key_of(key: ResolvedKey, item: Item, values: Mapping[str, object]) -> bool:
    try:
        check_item_key(key, item, values)
    except ItemMismatch:
        return False
    return True


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
