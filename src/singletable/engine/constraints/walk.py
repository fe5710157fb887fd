"""Find every fault of an operation, in the order in which AWS lists them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never, cast

from msgspec import Struct as MsgspecStruct

from singletable.engine.constraints.echo import as_java
from singletable.engine.constraints.fault import (
    MAP_KEYS,
    NOT_NULL,
    Fault,
    Layer,
    Path,
    longer,
    map_values,
    shorter,
)
from singletable.engine.constraints.names import names_a_table
from singletable.engine.constraints.scalars import of_length, of_number, of_string
from singletable.engine.constraints.shape import (
    LEAST_INTEGER,
    MOST_INTEGER,
    Attributes,
    Choice,
    Custom,
    Flag,
    List,
    Map,
    Member,
    Number,
    Shape,
    Struct,
    TableMap,
    TableName,
    Text,
)


def faults_of(shape: Shape, value: object, path: Path) -> Iterator[Fault]:
    """What is wrong with a value that is there; a value of another type is looked at no further."""
    match shape:
        case Text() | TableName() | Choice() | Custom():
            if isinstance(value, str):
                return of_string(shape, value, path)
            return _not(path, "a string", value)
        case Number():
            if not isinstance(value, int) or isinstance(value, bool):
                return _not(path, "an integer", value)
            if not LEAST_INTEGER <= value <= MOST_INTEGER:
                return _not(path, "an integer of 64 bits", value)
            return of_number(shape, value, path)
        case Flag():
            return iter(()) if isinstance(value, bool) else _not(path, "a boolean", value)
        case Attributes():
            return iter(()) if isinstance(value, dict) else _not(path, "a map", value)
        case List():
            if isinstance(value, list):
                return _list(shape, cast("list[object]", value), path)
            return _not(path, "a list", value)
        case Map() | TableMap():
            if isinstance(value, dict):
                return _map(shape, cast("dict[object, object]", value), path)
            return _not(path, "a map", value)
        case Struct():
            if isinstance(value, shape.type):
                return _struct(shape, value, path)
            return _not(path, f"of type {shape.type.__name__}", value)
        case _:
            assert_never(shape)


def _not(path: Path, kind: str, value: object) -> Iterator[Fault]:
    sentence = f"{path.modern} must be {kind}, but is of Python's type {type(value).__name__}"
    yield Fault(Layer.TYPE, path, value, sentence=sentence)


def _list(shape: List, value: list[object], path: Path) -> Iterator[Fault]:
    yield from of_length(shape, value, path)
    for number, element in enumerate(value, 1):
        yield from _member(Member("", shape.of, required=True), element, path.entry(number))


def _map(shape: Map | TableMap, value: dict[object, object], path: Path) -> Iterator[Fault]:
    for key in value:
        if not isinstance(key, str):
            yield from _not(path.entry(as_java(key)), "named by a string", key)
            return
    entries = cast("dict[str, object]", value)
    if isinstance(shape, Map):
        yield from of_length(shape, value, path)
    else:
        yield from _table_map(shape, entries, path)
    for key, entry in entries.items():
        yield from _member(Member("", shape.of, required=True), entry, path.entry(key))


def _table_map(shape: TableMap, value: dict[str, object], path: Path) -> Iterator[Fault]:
    if not value:
        yield Fault(Layer.LIMIT, path, value, longer(1))
    if len(value) > shape.most:
        yield Fault(Layer.LIMIT, path, value, shorter(shape.most))
    if not all(names_a_table(name, 3) for name in value):
        yield Fault(Layer.MAP, path, value, MAP_KEYS, shown_as=shape.shown_as)
    if shape.requests is None:
        return
    least, most = shape.requests
    sizes = {name: len(each) for name, each in value.items() if isinstance(each, list)}  # pyright: ignore[reportUnknownArgumentType]
    if any(size < least for size in sizes.values()):
        yield Fault(Layer.MAP, path, value, map_values(least, most), shown_as=shape.shown_as)
    for name, size in sizes.items():
        if size > most:
            yield Fault(Layer.LIMIT, path.entry(name), value[name], shorter(most))


def _struct(shape: Struct, value: MsgspecStruct, path: Path) -> Iterator[Fault]:
    names = dict(zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True))
    held = [getattr(value, member.field) for member in shape.members]
    if shape.empty and all(each is None for each in held):
        yield Fault(Layer.EMPTY, path, value, sentence=shape.empty)
    for member, each in zip(shape.members, held, strict=True):
        yield from _member(member, each, path.field(names[member.field]))


def _member(member: Member, value: object, path: Path) -> Iterator[Fault]:
    if value is not None:
        yield from faults_of(member.shape, value, path)
    elif member.absent:
        yield Fault(Layer.ABSENT, path, sentence=member.absent)
    elif member.required:
        yield Fault(Layer.NULL, path, text=NOT_NULL)
