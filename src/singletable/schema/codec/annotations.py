"""Find the codec of a type annotation."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NewType, Union, cast, get_args, get_origin
from uuid import UUID

from singletable.errors import DeclarationError, InvalidValue, ValidationError
from singletable.schema.codec.choices import enum_codec, literal_codec
from singletable.schema.codec.codec import Codec, SourceBuilder, optional_codec
from singletable.schema.codec.containers import (
    SET_TYPES,
    dataclass_codec,
    map_codec,
    sequence_codec,
    set_codec,
)
from singletable.schema.codec.dynamic import ANY, UNBOUNDED_DEPTH, is_model, model_codec
from singletable.schema.codec.scalars import BOOL, BYTES, DECIMAL, FLOAT, INT, STRING, UUID_CODEC
from singletable.schema.codec.times import DATE, TimeFormat, datetime_codec
from singletable.values import AttributeValue, check_value

MAX_DEPTH = 32
SIMPLE: dict[object, Codec] = {
    str: STRING,
    int: INT,
    Decimal: DECIMAL,
    float: FLOAT,
    bool: BOOL,
    bytes: BYTES,
    date: DATE,
    UUID: UUID_CODEC,
    Any: ANY,
    object: ANY,
}
SUPPORTED_TYPES = (
    "Supported types: str, int, Decimal, float, bool, bytes, datetime, date, UUID, Enum and "
    "Literal of str or int, list[T], tuple[T, ...], dict[str, T], set[T] and frozenset[T], "
    "dataclasses, pydantic models, T | None, and Any for every value that DynamoDB can store."
)


def codec_of(annotation: object, *, time_format: TimeFormat | None = None) -> Codec:
    """Return the codec of the type; raise DeclarationError if it cannot be stored.

    `time_format` applies to the datetimes in it. A datetime inside a dataclass has a format of its
    own: `Annotated[datetime, TimeFormat.SECONDS]`.
    """
    reader = _AnnotationReader()
    codec = reader.codec_of(annotation, time_format)
    if time_format is not None and not reader.format_used:
        raise DeclarationError(
            f"{_type_name(annotation)} contains no datetime, so {time_format} has no effect. "
            "Remove it."
        )
    return _depth_checked(codec) if codec.depth > MAX_DEPTH else codec


class _AnnotationReader:
    """Reads one annotation; remembers the dataclasses in it, because they may be recursive."""

    def __init__(self) -> None:
        self.format_used = False
        self._dataclasses: dict[type, Codec | None] = {}
        self._aliases: list[object] = []

    def codec_of(self, annotation: object, time_format: TimeFormat | None) -> Codec:
        if annotation is datetime:
            self.format_used = self.format_used or time_format is not None
            return datetime_codec(time_format or TimeFormat.MICROSECONDS)
        if (simple := _simple(annotation)) is not None:
            return simple
        if isinstance(annotation, NewType):
            return self.codec_of(annotation.__supertype__, time_format)
        if get_origin(annotation) is Annotated:
            inner, *extras = get_args(annotation)
            own = next((extra for extra in extras if isinstance(extra, TimeFormat)), None)
            return self.codec_of(inner, own or time_format)
        if hasattr(annotation, "__value__"):
            return self._alias(annotation, time_format)
        if isinstance(annotation, type) and get_origin(annotation) is None:
            return self._class(cast(type[object], annotation))
        return self._generic(annotation, time_format)

    def _alias(self, alias: Any, time_format: TimeFormat | None) -> Codec:
        if any(known is alias for known in self._aliases):
            raise _unsupported(alias, "A type alias cannot contain itself; a dataclass can.")
        self._aliases.append(alias)
        codec = self.codec_of(alias.__value__, time_format)
        self._aliases.pop()
        return codec

    def _class(self, kind: type[object]) -> Codec:
        if issubclass(kind, Enum):
            return enum_codec(kind)
        if is_model(kind):
            return model_codec(kind)
        if dataclasses.is_dataclass(kind):
            return self._dataclass(kind)
        if kind in (list, tuple, dict):
            argument: Any = {list: list[Any], tuple: tuple[Any, ...], dict: dict[str, Any]}[kind]
            return self._generic(argument, None)
        if kind in (set, frozenset):
            raise _unsupported(kind, f"Name the type of its members: {kind.__name__}[str].")
        raise _unsupported(kind)

    def _dataclass(self, kind: type[object]) -> Codec:
        if kind not in self._dataclasses:
            self._dataclasses[kind] = None
            self._dataclasses[kind] = dataclass_codec(kind, lambda hint: self.codec_of(hint, None))
        known = self._dataclasses[kind]
        return known or _recursive_codec(kind, lambda: cast(Codec, self._dataclasses[kind]))

    def _generic(self, annotation: object, time_format: TimeFormat | None) -> Codec:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Literal:
            values = [value for value in arguments if value is not None]
            codec = literal_codec(values)
            return codec if len(values) == len(arguments) else optional_codec(codec)
        if origin in (Union, types.UnionType):
            return self._union(annotation, arguments, time_format)
        if origin is list:
            return sequence_codec(list, self.codec_of(arguments[0], time_format))
        if origin is tuple:
            if len(arguments) != 2 or arguments[1] is not Ellipsis:
                raise _unsupported(annotation, "Write tuple[T, ...], or use a dataclass.")
            return sequence_codec(tuple, self.codec_of(arguments[0], time_format))
        if origin is dict:
            if self.codec_of(arguments[0], None) is not STRING:
                raise _unsupported(annotation, "The keys of a map are strings: dict[str, T].")
            return map_codec(self.codec_of(arguments[1], time_format))
        if origin in (set, frozenset):
            return self._set(annotation, origin, arguments[0], time_format)
        raise _unsupported(annotation)

    def _union(
        self, annotation: object, arguments: Sequence[object], time_format: TimeFormat | None
    ) -> Codec:
        kinds = [one for one in arguments if one is not types.NoneType]
        if len(kinds) > 1:
            raise _unsupported(
                annotation,
                "An attribute has one type, or None. Declare a field for each type, or one "
                "dataclass with optional members and a member that tells them apart.",
            )
        inner = self.codec_of(kinds[0], time_format)
        if inner.absent_value is not None and not inner.optional:
            raise _unsupported(
                annotation,
                "DynamoDB has no empty set, so an empty set and None would be stored alike. Write "
                f"{_type_name(kinds[0])}: an absent attribute is read as an empty set.",
            )
        return inner if inner.optional else optional_codec(inner)

    def _set(
        self, annotation: object, kind: Any, member_type: object, time_format: TimeFormat | None
    ) -> Codec:
        member = self.codec_of(member_type, time_format)
        if member.optional or len(member.types) != 1 or not member.types <= SET_TYPES.keys():
            raise _unsupported(
                annotation,
                "The members of a set are stored as strings, numbers or binary: str, int, Decimal, "
                "bytes, UUID, date, datetime or an Enum. Use a list for other types.",
            )
        return set_codec(kind, member)


def _simple(annotation: object) -> Codec | None:
    try:
        return SIMPLE.get(annotation)
    except TypeError:  # not hashable, so not one of them
        return None


def _recursive_codec(kind: type, codec: Callable[[], Codec]) -> Codec:
    """Return the codec of a dataclass inside itself, where its own codec is not complete yet."""
    return Codec(
        types=frozenset({"M"}),
        optional=False,
        encode=lambda value: codec().encode(value),
        decode=lambda value: codec().decode(value),
        expects=f"a {kind.__name__}",
        encode_expression=lambda source, name: codec().encode_source(source, name),
        decode_expression=lambda source, name: codec().decode_source(source, name),
        depth=UNBOUNDED_DEPTH,
    )


def _depth_checked(codec: Codec) -> Codec:
    """Return the codec with a check of the nesting depth that DynamoDB allows."""

    def encode(value: object) -> AttributeValue:
        try:
            return _check_depth(codec.encode(value))
        except ValidationError as error:
            raise InvalidValue(
                f"expected {codec.expects}, but DynamoDB rejects it: {error}"
            ) from None
        except RecursionError:
            raise InvalidValue(
                f"expected {codec.expects}, nested at most {MAX_DEPTH} levels deep, but it exceeds "
                "Python's recursion limit. It may contain itself."
            ) from None

    def encode_expression(source: SourceBuilder, name: str) -> str:
        return f"{source.bind(_check_depth, 'check_depth')}({codec.encode_source(source, name)})"

    return replace(codec, encode=encode, encode_expression=encode_expression)


def _check_depth(value: AttributeValue) -> AttributeValue:
    check_value(value)
    return value


def _unsupported(annotation: object, advice: str = "") -> DeclarationError:
    return DeclarationError(
        f"an attribute cannot store {_type_name(annotation)}. {advice or SUPPORTED_TYPES}"
    )


def _type_name(annotation: object) -> str:
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return annotation.__qualname__
    return str(annotation).replace("typing.", "")
