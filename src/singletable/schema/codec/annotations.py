"""From a type annotation to how values of it are held."""

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
from singletable.schema.codec.choices import literals_of, members_of
from singletable.schema.codec.codec import Codec, Source, optional
from singletable.schema.codec.containers import SETS, map_of, record_of, sequence_of, set_of
from singletable.schema.codec.dynamic import ANYTHING, BOTTOMLESS, is_model, model_of
from singletable.schema.codec.scalars import BOOL, BYTES, DECIMAL, FLOAT, IDENTIFIER, TEXT, WHOLE
from singletable.schema.codec.times import DAY, TimeFormat, moments
from singletable.values import AttributeValue, check_value

MAX_LEVELS = 32
SIMPLE: dict[object, Codec] = {
    str: TEXT,
    int: WHOLE,
    Decimal: DECIMAL,
    float: FLOAT,
    bool: BOOL,
    bytes: BYTES,
    date: DAY,
    UUID: IDENTIFIER,
    Any: ANYTHING,
    object: ANYTHING,
}
THERE_ARE = (
    "There are: str, int, Decimal, float, bool, bytes, datetime, date, UUID, enumerations and "
    "Literal of str or int, list[T], tuple[T, ...], dict[str, T], set[T] and frozenset[T], "
    "dataclasses, pydantic models, T | None, and Any for whatever DynamoDB can hold."
)


def codec_of(annotation: object, *, time_format: TimeFormat | None = None) -> Codec:
    """How values of the type are held; DeclarationError if there is no way to hold them.

    `time_format` applies to the datetimes in it; those inside dataclasses have a format of their
    own, `Annotated[datetime, TimeFormat.SECONDS]`.
    """
    reader = _Reader()
    codec = reader.codec_of(annotation, time_format)
    if time_format is not None and not reader.form_used:
        raise DeclarationError(
            f"{_named(annotation)} contains no datetime, so {time_format} has no effect. Remove it."
        )
    return _bounded(codec) if codec.depth > MAX_LEVELS else codec


class _Reader:
    """One annotation being read: which dataclasses it has led to, so that they may recur."""

    def __init__(self) -> None:
        self.form_used = False
        self._records: dict[type, Codec | None] = {}
        self._aliases: list[object] = []

    def codec_of(self, annotation: object, time_format: TimeFormat | None) -> Codec:
        """How values of the type are held."""
        if annotation is datetime:
            self.form_used = self.form_used or time_format is not None
            return moments(time_format or TimeFormat.MICROSECONDS)
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
            raise _refused(alias, "A type alias may not contain itself; a dataclass may.")
        self._aliases.append(alias)
        codec = self.codec_of(alias.__value__, time_format)
        self._aliases.pop()
        return codec

    def _class(self, kind: type[object]) -> Codec:
        if issubclass(kind, Enum):
            return members_of(kind)
        if is_model(kind):
            return model_of(kind)
        if dataclasses.is_dataclass(kind):
            return self._record(kind)
        if kind in (list, tuple, dict):
            argument: Any = {list: list[Any], tuple: tuple[Any, ...], dict: dict[str, Any]}[kind]
            return self._generic(argument, None)
        if kind in (set, frozenset):
            raise _refused(kind, f"Say what is in it: {kind.__name__}[str], for instance.")
        raise _refused(kind)

    def _record(self, kind: type[object]) -> Codec:
        if kind not in self._records:
            self._records[kind] = None
            self._records[kind] = record_of(kind, lambda hint: self.codec_of(hint, None))
        return self._records[kind] or _later(kind, lambda: cast(Codec, self._records[kind]))

    def _generic(self, annotation: object, time_format: TimeFormat | None) -> Codec:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if origin is Literal:
            return _literal(arguments)
        if origin in (Union, types.UnionType):
            return self._union(annotation, arguments, time_format)
        if origin is list:
            return sequence_of(list, self.codec_of(arguments[0], time_format))
        if origin is tuple:
            if len(arguments) != 2 or arguments[1] is not Ellipsis:
                raise _refused(annotation, "Write tuple[T, ...], or a dataclass with names.")
            return sequence_of(tuple, self.codec_of(arguments[0], time_format))
        if origin is dict:
            if self.codec_of(arguments[0], None) is not TEXT:
                raise _refused(annotation, "The names in a map are text: write dict[str, T].")
            return map_of(self.codec_of(arguments[1], time_format))
        if origin in (set, frozenset):
            return self._set(annotation, origin, arguments[0], time_format)
        raise _refused(annotation)

    def _union(
        self, annotation: object, arguments: Sequence[object], time_format: TimeFormat | None
    ) -> Codec:
        kinds = [one for one in arguments if one is not types.NoneType]
        if len(kinds) > 1:
            raise _refused(
                annotation,
                "An attribute holds one type, or None. Declare a field for each, or one "
                "dataclass whose members may be None and one of which says which it is.",
            )
        inner = self.codec_of(kinds[0], time_format)
        if inner.absent_value is not None and not inner.optional:
            raise _refused(
                annotation,
                "DynamoDB has no empty set, so an empty one and None would be read as the same. "
                f"Write {_named(kinds[0])}: an attribute that is not there is an empty set.",
            )
        return inner if inner.optional else optional(inner)

    def _set(
        self, annotation: object, kind: Any, of: object, time_format: TimeFormat | None
    ) -> Codec:
        member = self.codec_of(of, time_format)
        if member.optional or len(member.types) != 1 or not member.types <= SETS.keys():
            raise _refused(
                annotation,
                "A set holds what is text, a number or binary at rest: str, int, Decimal, bytes, "
                "UUID, date, datetime or an enumeration. For others write a list.",
            )
        return set_of(kind, member)


