"""Which entities lie together in a partition of a table or an index, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from singletable.documents.wording import condition_words
from singletable.errors import InvalidValue
from singletable.patterns.requests import key_template
from singletable.schema import Index, Model, ResolvedKey, Table, model_of
from singletable.schema.examples import example_value
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    RepeatedSegment,
    ShardSegment,
)
from singletable.schema.resolved_key import Column, TextColumn
from singletable.values import AttributeValue, content_of, key_bytes

# Two show how an entity's items follow each other.
HOW_MANY = 2


@dataclass(frozen=True, slots=True)
class Row:
    """An item of a partition, as an example: what it is, its sort key, and what it holds."""

    entity: str
    # What it is beside an entity's own item: "marker of one_email", or nothing.
    marker: str
    sort: str
    holds: tuple[str, ...]
    only: str
    # Whether more such items may follow.
    many: bool


@dataclass(frozen=True, slots=True)
class Lying:
    """Items that lie in one partition: an example of its key, how it is made, and its rows."""

    example: str
    templates: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A table or an index of it, with the names of its key attributes."""

    table: Table
    index: Index | None

    @property
    def name(self) -> str:
        """The name of the table or the index."""
        return self.table.name if self.index is None else self.index.name

    @property
    def pk(self) -> str:
        """The names of the partition key's attributes."""
        keys = (self.table.pk,) if self.index is None else self.index.pk
        return " / ".join(key.name for key in keys)

    @property
    def sk(self) -> str:
        """The names of the sort key's attributes."""
        own = () if self.table.sk is None else (self.table.sk,)
        keys = own if self.index is None else self.index.sk
        return " / ".join(key.name for key in keys)


def places_of(table: Table) -> list[Place]:
    """The table, and its indexes."""
    return [Place(table, None), *(Place(table, index) for index in table.indexes)]


def partitions_of(place: Place) -> list[Lying]:
    """The partitions of a place, each with the entities whose items it may hold."""
    groups: dict[tuple[str, ...], list[tuple[Model, ResolvedKey, bool]]] = {}
    for model, access, is_marker in _accesses(place):
        shape = tuple(_shape(column) for column in access.pk)
        groups.setdefault(shape, []).append((model, access, is_marker))
    return [_lying(place, members) for members in groups.values()]


def _accesses(place: Place) -> Iterator[tuple[Model, ResolvedKey, bool]]:
    models = [model_of(entity) for entity in place.table.entities]
    for model in models:
        if place.index is None:
            yield model, model.key, False
        for access in model.indexes.values():
            if place.index is not None and access.index is place.index:
                yield model, access, False
    if place.index is None:
        for model in models:
            for marker in model.uniques.values():
                yield model, marker.access, True


def _shape(column: Column) -> str:
    """What two keys have in common if their values can make them one: fields go by their form."""
    if not isinstance(column, TextColumn):
        return f"{{{column.attribute.type}}}"
    parts: list[str] = []
    for segment in column.template.segments:
        match segment:
            case FixedSegment(text):
                parts.append(text)
            case FieldSegment(_, form) | RepeatedSegment(FieldSegment(_, form)):
                parts.append(f"{{{form.name}}}")
            case ShardSegment(shards):
                parts.append(f"{{{shards.suffixes[0]} to {shards.suffixes[-1]}}}")
    return "#".join(parts)


def _lying(place: Place, members: Sequence[tuple[Model, ResolvedKey, bool]]) -> Lying:
    sorted_rows: list[tuple[tuple[bytes, ...], Row]] = []
    first = ""
    for model, access, is_marker in members:
        many = not is_marker and bool(set(access.sk_fields) - set(access.pk_fields))
        for number in range(1, HOW_MANY + 1 if many else 2):
            values = _values(model, access, number)
            pk, sk = _keys(access.pk, values), _keys(access.sk, values)
            first = first or _shown(pk, access.pk)
            order = tuple(key_bytes(value) for value in sk if value is not None)
            last = many and number == HOW_MANY
            row = _row(place, model, access, _shown(sk, access.sk), marker=is_marker, many=last)
            sorted_rows.append((order, row))
    sorted_rows.sort(key=lambda pair: pair[0])
    templates = dict.fromkeys(
        " / ".join(key_template(column) for column in access.pk) for _, access, _ in members
    )
    return Lying(first, tuple(templates), tuple(row for _, row in sorted_rows))


def _row(
    place: Place, model: Model, access: ResolvedKey, sort: str, *, marker: bool, many: bool
) -> Row:
    if marker:
        holds: tuple[str, ...] = ("the key of its owner",)
    elif place.index is not None and place.index.projection != "ALL":
        some = place.index.projection
        holds = ("keys only",) if some == "KEYS_ONLY" else ("keys", *some)
    else:
        in_key = set(access.fields)
        holds = tuple(
            field.attribute
            for name, field in model.fields.items()
            if field.stored and name not in in_key
        )
    only = "" if access.condition is None else condition_words(access.condition)
    return Row(model.name, f"marker of {access.name}" if marker else "", sort, holds, only, many)


def _values(model: Model, access: ResolvedKey, number: int) -> dict[str, object]:
    """Made-up values of a key's fields: those of the partition are the same for all its items."""
    words = dict(_words(access))
    values: dict[str, object] = {}
    for name in access.fields:
        at = 1 if name in access.pk_fields else number
        try:
            values[name] = example_value(model.fields[name].annotation, words.get(name, name), at)
        except TypeError:
            continue
    return values


def _words(access: ResolvedKey) -> Iterator[tuple[str, str]]:
    """The fields of a partition key with the words before them: one word has one value."""
    for column in access.pk:
        word = ""
        for segment in column.template.segments if isinstance(column, TextColumn) else ():
            match segment:
                case FixedSegment(text):
                    word = text.lower()
                case FieldSegment(field) if word:
                    yield field, word
                    word = ""
                case _:
                    word = ""


def _keys(columns: Sequence[Column], values: dict[str, object]) -> list[AttributeValue | None]:
    """The key attributes for the values; None where there is no example."""
    found: list[AttributeValue | None] = []
    for column in columns:
        shards = column.template.shards if isinstance(column, TextColumn) else None
        try:
            found.append(column.value(values, None if shards is None else shards.suffixes[0]))
        except InvalidValue:
            found.append(None)
    return found


def _shown(keys: Sequence[AttributeValue | None], columns: Sequence[Column]) -> str:
    texts = (
        key_template(column) if value is None else str(content_of(value))
        for value, column in zip(keys, columns, strict=True)
    )
    return " / ".join(texts)
