"""Read the declaration of an entity, and refuse at import what cannot work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from singletable.errors import DeclarationError
from singletable.schema.checks import (
    check_counts,
    check_model,
    check_names,
    check_roles,
    check_tags,
)
from singletable.schema.codec import StoredField, compile_codec
from singletable.schema.count import Count, Counter, register_counter
from singletable.schema.fields import Attr
from singletable.schema.key_overlap import check_overlaps
from singletable.schema.key_resolution import (
    declared_members,
    resolve_index_key,
    resolve_primary_key,
    resolve_unique,
)
from singletable.schema.keys import IndexKey, Key
from singletable.schema.model import MODELS, Model
from singletable.schema.resolved_key import ResolvedKey
from singletable.schema.table import Table
from singletable.schema.unique import Unique


def read_fields(entity: type) -> dict[str, Attr[Any]]:
    """The fields of a class and of those it inherits from, in the order of their declaration."""
    said = said_fields(entity)
    for field, annotation in said.values():
        field.resolve(annotation)
    return {name: field for name, (field, _) in said.items()}


def said_fields(entity: type) -> dict[str, tuple[Attr[Any], object]]:
    """The fields that a class declares, each with its type."""
    hints = _hints(entity)
    fields: dict[str, tuple[Attr[Any], object]] = {}
    for name, hint in hints.items():
        if get_origin(hint) is ClassVar or hint is ClassVar:
            continue
        if name.startswith("_"):
            if get_origin(hint) is Attr:
                raise DeclarationError(
                    f"{entity.__name__}.{name}: the name of a field begins with a letter. For "
                    f"another name at rest, write attr(name={name!r})."
                )
            continue
        if get_origin(hint) is not Attr:
            raise DeclarationError(
                f"{entity.__name__}.{name} is declared as {_shown(hint)}. Declare a field as "
                f"Attr: {name}: Attr[{_shown(hint)}] = attr()."
            )
        fields[name] = _field(entity, name), get_args(hint)[0]
    for name, value in vars(entity).items():
        if isinstance(value, Attr) and name not in fields:
            raise DeclarationError(
                f"{entity.__name__}.{name} has no type. Write {name}: Attr[…] = attr(…)."
            )
    return fields


def declare(entity: type, table: Table, tag: tuple[str, str] | None) -> None:
    """Make an entity of a class, and add it to its table."""
    add_entity(entity, entity, read_fields(entity), table, tag)


def add_entity(
    said: type,
    entity: type,
    fields: dict[str, Attr[Any]],
    table: Table,
    tag: tuple[str, str] | None,
    make: Callable[[dict[str, object]], Any] | None = None,
) -> None:
    """Add an entity to its table; `said` declares its keys, and may be the entity itself."""
    if not isinstance(table, Table):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DeclarationError(
            f"{said.__name__}: expected a table, as Table('votes') is, but got {table!r}."
        )
    check_roles(said, table, fields)
    check_names(fields)
    key = resolve_primary_key(said, table, fields)
    indexes = {
        name: resolve_index_key(said, table, fields, key_in, tag)
        for name, key_in in declared_members(said, IndexKey).items()
    }
    model = Model(
        entity=entity,
        table=table,
        fields=fields,
        tag=tag,
        key=key,
        indexes=indexes,
        uniques={
            name: resolve_unique(said, table, fields, unique)
            for name, unique in declared_members(said, Unique).items()
        },
        counts={
            name: Counter(name, count.entity, count.path, tuple(part.field for part in count.key))
            for name, count in declared_members(said, Count).items()
        },
        codec=compile_codec(
            entity.__name__, _stored(fields), _known(key, indexes, tag) - _attributes(fields)
        ),
        key_only_fields=tuple(name for name, field in fields.items() if not field.stored),
        factory=make,
    )
    others = [MODELS[other] for other in table.entities]
    check_model(model)
    check_counts(model)
    check_tags(model, others)
    check_overlaps(table, others, model)
    MODELS[entity] = model
    table.entities.append(entity)
    for count in model.counts.values():
        register_counter(count)


def _hints(entity: type) -> dict[str, Any]:
    try:
        return get_type_hints(entity, localns=_names_around(entity), include_extras=True)
    except NameError as error:
        raise DeclarationError(
            f"{entity.__name__}: the type {error.name!r} is not known where the class stands. "
            "Import it, or define it before the class."
        ) from None


def _names_around(entity: type) -> dict[str, Any]:
    """The names that a class inside a function can see."""
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__") != entity.__module__:
        frame = frame.f_back
    names: dict[str, Any] = {}
    while frame is not None and frame.f_globals.get("__name__") == entity.__module__:
        if frame.f_code.co_name != entity.__name__:
            names = {**frame.f_locals, **names}
        frame = frame.f_back  # type: ignore[assignment]
    # A field may have the name of a type: `date: Attr[date]` means the type.
    return {name: value for name, value in names.items() if not isinstance(value, Attr)}


def _field(entity: type, name: str) -> Attr[Any]:
    for base in entity.__mro__:
        if name in vars(base):
            value: object = vars(base)[name]
            if isinstance(value, Key | IndexKey | Unique | Count):
                raise DeclarationError(
                    f"{entity.__name__}.{name} is a field and a key too. Give one of them another "
                    "name."
                )
            if not isinstance(value, Attr):
                raise DeclarationError(
                    f"{entity.__name__}.{name} is set to {value!r}. Write attr(default={value!r})."
                )
            found: Attr[Any] = value  # pyright: ignore[reportUnknownVariableType]
            return found if base is entity else _inherited(entity, name, found)
    field: Attr[Any] = Attr(
        name=None, default=None, check=None, time_format=None, stored=True, role=None
    )
    setattr(entity, name, field)
    field.__set_name__(entity, name)
    return field


def _inherited(entity: type, name: str, field: Attr[Any]) -> Attr[Any]:
    """The entity's own copy of a field: its name at rest and its type may differ from others'."""
    own = field.copy()
    setattr(entity, name, own)
    own.__set_name__(entity, name)
    return own


def _stored(fields: dict[str, Attr[Any]]) -> list[StoredField]:
    return [
        StoredField(
            field.name,
            field.attribute,
            field.codec(),
            (lambda: 0) if field.role == "version" else field.default,
            field.check,
        )
        for field in fields.values()
        if field.stored
    ]


def _attributes(fields: dict[str, Attr[Any]]) -> frozenset[str]:
    return frozenset(field.attribute for field in fields.values() if field.stored)


def _known(
    key: ResolvedKey, indexes: dict[str, ResolvedKey], tag: tuple[str, str] | None
) -> frozenset[str]:
    columns = [*key.columns, *(one for access in indexes.values() for one in access.columns)]
    names = {column.attribute.name for column in columns}
    return frozenset(names | ({tag[0]} if tag else set()))


def _shown(hint: object) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)
