"""Codecs of whole items: one generated encoder and decoder for each entity.

Both are straight-line code for the usual case. A value that is invalid, or valid in an unusual way
(a number stored as 5.0, a member of a StrEnum for a str), takes the slow path instead, which
converts one field at a time and explains what is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from dynamodb_engine.values import Item
from singletable.errors import DeclarationError, InvalidValue, ItemMismatch
from singletable.schema.codec.codec import SourceBuilder, prepend_path, short_repr
from singletable.schema.codec.containers import StoredField, decode_field, field_source

UNKNOWN = "_unknown"


@dataclass(frozen=True, slots=True)
class ItemCodec:
    """Converts an entity's values, by field name, to the attributes of its item and back.

    `encode` checks types. It does not store None and empty sets, unless the field has a default:
    a missing attribute would be read as that default, so they are stored as null. `decode` keeps
    undeclared attributes under "_unknown", and `encode` restores them. `check` checks types and
    then runs each field's own check on values other than None.
    """

    encode: Callable[[Mapping[str, object]], Item]
    decode: Callable[[Item], dict[str, object]]
    check: Callable[[Mapping[str, object]], None]
    # The fields, and the names of all attributes that are declared, keys and type tag included.
    fields: tuple[StoredField, ...]
    names: frozenset[str]


def compile_codec(owner: str, fields: Sequence[StoredField], known: frozenset[str]) -> ItemCodec:
    """Return the codec of an entity; `known` names attributes other than fields, such as keys."""
    _check_distinct(owner, "field", [stored.field for stored in fields])
    _check_distinct(owner, "attribute", [stored.attribute for stored in fields])
    slow = _SlowPath(owner, tuple(fields), known | {stored.attribute for stored in fields})
    source = SourceBuilder(owner)
    encode = source.function("encode", owner, owner, lambda: _encoder(source, slow))
    decode = source.function("decode", owner, owner, lambda: _decoder(source, slow))
    functions = source.compile()
    fast_encode = cast(Callable[[Mapping[str, object]], Item], functions[encode])
    checked = [stored for stored in fields if stored.check is not None]

    def check(values: Mapping[str, object]) -> None:
        fast_encode(values)
        for stored in checked:
            secret = stored.codec.cipher is not None
            path = f"{owner}.{stored.field}"
            run_check(stored.check, values[stored.field], path, secret=secret)

    return ItemCodec(
        encode=fast_encode,
        decode=cast(Callable[[Item], dict[str, object]], functions[decode]),
        check=check,
        fields=slow.fields,
        names=slow.names,
    )


@dataclass(frozen=True, slots=True)
class _SlowPath:
    """Converts one field at a time, and raises an error that explains what is wrong."""

    owner: str
    fields: tuple[StoredField, ...]
    names: frozenset[str]

    def encode(self, values: Mapping[str, object]) -> Item:
        item: Item = dict(cast(Item, values.get(UNKNOWN, {})))
        for stored in self.fields:
            path = f"{self.owner}.{stored.field}"
            if stored.field not in values:
                raise InvalidValue(f"expected {stored.codec.expects}, but it has no value.", path)
            try:
                value = stored.codec.encode(values[stored.field])
            except InvalidValue as error:
                raise prepend_path(error, path) from None
            if "NULL" not in value or _must_store_null(stored):
                item[stored.attribute] = value
        return item

    def decode(self, item: Item) -> dict[str, object]:
        values = {stored.field: self._decode(stored, item) for stored in self.fields}
        if unknown := self.unknown(item):
            values[UNKNOWN] = unknown
        return values

    def _decode(self, stored: StoredField, item: Item) -> object:
        try:
            return decode_field(stored, item, f"{self.owner}.{stored.field}")
        except ItemMismatch as error:
            text = f"attribute {stored.attribute!r}: {error.text}"
            raise ItemMismatch(text, error.path) from None

    def unknown(self, item: Item) -> Item:
        """Return the attributes that are not declared."""
        return {name: value for name, value in item.items() if name not in self.names}


def _must_store_null(stored: StoredField) -> bool:
    """Return whether an absent attribute would be read as something other than None or empty."""
    return stored.default is not None and stored.default() not in (None, set())


def _encoder(source: SourceBuilder, slow: _SlowPath) -> tuple[str, list[str]]:
    """Return the parameter and lines of the encoder: required attributes first."""
    lines: list[str] = []
    required: list[str] = []
    optional: list[str] = []
    for stored in slow.fields:
        value = source.new_variable()
        encoded = stored.codec.encode_source(source, value)
        lines.append(f"{value} = values[{stored.field!r}]")
        if stored.codec.absent_value is None:
            required.append(f"    {stored.attribute!r}: {encoded},")
        else:
            optional += [f"encoded = {encoded}", *_store_unless_null(source, stored)]
    unknown = f"if {UNKNOWN!r} in values: item = {{**values[{UNKNOWN!r}], **item}}"
    lines += ["item = {", *required, "}", *optional, unknown, "return item"]
    return "values", [
        *_wrap_in_try(lines),
        f"return {source.bind(slow.encode, 'slow_encode')}(values)",
    ]


def _store_unless_null(source: SourceBuilder, stored: StoredField) -> list[str]:
    lines = [f'if "NULL" not in encoded: item[{stored.attribute!r}] = encoded']
    if stored.constant:
        if _must_store_null(stored):
            lines.append(f"else: item[{stored.attribute!r}] = encoded")
    elif stored.default is not None:
        must_store = source.bind(_must_store_null, "must_store_null")
        condition = f"{must_store}({source.bind(stored, stored.field)})"
        lines.append(f"elif {condition}: item[{stored.attribute!r}] = encoded")
    return lines


def _decoder(source: SourceBuilder, slow: _SlowPath) -> tuple[str, list[str]]:
    """Return the parameter and lines of the decoder."""
    reads = [field_source(source, stored, "item") for stored in slow.fields]
    entries = [
        f"    {stored.field!r}: {read.value},"
        for stored, read in zip(slow.fields, reads, strict=True)
    ]
    # The item has unknown attributes if it has more attributes than those that were read.
    others = slow.names - {stored.attribute for stored in slow.fields}
    optional = [read.exists for read in reads if read.exists != "True"]
    known = [f"({name!r} in item)" for name in sorted(others)]
    count = " + ".join([str(len(reads) - len(optional)), *optional, *known])
    unknown = f"values[{UNKNOWN!r}] = {source.bind(slow.unknown, 'unknown')}(item)"
    lines = ["values = {", *entries, "}", f"if len(item) > {count}: {unknown}", "return values"]
    return "item", [*_wrap_in_try(lines), f"return {source.bind(slow.decode, 'slow_decode')}(item)"]


def _wrap_in_try(lines: Sequence[str]) -> list[str]:
    return ["try:", *(f"    {line}" for line in lines), "except Exception:", "    pass"]


def run_check(
    check: Callable[[Any], object] | None, value: object, path: str = "", *, secret: bool = False
) -> None:
    """Raise InvalidValue if a field's own check rejects the value; None is not checked."""
    if check is None or value is None:
        return
    try:
        allowed = check(value)
    except ValueError as error:
        if secret:
            raise InvalidValue(str(error), path) from None
        raise InvalidValue(f"{error} (The value is {short_repr(value)}.)", path) from error
    if allowed is False:
        name = getattr(check, "__name__", "its check")
        raise InvalidValue(
            f"expected a value that {name} accepts, but got "
            f"{'another, which is not shown' if secret else short_repr(value)}.",
            path,
        )


def _check_distinct(owner: str, what: str, names: Sequence[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise DeclarationError(f"{owner} has the {what} {name!r} {count} times. Rename one.")
        if what == "field" and name == UNKNOWN:
            raise DeclarationError(
                f"{owner}.{name}: this name is reserved for undeclared attributes. Rename it."
            )
