"""Convert stored items between the schema versions of their entity."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Protocol, cast

from singletable.errors import DeclarationError, InvalidValue, ItemMismatch
from singletable.expressions import Constant, Path, Set, apply_update, value_at
from singletable.schema.codec import ItemCodec
from singletable.schema.codec.codec import short_repr
from singletable.schema.codec.items import UNKNOWN
from singletable.schema.count import counters_of
from singletable.schema.evolution import evolved_fields, rename_attributes, write_old_names
from singletable.schema.fields import Attr, Role
from singletable.schema.item_encryption import open_item, seal_item
from singletable.schema.resolved_key import ResolvedKey
from singletable.schema.schema_versions import OldVersion, SchemaVersions
from singletable.values import Item


class CurrentVersion(Protocol):
    """What a conversion needs of the model of an entity, which is its current version."""

    @property
    def entity(self) -> type[Any]:
        """The class."""
        ...

    @property
    def name(self) -> str:
        """The name of the class."""
        ...

    @property
    def fields(self) -> Mapping[str, Attr[Any]]:
        """The fields, by name."""
        ...

    @property
    def roles(self) -> Mapping[Role, Attr[Any]]:
        """The fields that the store maintains."""
        ...

    @property
    def key(self) -> ResolvedKey:
        """The primary key."""
        ...

    @property
    def indexes(self) -> Mapping[str, ResolvedKey]:
        """The keys in indexes."""
        ...

    @property
    def codec(self) -> ItemCodec:
        """The codec of whole items."""
        ...

    def parse_key(self, item: Item) -> dict[str, object] | None:
        """Return the values in an item's key."""
        ...

    def check_key(self, item: Item, values: Mapping[str, object]) -> None:
        """Raise ItemMismatch unless the values belong to the key of the item."""
        ...

    def table_key(self, item: Item) -> Item:
        """Return the key attributes of an item."""
        ...

    def item(self, values: Mapping[str, object]) -> Item:
        """Return the item for these values."""
        ...

    def values(self, item: Item) -> dict[str, object]:
        """Return the values of an item of any version."""
        ...

    def instance(self, item: Item) -> Any:
        """Return the instance of an item of any version."""
        ...


def upgrade_item(model: CurrentVersion, versions: SchemaVersions, item: Item) -> Item:
    """Return an item of an older version as it would be stored with the current one."""
    number = versions.number_of(item)
    former = versions.old_version(number)
    old = former.instance(old_values(model, former, item))
    new = cast("dict[str, object]", vars(versions.upgrade(number, old)))
    values = {**new, **_kept_values(model, former, old, new, item)}
    values.pop(UNKNOWN, None)
    declared = (*former.fields.values(), *model.fields.values())
    known = {name for field in declared for name in field.stored_names} | model.codec.names
    if unknown := {name: value for name, value in item.items() if name not in known}:
        values[UNKNOWN] = unknown
    upgrade = f"the upgrade from schema version {number} ({versions.upgrades[number].name})"
    try:
        upgraded = model.item(values)
    except InvalidValue as error:
        raise ItemMismatch(
            f"{upgrade} returned an invalid {model.name}: {error.text}", error.path
        ) from error
    try:
        model.check_key(item, values)
    except ItemMismatch as error:
        raise ItemMismatch(
            f"{upgrade} changed the key: {error.text} An upgrade must keep the key. To move items "
            "to other keys, run a migration with Rewrite or Copy.",
            model.name,
        ) from None
    upgraded.update(model.table_key(item))
    for path in counters_of(model.entity):
        upgraded = _keep_counter(model, path.document_path(), upgraded, item)
    return upgraded


