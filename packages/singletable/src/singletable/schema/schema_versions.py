"""The schema versions of an entity, as the store uses them; here, of an entity without any.

`DeclaredVersions` overrides all of it for an entity with a `schema_version`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dynamodb_engine.expressions import Condition
from dynamodb_engine.values import Item
from singletable.schema.codec import ItemCodec
from singletable.schema.fields import Attr, Role
from singletable.schema.item_encryption import EncryptedFields


class SchemaVersions:
    """The schema versions of an entity that declares none: all its items are current."""

    is_declared = False
    # The attribute that has the number of the version; empty without one.
    attribute = ""
    current = 1
    oldest = 1
    # The older version in which items are stored, while other programs know only that.
    write: int | None = None
    # Whether an item has the current version.
    current_condition: Condition | None = None

    @property
    def attributes(self) -> frozenset[str]:
        """The attributes of all older versions."""
        return frozenset()

    def bind(self, model: Any) -> None:
        """Set the model of the entity, when it is complete."""

    def stamp(self, item: Item) -> None:
        """Set the version of a new item."""

    def number_of(self, item: Item) -> int:
        """Return the version of a stored item."""
        return 1

    def is_current(self, item: Item) -> bool:
        """Return whether a stored item has the current version."""
        return True

    def is_written(self, item: Item) -> bool:
        """Return whether a write leaves the version of a stored item as it is."""
        return True

    def upgraded(self, item: Item) -> Item:
        """Return a stored item as it would be stored with the current version.

        Raises ItemMismatch if the program does not know the version of the item.
        """
        return item

    def stored(self, item: Item) -> Item:
        """Return an item in the version that is written; raise InvalidValue if a value is lost."""
        return item

    def old_values(self, item: Item) -> dict[str, object]:
        """Return the values of an item of an older version by its fields; none if current."""
        return {}

    def reads_first(self, *, is_retry: bool) -> bool:
        """Return whether to read an item before a write that depends on it."""
        return False


NO_VERSIONS = SchemaVersions()


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
