"""The keys of an entity, made ready from what it declares."""

from __future__ import annotations

from typing import Any

from singletable.errors import DeclarationError
from singletable.schema.access import Access
from singletable.schema.attribute import Attr
from singletable.schema.check import check_primary
from singletable.schema.column import Column, FieldColumn, TextColumn
from singletable.schema.key import IndexKey, Key
from singletable.schema.part import Part
from singletable.schema.table import KeyAttribute, Table
from singletable.schema.template import Said, Template
from singletable.schema.unique import Marker, Unique

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
    pk = _columns(entity, f"{name}.pk", (table.pk,), key.pk, fields, PARTITION_BYTES)
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
        else _columns(entity, f"{name}.sk", (table.sk,), key.sk, fields, SORT_BYTES)
    )
    access = Access(entity.__name__, name, None, pk, sk)
    check_primary(access, fields)
    return access


def index_key(
    entity: type, table: Table, fields: dict[str, Attr[Any]], said: IndexKey[Any]
) -> Access:
    """The key of an entity in an index."""
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
            + ("a sort key, so the key needs sk=…." if index.sk else "no sort key.")
        )
    pk = _columns(entity, f"{said.name}.pk", index.pk, said.key.pk, fields, PARTITION_BYTES)
    sk = (
        ()
        if said.key.sk is None
        else _columns(entity, f"{said.name}.sk", index.sk, said.key.sk, fields, SORT_BYTES)
    )
    if said.when is not None and not any(column.own for column in (*pk, *sk)):
        raise DeclarationError(
            f"{where}: when=… cannot keep an item out of an index whose keys are its own fields. "
            "Make the field None for items that do not belong there."
        )
    return Access(entity.__name__, said.name, index, pk, sk, said.when)


def marker_of(
    entity: type, table: Table, fields: dict[str, Attr[Any]], unique: Unique[Any]
) -> Marker:
    """The unique constraint of an entity, with the key of its markers."""
    owner = f"{entity.__name__}.{unique.name}"
    names = tuple(part.field for part in unique.parts)
    texts = ("UNIQUE", entity.__name__, "+".join(names))
    pk = unique.pk or (*texts, *unique.parts)
    sk = unique.sk or "UNIQUE"
    columns = _columns(entity, f"{unique.name}.pk", (table.pk,), pk, fields, PARTITION_BYTES)
    sort = (
        ()
        if table.sk is None
        else _columns(entity, f"{unique.name}.sk", (table.sk,), sk, fields, SORT_BYTES)
    )
    access = Access(entity.__name__, unique.name, None, columns, sort)
    if set(access.fields) != set(names):
        raise DeclarationError(
            f"{owner}: its key is made of {', '.join(access.fields) or 'no field'}, but the unique "
            f"values are {', '.join(names)}. The key of a marker is made of just the values."
        )
    held = unique.holds.items()
    copies = {name: fields[one.field].attribute for name, one in held if isinstance(one, Part)}
    if any(field.role == "expires" for field in fields.values()) and table.ttl is not None:
        # A value is free again when its owner is gone.
        copies[table.ttl] = table.ttl
    return Marker(
        unique.name,
        names,
        access,
        texts={name: one for name, one in held if isinstance(one, str)},
        copies=copies,
        history=unique.history,
    )


def _columns(
    entity: type,
    where: str,
    attributes: tuple[KeyAttribute, ...],
    said: Said,
    fields: dict[str, Attr[Any]],
    most_bytes: int,
) -> tuple[Column, ...]:
    """One column for a template, one for each field of a key with several attributes."""
    owner = entity.__name__
    parts = [said] if isinstance(said, str) else list(said)
    if len(attributes) > 1:
        if len(parts) != len(attributes) or not all(isinstance(part, Attr) for part in parts):
            names = ", ".join(attribute.name for attribute in attributes)
            raise DeclarationError(
                f"{owner}.{where}: the key has the attributes {names}; give one field for each."
            )
        return tuple(
            _field_column(owner, where, attribute, part, fields)
            for attribute, part in zip(attributes, parts, strict=True)
            if isinstance(part, Attr)
        )
    attribute = next(iter(attributes))
    part, *rest = parts
    if isinstance(part, Attr) and not rest:
        as_it_is = attribute.type != "S" or part.attribute == attribute.name
        if as_it_is:
            return (_field_column(owner, where, attribute, part, fields),)
    if attribute.type != "S":
        raise DeclarationError(
            f"{owner}.{where}: {attribute.name} holds "
            f"{'numbers' if attribute.type == 'N' else 'bytes'}, so the key is one field: (field,)."
        )
    _check_parts(owner, where, parts, fields)
    template = Template.of(owner, said)
    return (TextColumn(attribute, template, most_bytes),)


def _field_column(
    owner: str,
    where: str,
    attribute: KeyAttribute,
    field: Attr[Any],
    fields: dict[str, Attr[Any]],
) -> FieldColumn:
    _check_parts(owner, where, [field], fields)
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
    return FieldColumn(owner, attribute, field.name, codec, field.attribute != attribute.name)


def _check_parts(owner: str, where: str, parts: list[Any], fields: dict[str, Attr[Any]]) -> None:
    for part in parts:
        if isinstance(part, Part) and part.field not in fields:
            raise DeclarationError(
                f"{owner}.{where}: {part!r} is not a field of {owner}, which has "
                f"{', '.join(fields)}."
            )
