"""Find the codec of a type annotation."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, NewType, Union, cast, get_args, get_origin
from uuid import UUID

from typing_extensions import is_typeddict

from dynamodb_engine.values import AttributeValue, check_value
from singletable.errors import DeclarationError, InvalidValue, ValidationError
from singletable.schema.codec import containers, dynamic
from singletable.schema.codec.choices import enum_codec, literal_codec
from singletable.schema.codec.codec import Codec, SourceBuilder, optional_codec
from singletable.schema.codec.field_codec import FieldCodec, field_codecs
from singletable.schema.codec.scalars import BOOL, BYTES, DECIMAL, FLOAT, INT, STRING, UUID_CODEC
from singletable.schema.codec.times import DATE, TIMEDELTA, TimeFormat, datetime_codec
from singletable.schema.codec.typed_dicts import typed_dict_codec
from singletable.schema.codec.unions import merge_literals, union_codec, without_none

MAX_DEPTH = 32
SIMPLE: dict[object, Codec] = {
    str: STRING,
    int: INT,
    Decimal: DECIMAL,
    float: FLOAT,
    bool: BOOL,
    bytes: BYTES,
    date: DATE,
    timedelta: TIMEDELTA,
    UUID: UUID_CODEC,
    Any: dynamic.ANY,
    object: dynamic.ANY,
}
SUPPORTED_TYPES = (
    "Supported types: str, int, Decimal, float, bool, bytes, datetime, date, timedelta, UUID, Enum "
    "and Literal of str or int, list[T], tuple[T, ...], dict[str, T], set[T] and frozenset[T], "
    "dataclasses, TypedDicts, pydantic models, T | None, unions whose members can be told apart, "
    "and Any for every value that DynamoDB can store. For another type write a codec: "
    "attr(codec=codec(encode=…, decode=…, stored_as=…))."
)


class _Options(NamedTuple):
    """How values inside a type are stored: the format of datetimes, and floats in `Any`."""

    time_format: TimeFormat | None = None
    rounds: bool = False
    json: bool = False


def codec_of(
    annotation: object,
    *,
    time_format: TimeFormat | None = None,
    rounds: bool = False,
    field_codec: FieldCodec[Any] | None = None,
) -> Codec:
    """Return the codec of the type; raise DeclarationError if it cannot be stored.

    `time_format` applies to the datetimes in it, and `rounds` rounds them down to the format. A
    datetime inside a dataclass has a format of its own: `Annotated[datetime, TimeFormat.SECONDS]`.
    `field_codec` stores the type in another way.
    """
    reader = _AnnotationReader()
    declared = annotation if field_codec is None else Annotated[annotation, field_codec]
    codec = reader.read(declared, _Options(time_format, rounds))
    if time_format is not None and not reader.format_used:
        raise DeclarationError(
            f"{_type_name(annotation)} contains no datetime, so {time_format} has no effect. "
            "Remove it."
        )
    if isinstance(field_codec, dynamic.Json) and not reader.json_used:
        raise DeclarationError(
            f"{_type_name(annotation)} contains no Any, so Json() has no effect. Remove it."
        )
    return _depth_checked(codec) if codec.depth > MAX_DEPTH else codec


class _AnnotationReader:
    """Reads one annotation; remembers the dataclasses in it, because they may be recursive."""

    def __init__(self) -> None:
        self.format_used = False
        self.json_used = False
        self._classes: dict[type, Codec | None] = {}
        self._aliases: list[object] = []

    def read(self, annotation: object, options: _Options) -> Codec:
        if annotation is datetime:
            self.format_used = self.format_used or options.time_format is not None
            time_format = options.time_format or TimeFormat.MICROSECONDS
            return datetime_codec(time_format, rounds=options.rounds)
        if options.json and (annotation is Any or annotation is object):
            self.json_used = True
            return dynamic.JSON_CODEC
        if (simple := _simple(annotation)) is not None:
            return simple
        if isinstance(annotation, NewType):
            return self.read(annotation.__supertype__, options)
        if get_origin(annotation) is Annotated:
            return self._annotated(annotation, options)
        if hasattr(annotation, "__value__"):
            return self._alias(annotation, options)
        if isinstance(annotation, type) and get_origin(annotation) is None:
            return self._class(cast(type[object], annotation), options)
        return self._generic(annotation, options)

    def _annotated(self, annotation: object, options: _Options) -> Codec:
        inner, *extras = get_args(annotation)
        own = next((extra for extra in extras if isinstance(extra, TimeFormat)), None)
        options = options._replace(time_format=own or options.time_format)
        codecs = field_codecs(extras)
        if not codecs:
            return self.read(inner, options)
        bare = without_none(inner)
        *earlier, last = codecs
        kept = [*earlier, *([own] if own else [])]
        codec = last.build(Annotated[(bare, *kept)] if kept else bare, _Reader(self, options))
        return codec if bare is inner else self._optional(bare, codec, annotation)

    def _alias(self, alias: Any, options: _Options) -> Codec:
        if any(known is alias for known in self._aliases):
            raise _unsupported(alias, "A type alias cannot contain itself; a dataclass can.")
        self._aliases.append(alias)
        codec = self.read(alias.__value__, options)
        self._aliases.pop()
        return codec

    def _member(self, annotation: object, options: _Options) -> Codec:
        """Return the codec of a type inside another type."""
        codec = self.read(annotation, options)
        if codec.opaque is not None:
            raise DeclarationError(
                f"{_type_name(annotation)} is {codec.opaque}, which only a whole field of an "
                "entity can be. Declare it as a field, or apply the codec to the field around it."
            )
        return codec

    def _class(self, kind: type[object], options: _Options) -> Codec:
        if issubclass(kind, Enum):
            return enum_codec(kind)
        if dynamic.is_model(kind):
            return dynamic.model_codec(kind)
        if is_typeddict(kind):
            return self._remembered(kind, typed_dict_codec)
        if dataclasses.is_dataclass(kind):
            return self._remembered(kind, containers.dataclass_codec)
        if kind in (list, tuple, dict):
            argument: Any = {list: list[Any], tuple: tuple[Any, ...], dict: dict[str, Any]}[kind]
            return self._generic(argument, options)
        if kind in (set, frozenset):
            raise _unsupported(kind, f"Name the type of its members: {kind.__name__}[str].")
        raise _unsupported(kind)

    def _remembered(
        self, kind: type[object], create: Callable[[type[Any], containers.CodecOf], Codec]
    ) -> Codec:
        if kind not in self._classes:
            self._classes[kind] = None
            self._classes[kind] = create(kind, lambda hint: self._member(hint, _Options()))
        known = self._classes[kind]
        return known or _recursive_codec(kind, lambda: cast(Codec, self._classes[kind]))

    def _generic(self, annotation: object, options: _Options) -> Codec:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Literal:
            values = [value for value in arguments if value is not None]
            codec = literal_codec(values)
            return codec if len(values) == len(arguments) else optional_codec(codec)
        if origin in (Union, types.UnionType):
            return self._union(annotation, arguments, options)
        if origin is list:
            return containers.sequence_codec(list, self._member(arguments[0], options))
        if origin is tuple:
            if len(arguments) != 2 or arguments[1] is not Ellipsis:
                raise _unsupported(annotation, "Write tuple[T, ...], or use a dataclass.")
            return containers.sequence_codec(tuple, self._member(arguments[0], options))
        if origin is dict:
            if self.read(arguments[0], _Options()) is not STRING:
                raise _unsupported(annotation, "The keys of a map are strings: dict[str, T].")
            return containers.map_codec(self._member(arguments[1], options))
        if origin in (set, frozenset):
            return self._set(annotation, origin, arguments[0], options)
        raise _unsupported(annotation)

    def _union(self, annotation: object, arguments: Sequence[object], options: _Options) -> Codec:
        kinds = merge_literals([one for one in arguments if one is not types.NoneType])
        if len(kinds) > 1:
            codec = union_codec(
                _type_name(annotation), [(one, self._member(one, options)) for one in kinds]
            )
        else:
            codec = self.read(kinds[0], options)
        if types.NoneType not in arguments:
            return codec
        return self._optional(kinds[0], codec, annotation)

    def _optional(self, bare: object, codec: Codec, annotation: object) -> Codec:
        """Return the codec of `T | None`."""
        if codec.absent_value is not None and not codec.optional:
            raise _unsupported(
                annotation,
                "DynamoDB has no empty set, so an empty set and None would be stored alike. Write "
                f"{_type_name(bare)}: an absent attribute is read as an empty set.",
            )
        return codec if codec.optional else optional_codec(codec)

    def _set(self, annotation: object, kind: Any, member_type: object, options: _Options) -> Codec:
        member = self._member(member_type, options)
        if (
            member.optional
            or len(member.types) != 1
            or not member.types <= containers.SET_TYPES.keys()
        ):
            raise _unsupported(
                annotation,
                "The members of a set are stored as strings, numbers or binary: str, int, Decimal, "
                "bytes, UUID, date, datetime or an Enum. Use a list for other types.",
            )
        return containers.set_codec(kind, member)


class _Reader(NamedTuple):
    """Reads the types of a field's own codec, with the options of the field."""

    reader: _AnnotationReader
    options: _Options

    def codec_of(self, annotation: object) -> Codec:
        """Return the codec of the type."""
        return self.reader.read(annotation, self.options)

    def json_codec_of(self, annotation: object) -> Codec:
        """Return the codec of the type, in which every `Any` may be a float."""
        return self.reader.read(annotation, self.options._replace(json=True))


def _simple(annotation: object) -> Codec | None:
    try:
        return SIMPLE.get(annotation)
    except TypeError:  # not hashable, so not one of them
        return None


def _recursive_codec(kind: type, codec: Callable[[], Codec]) -> Codec:
    """Return the codec of a dataclass inside itself, where its own codec is not complete yet."""
    return Codec(
        frozenset({"M"}),
        lambda value: codec().encode(value),
        lambda value: codec().decode(value),
        f"a {kind.__name__}",
        lambda source, name: codec().encode_source(source, name),
        lambda source, name: codec().decode_source(source, name),
        depth=dynamic.UNBOUNDED_DEPTH,
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
