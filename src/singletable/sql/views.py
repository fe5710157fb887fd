"""The views of entities: one for each entity, and one for each list or set in it.

A column has the name of a field. Key attributes and type tags have no columns, because their values
are fields. Nor have fields that are hidden, encrypted or compressed.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from itertools import product
from typing import Annotated, Any, Literal, NewType, TypeAlias, cast, get_args, get_origin
from uuid import UUID

from typing_extensions import is_typeddict

from singletable.schema import Attr, Model, ResolvedKey, Table, TimeFormat, model_of
from singletable.schema.codec.containers import type_hints
from singletable.schema.codec.field_codec import CustomCodec, field_codecs
from singletable.schema.codec.typed_dicts import without_qualifiers
from singletable.schema.codec.unions import without_none
from singletable.schema.key_encoding import KeyEncoding
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    KeyTemplate,
    RepeatedSegment,
    Segment,
    ShardSegment,
    escape,
    width_of,
)
from singletable.schema.resolved_key import FieldColumn, TextColumn
from singletable.schema.table import STATE_ATTRIBUTE
from singletable.sql.dialects import SCALARS, Dialect, Path, Token
from singletable.values import content_of

# Tables of the storage itself.
_RESERVED = re.compile(
    "tables|changes|change_blocks|tokens|storage|feed|leases|locks|(items|index)_[0-9_]+"
)


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A value with a column type of its own; `kind` is one of SCALARS."""

    kind: str


@dataclass(frozen=True, slots=True)
class ListType:
    """A list, or a set with the type SS, NS or BS."""

    tag: str
    member: ValueType


@dataclass(frozen=True, slots=True)
class MapType:
    """A dict whose members have one type."""

    member: ValueType


@dataclass(frozen=True, slots=True)
class RecordType:
    """A dataclass or TypedDict."""

    members: tuple[tuple[str, ValueType], ...]


@dataclass(frozen=True, slots=True)
class StoredType:
    """A value of unknown type, which is shown as DynamoDB's JSON."""


_TEXT = ScalarType("text")
ValueType: TypeAlias = ScalarType | ListType | MapType | RecordType | StoredType


@dataclass(frozen=True, slots=True)
class Column:
    """A column: how its type is called, and its expression in each dialect."""

    name: str
    type: ValueType
    expression: Callable[[Dialect], str]

    def type_name(self, dialect: Dialect) -> str:
        """Return the type of the column, without remarks."""
        if isinstance(self.type, ScalarType):
            return cast(str, getattr(SCALARS[self.type.kind], dialect.name).name).split(", ")[0]
        return dialect.json_type.split(", ")[-1]


@dataclass(frozen=True, slots=True)
class View:
    """The view of an entity, or of the members of one of its lists and sets."""

    name: str
    model: Model
    columns: tuple[Column, ...]
    # The list or set whose members the view has, by the path to it.
    members_of: Path | None = None

    def select(self, dialect: Dialect, rows: str) -> str:
        """Return the query of the view; `rows` is the SQL table that has the items."""
        columns = [
            f"{one.expression(dialect)} AS {dialect.quote(one.name)}" for one in self.columns
        ]
        source = dialect.source.format(rows=rows)
        conditions = [_is_entity(dialect, self.model)]
        if (expires := self.model.role("expires")) is not None:
            time = _scalar(dialect, "decimal", dialect.text_at("item", (expires.attribute, "N")))
            conditions.append(f"coalesce({time}, {dialect.now} + 1) > {dialect.now}")
        if self.members_of is not None:
            source += f" CROSS JOIN {_members(dialect, 'item', self.members_of, 'members')[0]}"
        return f"SELECT {', '.join(columns)} FROM {source} WHERE {' AND '.join(conditions)}"


def views_of(tables: Iterable[Table]) -> list[View]:
    """Return the views of all entities of some tables."""
    models = [model_of(entity) for table in tables for entity in table.entities]
    names = [_plural(_snake_case(model.name)) for model in models]
    views: list[View] = []
    for model, name in zip(models, names, strict=True):
        prefix = ""
        if names.count(name) > 1 or _RESERVED.fullmatch(name):
            prefix = re.sub(r"\W+", "_", model.table.name).lower() + "_"
        columns = [one for field in model.fields.values() if (one := _column(model, field))]
        views.append(View(prefix + name, model, tuple(columns)))
        owner = prefix + _snake_case(model.name)
        views += [_member_view(owner, model, columns, one) for one in columns if _has_view(one)]
    return views


def _has_view(column: Column) -> bool:
    return isinstance(column.type, ListType)


