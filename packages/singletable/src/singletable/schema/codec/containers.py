"""Codecs for lists, tuples, dicts and sets of one type, and for dataclasses.

DynamoDB has no empty set. An absent attribute is read as an empty set, and so is null in a list or
map.

A dataclass is stored as a map (M). Fields that are missing from the map get their defaults. Entries
that are not fields are lost when the item is written again: store a dataclass only if no other
program adds entries to its map.
"""

from __future__ import annotations

import dataclasses
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias, TypeVar, cast, get_type_hints

from dynamodb_engine.values import AttributeValue, Item
from singletable.errors import DeclarationError, InvalidValue, ItemMismatch
from singletable.schema.codec.codec import (
    Codec,
    SourceBuilder,
    invalid_value,
    mismatch,
    prepend_path,
    short_repr,
)
from singletable.schema.codec.scalars import STRING_TYPE, check_surrogates, is_string_source

V = TypeVar("V")
R = TypeVar("R")

CodecOf: TypeAlias = Callable[[object], Codec]

# The type of a set, by the type of its members.
SET_TYPES = {"S": "SS", "N": "NS", "B": "BS"}
_SET_NAMES = {"SS": "a string set", "NS": "a number set", "BS": "a binary set"}


def convert_member(convert: Callable[[V], R], value: V, path: str) -> R:
    """Convert a member; an error that it raises gets the member's path."""
    try:
        return convert(value)
    except (InvalidValue, ItemMismatch) as error:
        raise prepend_path(error, path) from None


def sequence_codec(kind: type[list[Any]] | type[tuple[Any, ...]], member: Codec) -> Codec:
    """Return the codec of a list or tuple, stored as a list (L)."""
    expects = f"a {kind.__name__}, each member {member.expects}"

    def encode(value: object) -> AttributeValue:
        if not isinstance(value, kind):
            raise invalid_value(expects, value)
        members = enumerate(cast(Iterable[object], value))
        return {"L": [convert_member(member.encode, one, f"[{index}]") for index, one in members]}

    def decode(value: AttributeValue) -> object:
        if "L" not in value:
            raise mismatch("a list (L)", value)
        members = enumerate(value["L"])
        return kind([convert_member(member.decode, one, f"[{index}]") for index, one in members])

    def encode_expression(source: SourceBuilder, name: str) -> str:
        one = source.new_variable("one")
        encoded = f'{{"L": [{member.encode_source(source, one)} for {one} in {name}]}}'
        return f"{encoded} if {name}.__class__ is {kind.__name__} else fail()"

    def decode_expression(source: SourceBuilder, name: str) -> str:
        one = source.new_variable("one")
        decoded = f'[{member.decode_source(source, one)} for {one} in {name}["L"]]'
        return decoded if kind is list else f"tuple({decoded})"

    types, depth = frozenset({"L"}), member.depth + 1
    return Codec(types, encode, decode, expects, encode_expression, decode_expression, depth=depth)


def map_codec(member: Codec) -> Codec:
    """Return the codec of a dict with string keys, stored as a map (M)."""
    expects = f"a dict from str to {member.expects}"

    def encode(value: object) -> AttributeValue:
        if not isinstance(value, dict):
            raise invalid_value(expects, value)
        encoded: dict[str, AttributeValue] = {}
        for name, one in cast(Iterable[tuple[object, object]], value.items()):
            if not isinstance(name, str):
                raise invalid_value(f"{STRING_TYPE} for every key of the dict", name)
            encoded[check_surrogates(name)] = convert_member(member.encode, one, f"[{name!r}]")
        return {"M": encoded}

    def decode(value: AttributeValue) -> object:
        if "M" not in value:
            raise mismatch("a map (M)", value)
        entries = value["M"].items()
        return {name: convert_member(member.decode, one, f"[{name!r}]") for name, one in entries}

    def encode_expression(source: SourceBuilder, name: str) -> str:
        key, one = source.new_variable("key"), source.new_variable("one")
        checked = f"({key} if {is_string_source(key)} else fail())"
        entries = f"{checked}: {member.encode_source(source, one)}"
        encoded = f"{{{entries} for {key}, {one} in {name}.items()}}"
        return f'{{"M": {encoded}}} if {name}.__class__ is dict else fail()'

    def decode_expression(source: SourceBuilder, name: str) -> str:
        key, one = source.new_variable("key"), source.new_variable("one")
        decoded = member.decode_source(source, one)
        return f'{{{key}: {decoded} for {key}, {one} in {name}["M"].items()}}'

    types, depth = frozenset({"M"}), member.depth + 1
    return Codec(types, encode, decode, expects, encode_expression, decode_expression, depth=depth)


