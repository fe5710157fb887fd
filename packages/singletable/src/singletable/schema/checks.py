"""Validate an entity's declaration before it is added to its table, and warn about mistakes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, cast

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.condition import Condition
from singletable.schema.count import Counter
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


class DeclarationWarning(UserWarning):
    """A declaration that works, but may not do what you expect."""


def warn(text: str) -> None:
    """Issue a DeclarationWarning that points at the declaration in the user's module."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(
        "singletable.schema"
    ):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, DeclarationWarning, stacklevel=level)


def check_primary(key: ResolvedKey, fields: dict[str, Attr[Any]]) -> None:
    """Raise unless the primary key always exists, never changes and can be computed again."""
    for name in key.fields:
        field = fields[name]
        if field.codec().optional or field.role in ("version", "updated", "expires"):
            raise DeclarationError(
                f"{key}: {name} may be absent or change, so it cannot be in a primary key. Use a "
                "field that every item has and that never changes."
            )
    shards = key.shards
    if shards is not None and shards.by is None:
        raise DeclarationError(
            f"{key}: random shards are for indexes only: an item with a random primary key cannot "
            "be read by its key. Compute the shard from a field: Shards(…, by=field)."
        )
    if (
        shards is not None
        and shards.by is not None
        and shards.by.field not in (*key.pk_fields, *key.sk_fields)
    ):
        raise DeclarationError(
            f"{key}: the shard is computed from {shards.by.field}, which is not in the key, so an "
            "item cannot be read by its key. Use a field of the key."
        )


def check_order(key: ResolvedKey) -> None:
    """Raise unless each field is in the key once, before its repeated(), and shards are in pk."""
    given: set[str] = set()
    sharded = False
    for column in key.columns:
        segments = column.template.segments if isinstance(column, TextColumn) else ()
        names = [*column.parameters] if not segments else []
        for segment in segments:
            match segment:
                case FieldSegment(field):
                    names.append(field)
                case RepeatedSegment(FieldSegment(field)) if field not in (*given, *names):
                    raise DeclarationError(
                        f"{key}: repeated({field}) repeats a value that is not in the key before "
                        f"it. Write {field} itself there."
                    )
                case ShardSegment() if sharded or column not in key.pk:
                    raise DeclarationError(
                        f"{key}: Shards spread a partition, so they are allowed once, in pk."
                    )
                case ShardSegment():
                    sharded = True
                case _:
                    pass
        for name in names:
            if name in given or names.count(name) > 1:
                raise DeclarationError(
                    f"{key}: {name} is in the key twice, so it would have to be passed twice. "
                    f"Write repeated({name}) the second time."
                )
        given |= set(names)


def check_when(where: str, when: Condition[Any] | None, fields: dict[str, Attr[Any]]) -> None:
    """Raise unless the condition of an index compares fields of the entity with valid values."""
    if when is None:
        return
    if not isinstance(when, Condition):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DeclarationError(
            f"{where}: when={when!r} is not a condition. Compare a field: when=status == 'open'."
        )
    for path in when.fields:
        if isinstance(path, Path) and path.field not in fields:
            raise DeclarationError(
                f"{where}: when=… uses {path}, which is not a field of the entity. "
                f"Fields: {', '.join(fields)}."
            )
    try:
        when.node()
    except InvalidValue as error:
        raise DeclarationError(f"{where}: when=… is not valid: {error}") from None


_ROLE_TYPES: dict[str, tuple[type, str]] = {
    "version": (int, "is the version number"),
    "created": (datetime, "is the time of the first write"),
    "updated": (datetime, "is the time of the last write"),
    "expires": (datetime, "is the expiration time"),
    "sequence": (int, "is a number of a sequence"),
}


def _check_role_type(field: Attr[Any]) -> None:
    if field.role is None:
        return
    kind, meaning = _ROLE_TYPES[field.role]
    # Items written before the field was declared have no time. Their version is 0, never None.
    may_be_none = field.role not in ("version", "sequence")
    if field.annotation is not kind or (field.codec().optional and not may_be_none):
        raise DeclarationError(
            f"{field} {meaning}. Declare it as Attr[{kind.__name__}] = {field.role}"
            f"{'(…)' if field.role == 'sequence' else '()'}."
        )


