"""Lists and tuples of one type, and maps from text to one type."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias, cast, get_type_hints

from singletable.errors import DeclarationError, InvalidValue, ItemMismatch
from singletable.schema.codec.codec import (
    Codec,
    Source,
    invalid_value,
    located,
    mismatch,
    short_repr,
)
from singletable.schema.codec.scalars import TEXT_SAYS, is_text, whole_characters
from singletable.values import AttributeValue, Item


def sequence_of(kind: type[list[Any]] | type[tuple[Any, ...]], member: Codec) -> Codec:
    """How a list, or a tuple, of members is held: as a list (L)."""
    says = f"a {kind.__name__}, each of it {member.expects}"

    def encode(value: object) -> AttributeValue:
        if not isinstance(value, kind):
            raise invalid_value(says, value)
        encoded: list[AttributeValue] = []
        for place, one in enumerate(cast(Iterable[object], value)):
            try:
                encoded.append(member.encode(one))
            except InvalidValue as problem:
                raise located(problem, f"[{place}]") from None
        return {"L": encoded}

    def decode(value: AttributeValue) -> object:
        if "L" not in value:
            raise mismatch("a list (L)", value)
        decoded: list[object] = []
        for place, one in enumerate(value["L"]):
            try:
                decoded.append(member.decode(one))
            except ItemMismatch as problem:
                raise located(problem, f"[{place}]") from None
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
        expects=says,
        writing=writing,
        reading=reading,
        depth=member.depth + 1,
    )


def map_of(member: Codec) -> Codec:
    """How a dict from text to members is held: as a map (M)."""
    says = f"a dict from text to {member.expects}"

    def encode(value: object) -> AttributeValue:
        if not isinstance(value, dict):
            raise invalid_value(says, value)
        encoded: dict[str, AttributeValue] = {}
        for name, one in cast(Iterable[tuple[object, object]], value.items()):
            if not isinstance(name, str):
                raise invalid_value(f"{TEXT_SAYS} for every name in the dict", name)
            try:
                encoded[whole_characters(name)] = member.encode(one)
            except InvalidValue as problem:
                raise located(problem, f"[{name!r}]") from None
        return {"M": encoded}

    def decode(value: AttributeValue) -> object:
        if "M" not in value:
            raise mismatch("a map (M)", value)
        decoded: dict[str, object] = {}
        for name, one in value["M"].items():
            try:
                decoded[name] = member.decode(one)
            except ItemMismatch as problem:
                raise located(problem, f"[{name!r}]") from None
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
        expects=says,
        writing=writing,
        reading=reading,
        depth=member.depth + 1,
    )


# FROM sets.py: Sets of text, numbers or binary, and of what is held as one of these.
#
# DynamoDB has no empty set: an attribute that is not there is one, and inside lists and maps
# null is.

# A member's tag to its set's.
SETS = {"S": "SS", "N": "NS", "B": "BS"}
_CONTENTS = {"SS": "texts", "NS": "numbers", "BS": "binaries"}


def set_of(kind: type[set[object]] | type[frozenset[object]], member: Codec) -> Codec:
    """How a set of members is held: as a set of texts, of numbers or of binaries."""
    (tag,) = member.types
    plural = SETS[tag]
    says = f"a {kind.__name__}, each of it {member.expects}"

    def encode(value: object) -> AttributeValue:
        # Either will do for the other: they are equal, and the same at rest.
        if not isinstance(value, set | frozenset):
            raise invalid_value(says, value)
        return _wire(plural, [encode_member(one) for one in cast(Iterable[object], value)])

    def encode_member(one: object) -> str:
        try:
            return cast(str, cast(Any, member.encode(one))[tag])
        except InvalidValue as problem:
            raise located(problem, f"[{short_repr(one)}]") from None

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
            raise located(problem, f"[{short_repr(one)}]") from None

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
        expects=says,
        writing=writing,
        reading=reading,
        absent_value=kind,
    )


def _wire(plural: str, contents: list[str]) -> AttributeValue:
    """The set in the order in which DynamoDB gives it back; null if it is empty.

    Two moments that differ by less than their form can tell are one member.
    """
    if not contents:
        return {"NULL": True}
    ordered = sorted(set(contents), key=Decimal if plural == "NS" else None)
    return cast(AttributeValue, {plural: ordered})


# FROM members.py: Fields at rest: what stands under a name in an item, or in a map inside of one.


@dataclass(frozen=True, slots=True)
class StoredField:
    """One field at rest.

    `default` makes what a missing attribute stands for, anew each time; without one, the attribute
    is required, unless the type says what its absence means. `check` is the declarer's own: it
    raises ValueError, or returns False for no.
    """

    field: str
    attribute: str
    codec: Codec
    default: Callable[[], object] | None = None
    check: Callable[[Any], object] | None = None

    @property
    def missing(self) -> Callable[[], object] | None:
        """What makes the value of an attribute that is not there; None if it must be there."""
        return self.codec.absent_value if self.default is None else self.default


def decode_member(stored: StoredField, item: Item, place: str) -> object:
    """The field's value in the item, or in the map; ItemMismatch says what is wrong with it."""
    held = item.get(stored.attribute)
    if held is not None:
        try:
            return stored.codec.decode(held)
        except ItemMismatch as problem:
            raise located(problem, place) from None
    if stored.missing is None:
        raise ItemMismatch(
            f"expected {stored.codec.expects}, but there is no {stored.attribute!r}, and the field "
            "has no default. Write it to the item, or give the field a default.",
            place,
        )
    return stored.missing()


