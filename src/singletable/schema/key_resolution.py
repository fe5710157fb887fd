"""The keys of an entity, made ready from what it declares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from singletable.errors import DeclarationError
from singletable.schema.checks import check_order, check_primary, check_when
from singletable.schema.fields import Attr
from singletable.schema.key_parts import KeyPart, RepeatedPart, Shards
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
from singletable.schema.unique import OWNER, RELEASED, Unique, UniqueConstraint

PARTITION_BYTES = 2048
SORT_BYTES = 1024


def declared_members(entity: type, kind: type) -> dict[str, Any]:
    """What a class and those it inherits from declare of one kind, by name."""
    found: dict[str, Any] = {}
    for base in reversed(entity.__mro__):
        found |= {name: value for name, value in vars(base).items() if isinstance(value, kind)}
    return found


def resolve_primary_key(entity: type, table: Table, fields: dict[str, Attr[Any]]) -> ResolvedKey:
    """The primary key of an entity."""
    keys = declared_members(entity, Key)
    if len(keys) != 1:
        raise DeclarationError(
            f"{entity.__name__} declares {len(keys)} primary keys; an entity has one: "
            f"key = Key(pk=…{', sk=…' if table.sk else ''}). For an index, write Key(…).on(index)."
        )
    ((name, key),) = keys.items()
    pk = columns_of(entity, f"{name}.pk", (table.pk,), key.pk, fields, PARTITION_BYTES)
    if (table.sk is None) != (key.sk is None):
        raise DeclarationError(
            f"{entity.__name__}.{name}: table {table.name!r} has "
            + (
                "no sort key, so the key has no sk."
                if table.sk is None
                else f"the sort key {table.sk.name}, so the key needs sk=…."
            )
        )
    sk = (
        ()
        if table.sk is None
        else columns_of(entity, f"{name}.sk", (table.sk,), key.sk, fields, SORT_BYTES)
    )
    access = ResolvedKey(entity.__name__, name, None, pk, sk)
    check_order(access)
    check_primary(access, fields)
    return access


def resolve_index_key(
    entity: type,
    table: Table,
    fields: dict[str, Attr[Any]],
    said: IndexKey[Any],
    tag: tuple[str, str] | None,
) -> ResolvedKey:
    """The key of an entity in an index."""
    kept = {one.name for one in table.key_attributes} | set(tag[:1] if tag else ())
    where = f"{entity.__name__}.{said.name}"
    index = said.index
    if not any(index is one for one in table.indexes):
        raise DeclarationError(
            f"{where}: {index!r} is not an index of table {table.name!r}, which has "
            f"{', '.join(repr(one.name) for one in table.indexes) or 'none'}. Name it in the "
            "table: Table(…, indexes=[…])."
        )
    if bool(index.sk) != (said.key.sk is not None):
        raise DeclarationError(
            f"{where}: {index!r} has "
            + (
                "a sort key, so the key needs sk=…."
                if index.sk
                else "no sort key, so the key has no sk."
            )
        )
    pk = columns_of(entity, f"{said.name}.pk", index.pk, said.key.pk, fields, PARTITION_BYTES)
    sk = (
        ()
        if said.key.sk is None
        else columns_of(entity, f"{said.name}.sk", index.sk, said.key.sk, fields, SORT_BYTES)
    )
    check_when(where, said.when, fields)
    access = ResolvedKey(entity.__name__, said.name, index, *_shared(pk, sk, kept), said.when)
    check_order(access)
    if said.when is not None and not any(column.dedicated for column in access.columns):
        raise DeclarationError(
            f"{where}: when=… cannot keep an item out of an index whose keys are its own fields. "
            "Make the field None for items that do not belong there."
        )
    return access


def _shared(
    pk: tuple[Column, ...], sk: tuple[Column, ...], kept: set[str]
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """The columns; what the primary key or the type tag holds anyway is not the index's own."""

    def plain(column: Column) -> Column:
        return replace(column, dedicated=False) if column.attribute.name in kept else column

    return tuple(map(plain, pk)), tuple(map(plain, sk))


def columns_of(
    entity: type,
    where: str,
    attributes: tuple[KeyAttribute, ...],
    said: KeySpec,
    fields: dict[str, Attr[Any]],
    most_bytes: int,
) -> tuple[Column, ...]:
    """One column for a template, one for each field of a key with several attributes."""
    owner = entity.__name__
    parts = parts_of_spec(said)
    if not parts:
        raise DeclarationError(
            f"{owner}.{where}: a key needs at least one part: a text or a field."
        )
    if len(attributes) > 1:
        if len(parts) != len(attributes) or not all(isinstance(part, Attr) for part in parts):
            names = ", ".join(attribute.name for attribute in attributes)
            raise DeclarationError(
                f"{owner}.{where}: the key has the attributes {names}; give one field for each."
            )
        return tuple(
            _field_column(owner, where, attribute, part, fields, most_bytes)
            for attribute, part in zip(attributes, parts, strict=True)
            if isinstance(part, Attr)
        )
    attribute = next(iter(attributes))
    part, *rest = parts
    if isinstance(part, Attr) and not rest:
        as_it_is = attribute.type != "S" or part.attribute == attribute.name
        if as_it_is:
            return (_field_column(owner, where, attribute, part, fields, most_bytes),)
    if attribute.type != "S":
        raise DeclarationError(
            f"{owner}.{where}: {attribute.name} holds "
            f"{'numbers' if attribute.type == 'N' else 'bytes'}, so the key is one field: (field,)."
        )
    check_parts(owner, where, parts, fields)
    template = KeyTemplate.from_parts(owner, said)
    return (TextColumn(attribute, template, most_bytes),)