def check_roles(entity: type, table: Table, fields: dict[str, Attr[Any]]) -> None:
    """Raise unless each role has at most one field, and items expire by the table's attribute."""
    for role in _ROLE_TYPES:
        matching = [field for field in fields.values() if field.role == role]
        if len(matching) > 1:
            raise DeclarationError(
                f"{entity.__name__} has several {role} fields: "
                f"{', '.join(field.name for field in matching)}. Keep one."
            )
    for field in fields.values():
        _check_role_type(field)
        if field.role != "expires":
            if field.stored and field.attribute == table.ttl:
                raise DeclarationError(
                    f"{field} is stored as {table.ttl!r}, the TTL attribute of table "
                    f"{table.name!r}. Declare it with expires(), or store it under another name: "
                    "attr(name=…)."
                )
            continue
        if table.ttl is None:
            raise DeclarationError(
                f"{field}: table {table.name!r} has no TTL attribute. Declare it: Table(…, ttl=…)."
            )
        if field.attribute != table.ttl:
            raise DeclarationError(
                f"{field} is stored as {field.attribute!r}, but the TTL attribute of table "
                f"{table.name!r} is {table.ttl!r}."
            )


def check_members(declaration: type, names: Iterable[str]) -> None:
    """Raise if a field or key has the name of a method of the base class, which it would hide."""
    for name in names:
        for base in declaration.__mro__:
            if name in vars(base) and base.__module__ in _BASE_MODULES:
                raise DeclarationError(
                    f"{declaration.__name__}.{name} would hide {base.__name__}.{name}, a method of "
                    f"the base class. Use another name; a field is still stored as {name!r} with "
                    f"attr(name={name!r})."
                )


_BASE_MODULES = ("singletable.schema.entity", "singletable.schema.model_entity")
# DynamoDB's limit on the name of an attribute that is neither in a key nor projected.
MAX_ATTRIBUTE_NAME = 65535


def check_names(fields: dict[str, Attr[Any]]) -> None:
    """Raise if two fields are stored under one name, or a name is too long."""
    stored: dict[str, Attr[Any]] = {}
    for field in fields.values():
        if len(field.attribute.encode()) > MAX_ATTRIBUTE_NAME:
            raise DeclarationError(
                f"{field}: the attribute name has {len(field.attribute.encode())} bytes, but "
                f"DynamoDB allows {MAX_ATTRIBUTE_NAME}. Use a shorter name."
            )
        if field.stored and stored.setdefault(field.attribute, field) is not field:
            raise DeclarationError(
                f"{field} and {stored[field.attribute]} are both stored as {field.attribute!r}. "
                "Store one of them under another name: attr(name=…)."
            )


def check_model(model: Model) -> None:
    """Raise if fields and keys use the same attribute, or an item could not be written or read."""
    stored = {field.attribute: str(field) for field in model.fields.values() if field.stored}
    reserved = [
        name for key in (model.key, *model.indexes.values()) for name in key.dedicated_attributes
    ]
    if model.tag is not None:
        reserved.append(model.tag[0])
    for name in reserved:
        if name in stored:
            raise DeclarationError(
                f"{stored[name]} is stored as {name!r}, which is a key attribute or the type tag. "
                "Store the field under another name: attr(name=…)."
            )
    _check_version_attribute(model, {*stored, *reserved})
    _check_shared_attributes(model)
    _check_key_types(model)
    _check_ttl_projected(model)
    for name in model.key_only_fields:
        if name not in model.key.recoverable_fields and name not in model.index_only:
            raise DeclarationError(
                f"{model.name}.{name} has key_only=True, but it cannot be read back from the "
                "primary key, nor from a text in the key of an index without when=…. Add it to a "
                "key, or store it."
            )