@dataclass(frozen=True, slots=True)
class Reading:
    """Source that gives a member's value, and source that is true if it was there."""

    value: str
    there: str


def read_member(source: Source, stored: StoredField, item: str) -> Reading:
    """How a member is read from the mapping that the variable `item` holds."""
    if stored.missing is None:
        return Reading(stored.codec.reading(source, f"{item}[{stored.attribute!r}]"), "True")
    held = source.variable("held")
    read = stored.codec.reading(source, held)
    missing = "None"
    if stored.default is not None or not stored.codec.optional:
        missing = f"{source.name(stored.missing, f'default_{stored.field}')}()"
    there = f"({held} := {item}.get({stored.attribute!r})) is not None"
    return Reading(f"({read}) if {there} else {missing}", f"({held} is not None)")


# FROM records.py: Dataclasses inside items, held as maps (M).
#
# Members that the map lacks take their defaults; what the map has besides is dropped, for there is
# nowhere to keep it: write the whole dataclass only if nobody else adds members to its map.

CodecOf: TypeAlias = Callable[[object], Codec]


def record_of(kind: type[Any], codec_of: CodecOf) -> Codec:
    """How a dataclass is held; `codec_of` tells how its members are."""
    members = _members(kind, codec_of)
    says = f"a {kind.__name__}"
    by_name = [one.name for one in dataclasses.fields(kind) if one.init and one.kw_only]
    if not kind.__dataclass_params__.init:
        by_name = [stored.field for stored in members]

    def encode(value: object) -> AttributeValue:
        if type(value) is not kind:
            raise invalid_value(says, value)
        encoded: dict[str, AttributeValue] = {}
        for stored in members:
            try:
                encoded[stored.attribute] = stored.codec.encode(getattr(value, stored.field))
            except InvalidValue as problem:
                raise located(problem, f".{stored.field}") from None
        return {"M": encoded}

    def decode(value: AttributeValue) -> object:
        if "M" not in value:
            raise mismatch(f"a map (M) for {kind.__name__}", value)
        held = value["M"]
        values = {one.field: decode_member(one, held, f".{one.field}") for one in members}
        try:
            return kind(**values)
        except (ValueError, TypeError) as problem:
            raise ItemMismatch(
                f"expected what {kind.__name__} accepts, but it refused {short_repr(values)}: {problem}"
            ) from problem

    def writing(source: Source, name: str) -> str:
        function = source.function("write", kind, kind.__name__, lambda: _write(source))
        return f"{function}({name})"

    def _write(source: Source) -> tuple[str, list[str]]:
        lines = [f"if value.__class__ is not {source.name(kind, kind.__name__)}: refuse()"]
        entries: list[str] = []
        for stored in members:
            member = source.variable("member")
            lines.append(f"{member} = value.{stored.field}")
            entries.append(f"{stored.attribute!r}: {stored.codec.writing(source, member)}")
        return "value", [*lines, f'return {{"M": {{{", ".join(entries)}}}}}']

    def reading(source: Source, name: str) -> str:
        function = source.function("read", kind, kind.__name__, lambda: _read(source))
        return f"{function}({name})"

    def _read(source: Source) -> tuple[str, list[str]]:
        arguments: list[str] = []
        for stored in members:
            read = read_member(source, stored, "map").value
            arguments.append(f"{stored.field}={read}" if stored.field in by_name else read)
        made = f"{source.name(kind, kind.__name__)}({', '.join(arguments)})"
        return "value", ['map = value["M"]', f"return {made}"]

    return Codec(
        types=frozenset({"M"}),
        optional=False,
        encode=encode,
        decode=decode,
        expects=says,
        writing=writing,
        reading=reading,
        depth=1 + max((stored.codec.depth for stored in members), default=1),
    )


def _members(kind: type[Any], codec_of: CodecOf) -> Sequence[StoredField]:
    hints = _hints(kind)
    needs = [name for name, hint in hints.items() if isinstance(hint, dataclasses.InitVar)]
    if needs:
        raise DeclarationError(
            f"{kind.__name__} cannot be held in an attribute: {needs[0]!r} is needed to make one "
            "and is not kept (InitVar). Make it a field."
        )
    return [
        _member(kind, one, hints[one.name], codec_of) for one in _positional_first(kind) if one.init
    ]


def _hints(kind: type[Any]) -> dict[str, Any]:
    try:
        # A class inside a function can be told by name in itself alone.
        return get_type_hints(kind, localns={kind.__name__: kind}, include_extras=True)
    except NameError as error:
        raise DeclarationError(
            f"{kind.__name__}: the type {error.name!r} is not known where the class stands. "
            "Import it there, or define it outside of functions."
        ) from None


def _positional_first(kind: type[Any]) -> Sequence[dataclasses.Field[Any]]:
    return sorted(dataclasses.fields(kind), key=lambda one: one.kw_only is True)


def _member(
    kind: type[Any], field: dataclasses.Field[Any], hint: object, codec_of: CodecOf
) -> StoredField:
    try:
        codec = codec_of(hint)
    except DeclarationError as problem:
        raise DeclarationError(f"{kind.__name__}.{field.name}: {problem}") from None
    default: Callable[[], object] | None = None
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory
    elif field.default is not dataclasses.MISSING:
        default = _always(field.default)
    return StoredField(field.name, field.name, codec, default)


def _always(value: object) -> Callable[[], object]:
    return lambda: value