def downgrade_item(
    model: CurrentVersion, versions: SchemaVersions, number: int, item: Item
) -> Item:
    """Return an item of the current version as it is stored with an older one."""
    values = model.values(item)
    old: object = versions.downgrade(model.instance(item))
    former, old_values = versions.classes[type(old)], dict(vars(old))
    stored: Item = {**cast(Item, values.get(UNKNOWN, {}))}
    for role, field in model.roles.items():
        if role in former.roles:
            old_values[former.roles[role].name] = values.get(field.name)
        elif field.attribute in item:
            stored[field.attribute] = item[field.attribute]
    # Keys of the table and all indexes, and the type tag: programs of the new version use them.
    fields = {field.attribute for field in model.fields.values() if field.stored}
    accesses = (model.key, *model.indexes.values())
    keys = {column.attribute.name for access in accesses for column in access.columns}
    stored |= {name: item[name] for name in (model.codec.names - fields) | keys if name in item}
    try:
        encoded = former.codec.encode(old_values)
    except InvalidValue as error:
        raise InvalidValue(
            f"{model.name} cannot be stored with schema version {number}: {error.text}", error.path
        ) from error
    write_old_names(evolved_fields(former.fields.values()), encoded)
    seal_item(former.encrypted, encoded, model.table_key(item))
    stored |= encoded
    stored[versions.attribute] = {"N": str(number)}
    for path in (counter.document_path() for counter in counters_of(model.entity)):
        count = value_at(path, item)
        if count is not None and _has_parent(path, stored):
            stored = apply_update((Set(path, Constant(count)),), stored)
    _check_lossless(model, number, values, model.values(stored))
    return stored


def old_values(model: CurrentVersion, former: OldVersion, item: Item) -> dict[str, object]:
    """Return the values of an item of an older version, by its fields."""
    if former.encrypted:
        item = open_item(former.encrypted, item, model.table_key(item))
    item = rename_attributes(evolved_fields(former.fields.values()), item)
    values = former.codec.decode(item)
    values.pop(UNKNOWN, None)
    if former.key_fields:
        parsed = model.parse_key(item) or {}
        for name in former.key_fields:
            values[name] = parsed.get(name)
    return values


def _kept_values(
    model: CurrentVersion, former: OldVersion, old: Any, new: Mapping[str, object], item: Item
) -> dict[str, object]:
    """Return the fields that the store maintains, unless the upgrade has set them."""
    kept: dict[str, object] = {}
    for role, field in model.roles.items():
        # The constructor sets the version to 0.
        if role != "version" and new.get(field.name) is not None:
            continue
        if role in former.roles:
            kept[field.name] = vars(old)[former.roles[role].name]
        elif field.attribute in item:
            kept[field.name] = field.codec().decode(item[field.attribute])
    return kept


def _keep_counter(model: CurrentVersion, path: Path, upgraded: Item, item: Item) -> Item:
    """Return the upgraded item with a count of the stored one."""
    count = value_at(path, item)
    if count is not None:
        if not _has_parent(path, upgraded):
            return upgraded
        return apply_update((Set(path, Constant(count)),), upgraded)
    computed = value_at(path, upgraded)
    field = next(one for one in model.fields.values() if one.attribute == path[0])
    initial = field.default() if field.default is not None and len(path) == 1 else 0
    if computed is not None and Decimal(computed.get("N", "0")) != initial:
        raise DeclarationError(
            f"{field} counts other items, so all schema versions must store it as "
            f"{'.'.join(map(str, path))!r}: items are counted there before an upgrade, too. Store "
            "it under its old name: attr(name=…)."
        )
    return upgraded


def _has_parent(path: Path, item: Item) -> bool:
    return len(path) == 1 or value_at(path[:-1], item) is not None


def _check_lossless(
    model: CurrentVersion, number: int, expected: Mapping[str, object], found: Mapping[str, object]
) -> None:
    """Raise InvalidValue if the item would be read back with other values."""
    for name, field in model.fields.items():
        if found.get(name) == expected.get(name):
            continue
        values = "another value"
        if field.codec().cipher is None:
            values = f"{short_repr(found.get(name))} instead of {short_repr(expected.get(name))}"
        raise InvalidValue(
            f"it cannot be stored with schema version {number}, because it would be read back as "
            f"{values}. Store such values when all programs know the new version, without "
            "write_version.",
            str(field),
        )