def _check_version_attribute(model: Model, used: set[str]) -> None:
    name = model.versions.attribute
    keys = {attribute.name for attribute in model.table.all_key_attributes()}
    if name in used | keys | {model.table.ttl}:
        raise DeclarationError(
            f"{model.name}: the schema version would be stored as {name!r}, which is a field, a "
            "key attribute, the type tag or the TTL. Choose another attribute: "
            f"schema_version=('v', {model.versions.current})."
        )


def _check_shared_attributes(model: Model) -> None:
    """Raise if two keys compute the same attribute in different ways."""
    origins: dict[str, tuple[ResolvedKey, object]] = {}
    for key in (model.key, *model.indexes.values()):
        for column in key.columns:
            name = column.attribute.name
            other, content = origins.setdefault(name, (key, _content(column)))
            if content != _content(column) or (other is not key and other.index is key.index):
                raise DeclarationError(
                    f"{key} and {other} both set {name!r}, but an attribute has one value. Declare "
                    "it the same way in both, or use another index."
                )


def _content(column: Column) -> object:
    if not isinstance(column, TextColumn):
        return column.field
    return [
        segment.value if isinstance(segment, RepeatedSegment) else segment
        for segment in column.template.segments
    ]


def _check_key_types(model: Model) -> None:
    """Raise if a field is stored in a key attribute of another type: DynamoDB would reject it."""
    for attribute in model.table.all_key_attributes():
        for field in model.fields.values():
            types = field.codec().types
            if (
                field.stored
                and field.attribute == attribute.name
                and types != frozenset((attribute.type,))
            ):
                raise DeclarationError(
                    f"{field} is stored as {attribute.name!r} with type "
                    f"{'/'.join(sorted(types))}, but that is a key attribute of type "
                    f"{attribute.type} in table {model.table.name!r}, so DynamoDB would reject "
                    "the item. Store the field under another name: attr(name=…)."
                )


def _check_ttl_projected(model: Model) -> None:
    expires = model.role("expires")
    for key in model.indexes.values():
        if expires is None or key.index is None or key.index.projection == "ALL":
            continue
        projected = key.index.projection
        if projected == "KEYS_ONLY" or expires.attribute not in projected:
            raise DeclarationError(
                f"{key}: {key.index!r} does not project {expires.attribute!r}, so queries could "
                "not filter out expired items. Project it: projection=[…]."
            )


def check_counts(model: Model) -> None:
    """Raise unless each counter is a numeric field of another entity, with the key of its item."""
    for name, counter in model.counts.items():
        where = f"{model.name}.{name}"
        if expires := model.role("expires"):
            raise DeclarationError(
                f"{where}: {expires} lets items expire, but DynamoDB does not update "
                f"{counter.path} when it deletes one, so the number would be too high. Count the "
                "items when you read, with store.count(…), or update the number from the change "
                "feed, which reports expired items too."
            )
        _check_counter(where, model, counter)


def check_sequence(model: Model) -> None:
    """Raise unless the last number is a field of another entity, with the key of its item."""
    sequence = model.sequence
    if sequence is None:
        return
    where = f"{model.name}.{sequence.name}"
    if model.factory is not None:
        raise DeclarationError(
            f"{where}: a pydantic model cannot have a sequence, because its number would need a "
            "value before the item is created. Declare an Entity."
        )
    _check_counter(where, model, sequence)
    optional = [name for name in sequence.fields if model.fields[name].codec().optional]
    if optional or sequence.name in sequence.fields:
        raise DeclarationError(
            f"{where}: key=({', '.join(sequence.fields)}) is the key of the item with the last "
            f"number, so it cannot contain {optional[0] if optional else sequence.name}, which may "
            "have no value. Use fields that every item has."
        )
    number = model_of(sequence.entity).fields[sequence.path.field]
    if number.annotation is not int:
        raise DeclarationError(
            f"{where}: {sequence.path} is not an integer. Declare it as Attr[int] = "
            "attr(default=0)."
        )


