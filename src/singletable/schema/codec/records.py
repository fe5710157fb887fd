"""Dataclasses inside items, held as maps (M).

Members that the map lacks take their defaults; what the map has besides is dropped, for there is
nowhere to keep it: write the whole dataclass only if nobody else adds members to its map.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, get_type_hints

from singletable.errors import DeclarationError, InvalidValue, ItemMismatch
from singletable.schema.codec.codec import Codec, inside, mismatch, shown, unfit
from singletable.schema.codec.members import Stored, decode_member, read_member
from singletable.schema.codec.source import Source
from singletable.values import AttributeValue

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
            raise unfit(says, value)
        encoded: dict[str, AttributeValue] = {}
        for stored in members:
            try:
                encoded[stored.attribute] = stored.codec.encode(getattr(value, stored.field))
            except InvalidValue as problem:
                raise inside(problem, f".{stored.field}") from None
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
                f"expected what {kind.__name__} accepts, but it refused {shown(values)}: {problem}"
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
        says=says,
        writing=writing,
        reading=reading,
        depth=1 + max((stored.codec.depth for stored in members), default=1),
    )


def _members(kind: type[Any], codec_of: CodecOf) -> Sequence[Stored]:
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
) -> Stored:
    try:
        codec = codec_of(hint)
    except DeclarationError as problem:
        raise DeclarationError(f"{kind.__name__}.{field.name}: {problem}") from None
    default: Callable[[], object] | None = None
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory
    elif field.default is not dataclasses.MISSING:
        default = _always(field.default)
    return Stored(field.name, field.name, codec, default)


def _always(value: object) -> Callable[[], object]:
    return lambda: value
