"""Read values that earlier versions of a declaration stored with another type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from singletable.errors import DeclarationError, InvalidValue, ItemMismatch
from singletable.schema.codec.annotations import codec_of
from singletable.schema.codec.codec import Codec, short_repr
from singletable.schema.codec.dynamic import ANY
from singletable.schema.codec.field_codec import described_error, function_name
from singletable.schema.codec.scalars import BOOL, BYTES, DECIMAL, FLOAT, STRING
from singletable.values import AttributeValue

# Converts values of a type that was stored before.
OldTypes: TypeAlias = Mapping[Any, Callable[[Any], Any]]

# Codecs that read every value of their DynamoDB types.
_READ_ALL = (STRING, DECIMAL, FLOAT, BYTES, BOOL, ANY)


def old_types_codec(codec: Codec, old_types: OldTypes) -> Codec:
    """Return the codec that also reads the old types; it writes as `codec` does.

    The generated code still reads the current type only. It fails for an old value, and so the slow
    path reads it.
    """
    old_codecs = [(_old_codec(codec, kind), convert) for kind, convert in old_types.items()]

    def decode(value: AttributeValue) -> object:
        try:
            return codec.decode(value)
        except ItemMismatch as error:
            mismatch = error
        for old, convert in old_codecs:
            try:
                return _converted(codec, old, convert, value)
            except _OtherType:
                continue
            except ItemMismatch as error:
                mismatch = error
        raise mismatch

    return replace(codec, decode=decode)


class _OtherType(Exception):
    """The stored value has another type."""


def _converted(
    codec: Codec, old: Codec, convert: Callable[[Any], Any], value: AttributeValue
) -> object:
    try:
        stored = old.decode(value)
    except ItemMismatch:
        raise _OtherType from None
    shown = "a value" if codec.cipher is not None else short_repr(stored)
    try:
        converted = convert(stored)
    except Exception as error:
        raise ItemMismatch(
            f"expected a value that {function_name(convert)} of old_types accepts, but it rejected "
            f"{shown}: {described_error(error)}"
        ) from error
    try:
        codec.encode(converted)
    except InvalidValue as error:
        raise ItemMismatch(
            f"expected {function_name(convert)} of old_types to convert {shown} to the type of the "
            f"field, but: {error}"
        ) from None
    return converted


def _old_codec(codec: Codec, kind: object) -> Codec:
    name = kind.__qualname__ if isinstance(kind, type) else repr(kind)
    try:
        old = codec_of(kind)
    except DeclarationError as error:
        raise DeclarationError(f"old_types={{{name}: …}}: {error}") from None
    if any(_is_same(codec, one) and old.types <= one.types for one in _READ_ALL):
        raise DeclarationError(
            f"old_types={{{name}: …}} has no effect: {codec.expects} is read from every value that "
            f"is stored like {old.expects}. Remove it, or use codec(encode=…, decode=…, "
            "stored_as=…), which can tell the values apart."
        )
    return old


def _is_same(codec: Codec, scalar: Codec) -> bool:
    """Return whether values are read as those of `scalar`, perhaps as `T | None`."""
    expression = scalar.content_expression
    return codec is scalar or (
        expression is not None and codec.content_expression is expression and codec.cipher is None
    )