def _check_counter(where: str, model: Model, counter: Counter) -> None:
    """Raise unless the counter is a number of another entity, with the key of its item."""
    target = model_of(counter.entity)
    number = target.fields.get(counter.path.field)
    if number is None or str(counter.path).partition(".")[0] != number.owner:
        raise DeclarationError(
            f"{where}: {counter.path} is not a field of {target.name}, which has "
            f"{', '.join(target.fields)}."
        )
    if counter.path.codec().types != frozenset("N") or number.name in target.key.fields:
        raise DeclarationError(
            f"{where}: {counter.path} cannot be a counter. Use a number that is not in the "
            "key: Attr[int] = attr(default=0)."
        )
    expected = (*target.key.pk_fields, *target.key.sk_fields)
    types = [target.fields[field].annotation for field in expected]
    unknown = [field for field in counter.fields if field not in model.fields]
    if unknown or [model.fields[field].annotation for field in counter.fields] != types:
        raise DeclarationError(
            f"{where}: {target.key} takes ({', '.join(expected)}), but key="
            f"({', '.join(counter.fields)}). Pass one field of {model.name} for each, of the "
            "same type."
        )
    for access in target.indexes.values():
        # An attribute that is the number itself changes with it; one that is rendered from it, or
        # present on a condition, does not.
        written = [column for column in access.columns if column.dedicated]
        is_tested = any(path[0] == number.attribute for path in access.condition_paths)
        if written and (is_tested or any(number.name in column.fields for column in written)):
            raise DeclarationError(
                f"{where}: {counter.path} is in {access}, whose attributes are not written again "
                "when the number changes. Let the number itself be a key attribute of the index: "
                f'Index(…, sk=Number("{number.attribute}")).'
            )


def check_tags(model: Model, others: Sequence[Model]) -> None:
    """Raise if a type tag is not unique in its table, or its attribute is also a key attribute."""
    if model.tag is not None:
        _check_tag(model, *model.tag)
    for other in others:
        if model.tag is not None and model.tag == other.tag:
            raise DeclarationError(
                f"{model.name} and {other.name} have the same type tag {model.tag}: an item of one "
                "would be read as the other. Use different tags."
            )
        for tagged, plain in ((model, other), (other, model)):
            _warn_about_tag_fields(tagged, plain)


def check_tag_shape(entity: type, tag: object) -> None:
    """Raise unless a type tag is a tuple of two strings; a string of two letters is rejected."""
    if tag is None or (
        isinstance(tag, tuple)
        and len(cast("tuple[object, ...]", tag)) == 2
        and all(isinstance(one, str) for one in cast("tuple[object, ...]", tag))
    ):
        return
    raise DeclarationError(
        f"{entity.__name__}: type_tag={tag!r}: expected an attribute name and a value, such as "
        "('entity_type', 'BALLOT')."
    )


def _check_tag(model: Model, name: str, text: str) -> None:
    if not name or not text:
        raise DeclarationError(
            f"{model.name}: type_tag=({name!r}, {text!r}) needs an attribute name and a "
            "value, such as ('entity_type', 'BALLOT')."
        )
    for key in (model.key, *model.indexes.values()):
        for column in key.columns:
            if column.attribute.name == name and not _is_fixed(column, text):
                raise DeclarationError(
                    f"{key}: {name!r} is a key attribute, and the type tag of {model.name}. "
                    "Use another attribute for the tag, or the tag's value as the key."
                )
    for attribute in model.table.all_key_attributes():
        if attribute.name == name and attribute.type != "S":
            raise DeclarationError(
                f"{model.name}: the type tag is a string, but {name!r} is a key attribute of type "
                f"{attribute.type}, so DynamoDB would reject the item. Use another attribute."
            )


def _is_fixed(column: Column, text: str) -> bool:
    """Return whether the column has this text in every item."""
    return isinstance(column, TextColumn) and column.template.segments == (FixedSegment(text),)


def _warn_about_tag_fields(tagged: Model, plain: Model) -> None:
    if tagged.tag is None or (plain.tag is not None and plain.tag[0] == tagged.tag[0]):
        return
    for field in plain.fields.values():
        if field.stored and field.attribute == tagged.tag[0]:
            warn(
                f"{field} is stored as {field.attribute!r}, which is the type tag of "
                f"{tagged.name}: with the value {tagged.tag[1]!r} an item would be read as one. "
                "Store the field under another name: attr(name=…)."
            )
