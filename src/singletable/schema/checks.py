"""What must hold of an entity by itself, before it joins its table."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.condition import Condition
from singletable.schema.fields import Attr
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    RepeatedSegment,
    ShardSegment,
)
from singletable.schema.model import Model, model_of
from singletable.schema.path import Path
from singletable.schema.resolved_key import Column, ResolvedKey, TextColumn
from singletable.schema.table import Table


def check_primary(access: ResolvedKey, fields: dict[str, Attr[Any]]) -> None:
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


def check_order(access: ResolvedKey) -> None:
    """Each value is given once, from left to right, and shards spread the partition alone."""
    given: set[str] = set()
    sharded = False
    for column in access.columns:
        segments = column.template.segments if isinstance(column, TextColumn) else ()
        names = [*column.parameters] if not segments else []
        for segment in segments:
            match segment:
                case FieldSegment(field):
                    names.append(field)
                case RepeatedSegment(FieldSegment(field)) if field not in (*given, *names):
                    raise DeclarationError(
                        f"{access}: repeated({field}) repeats a value that does not stand before it in "
                        f"the key. Write {field} itself there."
                    )
                case ShardSegment() if sharded or column not in access.pk:
                    raise DeclarationError(
                        f"{access}: Shards spread a partition, so they stand once, in pk."
                    )
                case ShardSegment():
                    sharded = True
                case _:
                    pass
        for name in names:
            if name in given or names.count(name) > 1:
                raise DeclarationError(
                    f"{access}: {name} stands in the key twice, and would be asked for twice. "
                    f"Write repeated({name}) where it is repeated."
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
        name
        for access in (model.key, *model.indexes.values())
        for name in access.dedicated_attributes
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
    made: dict[str, tuple[ResolvedKey, object]] = {}
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
        segment.value if isinstance(segment, RepeatedSegment) else segment
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
    for name in model.key_only_fields:
        if name not in model.key.recoverable_fields:
            raise DeclarationError(
                f"{model.name}.{name} is not stored, and cannot be read back from the primary key. "
                "Put it there, or store it."
            )


# FROM check_counts.py: What must hold of the counts that an entity keeps.


def check_counts(model: Model) -> None:
    """A count names an item by its key, and a number in it."""
    for name, counted in model.counts.items():
        where = f"{model.name}.{name}"
        target = model_of(counted.entity)
        number = target.fields.get(counted.path.field)
        if number is None or str(counted.path).partition(".")[0] != number.owner:
            raise DeclarationError(
                f"{where}: {counted.path} is no field of {target.name}, which has "
                f"{', '.join(target.fields)}."
            )
        if counted.path.codec().types != frozenset("N") or number.name in target.key.fields:
            raise DeclarationError(
                f"{where}: {counted.path} cannot be counted up. Give a number that is not in the "
                "key: Attr[int] = attr(default=0)."
            )
        expected = (*target.key.pk_fields, *target.key.sk_fields)
        types = [target.fields[field].annotation for field in expected]
        unknown = [field for field in counted.fields if field not in model.fields]
        if unknown or [model.fields[field].annotation for field in counted.fields] != types:
            raise DeclarationError(
                f"{where}: {target.key} is made of ({', '.join(expected)}), but key="
                f"({', '.join(counted.fields)}). Give one field of {model.name} for each, of the "
                "same type."
            )


# FROM warning.py: Warnings about a declaration, told where it stands.


class DeclarationWarning(UserWarning):
    """A declaration that works, but may not mean what it says."""


def warn(text: str) -> None:
    """Warn at the line outside of this room from which it was entered."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, DeclarationWarning, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module.startswith("singletable.schema")


# FROM check_tags.py: What must hold of the type tags in a table: by them an item finds its entity.


def check_tags(model: Model, others: Sequence[Model]) -> None:
    """No two entities have one tag, and no key or field takes its place."""
    if model.tag is not None:
        _check_tag(model, *model.tag)
    for other in others:
        if model.tag is not None and model.tag == other.tag:
            raise DeclarationError(
                f"{model.name} and {other.name} have the same type tag {model.tag}: an item of one "
                "would be read as the other. Give each its own."
            )
        for tagged, plain in ((model, other), (other, model)):
            _warn_of_fields(tagged, plain)


def _check_tag(model: Model, name: str, text: str) -> None:
    if not name or not text:
        raise DeclarationError(
            f"{model.name}: type_tag=({name!r}, {text!r}) needs the name of an attribute and a "
            "text, such as ('entity_type', 'BALLOT')."
        )
    for access in (model.key, *model.indexes.values()):
        for column in access.columns:
            if column.attribute.name == name and not _always(column, text):
                raise DeclarationError(
                    f"{access}: {name!r} is a key attribute, and the type tag of {model.name}. "
                    "Give the tag an attribute of its own, or let the key be its text."
                )
    for attribute in model.table.all_key_attributes():
        if attribute.name == name and attribute.type != "S":
            raise DeclarationError(
                f"{model.name}: the type tag is a text, but {name!r} is a key attribute of type "
                f"{attribute.type}, and DynamoDB would refuse the item. Name another attribute."
            )


def _always(column: Column, text: str) -> bool:
    """Whether the column holds just this text, in every item."""
    return isinstance(column, TextColumn) and column.template.segments == (FixedSegment(text),)


def _warn_of_fields(tagged: Model, plain: Model) -> None:
    if tagged.tag is None or (plain.tag is not None and plain.tag[0] == tagged.tag[0]):
        return
    for field in plain.fields.values():
        if field.stored and field.attribute == tagged.tag[0]:
            warn(
                f"{field} is stored as {field.attribute!r}, which is the type tag of "
                f"{tagged.name}: with the value {tagged.tag[1]!r} an item would be read as one. "
                "Give the field another name at rest: attr(name=…)."
            )
