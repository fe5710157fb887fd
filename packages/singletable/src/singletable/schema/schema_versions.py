"""Schema versions: items of an older shape are upgraded when they are read.

The number of the version is an attribute of the item; without it, the item has version 1. Functions
convert an item of one version to the next, or to the current one. What the store maintains is kept
under its own attribute in every version, whatever the functions do: the version for optimistic
locking, times, numbers of a sequence, and counts. So is what no version declares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast

from singletable.errors import DeclarationError, ItemMismatch
from singletable.schema.codec import ItemCodec
from singletable.schema.fields import Attr, Role
from singletable.schema.item_encryption import EncryptedFields
from singletable.values import AttributeValue, Item

DEFAULT_ATTRIBUTE = "schema_version"


@dataclass(frozen=True, slots=True)
class OldVersion:
    """An older version of an entity: the fields that its items have."""

    entity: type[Any]
    fields: Mapping[str, Attr[Any]]
    codec: ItemCodec
    # The fields that are read from the key.
    key_fields: tuple[str, ...]
    encrypted: EncryptedFields
    roles: Mapping[Role, Attr[Any]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        roles = {one.role: one for one in self.fields.values() if one.role is not None}
        object.__setattr__(self, "roles", roles)

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.entity.__name__

    def instance(self, values: dict[str, object]) -> Any:
        """Return an instance with these values."""
        instance = object.__new__(self.entity)
        object.__setattr__(instance, "__dict__", values)  # an entity checks assignments
        return instance


# By class, so that instances of old versions can be created.
OLD_VERSIONS: dict[type, OldVersion] = {}


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


class SchemaVersions:
    """The schema version of an entity, and how its items are converted from and to older ones."""

    def __init__(
        self, entity: type[Any], attribute: str, current: int, write: int | None, oldest: int
    ) -> None:
        self.entity = entity
        self.attribute = attribute
        self.current = current
        # The older version in which items are stored, while other programs know only that.
        self.write = write
        self.oldest = oldest
        self.upgrades: dict[int, Conversion] = {}
        self.downgrades: dict[int, Conversion] = {}
        # The older versions by class; entities may share a class.
        self.classes: dict[type, OldVersion] = {}
        self._is_complete = False

    @property
    def number(self) -> AttributeValue:
        """The current version as it is stored; raise DeclarationError if an upgrade is missing."""
        self.check_complete()
        return {"N": str(self.current)}

    @property
    def attributes(self) -> set[str]:
        """The attributes of all older versions."""
        olds = self.classes.values()
        fields = (field for old in olds for field in old.fields.values() if field.stored)
        return {name for field in fields for name in field.stored_names}

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

    def upgrade(self, number: int, old: Any) -> Any:
        """Return the entity that an instance of an older version becomes."""
        numbers = {conversion.source: one for one, conversion in self.upgrades.items()}
        while True:
            conversion = self.upgrades[number]
            old = conversion.convert(old)
            if conversion.target is self.entity:
                return old
            number = numbers[conversion.target]

    def downgrade(self, instance: Any) -> Any:
        """Return the entity as an instance of the version in which items are stored."""
        for conversion in self._downgrade_path():
            instance = conversion.convert(instance)
        return instance

    def names(self) -> str:
        """Return the names of the functions that upgrade, for an error."""
        return ", ".join(one.name for one in self.upgrades.values())

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
                    f"{conversion.name} takes {conversion.source.__name__}, which is no version of "
                    f"{name} after {number}. Take {name}."
                )
            number = numbers[conversion.source]


def create_versions(
    entity: type[Any], declared: object, write: object, oldest: object
) -> SchemaVersions | None:
    """Return the versions that the class keywords declare; None without schema_version."""
    name = entity.__name__
    if declared is None:
        for keyword, value in (("write_version", write), ("oldest_version", oldest)):
            if value is not None:
                raise DeclarationError(
                    f"{name}: {keyword}={value!r} needs a schema_version: class {name}(Entity, "
                    "table=…, schema_version=2, …)."
                )
        return None
    pair: tuple[object, ...] = (DEFAULT_ATTRIBUTE, declared)
    if isinstance(declared, tuple) and len(cast("tuple[object, ...]", declared)) == 2:
        pair = cast("tuple[object, ...]", declared)
    attribute, current = pair
    if not isinstance(attribute, str) or not attribute or not _is_number(current):
        raise DeclarationError(
            f"{name}: schema_version={declared!r}: expected a whole number, 1 or more, or the name "
            "of its attribute and the number, such as ('v', 2)."
        )
    first = 1 if oldest is None else oldest
    if not _is_number(first) or first > current:
        raise DeclarationError(
            f"{name}: oldest_version={oldest!r}: expected a whole number from 1 to {current}."
        )
    if write is not None and (not _is_number(write) or not first <= write <= current):
        raise DeclarationError(
            f"{name}: write_version={write!r}: expected a schema version from {first} to {current}."
        )
    return SchemaVersions(entity, attribute, current, None if write == current else write, first)


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1
