"""What must hold of an entity by itself, before it joins its table."""

from __future__ import annotations

from typing import Any

from singletable.errors import DeclarationError
from singletable.schema.access import Access
from singletable.schema.attribute import Attr
from singletable.schema.column import TextColumn
from singletable.schema.model import Model
from singletable.schema.table import Table


def check_primary(access: Access, fields: dict[str, Attr[Any]]) -> None:
    """A primary key is always there, never changes, and can be found again."""
    for name in access.fields:
        field = fields[name]
        if field.codec().optional or field.role in ("version", "updated", "expires"):
            raise DeclarationError(
                f"{access}: {name} may be absent or change, and a primary key does neither. "
                "Make it a field that every item has."
            )
    shards = access.shards
    if shards is not None and shards.by is None:
        raise DeclarationError(
            f"{access}: random shards are for indexes: an item whose primary key is random cannot "
            "be found again. Calculate the shard from a field: Shards(…, by=field)."
        )
    if (
        shards is not None
        and shards.by is not None
        and shards.by.field not in (*access.pk_fields, *access.sk_fields)
    ):
        raise DeclarationError(
            f"{access}: the shard is calculated from {shards.by.field}, which is not in the key; "
            "an item could not be found again. Use a field of the key."
        )


def check_roles(entity: type, table: Table, fields: dict[str, Attr[Any]]) -> None:
    """Each part that the store plays is played by one field, and items expire by their table's."""
    for role in ("version", "created", "updated", "expires"):
        having = [field for field in fields.values() if field.role == role]
        if len(having) > 1:
            raise DeclarationError(
                f"{entity.__name__} has several {role} fields: "
                f"{', '.join(field.name for field in having)}. Keep one."
            )
    for field in fields.values():
        if field.role != "expires":
            continue
        if table.ttl is None:
            raise DeclarationError(
                f"{field}: table {table.name!r} has no TTL attribute. Declare it: Table(…, ttl=…)."
            )
        if field.attribute == field.name:
            field.attribute = table.ttl
        if field.attribute != table.ttl:
            raise DeclarationError(
                f"{field} is stored as {field.attribute!r}, but items of table {table.name!r} "
                f"expire by {table.ttl!r}."
            )


def check_model(model: Model) -> None:
    """No two things are stored under one name, and everything can be read back."""
    taken: dict[str, str] = {}
    for field in model.fields.values():
        if not field.stored:
            continue
        if field.attribute in taken:
            raise DeclarationError(
                f"{field} and {taken[field.attribute]} are both stored as {field.attribute!r}."
            )
        taken[field.attribute] = str(field)
    own = [
        name for access in (model.key, *model.indexes.values()) for name in access.own_attributes
    ]
    if model.tag is not None:
        own.append(model.tag[0])
    for name in own:
        if name in taken:
            raise DeclarationError(
                f"{taken[name]} is stored as {name!r}, which is a key or the type tag. Give the "
                "field another name at rest: attr(name=…)."
            )
    _check_expiry(model)
    _check_in_key_only(model)


def _check_expiry(model: Model) -> None:
    expires = model.role("expires")
    for access in model.indexes.values():
        if expires is None or access.index is None or access.index.projects == "ALL":
            continue
        projected = access.index.projects
        if projected == "KEYS_ONLY" or expires.attribute not in projected:
            raise DeclarationError(
                f"{access}: {access.index!r} does not project {expires.attribute!r}, so a query "
                "could not tell what has expired. Project it: projects=[…]."
            )


def _check_in_key_only(model: Model) -> None:
    for name in model.in_key_only:
        exact = {
            value.field
            for column in model.key.columns
            if isinstance(column, TextColumn)
            for value in column.template.values
            if value.form.exact
        }
        if name not in exact:
            raise DeclarationError(
                f"{model.name}.{name} is not stored, and cannot be read back from the primary key. "
                "Put it there, or store it."
            )
