"""One of a few values: enumerations, held by value, and literals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, Flag
from typing import cast

from singletable.errors import DeclarationError
from singletable.schema.codec.codec import Codec, Source, invalid_value, mismatch, short_repr
from singletable.schema.codec.scalars import TEXT, WHOLE
from singletable.values import AttributeValue


def members_of(kind: type[Enum]) -> Codec:
    """How the members of an enumeration are held: each as its value, which is text or a number."""
    codec = _codec_of_values(kind.__name__, [member.value for member in kind])
    (tag,) = codec.types
    says = f"{_any_of([str(member) for member in kind])} ({kind.__name__})"
    # What a reader meets is looked up by its wire form; numbers have one text each.
    by_wire = {_content(codec.encode(member.value)): member for member in kind}

    def encode(value: object) -> AttributeValue:
        if not isinstance(value, kind):
            raise invalid_value(says, value)
        return codec.encode(cast(object, value.value))

    def decode(value: AttributeValue) -> object:
        if tag not in value:
            raise mismatch(_values_say(by_wire, tag), value)
        try:
            # Asks the enumeration too, which may know more values than it lists.
            return kind(codec.decode(value))
        except ValueError:
            raise mismatch(_values_say(by_wire, tag), value) from None

    def writing(source: Source, name: str) -> str:
        if issubclass(kind, Flag):  # has more values than members, and not all of them fit
            return f"{source.name(encode, f'encode_{kind.__name__}')}({name})"
        content = f"{name}._value_" if tag == "S" else f"str({name}._value_)"
        wire = f'{{"{tag}": {content}}}'
        return f"{wire} if {name}.__class__ is {source.name(kind, kind.__name__)} else refuse()"

    return Codec(
        types=codec.types,
        optional=False,
        encode=encode,
        decode=decode,
        expects=says,
        writing=writing,
        reading=lambda source, name: f'{source.name(by_wire, kind.__name__)}[{name}["{tag}"]]',
    )


def literals_of(values: Sequence[object]) -> Codec:
    """How a Literal is held: as the text or the number that it is."""
    codec = _codec_of_values("Literal", values)
    (tag,) = codec.types
    says = _any_of([repr(value) for value in values])
    by_wire = {_content(codec.encode(value)): value for value in values}
    allowed = frozenset(values)

    def encode(value: object) -> AttributeValue:
        if type(value) not in (str, int) or value not in allowed:
            raise invalid_value(says, value)
        return codec.encode(value)

    def decode(value: AttributeValue) -> object:
        if tag not in value or codec.decode(value) not in allowed:
            raise mismatch(_values_say(by_wire, tag), value)
        return codec.decode(value)

    def writing(source: Source, name: str) -> str:
        content, kind = (name, "str") if tag == "S" else (f"str({name})", "int")
        fits = f"{name}.__class__ is {kind} and {name} in {source.name(allowed, 'allowed')}"
        return f'{{"{tag}": {content}}} if {fits} else refuse()'

    return Codec(
        types=codec.types,
        optional=False,
        encode=encode,
        decode=decode,
        expects=says,
        writing=writing,
        reading=lambda source, name: f'{source.name(by_wire, "literal")}[{name}["{tag}"]]',
    )


def _codec_of_values(owner: str, values: Sequence[object]) -> Codec:
    """How the values are held, which are all text or all whole numbers."""
    kinds = {_base(value) for value in values}
    if kinds == {str}:
        return TEXT
    if kinds == {int}:
        return WHOLE
    came = ", ".join(short_repr(value) for value in values) or "none"
    raise DeclarationError(
        f"{owner} is held by its values, which must be all str or all int, and has: {came}. "
        "Give every one a str, or every one an int."
    )


def _base(value: object) -> type:
    if isinstance(value, str) and not isinstance(value, Enum):
        return str
    if isinstance(value, int) and not isinstance(value, bool | Enum):
        return int
    return type(value)


def _content(value: AttributeValue) -> str:
    return value["S"] if "S" in value else value["N"]


def _values_say(by_wire: Mapping[str, object], tag: str) -> str:
    shown_values = [repr(value) if tag == "S" else value for value in by_wire]
    return f"{_any_of(shown_values)} ({tag})"


def _any_of(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    listed = ", ".join(names[:12]) + (" …" if len(names) > 12 else "")
    return f"one of {listed}"
