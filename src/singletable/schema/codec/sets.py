"""Sets of text, numbers or binary, and of what is held as one of these.

DynamoDB has no empty set: an attribute that is not there is one, and inside lists and maps null is.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, cast

from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema.codec.codec import Codec, inside, mismatch, shown, unfit
from singletable.schema.codec.source import Source
from singletable.values import AttributeValue

# A member's tag to its set's.
SETS = {"S": "SS", "N": "NS", "B": "BS"}
_CONTENTS = {"SS": "texts", "NS": "numbers", "BS": "binaries"}


def set_of(kind: type[set[object]] | type[frozenset[object]], member: Codec) -> Codec:
    """How a set of members is held: as a set of texts, of numbers or of binaries."""
    (tag,) = member.types
    plural = SETS[tag]
    says = f"a {kind.__name__}, each of it {member.says}"

    def encode(value: object) -> AttributeValue:
        # Either will do for the other: they are equal, and the same at rest.
        if not isinstance(value, set | frozenset):
            raise unfit(says, value)
        return _wire(plural, [encode_member(one) for one in cast(Iterable[object], value)])

    def encode_member(one: object) -> str:
        try:
            return cast(str, cast(Any, member.encode(one))[tag])
        except InvalidValue as problem:
            raise inside(problem, f"[{shown(one)}]") from None

    def decode(value: AttributeValue) -> object:
        if "NULL" in value:
            return kind()
        if plural not in value:
            raise mismatch(f"a set of {_CONTENTS[plural]} ({plural})", value)
        return kind(decode_member(one) for one in cast(Any, value)[plural])

    def decode_member(one: str) -> object:
        try:
            return member.decode(cast(AttributeValue, {tag: one}))
        except ItemMismatch as problem:
            raise inside(problem, f"[{shown(one)}]") from None

    def writing(source: Source, name: str) -> str:
        one = source.variable("one")
        wire = source.name(_wire, "set_wire")
        contents = f'[({member.writing(source, one)})["{tag}"] for {one} in {name}]'
        return (
            f'{wire}("{plural}", {contents}) if {name}.__class__ is {kind.__name__} else refuse()'
        )

    def reading(source: Source, name: str) -> str:
        one = source.variable("one")
        held = f'{name}["{plural}"]'
        if tag != "S" or member.reading(source, one) != f'{one}["S"]':
            held = f"[{member.reading(source, f'{{{tag!r}: {one}}}')} for {one} in {held}]"
        return f'{kind.__name__}() if "NULL" in {name} else {kind.__name__}({held})'

    return Codec(
        types=frozenset({plural}),
        optional=False,
        encode=encode,
        decode=decode,
        says=says,
        writing=writing,
        reading=reading,
        absent=kind,
    )


def _wire(plural: str, contents: list[str]) -> AttributeValue:
    """The set in the order in which DynamoDB gives it back; null if it is empty.

    Two moments that differ by less than their form can tell are one member.
    """
    if not contents:
        return {"NULL": True}
    ordered = sorted(set(contents), key=Decimal if plural == "NS" else None)
    return cast(AttributeValue, {plural: ordered})
