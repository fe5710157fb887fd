"""Resolve the keys and unique constraints that an entity declares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from singletable.errors import DeclarationError
from singletable.schema.checks import check_order, check_primary, check_when
from singletable.schema.fields import Attr
from singletable.schema.key_parts import ConcatParts, KeyPart, RepeatedPart, Shards
from singletable.schema.key_template import (
    FieldSegment,
    KeySpec,
    KeyTemplate,
    RepeatedSegment,
    parts_of_spec,
)
from singletable.schema.keys import IndexKey, Key
from singletable.schema.resolved_key import Column, FieldColumn, ResolvedKey, TextColumn
from singletable.schema.table import KeyAttribute, Table
from singletable.schema.unique import OWNER, Unique, UniqueConstraint

PARTITION_KEY_BYTES = 2048
SORT_KEY_BYTES = 1024


def declared_members(entity: type, kind: type) -> dict[str, Any]:
    """Return the class attributes of one kind, inherited ones included, by name."""
    members: dict[str, Any] = {}
    for base in reversed(entity.__mro__):
        members |= {name: value for name, value in vars(base).items() if isinstance(value, kind)}
    return members


def resolve_primary_key(entity: type, table: Table, fields: dict[str, Attr[Any]]) -> ResolvedKey:
    """Return the primary key of an entity."""
    keys = declared_members(entity, Key)
    if len(keys) != 1:
        raise DeclarationError(
            f"{entity.__name__} declares {len(keys)} primary keys, but an entity has one: "
            f"key = Key(pk=…{', sk=…' if table.sk else ''}). For an index, write Key(…).on(index)."
        )
    ((name, key),) = keys.items()
    pk = _columns(entity, f"{name}.pk", (table.pk,), key.pk, fields, PARTITION_KEY_BYTES)
    if (table.sk is None) != (key.sk is None):
        raise DeclarationError(
            f"{entity.__name__}.{name}: table {table.name!r} has "
            + (
                "no sort key, so the key must not have sk."
                if table.sk is None
                else f"the sort key {table.sk.name}, so the key needs sk=…."
            )
        )
    sk = (
        ()
        if table.sk is None or key.sk is None
        else _columns(entity, f"{name}.sk", (table.sk,), key.sk, fields, SORT_KEY_BYTES)
    )
    resolved = ResolvedKey(entity.__name__, name, None, pk, sk)
    check_order(resolved)
    check_primary(resolved, fields)
    return resolved


def resolve_index_key(
    entity: type,
    table: Table,
    fields: dict[str, Attr[Any]],
    declared: IndexKey[Any],
    tag: tuple[str, str] | None,
) -> ResolvedKey:
    """Return the key of an entity in an index."""
    where = f"{entity.__name__}.{declared.name}"
    index, key = declared.index, declared.key
    if not any(index is one for one in table.indexes):
        raise DeclarationError(
            f"{where}: {index!r} is not an index of table {table.name!r}, which has "
            f"{', '.join(repr(one.name) for one in table.indexes) or 'none'}. Add it to the "
            "table: Table(…, indexes=[…])."
        )
    if bool(index.sk) != (key.sk is not None):
        raise DeclarationError(
            f"{where}: {index!r} has "
            + (
                "a sort key, so the key needs sk=…."
                if index.sk
                else "no sort key, so the key must not have sk."
            )
        )
    pk = _columns(entity, f"{declared.name}.pk", index.pk, key.pk, fields, PARTITION_KEY_BYTES)
    sk = (
        ()
        if key.sk is None
        else _columns(entity, f"{declared.name}.sk", index.sk, key.sk, fields, SORT_KEY_BYTES)
    )
    check_when(where, declared.when, fields)
    # The primary key and the type tag are stored anyway, so they are not dedicated to the index.
    stored = {one.name for one in table.key_attributes} | set(tag[:1] if tag else ())
    pk, sk = _clear_dedicated(pk, stored), _clear_dedicated(sk, stored)
    resolved = ResolvedKey(
        entity.__name__, declared.name, index, pk, sk, declared.when, declared.checked
    )
    check_order(resolved)
    if declared.when is not None and not any(column.dedicated for column in resolved.columns):
        raise DeclarationError(
            f"{where}: when=… cannot keep an item out of an index whose keys are fields of the "
            "entity. Set the field to None for items that should not be in it."
        )
    return resolved


def _clear_dedicated(columns: tuple[Column, ...], stored: set[str]) -> tuple[Column, ...]:
    return tuple(
        replace(column, dedicated=False) if column.attribute.name in stored else column
        for column in columns
    )


def resolve_unique(
    entity: type, table: Table, fields: dict[str, Attr[Any]], unique: Unique[Any]
) -> UniqueConstraint:
    """Return the unique constraint of an entity, with the key of its markers."""
    owner = f"{entity.__name__}.{unique.name}"
    _check_parts(entity.__name__, unique.name, [*unique.parts, *unique.include.values()], fields)
    if table.sk is None and unique.sk is not None:
        raise DeclarationError(
            f"{owner}: table {table.name!r} has no sort key, so the marker must not have sk."
        )
    key = _marker_key(entity, table, fields, unique)
    check_order(key)
    _check_marker_key(owner, key, unique)
    _check_include(owner, table, fields, unique)
    included = unique.include.items()
    copies = {
        name: fields[one.field].attribute for name, one in included if isinstance(one, KeyPart)
    }
    if any(field.role == "expires" for field in fields.values()) and table.ttl is not None:
        # A value is free again when its owner expires.
        copies[table.ttl] = table.ttl
    return UniqueConstraint(
        unique.name,
        tuple(part.field for part in unique.parts),
        key,
        constants={name: one for name, one in included if isinstance(one, str)},
        copies=copies,
    )


def _marker_key(
    entity: type, table: Table, fields: dict[str, Attr[Any]], unique: Unique[Any]
) -> ResolvedKey:
    names = "+".join(part.field for part in unique.parts)
    pk = unique.pk or ("UNIQUE", entity.__name__, names, *unique.parts)
    sk = unique.sk or "UNIQUE"
    where = unique.name
    columns = _columns(entity, f"{where}.pk", (table.pk,), pk, fields, PARTITION_KEY_BYTES)
    sort = (
        ()
        if table.sk is None
        else _columns(entity, f"{where}.sk", (table.sk,), sk, fields, SORT_KEY_BYTES)
    )
    return ResolvedKey(entity.__name__, where, None, columns, sort)


def _check_marker_key(owner: str, key: ResolvedKey, unique: Unique[Any]) -> None:
    """Raise unless the key of a marker has all unique values, in the form that is compared."""
    names = [part.field for part in unique.parts]
    if set(key.fields) != set(names):
        raise DeclarationError(
            f"{owner}: its key consists of {', '.join(key.fields) or 'no field'}, but the unique "
            f"fields are {', '.join(names)}. The key of a marker must consist of exactly these."
        )
    if len(set(names)) < len(names):
        raise DeclarationError(f"{owner} lists a field twice: {', '.join(names)}.")
    lossless = {part.field: part.encoding().lossless for part in unique.parts}
    for column in key.columns:
        for segment in column.template.segments if isinstance(column, TextColumn) else ():
            value = segment.value if isinstance(segment, RepeatedSegment) else segment
            if isinstance(value, FieldSegment) and value.encoding.lossless != lossless[value.field]:
                raise DeclarationError(
                    f"{owner}: {value.field} is compared with casefold() in one place and without "
                    "it in another. Write the same in Unique(…) and in its key."
                )


def _check_include(
    owner: str, table: Table, fields: dict[str, Attr[Any]], unique: Unique[Any]
) -> None:
    keys = {attribute.name for attribute in table.key_attributes}
    for name, included in unique.include.items():
        if name in keys or name.startswith(OWNER):
            raise DeclarationError(
                f"{owner}: include={{{name!r}: …}} uses a name that the marker itself needs. "
                "Choose another."
            )
        if isinstance(included, KeyPart) and not fields[included.field].stored:
            raise DeclarationError(
                f"{owner}: {included!r} is in the key only, so a marker cannot include it."
            )


def _columns(
    entity: type,
    where: str,
    attributes: tuple[KeyAttribute, ...],
    spec: KeySpec,
    fields: dict[str, Attr[Any]],
    max_bytes: int,
) -> tuple[Column, ...]:
    """Return one column for a template, or one for each field of a multi-attribute key."""
    owner = entity.__name__
    parts = parts_of_spec(spec)
    if not parts:
        raise DeclarationError(
            f"{owner}.{where}: a key needs at least one part: a text or a field."
        )
    if len(attributes) > 1:
        is_concat = isinstance(spec, ConcatParts)
        if (
            is_concat
            or len(parts) != len(attributes)
            or not all(isinstance(part, Attr) for part in parts)
        ):
            names = ", ".join(attribute.name for attribute in attributes)
            raise DeclarationError(
                f"{owner}.{where}: the key has the attributes {names}; pass one field for each."
            )
        return tuple(
            _field_column(owner, where, attribute, part, fields, max_bytes)
            for attribute, part in zip(attributes, parts, strict=True)
            if isinstance(part, Attr)
        )
    attribute = next(iter(attributes))
    part, *rest = parts
    if isinstance(part, Attr) and not rest:
        is_field = attribute.type != "S" or part.attribute == attribute.name
        if is_field:
            return (_field_column(owner, where, attribute, part, fields, max_bytes),)
    if attribute.type != "S":
        raise DeclarationError(
            f"{owner}.{where}: {attribute.name} stores "
            f"{'numbers' if attribute.type == 'N' else 'bytes'}, so the key must be one field: "
            "(field,)."
        )
    _check_parts(owner, where, parts, fields)
    return (TextColumn(attribute, KeyTemplate.from_parts(owner, spec), max_bytes),)


def _field_column(
    owner: str,
    where: str,
    attribute: KeyAttribute,
    declared: Attr[Any],
    fields: dict[str, Attr[Any]],
    max_bytes: int,
) -> FieldColumn:
    _check_parts(owner, where, [declared], fields)
    field = fields[declared.name]
    codec = field.codec()
    if codec.types != frozenset((attribute.type,)):
        raise DeclarationError(
            f"{owner}.{where}: {attribute.name} has type {attribute.type}, but {field} is stored "
            f"as {'/'.join(sorted(codec.types))}. "
            + (
                "Declare the attribute as Number(…), or write a key with texts."
                if "N" in codec.types
                else "Use a field of that type."
            )
        )
    return FieldColumn(
        owner,
        attribute,
        field.name,
        codec,
        max_bytes,
        ordered=attribute.type != "S" or field.encoding().ordered,
        dedicated=field.attribute != attribute.name,
    )


def _check_parts(owner: str, where: str, parts: list[Any], fields: dict[str, Attr[Any]]) -> None:
    """Raise if a part of a key is not a field of the entity."""
    for declared in parts:
        part: KeyPart[Any] | None = _field_part(declared)
        if part is None:
            continue
        field = fields.get(part.field)
        if field is not None and field.codec().opaque is not None:
            raise DeclarationError(
                f"{owner}.{where}: {field} is {field.codec().opaque}, so it cannot be part of a "
                "key or a unique value. Use another field there."
            )
        if field is None or field.annotation != part.annotation:
            raise DeclarationError(
                f"{owner}.{where}: {part!r} is not a field of {owner}, which has "
                f"{', '.join(fields)}."
            )


def _field_part(declared: Any) -> KeyPart[Any] | None:
    """Return the part that names a field, if there is one."""
    if isinstance(declared, RepeatedPart):
        return declared.part
    if isinstance(declared, Shards):
        return declared.by
    return declared if isinstance(declared, KeyPart) else None  # pyright: ignore[reportUnknownVariableType]
