"""Changes as values: the edits of a patch, and copies of an item with other values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias, TypeVar, cast

from msgspec import UNSET, Struct

from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema.client_fields import counter_steps
from singletable.schema.codec.dynamic import is_model
from singletable.schema.fields import Attr
from singletable.schema.model import Model, model_of
from singletable.schema.path import Edit
from singletable.schema.schema_versions import OldVersion

E = TypeVar("E")

# What to do with a field of a pydantic model that has its default because none was passed.
Unset: TypeAlias = Literal["skip", "include"]

PLACEHOLDER_TIME = datetime(2000, 1, 1, tzinfo=UTC)
_SET_BY_STORE = ("version", "created", "updated", "sequence")


def edits_of(entity: type[E], patch: object, unset: Unset) -> tuple[Edit[E], ...]:
    """Return one edit for each value of a patch; raise InvalidValue if one may not be edited."""
    model = model_of(entity)
    if unset not in ("skip", "include"):
        raise InvalidValue(f"unset: expected 'skip' or 'include', but got {unset!r}.")
    counters = {name for name, _ in counter_steps(entity)}
    edits: list[Edit[E]] = []
    for name, value in _values_of(model, patch, unset):
        field = _field(model, name)
        problem = _reason(model, field, counters)
        if problem is not None:
            raise InvalidValue(f"a patch cannot change this field, which {problem}.", str(field))
        edits.append(field.set(value))
    return tuple(edits)


def evolve(item: E, /, **changes: Any) -> E:
    """Return a copy of an item with other values, checked as in the constructor.

    It keeps the attributes of the stored item that the entity does not declare, and the version and
    timestamps, which `dataclasses.replace` does not.
    """
    if isinstance(item, type):
        raise InvalidValue(f"evolve: expected an item, but got the class {item.__name__}.")
    model = model_of(type(item))
    for name in changes:
        field = _field(model, name)
        if field.role in _SET_BY_STORE:
            raise InvalidValue(
                f"{field} is set by the store, and evolve() keeps it. Assign it if you must."
            )
    values = {**vars(item), **changes}
    if model.factory is not None:
        return _evolve_model(model, item, changes)
    check_values(model, values)
    copy = cast(E, object.__new__(model.entity))
    vars(copy).update(values)
    return copy


def check_values(model: Model, values: Mapping[str, object]) -> None:
    """Raise InvalidValue if a value does not fit its field, or a key field its key."""
    model.codec.check({**placeholders(model, values), **values})
    if all(name in values for name in model.key.fields):
        model.key.require_attributes(values)


def placeholders(model: Model | OldVersion, values: Mapping[str, object]) -> dict[str, object]:
    """Return a value for each field that the store has not set yet, for checking the others."""
    return {
        name: 1 if field.role == "sequence" else PLACEHOLDER_TIME
        for name, field in model.fields.items()
        if name not in values
    }


def _evolve_model(model: Model, item: E, changes: Mapping[str, object]) -> E:
    """Return the copy of a pydantic model, which validates it."""
    assert model.factory is not None
    values = {name: getattr(item, name) for name in model.fields}
    try:
        valid = model.factory({**values, **changes})
    except ItemMismatch as error:
        raise InvalidValue(error.text, error.path) from error
    # A copy keeps private attributes, and the unknown ones, which are next to the fields.
    validated = {name: getattr(valid, name) for name in changes}
    return cast(E, cast(Any, item).model_copy(update=validated))


def _field(model: Model, name: str) -> Attr[Any]:
    field = model.fields.get(name)
    if field is None:
        raise InvalidValue(
            f"there is no such field. Fields: {', '.join(model.fields)}.", f"{model.name}.{name}"
        )
    return field


def _reason(model: Model, field: Attr[Any], counters: set[str]) -> str | None:
    """Return why a patch cannot change the field, or None if it can."""
    if field.name in model.key.fields:
        return "is part of the primary key"
    if field.role in _SET_BY_STORE:
        return "is set by the store"
    if field.name in counters:
        return "counts or numbers other items"
    if field.read_only or field.hidden:
        return "is hidden" if field.hidden else "is read-only"
    return None


def _values_of(model: Model, patch: object, unset: Unset) -> Iterator[tuple[str, object]]:
    """Yield the names and values of a patch."""
    if isinstance(patch, Mapping):
        values = cast("Mapping[str, object]", patch)
    elif isinstance(patch, Struct):
        values = {name: getattr(patch, name) for name in patch.__struct_fields__}
    elif is_model(type(patch)):
        sent = cast("set[str]", cast(Any, patch).model_fields_set)
        values = {
            name: getattr(patch, name)
            for name in cast("Mapping[str, object]", cast(Any, type(patch)).model_fields)
            if name in sent or unset == "include"
        }
    elif dataclasses.is_dataclass(patch) and not isinstance(patch, type):
        names = [field.name for field in dataclasses.fields(patch)]
        values = {name: getattr(patch, name, UNSET) for name in names}
    else:
        raise InvalidValue(
            f"{model.name}.edits: expected a dict, a pydantic model, a msgspec Struct or a "
            f"dataclass, but got {type(patch).__name__}."
        )
    return ((name, value) for name, value in values.items() if value is not UNSET)