def _member_view(owner: str, model: Model, columns: Sequence[Column], column: Column) -> View:
    """Return the view of a list or set: the key of the entity, the position, and each member."""
    assert isinstance(column.type, ListType)
    tag, member = column.type.tag, column.type.member
    keys = [one for one in columns if one.name in model.key.fields]
    path = (model.fields[column.name].attribute, tag)
    members: list[tuple[str, ValueType, Path]] = [("value", member, ())]
    if isinstance(member, RecordType):
        members = [(name, type_, ("M", name)) for name, type_ in member.members]
    taken = {"position", *(one.name for one in keys)}

    def value(type_: ValueType, steps: Path) -> Callable[[Dialect], str]:
        def expression(dialect: Dialect) -> str:
            json = _members(dialect, "item", path, "members")[2]
            if tag != "L":
                text = dialect.member_text.format(json=json)
                return _scalar(dialect, cast(ScalarType, type_).kind, text)
            return _value(dialect, type_, json, steps)

        return expression

    def position(dialect: Dialect) -> str:
        return _members(dialect, "item", path, "members")[1]

    return View(
        f"{owner}_{column.name}",
        model,
        (
            *keys,
            Column("position", ScalarType("integer"), position),
            *(
                Column(
                    f"{column.name}_{name}" if name in taken else name, type_, value(type_, steps)
                )
                for name, type_, steps in members
            ),
        ),
        path,
    )


# The types of fields


def _type_of(annotation: Any, time_format: TimeFormat | None, within: tuple[Any, ...]) -> ValueType:
    """Return the type of a value by its annotation; `within` has the classes around it."""
    annotation = without_none(without_qualifiers(annotation))
    while isinstance(annotation, NewType):
        annotation = annotation.__supertype__
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        own = next((one for one in extras if isinstance(one, TimeFormat)), time_format)
        codecs = field_codecs(extras)
        custom = codecs[-1] if codecs else None
        return _type_of(
            custom.stored_as if isinstance(custom, CustomCodec) else inner, own, within
        )
    if hasattr(annotation, "__value__"):
        return _type_of(annotation.__value__, time_format, within)
    if annotation is datetime:
        return ScalarType(_TIME_KINDS.get(time_format, "datetime"))
    if annotation in _KINDS:
        return ScalarType(_KINDS[annotation])
    return _other_type(annotation, time_format, within)


def _other_type(
    annotation: Any, time_format: TimeFormat | None, within: tuple[Any, ...]
) -> ValueType:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ScalarType("integer" if isinstance(arguments[0], int) else "text")
    if origin in (list, tuple):
        return ListType("L", _type_of(arguments[0], time_format, within))
    if origin in (set, frozenset):
        member = _type_of(arguments[0], time_format, within)
        assert isinstance(member, ScalarType)
        return ListType(f"{SCALARS[member.kind].tag}S", member)
    if origin is dict:
        return MapType(_type_of(arguments[1], time_format, within))
    if not isinstance(annotation, type) or annotation in within:
        return StoredType()  # a union, Any, or a class within itself
    if issubclass(annotation, Enum):
        values = [one.value for one in annotation]
        return ScalarType("integer" if isinstance(values[0], int) else "text")
    if is_typeddict(annotation) or dataclasses.is_dataclass(annotation):
        hints = type_hints(annotation)
        within = (*within, annotation)
        return RecordType(tuple((name, _type_of(one, None, within)) for name, one in hints.items()))
    return StoredType()


_KINDS: dict[object, str] = {
    str: "text",
    UUID: "text",
    int: "integer",
    Decimal: "decimal",
    float: "float",
    bool: "boolean",
    bytes: "bytes",
    date: "date",
    timedelta: "duration",
}
_TIME_KINDS: dict[TimeFormat | None, str] = {
    TimeFormat.EPOCH_SECONDS: "epoch_seconds",
    TimeFormat.EPOCH_MILLISECONDS: "epoch_milliseconds",
}


# Expressions


def _column(model: Model, field: Attr[Any]) -> Column | None:
    """Return the column of a field, or None if it has none."""
    if field.hidden or field.codec().opaque is not None:
        return None
    stored = field._stored_type()
    type_ = _type_of(stored, field.time_format, ())
    if not field.stored:
        return _key_column(model, field, type_)

    def expression(dialect: Dialect) -> str:
        value = _value(dialect, type_, "item", (field.attribute,))
        default = _default(dialect, field, type_)
        if default is not None:
            missing = f"{dialect.json_at('item', (field.attribute,))} IS NULL"
            value = f"CASE WHEN {missing} THEN {default} ELSE {value} END"
        old = [_value(dialect, type_, "item", (name,)) for name in field.old_names]
        return f"coalesce({', '.join([*old, value])})" if old else value

    return Column(field.name, type_, expression)


