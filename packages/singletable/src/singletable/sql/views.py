"""The views of entities: one for each entity, and one for each list or set in it.

A column has the name of a field. Key attributes and type tags have no columns, because their values
are fields. Nor have fields that are hidden, encrypted or compressed.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from itertools import product
from typing import Annotated, Any, Literal, NewType, TypeVar, get_args, get_origin
from uuid import UUID

from typing_extensions import is_typeddict

from dynamodb_engine.values import content_of
from singletable.errors import DeclarationError
from singletable.schema import Attr, Model, ResolvedKey, Table, TimeFormat, model_of
from singletable.schema.codec.containers import type_hints
from singletable.schema.codec.field_codec import CustomCodec, field_codecs
from singletable.schema.codec.typed_dicts import without_qualifiers
from singletable.schema.codec.unions import without_none
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
from singletable.sql.dialects import SCALARS, Dialect, Path

# Tables of the storage itself, and their indexes and sequences.
RESERVED = re.compile(
    "(tables|changes|change_blocks|row_counts|log_id|tokens|storage|feed|leases|locks"
    "|(items|index)_[0-9_]+)(_pkey|_expires|_by_moment|_[a-z]+_(key|seq))?"
)


@dataclass(frozen=True, slots=True)
class ValueType:
    """The type of a value: a kind of SCALARS, or list, set, map, record or stored.

    `tag` is its DynamoDB type. A record has named members. A stored value has an unknown type, and
    is shown as DynamoDB's JSON.
    """

    kind: str
    tag: str = ""
    member: ValueType | None = None
    members: tuple[tuple[str, ValueType], ...] = ()


STORED = ValueType("stored")


@dataclass(frozen=True, slots=True)
class Column:
    """A column, and its expression in each dialect."""

    name: str
    type: ValueType
    expression: Callable[[Dialect], str]


@dataclass(frozen=True, slots=True)
class View:
    """The view of an entity, or of the members of one of its lists and sets."""

    name: str
    model: Model
    columns: tuple[Column, ...]
    members_of: Path | None = None

    def check_names(self, dialect: Dialect) -> None:
        """Raise DeclarationError if a name is longer than the database allows."""
        entity = self.model.name
        dialect.check_name(
            self.name,
            "view",
            f"Give {entity} a shorter name; type_tag=(attribute, value) keeps its type tag."
            if self.members_of is None
            else f"Give {entity} or its list or set a shorter name.",
        )
        for one in self.columns:
            advice = "Give the field a shorter name; attr(name=…) keeps its attribute."
            dialect.check_name(one.name, f"column of the view {self.name}", advice)

    def select(self, dialect: Dialect, rows: str) -> str:
        """Return the query of the view; `rows` is the SQL table that has the items."""
        columns = [
            f"{one.expression(dialect)} AS {dialect.quote(one.name)}" for one in self.columns
        ]
        source = dialect.source.format(rows=rows)
        conditions = [_is_entity(dialect, self.model)]
        if (expires := self.model.role("expires")) is not None:
            time = dialect.scalar("decimal", dialect.text_at("item", (expires.attribute, "N")))
            conditions.append(f"coalesce({time} > {dialect.now}, 1 = 1)")
        if self.members_of is not None:
            source += f" CROSS JOIN {_members(dialect, 'item', self.members_of)[0]}"
        return f"SELECT {', '.join(columns)} FROM {source} WHERE {' AND '.join(conditions)}"


def views_of(tables: Iterable[Table]) -> list[View]:
    """Return the views of all entities of some tables.

    Names of views and columns differ in more than case, because some databases ignore it.
    """
    models = [model_of(entity) for table in tables for entity in table.entities]
    names = [_plural(_snake_case(model.name)) for model in models]
    views: list[View] = []
    for model, name in zip(models, names, strict=True):
        table = re.sub(r"\W+", "_", model.table.name).lower() + "_"
        prefix = table if names.count(name) > 1 or RESERVED.fullmatch(name) else ""
        columns = [one for field in model.fields.values() if (one := _column(model, field))]
        views.append(View(prefix + name, model, tuple(columns)))
        owner = prefix + _snake_case(model.name)
        keys = [one for one in columns if one.name in model.key.fields]
        for one in columns:
            if one.type.kind in ("list", "set"):
                member = _member_view(owner, model, keys, one)
                is_taken = member.name.lower() in names or RESERVED.fullmatch(member.name)
                views.append(replace(member, name=table + member.name) if is_taken else member)
    _check_differences(views)
    return views


def _check_differences(views: Sequence[View]) -> None:
    """Raise DeclarationError if two views, or two columns of one, have the same name."""
    for one, other in _same_names(views):
        raise DeclarationError(
            f"{one.model.name} and {other.model.name} would both have the view '{other.name}'. "
            "Rename one of these entities, or the list or set that has this view."
        )
    for view in views:
        for first, second in _same_names(view.columns):
            raise DeclarationError(
                f"The view '{view.name}' of {view.model.name} would have the columns "
                f"'{first.name}' and '{second.name}', but SQL ignores case. Rename one of the "
                "fields; attr(name=…) keeps its attribute."
            )


_Named = TypeVar("_Named", View, Column)


def _same_names(named: Iterable[_Named]) -> Iterator[tuple[_Named, _Named]]:
    """Yield pairs with names that differ only in case."""
    found: dict[str, _Named] = {}
    for one in named:
        other = found.setdefault(one.name.lower(), one)
        if other is not one:
            yield other, one


def _member_view(owner: str, model: Model, keys: Sequence[Column], column: Column) -> View:
    """Return the view of a list or set: the key of the entity, the position, and each member."""
    type_, path = column.type, (model.fields[column.name].attribute, column.type.tag)
    member = type_.member or STORED
    named: list[tuple[str, ValueType, Path]] = [
        (name, one, ("M", name)) for name, one in member.members
    ]
    in_key = {one.name.lower() for one in keys}

    def value(one: ValueType, steps: Path, dialect: Dialect) -> str:
        json = _members(dialect, "item", path)[2]
        if type_.kind == "set":
            return dialect.scalar(one.kind, dialect.member_text.format(json=json))
        return _value(dialect, one, json, steps)

    def free(name: str, *taken: str) -> str:
        return f"{column.name}_{name}" if name.lower() in in_key.union(taken) else name

    position = free("position")
    columns = [
        Column(free(name, position), one, partial(value, one, steps))
        for name, one, steps in named or [("value", member, ())]
    ]
    number = Column(
        position, ValueType("integer"), lambda dialect: _members(dialect, "item", path)[1]
    )
    return View(f"{owner}_{column.name}", model, (*keys, number, *columns), path)


# The types of fields

_KINDS: list[tuple[object, str]] = [
    *((str, "text"), (UUID, "text"), (int, "integer"), (Decimal, "decimal"), (float, "float")),
    *((timedelta, "decimal"), (bool, "boolean"), (bytes, "bytes"), (date, "date")),
]


def _scalar_type(kind: str) -> ValueType:
    return ValueType(kind, SCALARS[kind][1])


def _type_of(annotation: Any, time_format: TimeFormat | None, within: tuple[Any, ...]) -> ValueType:
    """Return the type of a value by its annotation; `within` has the classes around it."""
    annotation = without_none(without_qualifiers(annotation))
    origin, arguments = get_origin(annotation), get_args(annotation)
    if isinstance(annotation, NewType):
        return _type_of(annotation.__supertype__, time_format, within)
    if hasattr(annotation, "__value__"):
        return _type_of(annotation.__value__, time_format, within)
    if origin is Annotated:
        own = next((one for one in arguments if isinstance(one, TimeFormat)), time_format)
        codecs = field_codecs(arguments[1:])
        custom = codecs[-1] if codecs else None
        inner = custom.stored_as if isinstance(custom, CustomCodec) else arguments[0]
        return _type_of(inner, own, within)
    if annotation is datetime:
        name = (time_format or TimeFormat.MICROSECONDS).name
        return _scalar_type(name[6:].lower() if name.startswith("EPOCH_") else "datetime")
    if (kind := next((kind for one, kind in _KINDS if one is annotation), None)) is not None:
        return _scalar_type(kind)
    if origin is Literal or _is_enum(annotation):
        value = arguments[0] if arguments else next(iter(annotation)).value
        return _scalar_type("integer" if isinstance(value, int) else "text")
    if origin in (list, tuple):
        return ValueType("list", "L", _type_of(arguments[0], time_format, within))
    if origin in (set, frozenset):
        member = _type_of(arguments[0], time_format, within)
        return ValueType("set", f"{member.tag}S", member)
    if origin is dict:
        return ValueType("map", "M", _type_of(arguments[1], time_format, within))
    if annotation not in within and (is_typeddict(annotation) or _is_dataclass(annotation)):
        members = type_hints(annotation).items()
        inside = (*within, annotation)
        typed = tuple((name, _type_of(one, None, inside)) for name, one in members)
        return ValueType("record", "M", members=typed)
    return STORED  # a union, Any, a pydantic model, or a class within itself


def _is_enum(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Enum)


def _is_dataclass(annotation: Any) -> bool:
    return isinstance(annotation, type) and dataclasses.is_dataclass(annotation)


# Expressions


def _column(model: Model, field: Attr[Any]) -> Column | None:
    """Return the column of a field, or None if it has none."""
    if field.hidden or field.codec().opaque is not None:
        return None
    type_ = _type_of(field._stored_type(), field.time_format, ())
    if not field.stored:
        return _key_column(model, field, type_)

    def expression(dialect: Dialect) -> str:
        value = _value(dialect, type_, "item", (field.attribute,))
        if (default := _default(dialect, field, type_)) is not None:
            absent = f"{dialect.json_at('item', (field.attribute,))} IS NULL"
            value = f"CASE WHEN {absent} THEN {default} ELSE {value} END"
        return value

    return Column(field.name, type_, expression)


def _default(dialect: Dialect, field: Attr[Any], type_: ValueType) -> str | None:
    """Return the value of an absent attribute, if it is the same for all items."""
    if type_.kind == "set" or field.default in (list, tuple, dict):
        return "'{}'" if type_.kind == "map" else "'[]'"
    default: object = 0 if field.role == "version" else None
    if field.constant and field.default is not None:
        default = field.default()
    if default is None or type_.kind not in SCALARS:
        return None
    content: Any = content_of(field.codec().encode(default))
    is_flag = isinstance(content, bool)
    return dialect.scalar(type_.kind, str(int(content)) if is_flag else dialect.literal(content))


def _value(dialect: Dialect, type_: ValueType, json: str, path: Path) -> str:
    """Return the value at a path with the type of its column."""
    if type_.kind in SCALARS:
        return dialect.scalar(type_.kind, dialect.text_at(json, (*path, type_.tag)))
    return _json(dialect, type_, json, path, 1)


def _json(dialect: Dialect, type_: ValueType, json: str, path: Path, depth: int) -> str:
    """Return the value at a path as plain JSON."""
    place, member = (*path, type_.tag), type_.member or STORED
    if type_.tag == "N":
        return dialect.number.format(text=dialect.text_at(json, place))
    if type_.kind == "stored":
        whole = dialect.json_at(json, path)
    elif type_.kind == "record":
        members = [
            f"{dialect.literal(name)}, {_json(dialect, one, json, (*place, name), depth)}"
            for name, one in type_.members
        ]
        whole = dialect.object.format(members=", ".join(members))
    elif type_.kind in ("list", "map") or type_.tag == "NS":
        is_map = type_.kind == "map"
        source, name, one, whole = _members(dialect, json, place, f"members{depth}", is_map=is_map)
        if type_.kind == "set":
            each = dialect.number.format(text=dialect.member_text.format(json=one))
        else:
            each = _json(dialect, member, one, (), depth + 1)
        whole = f"(SELECT {whole.format(name=name, position=name, member=each)} FROM {source})"
    else:
        return dialect.json.format(json=dialect.json_at(json, place))
    exists = f"{dialect.json_at(json, place if type_.tag else path)} IS NOT NULL"
    return dialect.json.format(json=f"CASE WHEN {exists} THEN {whole} END")


def _members(
    dialect: Dialect, json: str, path: Path, alias: str = "members", *, is_map: bool = False
) -> tuple[str, str, str, str]:
    """Return the source of the members of a list or map, and expressions for each and for all."""
    source, name, member, whole = dialect.map_members if is_map else dialect.members
    place = dialect.path(path)
    values = {"json": json, "path": place, "array": f"{place[:-1]}[*]'", "alias": alias}
    return source.format(**values), name.format(**values), member.format(**values), whole


# Keys


def _is_entity(dialect: Dialect, model: Model) -> str:
    """Return the condition that an item is of this entity: by type tag, or else by its key."""
    if model.tag is not None:
        name, tag = model.tag
        return f"{_text_at(dialect, name)} = {dialect.literal(tag)}"
    has_key = _has_key(dialect, model.key)
    return f"{dialect.json_at('item', (STATE_ATTRIBUTE,))} IS NULL AND ({has_key})"


def _text_at(dialect: Dialect, attribute: str) -> str:
    return dialect.scalar("text", dialect.text_at("item", (attribute, "S")))


def _has_key(dialect: Dialect, key: ResolvedKey) -> str:
    conditions: list[str] = []
    for column in key.columns:
        name, type_ = column.attribute.name, column.attribute.type
        if isinstance(column, TextColumn):
            conditions += _has_template(dialect, column.template, _text_at(dialect, name))
        else:
            conditions.append(f"{dialect.json_at('item', (name, type_))} IS NOT NULL")
    return f"({' AND '.join(conditions)})"


def _has_template(dialect: Dialect, template: KeyTemplate, text: str) -> list[str]:
    """Return the conditions that a text is a key of this template."""
    segments = template.segments
    keys = list(product(*map(_patterns, segments)))
    shapes = [dialect.like(text, template.separator.join(key)) for key in keys]
    conditions = [f"({' OR '.join(shapes)})"]
    if template.separator:  # which is escaped in values
        without = f"replace({text}, '#', '')"
        return [*conditions, f"length({text}) - length({without}) = {len(segments) - 1}"]
    for number, ends in enumerate(template.ends):
        following = {one.text for one in segments[number + 1 :] if isinstance(one, FixedSegment)}
        for key, end in product(keys, sorted(ends - following)):
            longer = [*key[:number], f"%{_escape(end)}%", *key[number + 1 :]]
            conditions.append(f"NOT {dialect.like(text, ''.join(longer))}")
    return conditions


def _patterns(segment: Segment) -> list[str]:
    """Return the patterns of a segment: fixed texts, texts of one length, or any text."""
    match segment:
        case FixedSegment(text):
            return [_escape(text)]
        case FieldSegment(_, encoding) | RepeatedSegment(FieldSegment(_, encoding)):
            if encoding.choices:
                return [_escape(escape(one, last=False)) for one in encoding.choices]
        case ShardSegment():
            pass
    return ["_" * (width_of(segment) or 0) or "_%"]


def _escape(text: str) -> str:
    return re.sub("([!%_])", r"!\1", text)


def _key_column(model: Model, field: Attr[Any], type_: ValueType) -> Column | None:
    """Return the column of a field that is in the key only; None if SQL cannot decode its text."""
    place = model.index_only.get(field.name)
    if place is not None and (field.constant or not place.column.template.separator):
        return None
    for key in model.key.columns if place is None else [place.column]:
        if isinstance(key, FieldColumn) and key.field == field.name:
            read = partial(_value, type_=type_, json="item", path=(key.attribute.name,))
            return Column(field.name, type_, read)
        segments = key.template.segments if isinstance(key, TextColumn) else ()
        for number, one in enumerate(segments, 1):
            if isinstance(one, FieldSegment) and one.field == field.name and _is_plain(one, type_):
                decode = partial(_segment, key.attribute.name, number, type_.kind)
                return Column(field.name, type_, decode)
    return None


def _is_plain(segment: FieldSegment, type_: ValueType) -> bool:
    name, declared = segment.encoding.name, segment.encoding.declared
    if type_.kind == "boolean" or name == "timedelta":
        return False
    return declared == "{}" or declared.startswith("padded")


def _segment(attribute: str, number: int, kind: str, dialect: Dialect) -> str:
    """Return a value in a key, which is escaped as `key_template.py` says."""
    text = dialect.segment.format(text=_text_at(dialect, attribute), number=number)
    if kind == "integer":
        # A negative number is written as its complement, in 19 digits.
        digits, first, rest = (f"substr({text}, {part})" for part in ("2", "2, 1", "3"))
        is_negative = f"{text} LIKE '-{'_' * 19}' AND {dialect.unsigned.format(text=digits)}"
        missing = f"(10 - CAST({first} AS DECIMAL(1,0))) * 1000000000000000000"
        value = f"CAST({rest} AS DECIMAL(18,0)) - {missing}"
        return f"CASE WHEN {is_negative} THEN {value} ELSE {_number(dialect, kind, text)} END"
    if SCALARS[kind][1] == "N":
        return _number(dialect, kind, text)
    # Not all 36 characters: SQLite's parser limits the depth of expressions. The $ itself is last.
    for code in (0x09, 0x0A, 0x20, 0x21, 0x22, 0x23, 0x24):
        text = f"replace({text}, '${code:02X}', {dialect.literal(chr(code))})"
    return dialect.scalar(kind, text)


def _number(dialect: Dialect, kind: str, text: str) -> str:
    """Return a text as a number, or NULL if it is another text, as other entities may have."""
    unsigned = dialect.unsigned.format(text=text)
    return f"CASE WHEN {unsigned} THEN {dialect.scalar(kind, text)} END"


# Names


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _plural(name: str) -> str:
    """Return the plural of a name, to avoid reserved words of SQL: users, orders, groups."""
    if re.search("[^aeiou]y$", name):
        return f"{name[:-1]}ies"
    if re.search("[^su]s$", name):
        return name
    return f"{name}es" if re.search("([sxz]|[cs]h)$", name) else f"{name}s"