def _field_column(
    owner: str,
    where: str,
    attribute: KeyAttribute,
    said: Attr[Any],
    fields: dict[str, Attr[Any]],
    most_bytes: int,
) -> FieldColumn:
    check_parts(owner, where, [said], fields)
    field = fields[said.name]
    codec = field.codec()
    if codec.types != frozenset((attribute.type,)):
        raise DeclarationError(
            f"{owner}.{where}: {attribute.name} is of type {attribute.type}, but {field} is held "
            f"as {'/'.join(sorted(codec.types))}. "
            + (
                "Declare the attribute as Number(…), or write a key of texts."
                if "N" in codec.types
                else "Give a field of that type."
            )
        )
    return FieldColumn(
        owner,
        attribute,
        field.name,
        codec,
        most_bytes,
        ordered=attribute.type != "S" or field.encoding().ordered,
        dedicated=field.attribute != attribute.name,
    )


def check_parts(owner: str, where: str, parts: list[Any], fields: dict[str, Attr[Any]]) -> None:
    """Whatever a key is made of is a field of the entity."""
    for said in parts:
        part: KeyPart[Any] | None = _part(said)
        if part is None:
            continue
        field = fields.get(part.field)
        if field is None or field.annotation != part.annotation:
            raise DeclarationError(
                f"{owner}.{where}: {part!r} is not a field of {owner}, which has "
                f"{', '.join(fields)}."
            )


def _part(said: Any) -> KeyPart[Any] | None:
    """What names a field in a part of a key, if anything does."""
    if isinstance(said, RepeatedPart):
        return said.part
    if isinstance(said, Shards):
        return said.by
    return said if isinstance(said, KeyPart) else None  # pyright: ignore[reportUnknownVariableType]


# FROM markers.py: The markers of an entity's unique values, made ready from what it declares.


def resolve_unique(
    entity: type, table: Table, fields: dict[str, Attr[Any]], unique: Unique[Any]
) -> UniqueConstraint:
    """The unique constraint of an entity, with the key of its markers."""
    owner = f"{entity.__name__}.{unique.name}"
    check_parts(entity.__name__, unique.name, [*unique.parts, *unique.include.values()], fields)
    if table.sk is None and unique.sk is not None:
        raise DeclarationError(
            f"{owner}: table {table.name!r} has no sort key, so the marker has no sk."
        )
    access = _access(entity, table, fields, unique)
    check_order(access)
    _check_values(owner, access, unique)
    _check_holds(owner, table, fields, unique)
    held = unique.include.items()
    copies = {name: fields[one.field].attribute for name, one in held if isinstance(one, KeyPart)}
    if any(field.role == "expires" for field in fields.values()) and table.ttl is not None:
        # A value is free again when its owner is gone.
        copies[table.ttl] = table.ttl
    return UniqueConstraint(
        unique.name,
        tuple(part.field for part in unique.parts),
        access,
        constants={name: one for name, one in held if isinstance(one, str)},
        copies=copies,
        keep_released=unique.keep_released,
    )


def _access(
    entity: type, table: Table, fields: dict[str, Attr[Any]], unique: Unique[Any]
) -> ResolvedKey:
    names = "+".join(part.field for part in unique.parts)
    pk = unique.pk or ("UNIQUE", entity.__name__, names, *unique.parts)
    sk = unique.sk or "UNIQUE"
    where = unique.name
    columns = columns_of(entity, f"{where}.pk", (table.pk,), pk, fields, PARTITION_BYTES)
    sort = (
        ()
        if table.sk is None
        else columns_of(entity, f"{where}.sk", (table.sk,), sk, fields, SORT_BYTES)
    )
    return ResolvedKey(entity.__name__, where, None, columns, sort)


def _check_values(owner: str, access: ResolvedKey, unique: Unique[Any]) -> None:
    """A marker's key is made of the unique values, in the form in which they are compared."""
    names = [part.field for part in unique.parts]
    if set(access.fields) != set(names):
        raise DeclarationError(
            f"{owner}: its key is made of {', '.join(access.fields) or 'no field'}, but the unique "
            f"values are {', '.join(names)}. The key of a marker is made of just the values."
        )
    if len(set(names)) < len(names):
        raise DeclarationError(f"{owner} names a field twice: {', '.join(names)}.")
    exact = {part.field: part.encoding().exact for part in unique.parts}
    for column in access.columns:
        for segment in column.template.segments if isinstance(column, TextColumn) else ():
            value = segment.value if isinstance(segment, RepeatedSegment) else segment
            if isinstance(value, FieldSegment) and value.encoding.exact != exact[value.field]:
                raise DeclarationError(
                    f"{owner}: {value.field} is compared with casefold() in one place and without "
                    "it in another. Write the same in Unique(…) and in its key."
                )


def _check_holds(
    owner: str, table: Table, fields: dict[str, Attr[Any]], unique: Unique[Any]
) -> None:
    keys = {attribute.name for attribute in table.key_attributes}
    for name, one in unique.include.items():
        if name in keys or name.startswith(OWNER) or name == RELEASED:
            raise DeclarationError(
                f"{owner}: include={{{name!r}: …}} is a name that the marker itself needs. Take "
                "another."
            )
        if isinstance(one, KeyPart) and not fields[one.field].stored:
            raise DeclarationError(f"{owner}: {one!r} is not stored, so a marker cannot hold it.")
