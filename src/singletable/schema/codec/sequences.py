"""Lists and tuples of one type, and maps from text to one type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema.codec.codec import Codec, inside, mismatch, unfit
from singletable.schema.codec.scalars import TEXT_SAYS, is_text, whole_characters
from singletable.schema.codec.source import Source
from singletable.values import AttributeValue


def sequence_of(kind: type[list[Any]] | type[tuple[Any, ...]], member: Codec) -> Codec:
    """How a list, or a tuple, of members is held: as a list (L)."""
    says = f"a {kind.__name__}, each of it {member.says}"

    def encode(value: object) -> AttributeValue:
        if not isinstance(value, kind):
            raise unfit(says, value)
        encoded: list[AttributeValue] = []
        for place, one in enumerate(cast(Iterable[object], value)):
            try:
                encoded.append(member.encode(one))
            except InvalidValue as problem:
                raise inside(problem, f"[{place}]") from None
        return {"L": encoded}

    def decode(value: AttributeValue) -> object:
        if "L" not in value:
            raise mismatch("a list (L)", value)
        decoded: list[object] = []
        for place, one in enumerate(value["L"]):
            try:
                decoded.append(member.decode(one))
            except ItemMismatch as problem:
                raise inside(problem, f"[{place}]") from None
        return kind(decoded)

    def writing(source: Source, name: str) -> str:
        one = source.variable("one")
        wire = f'{{"L": [{member.writing(source, one)} for {one} in {name}]}}'
        return f"{wire} if {name}.__class__ is {kind.__name__} else refuse()"

    def reading(source: Source, name: str) -> str:
        one = source.variable("one")
        made = f'[{member.reading(source, one)} for {one} in {name}["L"]]'
        return made if kind is list else f"tuple({made})"

    return Codec(
        types=frozenset({"L"}),
        optional=False,
        encode=encode,
        decode=decode,
        says=says,
        writing=writing,
        reading=reading,
        depth=member.depth + 1,
    )


def map_of(member: Codec) -> Codec:
    """How a dict from text to members is held: as a map (M)."""
    says = f"a dict from text to {member.says}"

    def encode(value: object) -> AttributeValue:
        if not isinstance(value, dict):
            raise unfit(says, value)
        encoded: dict[str, AttributeValue] = {}
        for name, one in cast(Iterable[tuple[object, object]], value.items()):
            if not isinstance(name, str):
                raise unfit(f"{TEXT_SAYS} for every name in the dict", name)
            try:
                encoded[whole_characters(name)] = member.encode(one)
            except InvalidValue as problem:
                raise inside(problem, f"[{name!r}]") from None
        return {"M": encoded}

    def decode(value: AttributeValue) -> object:
        if "M" not in value:
            raise mismatch("a map (M)", value)
        decoded: dict[str, object] = {}
        for name, one in value["M"].items():
            try:
                decoded[name] = member.decode(one)
            except ItemMismatch as problem:
                raise inside(problem, f"[{name!r}]") from None
        return decoded

    def writing(source: Source, name: str) -> str:
        key, one = source.variable("key"), source.variable("one")
        checked = f"({key} if {is_text(key)} else refuse())"
        members = f"{checked}: {member.writing(source, one)} for {key}, {one} in {name}.items()"
        return f'{{"M": {{{members}}}}} if {name}.__class__ is dict else refuse()'

    def reading(source: Source, name: str) -> str:
        key, one = source.variable("key"), source.variable("one")
        return f'{{{key}: {member.reading(source, one)} for {key}, {one} in {name}["M"].items()}}'

    return Codec(
        types=frozenset({"M"}),
        optional=False,
        encode=encode,
        decode=decode,
        says=says,
        writing=writing,
        reading=reading,
        depth=member.depth + 1,
    )
