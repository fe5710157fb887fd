"""Schema versions: items of an older shape are upgraded when they are read.

The number of the version is an attribute of the item; without it, the item has version 1. Functions
convert an item of one version to the next, or to the current one. What the store maintains is kept
under its own attribute in every version, whatever the functions do: the version for optimistic
locking, times, numbers of a sequence, and counts. So is what no version declares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from dynamodb_engine import expressions as ex
from dynamodb_engine.values import Item
from singletable.errors import DeclarationError, InvalidValue, ItemMismatch
from singletable.schema.codec.codec import short_repr
from singletable.schema.codec.items import UNKNOWN
from singletable.schema.count import counters_of
from singletable.schema.item_encryption import open_item, seal_item
from singletable.schema.model import Model
from singletable.schema.schema_versions import OldVersion, SchemaVersions
from singletable.schema.stored_keys import check_item_key


@dataclass(frozen=True, slots=True)
class Conversion:
    """A function that converts an item of one version to another, and their classes."""

    function: Callable[[Any], Any]
    source: type[Any]
    target: type[Any]

    @property
    def name(self) -> str:
        """The name of the function."""
        return getattr(self.function, "__qualname__", repr(self.function))

    def convert(self, instance: Any) -> Any:
        """Call the function; raise ItemMismatch if it fails, DeclarationError for a wrong type."""
        try:
            result = self.function(instance)
        except ItemMismatch:
            raise
        except Exception as error:
            raise ItemMismatch(
                f"{self.name} could not convert the item to {self.target.__name__}: "
                f"{type(error).__name__}: {error}",
                self.source.__name__,
            ) from error
        if type(result) is not self.target:
            raise DeclarationError(
                f"{self.name} returned {type(result).__name__}, but it is declared to return "
                f"{self.target.__name__}."
            )
        return result


class DeclaredVersions(SchemaVersions):
    """The schema version of an entity, and how its items are converted from and to older ones."""

    is_declared = True

    def __init__(
        self, entity: type[Any], attribute: str, current: int, write: int | None, oldest: int
    ) -> None:
        self.entity = entity
        self.attribute = attribute
        self.current = current
        self.write = write
        self.oldest = oldest
        self.upgrades: dict[int, Conversion] = {}
        self.downgrades: dict[int, Conversion] = {}
        # The older versions by class; entities may share a class.
        self.classes: dict[type, OldVersion] = {}
        self._is_complete = False
        is_current = ex.Compare("=", ex.At((attribute,)), ex.Constant({"N": str(current)}))
        self.current_condition = (
            ex.Or(ex.NotExists((attribute,)), is_current) if current == 1 else is_current
        )

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes of all older versions."""
        fields = [field for old in self.classes.values() for field in old.fields.values()]
        return frozenset(field.attribute for field in fields if field.stored)

    def bind(self, model: Model) -> None:
        """Set the model of the entity, when it is complete."""
        self.model = model

    def stamp(self, item: Item) -> None:
        """Set the version of a new item; raise DeclarationError if an upgrade is missing."""
        self.check_complete()
        item[self.attribute] = {"N": str(self.current)}

    def number_of(self, item: Item) -> int:
        """Return the version of a stored item."""
        stored = item.get(self.attribute)
        if stored is None:
            return 1
        text = stored.get("N", "")
        if not text.isdecimal() or int(text) < 1:
            raise ItemMismatch(
                f"attribute {self.attribute!r}: expected the number of a schema version, but got "
                f"{stored}.",
                self.entity.__name__,
            )
        return int(text)

    def is_current(self, item: Item) -> bool:
        """Return whether a stored item has the current version."""
        return self.number_of(item) == self.current

    def is_written(self, item: Item) -> bool:
        """Return whether a write leaves the version of a stored item as it is."""
        return self.number_of(item) in (self.current, self.write)

    def reads_first(self, *, is_retry: bool) -> bool:
        """Return whether to read an item before a write that depends on it.

        The write is guarded by the current version. After it failed, the item may be older.
        """
        return is_retry or self.write is not None

    def upgraded(self, item: Item) -> Item:
        """Return a stored item as it would be stored with the current version.

        Raises ItemMismatch if the program does not know the version of the item.
        """
        try:
            number = self.number_of(item)
            return item if number == self.current else self._upgraded(number, item)
        except ItemMismatch as error:
            error.key = error.key or self.model.table_key(item) or None
            raise

    def old_values(self, item: Item) -> dict[str, object]:
        """Return the values of an item of an older version by its fields; none if current."""
        number = self.number_of(item)
        return {} if number == self.current else self._values(self.old_version(number), item)

    def stored(self, item: Item) -> Item:
        """Return an item in the version that is written; raise InvalidValue if a value is lost."""
        return item if self.write is None else self._downgraded(self.write, item)

    def old_version(self, number: int) -> OldVersion:
        """Return an older version; raise ItemMismatch if the program does not know it."""
        self.check_complete()
        name = self.entity.__name__
        if number > self.current:
            raise ItemMismatch(
                f"the item is stored with schema version {number}, but this program knows "
                f"{self.current}: deploy the newer program first.",
                name,
            )
        if number not in self.upgrades:
            raise ItemMismatch(
                f"the item is stored with schema version {number}, but {name} has no upgrade from "
                f"it: the oldest version is {self.oldest}. Declare the upgrade again: "
                f"@{name}.upgrade(from_={number}).",
                name,
            )
        return self.classes[self.upgrades[number].source]

    def check_complete(self) -> None:
        """Raise DeclarationError unless every older version leads to the current one."""
        if self._is_complete:
            return
        name = self.entity.__name__
        for number in range(self.oldest, self.current):
            if number not in self.upgrades:
                raise DeclarationError(
                    f"{name} has schema_version={self.current}, but no upgrade from version "
                    f"{number}. Declare a class with the fields of that version, and "
                    f"@{name}.upgrade(from_={number}) def upgrade(old: {name}V{number}) -> {name}. "
                    f"If no such item exists any more, write oldest_version={number + 1}."
                )
        numbers: dict[type, int] = {}
        for number, conversion in sorted(self.upgrades.items()):
            other = numbers.setdefault(conversion.source, number)
            if other != number:
                raise DeclarationError(
                    f"{name}: {conversion.source.__name__} has the fields of version {other}, so "
                    f"{conversion.name} cannot take it for version {number}. Declare one class for "
                    "each version."
                )
        for number, conversion in self.upgrades.items():
            target = conversion.target
            if target is not self.entity and numbers.get(target, 0) <= number:
                raise DeclarationError(
                    f"{conversion.name} upgrades version {number} of {name} to {target.__name__}, "
                    f"which no upgrade takes from there. Return {name}, or declare "
                    f"@{name}.upgrade(from_={number + 1}) def …(old: {target.__name__}) -> {name}."
                )
        self._downgrade_path()
        self._is_complete = True

    def changed(self) -> None:
        """Check again, because a conversion was declared."""
        self._is_complete = False

    def _upgraded(self, number: int, item: Item) -> Item:
        """Return an item of an older version as it would be stored with the current one."""
        model, former = self.model, self.old_version(number)
        old = former.instance(self._values(former, item))
        new = cast("dict[str, object]", vars(self._upgrade(number, old)))
        values = {**new, **_kept_values(model, former, old, new, item)}
        values.pop(UNKNOWN, None)
        declared = (*former.fields.values(), *model.fields.values())
        known = {field.attribute for field in declared} | model.codec.names
        if unknown := {name: value for name, value in item.items() if name not in known}:
            values[UNKNOWN] = unknown
        upgrade = f"the upgrade from schema version {number} ({self.upgrades[number].name})"
        try:
            upgraded = model.item(values)
        except InvalidValue as error:
            raise ItemMismatch(
                f"{upgrade} returned an invalid {model.name}: {error.text}", error.path
            ) from error
        try:
            check_item_key(model.key, item, values)
        except ItemMismatch as error:
            raise ItemMismatch(
                f"{upgrade} changed the key: {error.text} An upgrade must keep the key. To move "
                "items to other keys, run a migration with Rewrite or Copy.",
                model.name,
            ) from None
        upgraded.update(model.table_key(item))
        for path in counters_of(model.entity):
            upgraded = _keep_counter(model, path.document_path(), upgraded, item)
        return upgraded

    def _downgraded(self, number: int, item: Item) -> Item:
        """Return the item that an older version of the program would store for this one."""
        model = self.model
        values = model.values(item)
        old: object = model.instance(item)
        for conversion in self._downgrade_path():
            old = conversion.convert(old)
        former, old_values = self.classes[type(old)], dict(vars(old))
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
                f"{model.name} cannot be stored with schema version {number}: {error.text}",
                error.path,
            ) from error
        seal_item(former.encrypted, encoded, model.table_key(item))
        stored |= encoded
        stored[self.attribute] = {"N": str(number)}
        for path in (counter.document_path() for counter in counters_of(model.entity)):
            count = ex.value_at(path, item)
            if count is not None and _has_parent(path, stored):
                stored = ex.apply_update((ex.Set(path, ex.Constant(count)),), stored)
        _check_lossless(model, number, values, model.values(stored))
        return stored

    def _values(self, former: OldVersion, item: Item) -> dict[str, object]:
        """Return the values of an item of an older version, by its fields."""
        if former.encrypted:
            item = open_item(former.encrypted, item, self.model.table_key(item))
        values = former.codec.decode(item)
        values.pop(UNKNOWN, None)
        if former.key_fields:
            parsed = self.model.key.parse(item) or {}
            for name in former.key_fields:
                values[name] = parsed.get(name)
        return values

    def _upgrade(self, number: int, old: Any) -> Any:
        """Return the entity that an instance of an older version becomes."""
        numbers = {conversion.source: one for one, conversion in self.upgrades.items()}
        while True:
            conversion = self.upgrades[number]
            old = conversion.convert(old)
            if conversion.target is self.entity:
                return old
            number = numbers[conversion.target]

    def _downgrade_path(self) -> list[Conversion]:
        """Return the conversions from the current version to the one that is written."""
        if self.write is None:
            return []
        name, path, number = self.entity.__name__, list[Conversion](), self.write
        numbers = {conversion.source: one for one, conversion in self.upgrades.items()}
        while True:
            conversion = self.downgrades.get(number)
            if conversion is None:
                former = self.upgrades[number].source.__name__
                raise DeclarationError(
                    f"{name} has write_version={self.write}, but no downgrade to version {number}. "
                    f"Declare @{name}.downgrade(to={number}) def …(new: {name}) -> {former}."
                )
            if conversion.target is not self.upgrades[number].source:
                raise DeclarationError(
                    f"{conversion.name} downgrades {name} to version {number}, so it must return "
                    f"{self.upgrades[number].source.__name__}, not {conversion.target.__name__}."
                )
            path.insert(0, conversion)
            if conversion.source is self.entity:
                return path
            if numbers.get(conversion.source, 0) <= number:
                raise DeclarationError(
                    f"{conversion.name} takes {conversion.source.__name__}, which is not a version "
                    f"of {name} after {number}. Take {name}."
                )
            number = numbers[conversion.source]


def _kept_values(
    model: Model, former: OldVersion, old: Any, new: Mapping[str, object], item: Item
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


def _keep_counter(model: Model, path: ex.Path, upgraded: Item, item: Item) -> Item:
    """Return the upgraded item with a count of the stored one."""
    count = ex.value_at(path, item)
    if count is not None:
        if not _has_parent(path, upgraded):
            return upgraded
        return ex.apply_update((ex.Set(path, ex.Constant(count)),), upgraded)
    computed = ex.value_at(path, upgraded)
    field = next(one for one in model.fields.values() if one.attribute == path[0])
    initial = field.default() if field.default is not None and len(path) == 1 else 0
    if computed is not None and Decimal(computed.get("N", "0")) != initial:
        raise DeclarationError(
            f"{field} counts other items, so all schema versions must store it as "
            f"{'.'.join(map(str, path))!r}: items are counted there before an upgrade, too. Store "
            "it under its old name: attr(name=…)."
        )
    return upgraded


def _has_parent(path: ex.Path, item: Item) -> bool:
    return len(path) == 1 or ex.value_at(path[:-1], item) is not None


def _check_lossless(
    model: Model, number: int, expected: Mapping[str, object], found: Mapping[str, object]
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
