"""A type or None: null inside lists and maps, and an attribute that is not there."""

from __future__ import annotations

from dataclasses import replace

from singletable.schema.codec.codec import Codec
from singletable.schema.codec.source import Source
from singletable.values import AttributeValue


def nothing() -> None:
    """None, for an attribute that is not there."""


def optional(inner: Codec) -> Codec:
    """How the inner type, or None, is held."""

    def encode(value: object) -> AttributeValue:
        return {"NULL": True} if value is None else inner.encode(value)

    def decode(value: AttributeValue) -> object:
        return None if "NULL" in value else inner.decode(value)

    def writing(source: Source, name: str) -> str:
        return f'{{"NULL": True}} if {name} is None else {inner.writing(source, name)}'

    def reading(source: Source, name: str) -> str:
        return f'None if "NULL" in {name} else {inner.reading(source, name)}'

    return replace(
        inner,
        optional=True,
        encode=encode,
        decode=decode,
        says=f"{inner.says} or None",
        writing=writing,
        reading=reading,
        absent=nothing,
    )
