"""What every entity is: typed fields with values, and nothing that acts."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Optional, dataclass_transform

from singletable.errors import InvalidValue
from singletable.schema.declaration import declare, read_fields
from singletable.schema.fields import (
    Attr,
    EntityInstance,
    Role,
    attr,
    created,
    expires,
    updated,
    version,
)
from singletable.schema.model import MODELS, Model, model_of
from singletable.schema.table import Table

# FROM dataclass_fields.py: An entity's fields as the module `dataclasses` knows them.
#
# Type checkers are told that an entity is a dataclass; so it is one where others look for it:
# FastAPI
# takes a dataclass for the body of a request, `asdict` gives values by name, and `replace` makes a
# new instance as the constructor does, without what the store has set.


class DataclassFields:
    """The fields by name, made when somebody asks; a class without a table has none."""

    def __init__(self) -> None:
        self._made: dict[type, dict[str, dataclasses.Field[Any]]] = {}

    def __get__(self, instance: object, owner: type) -> dict[str, dataclasses.Field[Any]]:
        model = MODELS.get(owner)
        if model is None:
            return {}
        if owner not in self._made:
            self._made[owner] = _fields(model)
        return self._made[owner]


def _fields(model: Model) -> dict[str, dataclasses.Field[Any]]:
    said = [(field.name, _type(field), _field(field)) for field in model.fields.values()]
    made = dataclasses.make_dataclass(model.name, said, kw_only=True)
    return {field.name: field for field in dataclasses.fields(made)}


def _type(field: Attr[Any]) -> Any:
    kind: Any = field.annotation
    return Optional[kind] if field.codec().optional else kind  # noqa: UP045 (made at run time)


def _field(field: Attr[Any]) -> Any:
    by_store = field.role in ("version", "created", "updated")
    if field.default is None:
        return dataclasses.field(init=not by_store)
    return dataclasses.field(default_factory=field.default)


_SOME_TIME = datetime(2000, 1, 1, tzinfo=UTC)

# What the constructor does not take, and what to do instead.
_BY_STORE: dict[Role, str] = {
    "version": ": leave it out, it is 0 until the item is written. To put an item in place of one "
    "that you have seen, give it the version you saw: item.version = 3.",
    "created": ": leave it out. To keep the time that an item had elsewhere, assign it before the "
    "item is written.",
    "updated": " with every write: leave it out.",
}


@dataclass_transform(
    kw_only_default=True, field_specifiers=(attr, version, created, updated, expires)
)
class Entity(EntityInstance):
    """The base of all entities; without a table, a set of fields for others to inherit.

    `type_tag` is an attribute with a text, such as ("type", "POLL"), by which an item is told;
    without it, the shape of the key tells.
    """

    if not TYPE_CHECKING:  # checkers know by dataclass_transform
        __dataclass_fields__ = DataclassFields()

    def __init_subclass__(
        cls, *, table: Table | None = None, type_tag: tuple[str, str] | None = None
    ) -> None:
        super().__init_subclass__()
        if table is None:
            read_fields(cls)
        else:
            declare(cls, table, type_tag)

    def __init__(self, **values: Any) -> None:
        model = model_of(type(self))
        given = self.__dict__
        for role, field in model.roles.items():
            if role in _BY_STORE and field.name in values:
                raise InvalidValue(f"{field} is set by the store{_BY_STORE[role]}")
        for name, field in model.fields.items():
            if name in values:
                given[name] = values.pop(name)
            elif field.default is not None:
                given[name] = field.default()
            elif field.codec().optional:
                given[name] = None
            elif field.role == "version":
                given[name] = 0
            elif field.role is None or field.role == "expires":
                raise InvalidValue(f"{model.name}: expected a value for {name}, but got none.")
        if values:
            raise InvalidValue(
                f"{model.name} has no field {', '.join(values)}; there are "
                f"{', '.join(model.fields)}."
            )
        # The store sets the stamps; until then any time will do for the check.
        stamps = {name: _SOME_TIME for name in model.fields if name not in given}
        model.codec.check({**stamps, **given})

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        # Only pydantic asks for this, so it is there; the library does without it.
        from singletable.schema.pydantic_schema import schema_of

        return schema_of(cls, handler)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        from singletable.schema.pydantic_schema import json_schema_of

        return json_schema_of(schema, handler)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        names = model_of(type(self)).fields
        mine, theirs = self.__dict__, other.__dict__
        return all(mine.get(name) == theirs.get(name) for name in names)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={self.__dict__[name]!r}"
            for name in model_of(type(self)).fields
            if name in self.__dict__
        )
        return f"{type(self).__name__}({shown})"