def _default(dialect: Dialect, field: Attr[Any], type_: ValueType) -> str | None:
    """Return the value of an absent attribute, if it is the same for all items."""
    if isinstance(type_, ListType | MapType):
        is_set = isinstance(type_, ListType) and type_.tag != "L"
        if is_set or field.default in (list, dict, tuple):
            return "'{}'" if isinstance(type_, MapType) else "'[]'"
        return None
    if not isinstance(type_, ScalarType):
        return None
    default = 0 if field.role == "version" else None
    if field.constant and field.default is not None:
        default = field.default()
    if default is None:
        return None
    content = content_of(field.codec().encode(default))
    text = str(int(content)) if isinstance(content, bool) else dialect.literal(str(content))
    return _scalar(dialect, type_.kind, text)


def _scalar(dialect: Dialect, kind: str, text: str) -> str:
    expression: str = getattr(SCALARS[kind], dialect.name).expression
    return expression.format(text)


def _value(dialect: Dialect, type_: ValueType, json: str, path: Path) -> str:
    """Return the value at a path with the type of its column."""
    if isinstance(type_, ScalarType):
        tag = SCALARS[type_.kind].tag
        return _scalar(dialect, type_.kind, dialect.text_at(json, (*path, tag)))
    return _json(dialect, type_, json, path, 1)


def _json(dialect: Dialect, type_: ValueType, json: str, path: Path, depth: int) -> str:
    """Return the value at a path as plain JSON."""
    alias = f"members{depth}"
    match type_:
        case ScalarType(kind):
            tag = SCALARS[kind].tag
            if tag == "N":
                return dialect.number.format(text=dialect.text_at(json, (*path, "N")))
            plain = dialect.json_at(json, (*path, tag))
        case ListType("SS" | "BS" as tag):
            plain = dialect.json_at(json, (*path, tag))
        case ListType(tag, inner):
            source, position, member, whole = _members(dialect, json, (*path, tag), alias)
            if tag == "NS":
                each = dialect.number.format(text=dialect.member_text.format(json=member))
            else:
                each = _json(dialect, inner, member, (), depth + 1)
            whole = whole.format(member=each, position=position)
            plain = f"(SELECT {whole} FROM {source})"
            plain = _if_exists(dialect, json, (*path, tag), plain)
        case MapType(inner):
            source, name, member, whole = _members(dialect, json, (*path, "M"), alias, maps=True)
            each = _json(dialect, inner, member, (), depth + 1)
            whole = whole.format(name=name, member=each)
            plain = _if_exists(dialect, json, (*path, "M"), f"(SELECT {whole} FROM {source})")
        case RecordType(members):
            each_member = [
                f"{dialect.literal(name)}, {_json(dialect, one, json, (*path, 'M', name), depth)}"
                for name, one in members
            ]
            whole = dialect.object.format(members=", ".join(each_member))
            plain = _if_exists(dialect, json, (*path, "M"), whole)
        case StoredType():
            plain = dialect.json_at(json, path)
    return dialect.json.format(json=plain)


def _if_exists(dialect: Dialect, json: str, path: Path, value: str) -> str:
    return f"CASE WHEN {dialect.json_at(json, path)} IS NOT NULL THEN {value} END"


def _members(
    dialect: Dialect, json: str, path: Path, alias: str, *, maps: bool = False
) -> tuple[str, str, str, str]:
    """Return the source of the members of a list or map, and expressions for each and for all."""
    source, name, member, whole = dialect.map_members if maps else dialect.members
    place = dialect.path(path)
    values: Mapping[str, str] = {
        "json": json,
        "path": place,
        "array": f"{place[:-1]}[*]'",
        "alias": alias,
    }
    return source.format(**values), name.format(**values), member.format(**values), whole


# Keys


def _is_entity(dialect: Dialect, model: Model) -> str:
    """Return the condition that an item is of this entity: by type tag, or else by its key."""
    if model.tag is not None:
        name, tag = model.tag
        return f"{_value(dialect, _TEXT, 'item', (name,))} = {dialect.literal(tag)}"
    keys = [_has_key(dialect, key) for key in (model.key, *model.old_keys)]
    shape = f"({' OR '.join(keys)})" if len(keys) > 1 else keys[0]
    return f"{dialect.json_at('item', (STATE_ATTRIBUTE,))} IS NULL AND {shape}"


