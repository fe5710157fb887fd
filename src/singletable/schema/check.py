"""What must hold of an entity by itself, before it joins its table."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.access import Access
from singletable.schema.attribute import Attr
from singletable.schema.column import Column, TextColumn
from singletable.schema.condition import Condition
from singletable.schema.model import Model
from singletable.schema.path import Path
from singletable.schema.table import Table
from singletable.schema.template import Repeated, Sharded, Value


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


def check_order(access: Access) -> None:
    """Each value is given once, from left to right, and shards spread the partition alone."""
    given: set[str] = set()
    sharded = False
    for column in access.columns:
        segments = column.template.segments if isinstance(column, TextColumn) else ()
        names = [*column.asked] if not segments else []
        for segment in segments:
            match segment:
                case Value(field):
                    names.append(field)
                case Repeated(Value(field)) if field not in (*given, *names):
                    raise DeclarationError(
                        f"{access}: same({field}) repeats a value that does not stand before it in "
                        f"the key. Write {field} itself there."
                    )
                case Sharded() if sharded or column not in access.pk:
                    raise DeclarationError(
                        f"{access}: Shards spread a partition, so they stand once, in pk."
                    )
                case Sharded():
                    sharded = True
                case _:
                    pass
        for name in names:
            if name in given or names.count(name) > 1:
                raise DeclarationError(
                    f"{access}: {name} stands in the key twice, and would be asked for twice. "
                    f"Write same({name}) where it is repeated."
                )
        given |= set(names)


def check_when(where: str, when: Condition[Any] | None, fields: dict[str, Attr[Any]]) -> None:
    """The condition of an index asks about fields of the entity, with values of their types."""
    if when is None:
        return
    if not isinstance(when, Condition):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DeclarationError(
            f"{where}: when={when!r} is no condition. Compare a field: when=status == 'open'."
        )
    for path in when.fields:
        if isinstance(path, Path) and path.field not in fields:
            raise DeclarationError(
                f"{where}: when=… asks about {path}, which is not a field of the entity. "
                f"There are {', '.join(fields)}."
            )
    try:
        when.node()
    except InvalidValue as error:
        raise DeclarationError(f"{where}: when=… cannot be asked: {error}") from None


_ROLE_TYPES: dict[str, tuple[type, str]] = {
    "version": (int, "counts writes"),
    "created": (datetime, "is the time of the first write"),
    "updated": (datetime, "is the time of the last write"),
    "expires": (datetime, "is the time after which the item is gone"),
}


def _check_role_type(field: Attr[Any]) -> None:
    if field.role is None:
        return
    kind, what = _ROLE_TYPES[field.role]
    # Items from before a time was kept have none; every item has a version, if only zero.
    may_be_none = field.role != "version"
    if field.annotation is not kind or (field.codec().optional and not may_be_none):
        raise DeclarationError(
            f"{field} {what}. Declare it as Attr[{kind.__name__}] = {field.role}()."
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
        _check_role_type(field)
        if field.role != "expires":
            if field.stored and field.attribute == table.ttl:
                raise DeclarationError(
                    f"{field} is stored as {table.ttl!r}, by which items of table {table.name!r} "
                    f"expire. Declare it with expires(), or give it another name at rest."
                )
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


def check_names(fields: dict[str, Attr[Any]]) -> None:
    """No two fields are stored under one name."""
    taken: dict[str, Attr[Any]] = {}
    for field in fields.values():
        if field.stored and taken.setdefault(field.attribute, field) is not field:
            raise DeclarationError(
                f"{field} and {taken[field.attribute]} are both stored as {field.attribute!r}. "
                "Give one of them another name at rest: attr(name=…)."
            )


def check_model(model: Model) -> None:
    """No field is stored as a key, and everything can be read back."""
    taken = {field.attribute: str(field) for field in model.fields.values() if field.stored}
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
    _check_shared(model)
    _check_types(model)
    _check_expiry(model)
    _check_in_key_only(model)


def _check_shared(model: Model) -> None:
    """An attribute that stands in several keys is made in one way."""
    made: dict[str, tuple[Access, object]] = {}
    for access in (model.key, *model.indexes.values()):
        for column in access.columns:
            name = column.attribute.name
            other, way = made.setdefault(name, (access, _way(column)))
            if way != _way(column) or (other is not access and other.index is access.index):
                raise DeclarationError(
                    f"{access} and {other} both make {name!r}, in two ways, and an item has one "
                    "value in an attribute. Make it alike in both, or use another index."
                )


def _way(column: Column) -> object:
    if not isinstance(column, TextColumn):
        return column.field
    return [
        segment.value if isinstance(segment, Repeated) else segment
        for segment in column.template.segments
    ]


def _check_types(model: Model) -> None:
    """DynamoDB refuses an item whose attribute is not of the type that an index expects."""
    for attribute in model.table.all_key_attributes():
        for field in model.fields.values():
            types = field.codec().types
            if (
                field.stored
                and field.attribute == attribute.name
                and types != frozenset((attribute.type,))
            ):
                raise DeclarationError(
                    f"{field} is stored as {attribute.name!r} and held as "
                    f"{'/'.join(sorted(types))}, but that is a key attribute of type "
                    f"{attribute.type} in table {model.table.name!r}, and DynamoDB would refuse "
                    "the item. Give the field another name at rest: attr(name=…)."
                )


def _check_expiry(model: Model) -> None:
    expires = model.role("expires")
    for access in model.indexes.values():
        if expires is None or access.index is None or access.index.projection == "ALL":
            continue
        projected = access.index.projection
        if projected == "KEYS_ONLY" or expires.attribute not in projected:
            raise DeclarationError(
                f"{access}: {access.index!r} does not project {expires.attribute!r}, so a query "
                "could not tell what has expired. Project it: projection=[…]."
            )


def _check_in_key_only(model: Model) -> None:
    for name in model.in_key_only:
        if name not in model.key.told:
            raise DeclarationError(
                f"{model.name}.{name} is not stored, and cannot be read back from the primary key. "
                "Put it there, or store it."
            )