def set_codec(kind: type[set[object]] | type[frozenset[object]], member: Codec) -> Codec:
    """Return the codec of a set, stored as a string, number or binary set."""
    (tag,) = member.types
    set_type = SET_TYPES[tag]
    expects = f"a {kind.__name__}, each member {member.expects}"

    def encode(value: object) -> AttributeValue:
        # A set and a frozenset are equal and stored alike, so either is accepted for the other.
        if not isinstance(value, set | frozenset):
            raise invalid_value(expects, value)
        return _encode_set(set_type, [content(one) for one in cast(Iterable[object], value)])

    def content(one: object) -> str:
        return cast(str, cast(Any, convert_member(member.encode, one, f"[{short_repr(one)}]"))[tag])

    def decode(value: AttributeValue) -> object:
        if "NULL" in value:
            return kind()
        if set_type not in value:
            raise mismatch(f"{_SET_NAMES[set_type]} ({set_type})", value)
        return kind(
            convert_member(member.decode, cast(AttributeValue, {tag: one}), f"[{short_repr(one)}]")
            for one in cast(Any, value)[set_type]
        )

    def encode_expression(source: SourceBuilder, name: str) -> str:
        one = source.new_variable("one")
        encode_set = source.bind(_encode_set, "encode_set")
        contents = f'[({member.encode_source(source, one)})["{tag}"] for {one} in {name}]'
        encoded = f'{encode_set}("{set_type}", {contents})'
        return f"{encoded} if {name}.__class__ is {kind.__name__} else fail()"

    def decode_expression(source: SourceBuilder, name: str) -> str:
        one = source.new_variable("one")
        contents = f'{name}["{set_type}"]'
        if tag != "S" or member.decode_source(source, one) != f'{one}["S"]':
            decoded = member.decode_source(source, f"{{{tag!r}: {one}}}")
            contents = f"[{decoded} for {one} in {contents}]"
        return f'{kind.__name__}() if "NULL" in {name} else {kind.__name__}({contents})'

    types = frozenset({set_type})
    codec = Codec(types, encode, decode, expects, encode_expression, decode_expression)
    return replace(codec, absent_value=kind)


def _encode_set(set_type: str, contents: list[str]) -> AttributeValue:
    """Return the set in the order in which DynamoDB returns it, or null if it is empty."""
    if not contents:
        return {"NULL": True}
    orders: dict[str, Callable[[str], Any]] = {"SS": str, "NS": Decimal, "BS": a2b_base64}
    ordered = sorted(set(contents), key=orders[set_type])
    return cast(AttributeValue, {set_type: ordered})


@dataclass(frozen=True, slots=True)
class StoredField:
    """One field as it is stored, in an item or in the map of a dataclass.

    `default` creates the value of an absent attribute; without it the attribute is required, unless
    the codec has an `absent_value`. `check` is the user's own validator: it raises ValueError or
    returns False. `constant` says that `default` always returns the same immutable value.
    """

    field: str
    attribute: str
    codec: Codec
    default: Callable[[], object] | None = None
    check: Callable[[Any], object] | None = None
    constant: bool = False

    @property
    def absent_value(self) -> Callable[[], object] | None:
        """The factory for the value of an absent attribute; None if the attribute is required."""
        return self.codec.absent_value if self.default is None else self.default


def decode_field(stored: StoredField, item: Item, path: str) -> object:
    """Return the field's value in the item or map; raise ItemMismatch if it does not fit."""
    value = item.get(stored.attribute)
    if value is not None:
        return convert_member(stored.codec.decode, value, path)
    if stored.absent_value is None:
        raise ItemMismatch(
            f"expected {stored.codec.expects}, but attribute {stored.attribute!r} is missing and "
            "the field has no default. Add it to the item, or give the field a default.",
            path,
        )
    return stored.absent_value()


@dataclass(frozen=True, slots=True)
class FieldSource:
    """Two expressions: the value of a field, and whether its attribute exists."""

    value: str
    exists: str


def field_source(source: SourceBuilder, stored: StoredField, item: str) -> FieldSource:
    """Generate the source that reads a field from the mapping in the variable `item`."""
    if stored.absent_value is None:
        attribute = f"{item}[{stored.attribute!r}]"
        return FieldSource(stored.codec.decode_source(source, attribute), "True")
    stored_value = source.new_variable("stored")
    decoded = stored.codec.decode_source(source, stored_value)
    absent = "None"
    if stored.default is not None or not stored.codec.optional:
        absent = f"{source.bind(stored.absent_value, f'default_{stored.field}')}()"
    exists = f"({stored_value} := {item}.get({stored.attribute!r})) is not None"
    return FieldSource(f"({decoded}) if {exists} else {absent}", f"({stored_value} is not None)")


