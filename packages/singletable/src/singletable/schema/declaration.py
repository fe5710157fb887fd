"""Read the declaration of an entity class, and reject at import what cannot work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from singletable.errors import DeclarationError
from singletable.schema import checks
from singletable.schema.codec import StoredField, compile_codec
from singletable.schema.count import Count, Counter, register_counter, replace_counters
from singletable.schema.fields import Attr
from singletable.schema.key_encoding import type_name
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
from singletable.schema.schema_versions import NO_VERSIONS, SchemaVersions
from singletable.schema.table import Table
from singletable.schema.unique import Unique


def read_fields(entity: type) -> dict[str, Attr[Any]]:
    """Return the fields of a class, inherited ones included, in the order of declaration."""
    declared = declared_fields(entity)
    for field, annotation in declared.values():
        field.resolve(annotation)
    return {name: field for name, (field, _) in declared.items()}


def declared_fields(entity: type) -> dict[str, tuple[Attr[Any], object]]:
    """Return the fields that a class declares, each with its type."""
    fields: dict[str, tuple[Attr[Any], object]] = {}
    for name, hint in _hints(entity).items():
        if get_origin(hint) is ClassVar or hint is ClassVar:
            continue
        if name.startswith("_"):
            if get_origin(hint) is Attr:
                raise DeclarationError(
                    f"{entity.__name__}.{name}: the name of a field must start with a letter. To "
                    f"store it under this name, write attr(name={name!r})."
                )
            continue
        if get_origin(hint) is not Attr:
            kind = "…" if hint is Attr else type_name(hint)
            raise DeclarationError(
                f"{entity.__name__}.{name} is declared as {type_name(hint)}. Write {name}: "
                f"Attr[{kind}] = attr()."
            )
        fields[name] = _field(entity, name), get_args(hint)[0]
    for name, value in vars(entity).items():
        if isinstance(value, Attr) and name not in fields:
            raise DeclarationError(
                f"{entity.__name__}.{name} has no type. Write {name}: Attr[…] = attr(…)."
            )
    return fields


_MEMBERS = (Key, IndexKey, Unique, Count)


def add_entity(
    declaration: type,
    entity: type,
    fields: dict[str, Attr[Any]],
    table: Table,
    tag: tuple[str, str] | None,
    factory: Callable[[dict[str, object]], Any] | None = None,
    versions: SchemaVersions = NO_VERSIONS,
) -> None:
    """Add an entity to its table; `declaration` declares its keys, and may be the entity itself."""
    if not isinstance(table, Table):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DeclarationError(
            f"{declaration.__name__}: expected a table, such as Table('votes'), but got {table!r}."
        )
    checks.check_tag_shape(declaration, tag)
    members = [name for kind in _MEMBERS for name in declared_members(declaration, kind)]
    checks.check_members(declaration, (*fields, *members))
    name_attributes(table, fields)
    checks.check_roles(declaration, table, fields)
    checks.check_names(fields)
    key = resolve_primary_key(declaration, table, fields)
    indexes = {
        name: resolve_index_key(declaration, table, fields, index_key, tag)
        for name, index_key in declared_members(declaration, IndexKey).items()
    }
    model = Model(
        entity=entity,
        table=table,
        fields=fields,
        tag=tag,
        key=key,
        indexes=indexes,
        uniques={
            name: resolve_unique(declaration, table, fields, unique)
            for name, unique in declared_members(declaration, Unique).items()
        },
        counts={
            name: Counter(name, count.entity, count.path, tuple(part.field for part in count.key))
            for name, count in declared_members(declaration, Count).items()
        },
        codec=compile_codec(
            entity.__name__,
            stored_fields(fields),
            _other_attributes(fields, key, indexes, tag, versions),
        ),
        key_only_fields=tuple(name for name, field in fields.items() if not field.stored),
        factory=factory,
        sequence=_resolve_sequence(declaration, fields),
        versions=versions,
    )
    versions.bind(model)
    previous = next((other for other in table.entities if is_same_class(other, entity)), None)
    others = [MODELS[other] for other in table.entities if other is not previous]
    checks.check_model(model)
    checks.check_counts(model)
    checks.check_sequence(model)
    checks.check_tags(model, others)
    try:
        check_overlaps(table, others, model)
    except DeclarationError as error:
        modules = [one.entity.__module__ for one in others if one.name == model.name]
        if not modules:
            raise
        raise DeclarationError(
            f"{error} {model.name} is declared in {modules[0]} and in {entity.__module__}."
        ) from None
    MODELS[entity] = model
    if previous is None:
        table.add_entity(entity)
    else:
        # A notebook cell that is run again. Instances of the previous class can still be written.
        replace_counters(previous, entity, fields)
        table.add_entity(entity, instead_of=previous)
    for counter in model.counts.values():
        register_counter(entity, counter)
    if model.sequence is not None:
        register_counter(entity, model.sequence)


def name_attributes(table: Table, fields: Mapping[str, Attr[Any]]) -> None:
    """Set the stored names that the declaration of the fields leaves to the table."""
    for field in fields.values():
        if field.is_named:
            continue
        if field.role == "expires" and table.ttl is not None:
            field.attribute = table.ttl
        elif table.attribute_names is not None:
            name = table.attribute_names(field.name)
            if not isinstance(name, str) or not name:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise DeclarationError(
                    f"{field}: expected the name of an attribute from attribute_names of table "
                    f"{table.name!r}, but got {name!r}."
                )
            field.attribute = name


def is_same_class(one: type, other: type) -> bool:
    """Return whether both classes have the same name in the same module."""
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)


def _hints(entity: type) -> dict[str, Any]:
    try:
        return get_type_hints(entity, localns=local_names(entity), include_extras=True)
    except NameError as error:
        raise DeclarationError(
            f"{entity.__name__}: the type {error.name!r} is not defined where the class is. "
            "Import it, or define it before the class."
        ) from None


def local_names(entity: Callable[..., Any]) -> dict[str, Any]:
    """Return the local variables that a class or function inside a function can refer to."""
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
    """Return the entity's own field: a copy if it is inherited, a new one if it is not assigned."""
    field: Attr[Any] = Attr()
    for base in entity.__mro__:
        if name in vars(base):
            value: object = vars(base)[name]
            if isinstance(value, Key | IndexKey | Unique | Count):
                raise DeclarationError(
                    f"{entity.__name__}.{name} is both a field and a key. Rename one of them."
                )
            if not isinstance(value, Attr):
                raise DeclarationError(
                    f"{entity.__name__}.{name} is set to {value!r}. Write attr(default={value!r})."
                )
            field = value  # pyright: ignore[reportUnknownVariableType]
            if base is entity:
                return field
            # Its stored name and its type may differ from those in other classes.
            field = field.copy()
            break
    setattr(entity, name, field)
    field.__set_name__(entity, name)
    return field


