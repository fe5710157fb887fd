"""Codecs of Enum and Literal types: one of a few values, all strings or all integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, Flag
from typing import cast

from dynamodb_engine.values import AttributeValue
from singletable.errors import DeclarationError
from singletable.schema.codec.codec import Codec, SourceBuilder, invalid_value, mismatch, short_repr
from singletable.schema.codec.scalars import INT, STRING


def enum_codec(kind: type[Enum]) -> Codec:
    """Return the codec of an Enum. Its members are stored as their values."""
    inner = _codec_of_values(kind.__name__, [member.value for member in kind])
    (tag,) = inner.types
    expects = f"{_one_of([str(member) for member in kind])} ({kind.__name__})"
    # Looked up by stored content; a canonical number has one text.
    by_content = {_content(inner.encode(member.value)): member for member in kind}

    def encode(value: object) -> AttributeValue:
        if not isinstance(value, kind):
            raise invalid_value(expects, value)
        return inner.encode(cast(object, value.value))

    def decode(value: AttributeValue) -> object:
        if tag not in value:
            raise mismatch(_stored_values(by_content, tag), value)
        try:
            # Calls the enum, whose `_missing_` may accept more values than it lists.
            return kind(inner.decode(value))
        except ValueError:
            raise mismatch(_stored_values(by_content, tag), value) from None

    def encode_expression(source: SourceBuilder, name: str) -> str:
        content = f"{name}._value_" if tag == "S" else f"str({name}._value_)"
        bound = source.bind(kind, kind.__name__)
        return f'{{"{tag}": {content}}} if {name}.__class__ is {bound} else fail()'

    return Codec(
        inner.types,
        encode,
        decode,
        expects,
        # A Flag has more values than members, and DynamoDB cannot store all of them.
        encode_expression=None if issubclass(kind, Flag) else encode_expression,
        content_expression=lambda source, content: (
            f"{source.bind(by_content, kind.__name__)}[{content}]"
        ),
    )


def literal_codec(values: Sequence[object]) -> Codec:
    """Return the codec of a Literal, stored as the string or integer that it is."""
    inner = _codec_of_values("Literal", values)
    (tag,) = inner.types
    expects = _one_of([repr(value) for value in values])
    by_content = {_content(inner.encode(value)): value for value in values}
    allowed = frozenset(values)

    def encode(value: object) -> AttributeValue:
        if type(value) not in (str, int) or value not in allowed:
            raise invalid_value(expects, value)
        return inner.encode(value)

    def decode(value: AttributeValue) -> object:
        if tag not in value or inner.decode(value) not in allowed:
            raise mismatch(_stored_values(by_content, tag), value)
        return inner.decode(value)

    def encode_expression(source: SourceBuilder, name: str) -> str:
        content, kind = (name, "str") if tag == "S" else (f"str({name})", "int")
        valid = f"{name}.__class__ is {kind} and {name} in {source.bind(allowed, 'allowed')}"
        return f'{{"{tag}": {content}}} if {valid} else fail()'

    return Codec(
        inner.types,
        encode,
        decode,
        expects,
        encode_expression=encode_expression,
        content_expression=lambda source, content: (
            f"{source.bind(by_content, 'literal')}[{content}]"
        ),
    )


def _codec_of_values(owner: str, values: Sequence[object]) -> Codec:
    kinds = {_base_type(value) for value in values}
    if kinds == {str}:
        return STRING
    if kinds == {int}:
        return INT
    listed = ", ".join(short_repr(value) for value in values) or "none"
    raise DeclarationError(
        f"{owner} is stored by value, so its values must be all str or all int, but they are: "
        f"{listed}. Make every value a str, or every value an int."
    )


def _base_type(value: object) -> type:
    if isinstance(value, str) and not isinstance(value, Enum):
        return str
    if isinstance(value, int) and not isinstance(value, bool | Enum):
        return int
    return type(value)


def _content(value: AttributeValue) -> str:
    return value["S"] if "S" in value else value["N"]


def _stored_values(by_content: Mapping[str, object], tag: str) -> str:
    values = [repr(content) if tag == "S" else content for content in by_content]
    return f"{_one_of(values)} ({tag})"


def _one_of(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    listed = ", ".join(names[:12]) + (" …" if len(names) > 12 else "")
    return f"one of {listed}"