def _has_key(dialect: Dialect, key: ResolvedKey) -> str:
    conditions: list[str] = []
    for column in key.columns:
        name, type_ = column.attribute.name, column.attribute.type
        if isinstance(column, TextColumn):
            text = _value(dialect, _TEXT, "item", (name,))
            conditions += _has_template(dialect, column.template, text)
        else:
            conditions.append(f"{dialect.json_at('item', (name, type_))} IS NOT NULL")
    return f"({' AND '.join(conditions)})"


def _has_template(dialect: Dialect, template: KeyTemplate, text: str) -> list[str]:
    """Return the conditions that a text is a key of this template."""
    parts = [_alternatives(segment) for segment in template.segments]
    keys = [list(tokens) for tokens in product(*parts)]
    shapes = [dialect.matches(text, _joined(tokens, template.separator)) for tokens in keys]
    conditions = [f"({' OR '.join(shapes)})"]
    if template.separator:
        # A # in a value is escaped.
        without = f"replace({text}, '#', '')"
        return [*conditions, f"length({text}) - length({without}) = {len(parts) - 1}"]
    for number, ends in enumerate(template.ends):
        after = template.segments[number + 1 : number + 2]
        for end in ends - {one.text for one in after if isinstance(one, FixedSegment)}:
            for tokens in keys:
                other: list[Token] = [*tokens[:number], ("", 0), end, ("", 0), *tokens[number + 1 :]]
                conditions.append(f"NOT {dialect.matches(text, other)}")
    return conditions


def _joined(tokens: Sequence[Token], separator: str) -> list[Token]:
    return [part for token in tokens for part in (separator, token)][1:]


def _alternatives(segment: Segment) -> list[Token]:
    """Return the texts that a segment can have, as fixed texts or as a pattern."""
    match segment:
        case FixedSegment(text):
            return [text]
        case ShardSegment():
            return [("", width_of(segment))]
        case FieldSegment(_, encoding) | RepeatedSegment(FieldSegment(_, encoding)):
            if encoding.choices:
                return sorted({escape(one, last=last) for one in encoding.choices for last in (0, 1)})
            characters = sorted(encoding.characters or (), key=lambda one: (one != "-", one))
            return [("".join(characters), encoding.width)]


def _key_column(model: Model, field: Attr[Any], type_: ValueType) -> Column | None:
    """Return the column of a field that is in the key only; None if SQL cannot decode its text."""
    for key in model.key.columns:
        attribute = (key.attribute.name, key.attribute.type)
        if isinstance(key, FieldColumn) and key.field == field.name:
            return Column(field.name, type_, lambda dialect: _value(dialect, type_, "item", attribute[:1]))
        if not isinstance(key, TextColumn) or not isinstance(type_, ScalarType) or not key.template.separator:
            continue
        for number, segment in enumerate(key.template.segments, 1):
            if isinstance(segment, FieldSegment) and segment.field == field.name and _is_readable(segment.encoding, type_):
                return Column(field.name, type_, lambda dialect: _segment(dialect, attribute, number, type_))
    return None


def _is_readable(encoding: KeyEncoding, type_: ScalarType) -> bool:
    plain = encoding.declared == "{}" or encoding.declared.startswith("padded")
    return plain and encoding.lossless and type_.kind not in ("boolean", "duration")


def _segment(dialect: Dialect, attribute: Path, number: int, type_: ScalarType) -> str:
    """Return a value in a key, which is escaped as `key_template.py` says."""
    text = dialect.segment.format(text=dialect.text_at("item", attribute), number=number)
    if type_.kind == "integer":
        # A negative number is written as its complement, of 19 digits.
        rest = f"CAST(substr({text}, 3) AS DECIMAL(18,0)) - 1000000000000000000"
        value = _scalar(dialect, "integer", text)
        return f"CASE WHEN {text} LIKE '-%' THEN {rest} ELSE {value} END"
    for code in (*range(1, 0x24), 0x24):  # the $ itself last
        text = f"replace({text}, '${code:02X}', {dialect.literal(chr(code))})"
    return _scalar(dialect, type_.kind, text)


# Names


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _plural(name: str) -> str:
    """Return the plural of a name, which is no reserved word of SQL: users, orders, groups."""
    if re.search("[^aeiou]y$", name):
        return f"{name[:-1]}ies"
    if re.search("([sxz]|[cs]h)$", name):
        return name if re.search("[^su]s$", name) else f"{name}es"
    return f"{name}s"