def _resolve_sequence(declaration: type, fields: dict[str, Attr[Any]]) -> Counter | None:
    """Return the sequence of an entity, with the entity that has its last number."""
    for name, field in fields.items():
        if field.numbered_by is None:
            continue
        path, key = field.numbered_by
        for model in MODELS.values():
            if model.fields.get(path.field) is path:
                names = tuple(part.field for part in key)
                return Counter(name, model.entity, path, names, is_sequence=True)
        raise DeclarationError(
            f"{field}: {path!r} is not a field of another entity with a table, which is declared "
            f"before {declaration.__name__}."
        )
    return None


def stored_fields(fields: Mapping[str, Attr[Any]]) -> list[StoredField]:
    """Return how the fields are stored, without those that are in the key only."""
    return [
        StoredField(
            field.name,
            field.attribute,
            field.codec(),
            (lambda: 0) if field.role == "version" else field.default,
            field.check,
            field.constant,
        )
        for field in fields.values()
        if field.stored
    ]


def _other_attributes(
    fields: dict[str, Attr[Any]],
    key: ResolvedKey,
    indexes: dict[str, ResolvedKey],
    tag: tuple[str, str] | None,
    versions: SchemaVersions,
) -> frozenset[str]:
    """Return the attributes of keys, the type tag and the schema version that are not fields."""
    columns = [*key.columns, *(one for index_key in indexes.values() for one in index_key.columns)]
    names = {column.attribute.name for column in columns}
    if tag is not None:
        names.add(tag[0])
    if versions.is_declared:
        names.add(versions.attribute)
    return frozenset(names - {field.attribute for field in fields.values() if field.stored})
