"""Codecs of unions: `int | str`, or classes that a Literal field tells apart.

Members that are stored as different DynamoDB types need nothing else. Several members that are
stored as maps (dataclasses, TypedDicts, pydantic models) need a field, the discriminator, that is a
Literal with other values in each of them.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NewType, Union, cast, get_args, get_origin

from typing_extensions import is_typeddict

from dynamodb_engine.values import AttributeValue, content_of, type_of
from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.codec.codec import (
    TYPE_NAMES,
    Codec,
    SourceBuilder,
    invalid_value,
    mismatch,
    short_repr,
)
from singletable.schema.codec.containers import type_hints
from singletable.schema.codec.field_codec import runtime_class
from singletable.schema.codec.typed_dicts import without_qualifiers


def without_none(annotation: object) -> Any:
    """Return T for `T | None`, and `T | U` for `T | U | None`."""
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [one for one in get_args(annotation) if one is not types.NoneType]
        return annotation if len(rest) == len(get_args(annotation)) else Union[tuple(rest)]  # noqa: UP007
    return annotation


def merge_literals(kinds: Sequence[object]) -> list[Any]:
    """Return the types with all Literals as one, as type checkers see them."""
    literals = [one for one in kinds if get_origin(one) is Literal]
    if len(literals) < 2:
        return list(kinds)
    values = dict.fromkeys(value for one in literals for value in get_args(one))
    rest = [one for one in kinds if get_origin(one) is not Literal]
    return [Literal[tuple(values)], *rest]


@dataclass(frozen=True, slots=True)
class _Member:
    """One type of the union."""

    annotation: Any
    codec: Codec
    # The class that all its values have, if there is one.
    kind: type | None

    @property
    def name(self) -> str:
        return str(getattr(self.annotation, "__name__", self.annotation)).replace("typing.", "")


@dataclass(frozen=True, slots=True)
class _Discriminator:
    """The Literal field that discriminates maps, and the member for each of its values."""

    field: str
    members: dict[str | int, _Member]
    # The stored type of its values: S or N.
    tag: str

    def stored(self, value: AttributeValue) -> _Member | None:
        """Return the member that is stored in a map."""
        content = cast(Any, value)["M"].get(self.field, {}).get(self.tag)
        return {str(one): member for one, member in self.members.items()}.get(str(content))


def union_codec(name: str, members: Sequence[tuple[Any, Codec]]) -> Codec:
    """Return the codec of a union; raise DeclarationError if it would be ambiguous."""
    all_members = [_Member(kind, codec, _class_of(kind)) for kind, codec in members]
    by_type: dict[str, list[_Member]] = {}
    for member in all_members:
        _check_member(name, member)
        for tag in member.codec.types:
            by_type.setdefault(tag, []).append(member)
    for tag, same in by_type.items():
        if len(same) > 1 and tag != "M":
            raise _ambiguous(name, tag, same)
    maps = by_type.get("M", [])
    discriminator = _find_discriminator(name, maps) if len(maps) > 1 else None
    expects = " or ".join(member.codec.expects for member in all_members)
    stored = " or ".join(TYPE_NAMES[tag] for tag in TYPE_NAMES if tag in by_type)

    def encode(value: object) -> AttributeValue:
        nested: InvalidValue | None = None
        for member in _candidates(value, all_members, discriminator):
            try:
                return member.codec.encode(value)
            except InvalidValue as error:
                # An error inside the value says more than that it is none of the types.
                nested = error if error.path or member.kind is type(value) else nested
        raise nested or invalid_value(expects, value)

    def decode(value: AttributeValue) -> object:
        tag = type_of(value)
        if tag not in by_type:
            raise mismatch(stored, value)
        if tag != "M" or discriminator is None:
            return by_type[tag][0].codec.decode(value)
        member = discriminator.stored(value)
        if member is None:
            found = value["M"].get(discriminator.field)
            shown = "none" if found is None else short_repr(content_of(found))
            raise mismatch(
                f"a map whose {discriminator.field!r} is {_listed(discriminator)}",
                value,
                f"Its {discriminator.field!r} is {shown}.",
            )
        return member.codec.decode(value)

    # Identifies the functions of this union in the generated source.
    key = object()

    def encode_expression(source: SourceBuilder, name: str) -> str:
        return f"{source.function('write', key, 'union', lambda: write_lines(source))}({name})"

    def write_lines(source: SourceBuilder) -> tuple[str, list[str]]:
        lines = ["kind = value.__class__"]
        for member in all_members:
            if member.kind is not None and not is_typeddict(member.annotation):
                bound = source.bind(member.kind, member.kind.__name__)
                encoded = member.codec.encode_source(source, "value")
                lines.append(f"if kind is {bound}: return {encoded}")
        return "value", [*lines, f"return {source.bind(encode, 'encode_union')}(value)"]

    def decode_expression(source: SourceBuilder, name: str) -> str:
        return f"{source.function('read', key, 'union', lambda: read_lines(source))}({name})"

    def read_lines(source: SourceBuilder) -> tuple[str, list[str]]:
        lines: list[str] = []
        for tag, same in by_type.items():
            if tag == "M" and discriminator is not None:
                content = f'value["M"][{discriminator.field!r}][{discriminator.tag!r}]'
                lines.append(f'tag = {content} if "M" in value else None')
                for one, member in discriminator.members.items():
                    decoded = member.codec.decode_source(source, "value")
                    lines.append(f"if tag == {str(one)!r}: return {decoded}")
            else:
                decoded = same[0].codec.decode_source(source, "value")
                lines.append(f"if {tag!r} in value: return {decoded}")
        return "value", [*lines, f"return {source.bind(decode, 'decode_union')}(value)"]

    types = frozenset(by_type)
    depth = max(member.codec.depth for member in all_members)
    return Codec(types, encode, decode, expects, encode_expression, decode_expression, depth=depth)


def _candidates(
    value: object, members: Sequence[_Member], discriminator: _Discriminator | None
) -> Sequence[_Member]:
    """Return the members of the union that a value may be; the discriminator identifies a dict."""
    if discriminator is None or not isinstance(value, dict):
        return members
    chosen = cast("dict[object, object]", value).get(discriminator.field)
    member = discriminator.members.get(chosen) if isinstance(chosen, str | int) else None
    if member is not None and is_typeddict(member.annotation):
        return [member]
    if any(is_typeddict(one.annotation) for one in discriminator.members.values()):
        raise InvalidValue(
            f"expected a dict whose {discriminator.field!r} is {_listed(discriminator)}, but it is "
            f"{short_repr(chosen)}."
        )
    return members


def _listed(discriminator: _Discriminator) -> str:
    values = [repr(one) for one in discriminator.members]
    return f"one of {', '.join(values)}" if len(values) > 1 else values[0]


def _class_of(annotation: Any) -> type | None:
    """Return the class of all values of a type, if there is one: a Literal has none."""
    if get_origin(annotation) is Annotated:
        return _class_of(get_args(annotation)[0])
    return dict if is_typeddict(annotation) else runtime_class(annotation)


def _check_member(name: str, member: _Member) -> None:
    codec = member.codec
    if codec.optional:
        raise DeclarationError(
            f"an attribute cannot store {name}: {member.name} has every type, or None. Declare "
            "Any alone."
        )
    if codec.absent_value is not None:
        raise DeclarationError(
            f"an attribute cannot store {name}: an empty set is stored as an absent attribute, so "
            "a set cannot be one of several types. Use a list, or a field of its own."
        )


def _ambiguous(name: str, tag: str, members: Sequence[_Member]) -> DeclarationError:
    names = " and ".join(member.name for member in members)
    return DeclarationError(
        f"an attribute cannot store {name}: {names} are both stored as {TYPE_NAMES[tag]}, so they "
        "could not be told apart when the item is read. Declare a field for each type, use "
        "dataclasses with a Literal field that tells them apart (kind: Literal[…]), or write a "
        "codec: attr(codec=codec(…))."
    )


def _find_discriminator(name: str, members: Sequence[_Member]) -> _Discriminator:
    """Return the first Literal field that has other values in each of the classes."""
    options = [_literal_fields(member.annotation) for member in members]
    for field in options[0]:
        values = [
            (value, member)
            for literals, member in zip(options, members, strict=True)
            for value in literals.get(field, ())
        ]
        by_value = dict(values)
        everywhere = all(field in literals for literals in options)
        kinds = {type(value) for value in by_value}
        if everywhere and len(by_value) == len(values) and len(kinds) == 1:
            return _Discriminator(field, by_value, "S" if kinds == {str} else "N")
    names = ", ".join(member.name for member in members)
    first, second = members[0].name, members[1].name
    raise DeclarationError(
        f"an attribute cannot store {name}: {names} are stored as maps, so they could not be told "
        "apart when the item is read. Use dataclasses, TypedDicts or pydantic models, and give "
        f'each a Literal field with a value of its own: kind: Literal["{first.lower()}"] in '
        f'{first}, kind: Literal["{second.lower()}"] in {second}.'
    )


def _literal_fields(annotation: Any) -> dict[str, tuple[str | int, ...]]:
    """Return the fields of a class that are Literals, with their values."""
    if get_origin(annotation) is Annotated:
        return _literal_fields(get_args(annotation)[0])
    if isinstance(annotation, NewType):
        return _literal_fields(annotation.__supertype__)
    literals: dict[str, tuple[str | int, ...]] = {}
    for field, hint in _member_hints(annotation).items():
        bare = without_qualifiers(hint)
        if get_origin(bare) is Annotated:
            bare = get_args(bare)[0]
        if get_origin(bare) is Literal and None not in get_args(bare):
            literals[field] = get_args(bare)
    return literals


def _member_hints(annotation: Any) -> dict[str, Any]:
    """Return the types of the members of a class, by the names under which they are stored."""
    if is_typeddict(annotation) or dataclasses.is_dataclass(annotation):
        return type_hints(cast(Any, annotation))
    # Of a pydantic model; a field with an alias is stored under the alias.
    fields: dict[str, Any] = getattr(annotation, "model_fields", {})
    return {
        info.serialization_alias or info.alias or name: info.annotation
        for name, info in fields.items()
    }