def _simple(annotation: object) -> Codec | None:
    try:
        return SIMPLE.get(annotation)
    except TypeError:  # an annotation that cannot be hashed is not simple
        return None


def _literal(values: Sequence[object]) -> Codec:
    some = [value for value in values if value is not None]
    codec = literals_of(some)
    return codec if len(some) == len(values) else optional(codec)


def _later(kind: type, known: Callable[[], Codec]) -> Codec:
    """The codec of a dataclass that is met inside itself, before its own codec is made."""
    return Codec(
        types=frozenset({"M"}),
        optional=False,
        encode=lambda value: known().encode(value),
        decode=lambda value: known().decode(value),
        expects=f"a {kind.__name__}",
        writing=lambda source, name: known().writing(source, name),
        reading=lambda source, name: known().reading(source, name),
        depth=BOTTOMLESS,
    )


def _bounded(codec: Codec) -> Codec:
    """The same, but what is nested deeper than DynamoDB allows is refused."""

    def encode(value: object) -> AttributeValue:
        try:
            return _within(codec.encode(value))
        except ValidationError as problem:
            raise InvalidValue(
                f"expected {codec.expects}, but DynamoDB refuses it: {problem}"
            ) from None
        except RecursionError:
            raise InvalidValue(
                f"expected {codec.expects}, nested at most {MAX_LEVELS} levels deep, but it is deeper "
                "than Python can follow. It may contain itself."
            ) from None

    def writing(source: Source, name: str) -> str:
        return f"{source.name(_within, 'within')}({codec.writing(source, name)})"

    return replace(codec, encode=encode, writing=writing)


def _within(value: AttributeValue) -> AttributeValue:
    check_value(value)
    return value


def _refused(annotation: object, advice: str = "") -> DeclarationError:
    return DeclarationError(f"an attribute cannot hold {_named(annotation)}. {advice or THERE_ARE}")


def _named(annotation: object) -> str:
    if isinstance(annotation, type) and get_origin(annotation) is None:
        return annotation.__qualname__
    return str(annotation).replace("typing.", "")
