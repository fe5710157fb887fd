"""The markers of an entity's unique values, made ready from what it declares."""

from __future__ import annotations

from typing import Any

from singletable.errors import DeclarationError
from singletable.schema.access import Access
from singletable.schema.attribute import Attr
from singletable.schema.check import check_order
from singletable.schema.column import TextColumn
from singletable.schema.keys_of import PARTITION_BYTES, SORT_BYTES, check_parts, columns_of
from singletable.schema.part import Part
from singletable.schema.table import Table
from singletable.schema.template import Repeated, Value
from singletable.schema.unique import OWNER, RELEASED, Marker, Unique


def marker_of(
    entity: type, table: Table, fields: dict[str, Attr[Any]], unique: Unique[Any]
) -> Marker:
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
    copies = {name: fields[one.field].attribute for name, one in held if isinstance(one, Part)}
    if any(field.role == "expires" for field in fields.values()) and table.ttl is not None:
        # A value is free again when its owner is gone.
        copies[table.ttl] = table.ttl
    return Marker(
        unique.name,
        tuple(part.field for part in unique.parts),
        access,
        texts={name: one for name, one in held if isinstance(one, str)},
        copies=copies,
        history=unique.history,
    )


def _access(
    entity: type, table: Table, fields: dict[str, Attr[Any]], unique: Unique[Any]
) -> Access:
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
    return Access(entity.__name__, where, None, columns, sort)


def _check_values(owner: str, access: Access, unique: Unique[Any]) -> None:
    """A marker's key is made of the unique values, in the form in which they are compared."""
    names = [part.field for part in unique.parts]
    if set(access.fields) != set(names):
        raise DeclarationError(
            f"{owner}: its key is made of {', '.join(access.fields) or 'no field'}, but the unique "
            f"values are {', '.join(names)}. The key of a marker is made of just the values."
        )
    if len(set(names)) < len(names):
        raise DeclarationError(f"{owner} names a field twice: {', '.join(names)}.")
    exact = {part.field: part.form().exact for part in unique.parts}
    for column in access.columns:
        for segment in column.template.segments if isinstance(column, TextColumn) else ():
            value = segment.value if isinstance(segment, Repeated) else segment
            if isinstance(value, Value) and value.form.exact != exact[value.field]:
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
        if isinstance(one, Part) and not fields[one.field].stored:
            raise DeclarationError(f"{owner}: {one!r} is not stored, so a marker cannot hold it.")
