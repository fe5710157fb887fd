"""The base class of entities: typed fields with values, and no behavior."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Optional, TypeVar, dataclass_transform

from singletable.errors import DeclarationError, InvalidValue, UnknownField
from singletable.schema.declaration import add_entity, read_fields
from singletable.schema.fields import (
    Attr,
    EntityInstance,
    Role,
    attr,
    created,
    expires,
    sequence,
    updated,
    version,
)
from singletable.schema.model import MODELS, Model, model_of
from singletable.schema.patch import Unset, edits_of, placeholders
from singletable.schema.path import Edit
from singletable.schema.schema_versions import NO_VERSIONS, OLD_VERSIONS, OldVersion
from singletable.schema.table import Table
from singletable.schema.upgrade_declaration import (
    add_downgrade,
    add_renames,
    add_upgrade,
    create_versions,
)

E = TypeVar("E", bound="Entity")
Old = TypeVar("Old", bound="Entity")
New = TypeVar("New", bound="Entity")


class DataclassFields:
    """The `__dataclass_fields__` of an entity, created on first use.

    Type checkers and other libraries see an entity as a dataclass: FastAPI accepts a
    dataclass as a request body, `asdict` returns the values by name, and `replace` creates an
    instance as the constructor does, without the values that the store sets. A class without a
    table has no such fields.
    """

    def __init__(self) -> None:
        self._fields: dict[type, dict[str, dataclasses.Field[Any]]] = {}

    def __get__(self, instance: object, owner: type) -> dict[str, dataclasses.Field[Any]]:
        model = MODELS.get(owner) or OLD_VERSIONS.get(owner)
        if model is None:
            return {}
        if owner not in self._fields:
            self._fields[owner] = _dataclass_fields(model)
        return self._fields[owner]


def _dataclass_fields(model: Model | OldVersion) -> dict[str, dataclasses.Field[Any]]:
    fields = [(field.name, _type(field), _field(field)) for field in model.fields.values()]
    created_class = dataclasses.make_dataclass(model.name, fields, kw_only=True)
    return {field.name: field for field in dataclasses.fields(created_class)}


def _type(field: Attr[Any]) -> Any:
    kind: Any = field.annotation
    return Optional[kind] if field.codec().optional else kind  # noqa: UP045 (evaluated at run time)


def _field(field: Attr[Any]) -> Any:
    if field.default is None:
        return dataclasses.field(init=field.role not in _SET_BY_STORE)
    return dataclasses.field(default_factory=field.default)


# Fields that the constructor does not accept, and what to do instead.
_SET_BY_STORE: dict[Role, str] = {
    "version": ": leave it out, it is 0 until the item is written. To replace an item that you "
    "have read, assign the version that you read: item.{name} = 3.",
    "created": ": leave it out. To keep the time of an item from elsewhere, assign it before the "
    "item is written.",
    "updated": " on every write: leave it out.",
    "sequence": " when the item is created: leave it out. To keep the number of an item from "
    "elsewhere, assign it before: item.{name} = 7.",
}


@dataclass_transform(
    kw_only_default=True, field_specifiers=(attr, version, created, updated, expires, sequence)
)
class Entity(EntityInstance):
    """Base class of entities. A subclass without a table is a mixin of fields for other entities.

    `type_tag` is an attribute and its value, such as ("type", "POLL"), that identify the entity of
    an item. Without it, the shape of the key identifies the entity.

    `schema_version` is stored in the attribute of that name; ("v", 2) chooses another. Items
    without it have version 1. Items of older versions are read by `upgrade`. `write_version` is the
    older version in which items are stored until all programs know the new one, see `downgrade`.
    `oldest_version` says that items of the versions before it no longer exist.
    """

    if not TYPE_CHECKING:  # type checkers use dataclass_transform
        __dataclass_fields__ = DataclassFields()

    def __init_subclass__(
        cls,
        *,
        table: Table | None = None,
        type_tag: tuple[str, str] | None = None,
        schema_version: int | tuple[str, int] | None = None,
        write_version: int | None = None,
        oldest_version: int | None = None,
    ) -> None:
        super().__init_subclass__()
        versions = create_versions(cls, schema_version, write_version, oldest_version)
        if table is not None:
            add_entity(cls, cls, read_fields(cls), table, type_tag, versions=versions)
            return
        if versions is not NO_VERSIONS:
            raise DeclarationError(
                f"{cls.__name__} has a schema_version, but no table. Leave it out in the class of "
                "an older version: @….upgrade(from_=…) says which it is."
            )
        read_fields(cls)

    def __init__(self, **values: Any) -> None:
        model = MODELS.get(type(self)) or _old_version(type(self))
        own = self.__dict__
        missing: list[str] = []
        for role, field in model.roles.items():
            if role in _SET_BY_STORE and field.name in values:
                advice = _SET_BY_STORE[role].format(name=field.name)
                raise InvalidValue(f"{field} is set by the store{advice}")
        for name, field in model.fields.items():
            if name in values:
                own[name] = values.pop(name)
            elif field.default is not None:
                own[name] = field.default()
            elif field.codec().optional:
                own[name] = None
            elif field.role == "version":
                own[name] = 0
            elif field.role is None or field.role == "expires":
                missing.append(name)
        if values:  # before the missing ones: a misspelled name, probably
            raise _unknown_field(model, *values)
        if missing:
            raise InvalidValue(
                f"{model.name}: expected a value for {' and '.join(missing)}, but got none."
            )
        checked = own
        if len(own) < len(model.fields):
            checked = {**placeholders(model, own), **own}
        model.codec.check(checked)

    if not TYPE_CHECKING:  # type checkers would allow assignments to every name

        def __setattr__(self, name: str, value: object) -> None:
            model = MODELS.get(type(self)) or OLD_VERSIONS.get(type(self))
            if model is None or name in model.fields:
                self.__dict__[name] = value
            elif name.startswith("_") or hasattr(getattr(type(self), name, None), "__set__"):
                object.__setattr__(self, name, value)
            else:
                raise _unknown_field(model, name)

        def __delattr__(self, name: str) -> None:
            model = MODELS.get(type(self))
            if model is not None and name in model.fields:
                raise InvalidValue(
                    f"{model.fields[name]} cannot be deleted from an instance. Assign None if the "
                    f"field is optional, or remove the stored value: "
                    f"store.update(…, {model.fields[name]}.remove())."
                )
            object.__delattr__(self, name)

    @classmethod
    def edits(cls: type[E], patch: object, *, unset: Unset = "skip") -> tuple[Edit[E], ...]:
        """Return the edits that a patch means: a dict, pydantic model, msgspec Struct or dataclass.

        Each value replaces the whole field, nested values included; None removes an optional value.
        Fields that a pydantic model was created without are skipped, unless unset="include"; so is
        msgspec's UNSET. Raises InvalidValue for unknown names, key fields and read-only fields.
        """
        return edits_of(cls, patch, unset)

    @classmethod
    def upgrade(cls, *, from_: int) -> Callable[[Callable[[Old], New]], Callable[[Old], New]]:
        """Declare how items of an older schema version are read: as what the function returns.

        `@User.upgrade(from_=1) def split_name(old: UserV1) -> User`. Its parameter is a subclass of
        Entity without a table that declares the fields of that version. It returns the entity, or
        the class of a later version, from which another upgrade continues.
        """
        return lambda function: add_upgrade(cls, from_, function)

    @classmethod
    def downgrade(cls, *, to: int) -> Callable[[Callable[[New], Old]], Callable[[New], Old]]:
        """Declare how items are stored in an older schema version: as what the function returns.

        With the class keyword `write_version` items are stored in that version until all programs
        know the new one. Items that would not be read back the same are rejected.
        """
        return lambda function: add_downgrade(cls, to, function)

    @classmethod
    def renamed(cls, *, from_: int, **old_names: str) -> None:
        """Declare an older schema version with other attribute names, but the same values.

        `User.renamed(from_=1, name="FullName")` reads the field `name` of version 1 from the
        attribute `FullName`. It is an upgrade and a downgrade in one.
        """
        add_renames(cls, from_, old_names)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        # Only pydantic calls this, so it is installed; the library does not need it.
        from singletable.schema.pydantic_schema import schema_of

        return schema_of(cls, handler)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        from singletable.schema.pydantic_schema import json_schema_of

        return json_schema_of(schema, handler)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = (MODELS.get(type(self)) or _old_version(type(self))).fields
        mine, theirs = self.__dict__, other.__dict__
        return all(mine.get(name) == theirs.get(name) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        model = MODELS.get(type(self)) or _old_version(type(self))
        shown = ", ".join(
            f"{name}={self.__dict__[name]!r}"
            if field.codec().cipher is None
            else f"{name}=<encrypted>"
            for name, field in model.fields.items()
            if name in self.__dict__ and not field.hidden
        )
        return f"{type(self).__name__}({shown})"


def _old_version(entity: type) -> Model | OldVersion:
    """Return the fields of a class that is an older version of an entity; raise for a mixin."""
    return OLD_VERSIONS.get(entity) or model_of(entity)


def _unknown_field(model: Model | OldVersion, *names: str) -> UnknownField:
    from difflib import get_close_matches  # imported late: it is for errors only

    near = [match for name in names for match in get_close_matches(name, model.fields, 1)]
    meant = f" Did you mean {' and '.join(near)}?" if near else ""
    return UnknownField(
        f"{model.name} has no field {' or '.join(names)}.{meant} Fields: {', '.join(model.fields)}."
    )
