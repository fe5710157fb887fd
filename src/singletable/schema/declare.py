"""Read the declaration of an entity, and refuse at import what cannot work."""

from __future__ import annotations

import sys
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from singletable.errors import DeclarationError
from singletable.schema.access import Access
from singletable.schema.attribute import Attr
from singletable.schema.check import check_model, check_roles
from singletable.schema.codec import Stored, compile_codec
from singletable.schema.count import Count, Counted
from singletable.schema.key import IndexKey
from singletable.schema.keys_of import declared, index_key, marker_of, primary_key
from singletable.schema.model import MODELS, Model
from singletable.schema.overlap import check_overlaps
from singletable.schema.table import Table
from singletable.schema.unique import Unique


def read_fields(entity: type) -> dict[str, Attr[Any]]:
    """The fields of a class and of those it inherits from, in the order of their declaration."""
    hints = _hints(entity)
    fields: dict[str, Attr[Any]] = {}
    for name, hint in hints.items():
        if name.startswith("_") or get_origin(hint) is ClassVar or hint is ClassVar:
            continue
        if get_origin(hint) is not Attr:
            raise DeclarationError(
                f"{entity.__name__}.{name} is declared as {_shown(hint)}. Declare a field as "
                f"Attr: {name}: Attr[{_shown(hint)}] = attr()."
            )
        field = _field(entity, name)
        field.resolve(get_args(hint)[0])
        fields[name] = field
    for name, value in vars(entity).items():
        if isinstance(value, Attr) and name not in fields:
            raise DeclarationError(
                f"{entity.__name__}.{name} has no type. Write {name}: Attr[…] = attr(…)."
            )
    return fields


def declare(entity: type, table: Table, tag: tuple[str, str] | None) -> None:
    """Make an entity of a class, and add it to its table."""
    fields = read_fields(entity)
    check_roles(entity, table, fields)
    key = primary_key(entity, table, fields)
    indexes = {
        name: index_key(entity, table, fields, said)
        for name, said in declared(entity, IndexKey).items()
    }
    model = Model(
        entity=entity,
        table=table,
        fields=fields,
        tag=tag,
        key=key,
        indexes=indexes,
        uniques={
            name: marker_of(entity, table, fields, unique)
            for name, unique in declared(entity, Unique).items()
        },
        counts={
            name: Counted(name, count.entity, count.path, tuple(part.field for part in count.of))
            for name, count in declared(entity, Count).items()
        },
        codec=compile_codec(
            entity.__name__, _stored(fields), _known(key, indexes, tag) - _attributes(fields)
        ),
        in_key_only=tuple(name for name, field in fields.items() if not field.stored),
    )
    check_model(model)
    check_overlaps(table, [MODELS[other] for other in table.entities], model)
    MODELS[entity] = model
    table.entities.append(entity)


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
            value = vars(base)[name]
            if not isinstance(value, Attr):
                raise DeclarationError(
                    f"{entity.__name__}.{name} is set to {value!r}. Write attr(default={value!r})."
                )
            return value  # pyright: ignore[reportUnknownVariableType]
    field: Attr[Any] = Attr(name=None, default=None, check=None, form=None, stored=True, role=None)
    setattr(entity, name, field)
    field.__set_name__(entity, name)
    return field


def _stored(fields: dict[str, Attr[Any]]) -> list[Stored]:
    return [
        Stored(
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


def _known(key: Access, indexes: dict[str, Access], tag: tuple[str, str] | None) -> frozenset[str]:
    columns = [*key.columns, *(one for access in indexes.values() for one in access.columns)]
    names = {column.attribute.name for column in columns}
    return frozenset(names | ({tag[0]} if tag else set()))


def _shown(hint: object) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)
