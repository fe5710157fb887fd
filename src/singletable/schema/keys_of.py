"""The keys of an entity, made ready from what it declares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from singletable.errors import DeclarationError
from singletable.schema.access import Access
from singletable.schema.attribute import Attr
from singletable.schema.check import check_order, check_primary, check_when
from singletable.schema.column import Column, FieldColumn, TextColumn
from singletable.schema.key import IndexKey, Key
from singletable.schema.part import Part, Same, Shards
from singletable.schema.table import KeyAttribute, Table
from singletable.schema.template import Said, Template, parts_of

PARTITION_BYTES = 2048
SORT_BYTES = 1024


def declared(entity: type, kind: type) -> dict[str, Any]:
    """What a class and those it inherits from declare of one kind, by name."""
    found: dict[str, Any] = {}
    for base in reversed(entity.__mro__):
        found |= {name: value for name, value in vars(base).items() if isinstance(value, kind)}
    return found


def primary_key(entity: type, table: Table, fields: dict[str, Attr[Any]]) -> Access:
    """The primary key of an entity."""
    keys = declared(entity, Key)
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
    access = Access(entity.__name__, name, None, pk, sk)
    check_order(access)
    check_primary(access, fields)
    return access


def index_key(
    entity: type,
    table: Table,
    fields: dict[str, Attr[Any]],
    said: IndexKey[Any],
    tag: tuple[str, str] | None,
) -> Access:
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
    access = Access(entity.__name__, said.name, index, *_shared(pk, sk, kept), said.when)
    check_order(access)
    if said.when is not None and not any(column.own for column in access.columns):
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
        return replace(column, own=False) if column.attribute.name in kept else column

    return tuple(map(plain, pk)), tuple(map(plain, sk))


def columns_of(
    entity: type,
    where: str,
    attributes: tuple[KeyAttribute, ...],
    said: Said,
    fields: dict[str, Attr[Any]],
    most_bytes: int,
) -> tuple[Column, ...]:
    """One column for a template, one for each field of a key with several attributes."""
    owner = entity.__name__
    parts = parts_of(said)
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
    template = Template.of(owner, said)
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
        ordered=attribute.type != "S" or field.form().ordered,
        own=field.attribute != attribute.name,
    )


def check_parts(owner: str, where: str, parts: list[Any], fields: dict[str, Attr[Any]]) -> None:
    """Whatever a key is made of is a field of the entity."""
    for said in parts:
        part: Part[Any] | None = _part(said)
        if part is None:
            continue
        field = fields.get(part.field)
        if field is None or field.annotation != part.annotation:
            raise DeclarationError(
                f"{owner}.{where}: {part!r} is not a field of {owner}, which has "
                f"{', '.join(fields)}."
            )


def _part(said: Any) -> Part[Any] | None:
    """What names a field in a part of a key, if anything does."""
    if isinstance(said, Same):
        return said.part
    if isinstance(said, Shards):
        return said.by
    return said if isinstance(said, Part) else None  # pyright: ignore[reportUnknownVariableType]
