"""The schema of an app as data: what its tables, entities, keys and constraints store.

`schema.lock` has the schema that the stored items have, in canonical JSON, so that a later
declaration can be compared with it. Only facts about stored items are in it: no checks, no names
of modules, no capacity.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from singletable.errors import MigrationError
from singletable.migration.schema_diff.type_text import (
    ClassSchema,
    TypeTexts,
    factory_text,
    python_text,
)
from singletable.schema import Attr, Counter, Index, Model, ResolvedKey, Table, model_of
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    RepeatedSegment,
    Segment,
    ShardSegment,
)
from singletable.schema.resolved_key import Column, TextColumn
from singletable.schema.table import KeyAttribute, ScalarType
from singletable.schema.unique import UniqueConstraint

LOCK_NAME = "schema.lock"
# The format of the file; increased when an older library could misread a newer file.
LOCK_FORMAT = 1


class IndexSchema(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A secondary index. A key attribute that is not a string has its type: `number (N)`."""

    pk: tuple[str, ...]
    sk: tuple[str, ...] = ()
    projection: Literal["ALL", "KEYS_ONLY"] | tuple[str, ...] = "ALL"
    local: bool = False


class FieldSchema(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A field: its type, without None, and its stored form.

    `attribute` is None if the attribute has the name of the field. `stored` are the DynamoDB types
    of the attribute. `default` is the value of absent attributes, as source text.
    """

    type: str
    stored: str
    attribute: str | None = None
    optional: bool = False
    default: str | None = None
    time_format: str | None = None
    codec: str | None = None
    key_only: bool = False
    role: str | None = None

    @property
    def required(self) -> bool:
        """Whether an item without the attribute cannot be read."""
        absent = self.optional or self.default is not None or self.stored in ("SS", "NS", "BS")
        return not (absent or self.key_only or self.role == "version")


# The templates of key attributes, by attribute: {"PK": "USER#{name}", "SK": "PROFILE"}.
KeySchema = dict[str, str]


class IndexKeySchema(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The key of an entity in an index; `when` is the condition of a sparse index."""

    index: str
    key: KeySchema
    when: str | None = None


class UniqueSchema(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A unique constraint, with the key and the content of its markers."""

    fields: tuple[str, ...]
    key: KeySchema
    include: dict[str, str] = {}


class CountSchema(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A count or a sequence: the entity and the field of the number, and the fields of its key."""

    entity: str
    field: str
    key: tuple[str, ...]


class EntitySchema(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An entity.

    `schema_version` is the current version of its items, in the attribute `version_attribute`.
    Items are stored in `write_version`, and those before `oldest_version` cannot be read.
    """

    key: KeySchema
    fields: dict[str, FieldSchema] = {}
    key_name: str = "key"
    type_tag: tuple[str, str] | None = None
    schema_version: int | None = None
    version_attribute: str | None = None
    write_version: int | None = None
    oldest_version: int = 1
    indexes: dict[str, IndexKeySchema] = {}
    uniques: dict[str, UniqueSchema] = {}
    counts: dict[str, CountSchema] = {}
    sequences: dict[str, CountSchema] = {}


class TableSchema(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A table with its key attributes, indexes and entities."""

    pk: str
    sk: str | None = None
    ttl: str | None = None
    indexes: dict[str, IndexSchema] = {}
    entities: dict[str, EntitySchema] = {}


class Schema(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The tables of an app, and the classes in the types of their fields."""

    tables: dict[str, TableSchema] = {}
    classes: dict[str, ClassSchema] = {}

    @property
    def digest(self) -> str:
        """The first twelve hex digits of the SHA-256 of the canonical JSON."""
        return hashlib.sha256(_encoder.encode(self)).hexdigest()[:12]


class Lock(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `schema.lock`: a schema, its digest, and the last migration that led to it."""

    format: int
    digest: str
    migration: str | None
    schema: Schema


_TYPED = re.compile(r"(.+) \(([NB])\)", re.DOTALL)
# Members of a struct are in the order of their declaration, keys of a dict are sorted.
_encoder = msgspec.json.Encoder(order="deterministic")


def snapshot(tables: Iterable[Table], texts: TypeTexts | None = None) -> Schema:
    """Return the schema of declared tables; `texts` collects the classes in types of fields."""
    texts = texts or TypeTexts()
    schemas: dict[str, TableSchema] = {}
    for table in tables:
        if table.name in schemas:
            raise MigrationError(
                f"Two tables are named {table.name!r}, so {LOCK_NAME} cannot tell them apart. Give "
                "them different names, or declare them in different modules."
            )
        schemas[table.name] = _table(table, texts)
    return Schema(schemas, texts.classes)


def lock_text(schema: Schema, migration: str | None) -> str:
    """Return the text of `schema.lock`."""
    lock = Lock(LOCK_FORMAT, schema.digest, migration, schema)
    return msgspec.json.format(_encoder.encode(lock), indent=2).decode() + "\n"


def read_lock(path: Path) -> Lock | None:
    """Return the content of a lock file, or None if it is missing."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MigrationError(f"'{path}' cannot be read: {error.strerror}.") from None
    restore = "Restore the file from version control."
    try:
        format_ = msgspec.json.decode(text, type=dict[str, Any]).get("format")
        if isinstance(format_, int) and format_ > LOCK_FORMAT:
            raise MigrationError(
                f"'{path}' has format {format_}, but this version of singletable reads formats up "
                f"to {LOCK_FORMAT}. Install the version that wrote the file, or a newer one."
            )
        lock = msgspec.json.decode(text, type=Lock)
    except (msgspec.DecodeError, RecursionError) as error:
        merged = any(mark in text for mark in (b"<<<<<<<", b">>>>>>>"))
        reason = "it has conflict marks of a merge" if merged else str(error)
        raise MigrationError(f"'{path}' is not a schema lock: {reason}. {restore}") from None
    if lock.digest != lock.schema.digest:
        raise MigrationError(
            f"'{path}' has the digest {lock.digest}, but its content has {lock.schema.digest}: it "
            f"was edited, or merged from two branches. {restore} After a merge, keep the version "
            "of the branch whose migrations are deployed, and draft the other changes again."
        )
    return lock


# Read the declaration


def _table(table: Table, texts: TypeTexts) -> TableSchema:
    return TableSchema(
        pk=_attribute(table.pk),
        sk=None if table.sk is None else _attribute(table.sk),
        ttl=table.ttl,
        indexes={index.name: _index(index) for index in table.indexes},
        entities={
            entity.__name__: _entity(model_of(entity), texts)
            for entity in sorted(table.entities, key=lambda one: one.__name__)
        },
    )


def _attribute(attribute: KeyAttribute) -> str:
    return attribute.name if attribute.type == "S" else f"{attribute.name} ({attribute.type})"


def key_attribute(text: str) -> KeyAttribute:
    """Return the key attribute that a schema has as text."""
    if match := _TYPED.fullmatch(text):
        return KeyAttribute(match[1], cast(ScalarType, match[2]))
    return KeyAttribute(text, "S")


def _index(index: Index) -> IndexSchema:
    projection = index.projection
    if projection != "ALL" and projection != "KEYS_ONLY":
        projection = tuple(sorted(projection))
    pk, sk = tuple(map(_attribute, index.pk)), tuple(map(_attribute, index.sk))
    return IndexSchema(pk, sk, projection, index.local)


def _entity(model: Model, texts: TypeTexts) -> EntitySchema:
    sequence, versions = model.sequence, model.versions
    return EntitySchema(
        key=_key(model.key),
        fields={name: _field(model, field, texts) for name, field in model.fields.items()},
        key_name=model.key.name,
        type_tag=model.tag,
        schema_version=versions.current if versions.is_declared else None,
        version_attribute=versions.attribute or None,
        write_version=versions.write,
        oldest_version=versions.oldest,
        indexes={name: _index_key(access) for name, access in model.indexes.items()},
        uniques={name: _unique(model, unique) for name, unique in model.uniques.items()},
        counts={name: _count(count) for name, count in model.counts.items()},
        sequences={} if sequence is None else {sequence.name: _count(sequence)},
    )


def _field(model: Model, field: Attr[Any], texts: TypeTexts) -> FieldSchema:
    codec = field.codec()
    return FieldSchema(
        type=texts.text(field.annotation),
        stored="|".join(sorted(codec.types)),
        attribute=None if field.attribute == field.name else field.attribute,
        optional=codec.optional,
        default=_default(model, field),
        time_format=None if field.time_format is None else field.time_format.name,
        codec=None if field.field_codec is None else python_text(field.field_codec),
        key_only=not field.stored,
        role=field.role,
    )


def _default(model: Model, field: Attr[Any]) -> str | None:
    """Return the default as source text."""
    if field.default is None:
        return None
    declared = getattr(model.entity, "model_fields", {}).get(field.name)
    if declared is not None:  # of a pydantic model
        factory = declared.default_factory
        return python_text(declared.default) if factory is None else factory_text(factory)
    if field.constant:
        return python_text(field.default())
    return factory_text(field.default)


def _key(access: ResolvedKey) -> KeySchema:
    return {column.attribute.name: column_text(column) for column in access.columns}


def column_text(column: Column) -> str:
    """Return the template of a key attribute: `USER#{name}`, `{concat('ORD|', number)}`."""
    if not isinstance(column, TextColumn):
        return f"{{{column.field}}}"
    segments = column.template.segments
    if column.template.separator:
        return column.template.separator.join(map(_segment, segments))
    parts = [
        python_text(one.text) if isinstance(one, FixedSegment) else _segment(one)[1:-1]
        for one in segments
    ]
    return f"{{concat({', '.join(parts)})}}"


def template_segments(text: str) -> list[str]:
    """Split the template of a key attribute at each `#` that is not inside braces."""
    segments, depth, quote = [""], 0, ""
    for char in text:
        if quote or (depth and char in "'\""):
            quote = "" if char == quote else quote or char
        elif char in "{}":
            depth += 1 if char == "{" else -1
        if char == "#" and not depth:
            segments.append("")
        else:
            segments[-1] += char
    return segments


def template_fields(text: str) -> set[str]:
    """Return the fields in the template of a key attribute."""
    names: set[str] = set()
    for segment in template_segments(text):
        if segment.startswith("{"):
            tree = ast.parse(segment[1:-1], mode="eval")
            called = {one.func for one in ast.walk(tree) if isinstance(one, ast.Call)}
            used = {one for one in ast.walk(tree) if isinstance(one, ast.Name)} - called
            names |= {one.id for one in used}
    return names


def _segment(segment: Segment) -> str:
    match segment:
        case FixedSegment(text):
            return text
        case FieldSegment():
            return f"{{{_part(segment)}}}"
        case RepeatedSegment(value):
            return f"{{repeated({_part(value)})}}"
        case ShardSegment(shards, by):
            arguments = [str(shards.count)]
            arguments += [] if by is None else [f"by={_part(by)}"]
            arguments += [f"prefix={python_text(shards.prefix)}"] if shards.prefix else []
            return f"{{Shards({', '.join(arguments)})}}"


def _part(segment: FieldSegment) -> str:
    return segment.encoding.declared.replace("{}", segment.field, 1)


def _index_key(access: ResolvedKey) -> IndexKeySchema:
    index = cast(Index, access.index)
    when = None if access.when is None else access.when.source()
    return IndexKeySchema(index.name, _key(access), when)


def _unique(model: Model, unique: UniqueConstraint) -> UniqueSchema:
    fields = {field.attribute: name for name, field in model.fields.items()}
    copies: Mapping[str, str] = {
        name: f"{{{fields[copied]}}}"
        for name, copied in unique.copies.items()
        if name != model.table.ttl
    }
    parts = [
        _part(segment)
        for column in unique.access.columns
        if isinstance(column, TextColumn)
        for segment in column.template.segments
        if isinstance(segment, FieldSegment)
    ]
    return UniqueSchema(
        fields=tuple(_unique_part(name, parts) for name in unique.fields),
        key=_key(unique.access),
        include={**unique.constants, **copies},
    )


def _unique_part(name: str, parts: list[str]) -> str:
    """Return the unique field as it is compared: `email` or `casefold(email)`."""
    folded = f"casefold({name})"
    return folded if folded in parts else name


def _count(counter: Counter) -> CountSchema:
    return CountSchema(counter.entity.__name__, counter.path.field, counter.fields)
