"""Whole items: one compiled encoder and decoder for each entity.

Both are straight-line code for the usual case. Whatever does not fit, or fits in an unusual way
(a number written as 5.0, a StrEnum's member for a str), leaves it for the slow way, which goes from
field to field and says what is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from singletable.errors import DeclarationError, InvalidValue, ItemMismatch
from singletable.schema.codec.codec import Source, located, short_repr
from singletable.schema.codec.containers import StoredField, decode_member, read_member
from singletable.values import Item

UNKNOWN = "_unknown"


@dataclass(frozen=True, slots=True)
class ItemCodec:
    """An entity's values by field name, to and from the attributes of its item.

    `encode` checks types; None and empty sets are left out, but where the field's default would
    then take their place: there they are null. What `decode` keeps under "_unknown" is put back.
    `check` checks types too, and then asks each field's own check about values other than None.
    """

    encode: Callable[[Mapping[str, object]], Item]
    decode: Callable[[Item], dict[str, object]]
    check: Callable[[Mapping[str, object]], None]


def compile_codec(owner: str, fields: Sequence[StoredField], known: frozenset[str]) -> ItemCodec:
    """The codec of an entity; attributes of `known` are read by others and are no fields."""
    _once(owner, "field", [stored.field for stored in fields])
    _once(owner, "attribute", [stored.attribute for stored in fields])
    slow = _Slow(owner, tuple(fields), known | {stored.attribute for stored in fields})
    source = Source(owner)
    encode = source.function("encode", owner, owner, lambda: _encoder(source, slow))
    decode = source.function("decode", owner, owner, lambda: _decoder(source, slow))
    made = source.compiled()
    fast_encode = cast(Callable[[Mapping[str, object]], Item], made[encode])
    checked = [stored for stored in fields if stored.check is not None]

    def check(values: Mapping[str, object]) -> None:
        fast_encode(values)
        for stored in checked:
            run_check(stored.check, values[stored.field], f"{owner}.{stored.field}")

    return ItemCodec(
        encode=fast_encode,
        decode=cast(Callable[[Item], dict[str, object]], made[decode]),
        check=check,
    )


@dataclass(frozen=True, slots=True)
class _Slow:
    """The slow way, which explains what is wrong."""

    owner: str
    fields: tuple[StoredField, ...]
    names: frozenset[str]

    def encode(self, values: Mapping[str, object]) -> Item:
        """The attributes, field by field."""
        item: Item = dict(cast(Item, values.get(UNKNOWN, {})))
        for stored in self.fields:
            place = f"{self.owner}.{stored.field}"
            if stored.field not in values:
                raise InvalidValue(f"expected {stored.codec.expects}, but it has no value.", place)
            try:
                held = stored.codec.encode(values[stored.field])
            except InvalidValue as problem:
                raise located(problem, place) from None
            if "NULL" not in held or _matters(stored):
                item[stored.attribute] = held
        return item

    def decode(self, item: Item) -> dict[str, object]:
        """The values, attribute by attribute."""
        values = {stored.field: self._decode(stored, item) for stored in self.fields}
        if unknown := self.unknown(item):
            values[UNKNOWN] = unknown
        return values

    def _decode(self, stored: StoredField, item: Item) -> object:
        try:
            return decode_member(stored, item, f"{self.owner}.{stored.field}")
        except ItemMismatch as problem:
            text = f"attribute {stored.attribute!r}: {problem.text}"
            raise ItemMismatch(text, problem.path) from None

    def unknown(self, item: Item) -> Item:
        """The attributes that nobody has declared."""
        return {name: held for name, held in item.items() if name not in self.names}


def _matters(stored: StoredField) -> bool:
    """Whether None, or an empty set, would be read as something else if it were left out."""
    return stored.default is not None and stored.default() not in (None, set())


def _encoder(source: Source, slow: _Slow) -> tuple[str, list[str]]:
    """The argument and the lines of the encoder: what is always there first, then the rest."""
    lines: list[str] = []
    always: list[str] = []
    perhaps: list[str] = []
    for stored in slow.fields:
        value = source.variable()
        wire = stored.codec.writing(source, value)
        lines.append(f"{value} = values[{stored.field!r}]")
        if stored.codec.absent_value is None:
            always.append(f"    {stored.attribute!r}: {wire},")
        else:
            perhaps += [f"held = {wire}", *_unless_null(source, stored)]
    unknown = f"if {UNKNOWN!r} in values: item = {{**values[{UNKNOWN!r}], **item}}"
    lines += ["item = {", *always, "}", *perhaps, unknown, "return item"]
    return "values", [*_tried(lines), f"return {source.name(slow.encode, 'slowly')}(values)"]


def _unless_null(source: Source, stored: StoredField) -> list[str]:
    lines = [f'if "NULL" not in held: item[{stored.attribute!r}] = held']
    if stored.default is not None:
        matters = f"{source.name(_matters, 'matters')}({source.name(stored, stored.field)})"
        lines.append(f"elif {matters}: item[{stored.attribute!r}] = held")
    return lines


def _decoder(source: Source, slow: _Slow) -> tuple[str, list[str]]:
    """The argument and the lines of the decoder."""
    reads = [read_member(source, stored, "item") for stored in slow.fields]
    entries = [
        f"    {stored.field!r}: {read.value},"
        for stored, read in zip(slow.fields, reads, strict=True)
    ]
    # There are unknown attributes if there are more than those that were found.
    others = slow.names - {stored.attribute for stored in slow.fields}
    optional = [read.there for read in reads if read.there != "True"]
    known = [f"({name!r} in item)" for name in sorted(others)]
    found = " + ".join([str(len(reads) - len(optional)), *optional, *known])
    unknown = f"values[{UNKNOWN!r}] = {source.name(slow.unknown, 'unknown')}(item)"
    tried = ["values = {", *entries, "}", f"if len(item) > {found}: {unknown}", "return values"]
    return "item", [*_tried(tried), f"return {source.name(slow.decode, 'slowly')}(item)"]


def _tried(lines: Sequence[str]) -> list[str]:
    """The lines, and nothing if they do not bear what they are given."""
    return ["try:", *(f"    {line}" for line in lines), "except Exception:", "    pass"]


def run_check(check: Callable[[Any], object] | None, value: object, place: str = "") -> None:
    """InvalidValue if a field's own check does not allow the value."""
    if check is None or value is None:
        return
    try:
        allowed = check(value)
    except ValueError as problem:
        raise InvalidValue(f"{problem} (It was {short_repr(value)}.)", place) from problem
    if allowed is False:
        name = getattr(check, "__name__", "its check")
        raise InvalidValue(f"expected what {name} allows, but got {short_repr(value)}.", place)


def _once(owner: str, what: str, names: Sequence[str]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise DeclarationError(f"{owner} has {times} times the {what} {name!r}. Rename one.")
        if what == "field" and name == UNKNOWN:
            raise DeclarationError(f"{owner}.{name}: that name is for unknown attributes.")