def dataclass_codec(kind: type[Any], codec_of: CodecOf) -> Codec:
    """Return the codec of a dataclass; `codec_of` returns the codecs of its members."""
    members = _members(kind, codec_of)
    expects = f"a {kind.__name__}"
    keywords = [one.name for one in dataclasses.fields(kind) if one.init and one.kw_only]
    if not kind.__dataclass_params__.init:
        keywords = [stored.field for stored in members]

    def encode(value: object) -> AttributeValue:
        if type(value) is not kind:
            raise invalid_value(expects, value)
        return {
            "M": {
                stored.attribute: convert_member(
                    stored.codec.encode, getattr(value, stored.field), f".{stored.field}"
                )
                for stored in members
            }
        }

    def decode(value: AttributeValue) -> object:
        if "M" not in value:
            raise mismatch(f"a map (M) for {kind.__name__}", value)
        entries = value["M"]
        values = {one.field: decode_field(one, entries, f".{one.field}") for one in members}
        try:
            return kind(**values)
        except (ValueError, TypeError) as error:
            raise ItemMismatch(
                f"expected values that {kind.__name__} accepts, but it rejected "
                f"{short_repr(values)}: {error}"
            ) from error

    def encode_expression(source: SourceBuilder, name: str) -> str:
        function = source.function("write", kind, kind.__name__, lambda: write_lines(source))
        return f"{function}({name})"

    def write_lines(source: SourceBuilder) -> tuple[str, list[str]]:
        lines = [f"if value.__class__ is not {source.bind(kind, kind.__name__)}: fail()"]
        entries: list[str] = []
        for stored in members:
            member = source.new_variable("member")
            lines.append(f"{member} = value.{stored.field}")
            entries.append(f"{stored.attribute!r}: {stored.codec.encode_source(source, member)}")
        return "value", [*lines, f'return {{"M": {{{", ".join(entries)}}}}}']

    def decode_expression(source: SourceBuilder, name: str) -> str:
        function = source.function("read", kind, kind.__name__, lambda: read_lines(source))
        return f"{function}({name})"

    def read_lines(source: SourceBuilder) -> tuple[str, list[str]]:
        arguments: list[str] = []
        for stored in members:
            value = field_source(source, stored, "map").value
            arguments.append(f"{stored.field}={value}" if stored.field in keywords else value)
        instance = f"{source.bind(kind, kind.__name__)}({', '.join(arguments)})"
        return "value", ['map = value["M"]', f"return {instance}"]

    types = frozenset({"M"})
    depth = 1 + max((stored.codec.depth for stored in members), default=1)
    return Codec(types, encode, decode, expects, encode_expression, decode_expression, depth=depth)


def _members(kind: type[Any], codec_of: CodecOf) -> Sequence[StoredField]:
    hints = type_hints(kind)
    init_only = [name for name, hint in hints.items() if isinstance(hint, dataclasses.InitVar)]
    if init_only:
        raise DeclarationError(
            f"{kind.__name__} cannot be stored in an attribute: its constructor needs "
            f"{init_only[0]!r}, which instances do not keep (InitVar). Make it a field."
        )
    positional_first = sorted(dataclasses.fields(kind), key=lambda one: one.kw_only is True)
    return [_member(kind, one, hints[one.name], codec_of) for one in positional_first if one.init]


def type_hints(kind: type[Any]) -> dict[str, Any]:
    """Return the types of the members of a class; raise DeclarationError if one is unknown."""
    try:
        # A class that is defined in a function can refer to itself by name.
        return get_type_hints(kind, localns={kind.__name__: kind}, include_extras=True)
    except NameError as error:
        raise DeclarationError(
            f"{kind.__name__}: the type {error.name!r} is not defined in the module of the class. "
            "Import it there, or define it outside of functions."
        ) from None


def _member(
    kind: type[Any], field: dataclasses.Field[Any], hint: object, codec_of: CodecOf
) -> StoredField:
    try:
        codec = codec_of(hint)
    except DeclarationError as error:
        raise DeclarationError(f"{kind.__name__}.{field.name}: {error}") from None
    default: Callable[[], object] | None = None
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory
    elif (constant := field.default) is not dataclasses.MISSING:
        default = lambda: constant  # noqa: E731
    return StoredField(field.name, field.name, codec, default)
