"""Codecs of TypedDicts, stored as maps (M).

A key that is not declared is rejected when it is written. Entries of a stored map that are not
declared are not read, and lost when the item is written again, as those of a dataclass are.
"""

from __future__ import annotations

from typing import Any, NotRequired, Required, cast, get_origin

from typing_extensions import ReadOnly

from dynamodb_engine.values import AttributeValue
from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.codec.codec import Codec, SourceBuilder, invalid_value, mismatch, short_repr
from singletable.schema.codec.containers import (
    CodecOf,
    StoredField,
    convert_member,
    decode_field,
    field_source,
    type_hints,
)

_QUALIFIERS = (Required, NotRequired, ReadOnly)


def without_qualifiers(hint: Any) -> Any:
    """Return T for `NotRequired[T]`, `Required[T]` and `ReadOnly[T]`."""
    while get_origin(hint) in _QUALIFIERS:
        (hint,) = hint.__args__
    return hint


def _is_required(kind: Any, name: str, hint: Any) -> bool:
    """Return whether a key is required.

    `__required_keys__` ignores qualifiers in annotations that are strings, so they come first.
    """
    while (qualifier := get_origin(hint)) in _QUALIFIERS:
        if qualifier is not ReadOnly:
            return qualifier is Required
        (hint,) = hint.__args__
    return name in kind.__required_keys__


def typed_dict_codec(kind: Any, codec_of: CodecOf) -> Codec:
    """Return the codec of a TypedDict; `codec_of` returns the codecs of its members."""
    hints = type_hints(kind)
    required: list[StoredField] = []
    optional: list[StoredField] = []
    for name, hint in hints.items():
        member = StoredField(name, name, _member_codec(kind, name, hint, codec_of))
        (required if _is_required(kind, name, hint) else optional).append(member)
    expects = f"a dict with the keys of {kind.__name__}"
    names = frozenset(hints)

    def encode(value: object) -> AttributeValue:
        if not isinstance(value, dict):
            raise invalid_value(expects, value)
        entries = cast("dict[object, object]", value)
        if unknown := [name for name in entries if name not in names]:
            raise InvalidValue(
                f"expected {expects}, but it has the key {short_repr(unknown[0])}. Keys: "
                f"{', '.join(hints)}."
            )
        missing = [one.field for one in required if one.field not in entries]
        if missing:
            raise InvalidValue(
                f"expected {expects}, but {short_repr(missing[0])} is missing. Pass it, or declare "
                "it as NotRequired."
            )
        return {
            "M": {
                one.field: convert_member(one.codec.encode, entries[one.field], _step(one))
                for one in (*required, *optional)
                if one.field in entries
            }
        }

    def decode(value: AttributeValue) -> object:
        if "M" not in value:
            raise mismatch(f"a map (M) for {kind.__name__}", value)
        entries = value["M"]
        values = {one.field: decode_field(one, entries, _step(one)) for one in required}
        for one in optional:
            if one.field in entries:
                values[one.field] = decode_field(one, entries, _step(one))
        return values

    def encode_expression(source: SourceBuilder, name: str) -> str:
        function = source.function("write", kind, kind.__name__, lambda: write_lines(source))
        return f"{function}({name})"

    def write_lines(source: SourceBuilder) -> tuple[str, list[str]]:
        lines = [f"if value.__class__ is not dict or len(value) > {len(names)}: fail()"]
        entries: list[str] = []
        for one in required:
            member = source.new_variable("member")
            lines.append(f"{member} = value[{one.field!r}]")
            entries.append(f"{one.field!r}: {one.codec.encode_source(source, member)}")
        lines.append(f"map = {{{', '.join(entries)}}}")
        for one in optional:
            member = source.new_variable("member")
            encoded = one.codec.encode_source(source, member)
            lines += [
                f"if {one.field!r} in value:",
                f"    {member} = value[{one.field!r}]",
                f"    map[{one.field!r}] = {encoded}",
            ]
        return "value", [*lines, "if len(map) != len(value): fail()", 'return {"M": map}']

    def decode_expression(source: SourceBuilder, name: str) -> str:
        function = source.function("read", kind, kind.__name__, lambda: read_lines(source))
        return f"{function}({name})"

    def read_lines(source: SourceBuilder) -> tuple[str, list[str]]:
        entries = [f"{one.field!r}: {field_source(source, one, 'map').value}" for one in required]
        lines = ['map = value["M"]', f"values = {{{', '.join(entries)}}}"]
        for one in optional:
            member = source.new_variable("member")
            decoded = one.codec.decode_source(source, member)
            lines += [
                f"if ({member} := map.get({one.field!r})) is not None:",
                f"    values[{one.field!r}] = {decoded}",
            ]
        return "value", [*lines, "return values"]

    members = [*required, *optional]
    types = frozenset({"M"})
    depth = 1 + max((one.codec.depth for one in members), default=1)
    return Codec(types, encode, decode, expects, encode_expression, decode_expression, depth=depth)


def _step(member: StoredField) -> str:
    return f"[{member.field!r}]"


def _member_codec(kind: Any, name: str, hint: Any, codec_of: CodecOf) -> Codec:
    try:
        return codec_of(without_qualifiers(hint))
    except DeclarationError as error:
        raise DeclarationError(f"{kind.__name__}[{name!r}]: {error}") from None
