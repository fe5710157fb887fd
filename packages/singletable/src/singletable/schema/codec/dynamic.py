"""Codecs of values with varying stored types: `Any`, pydantic models and pydantic types.

Numbers in `Any` are read as Decimal. A float is rejected there, because it would not be read back
as one, unless the field is declared with `Json()`: then numbers are read as int or float.

A pydantic model is stored as the map that it dumps for JSON, by alias, and validated when it is
read. A value that would not be read back the same is rejected: pydantic dumps a secret as stars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Protocol, TypeGuard, cast

from dynamodb_engine.values import AttributeValue, content_of, type_of
from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema.codec.codec import (
    Codec,
    invalid_value,
    mismatch,
    none_value,
    optional_codec,
    prepend_path,
    short_repr,
)
from singletable.schema.codec.containers import SET_TYPES, set_codec
from singletable.schema.codec.field_codec import FieldCodec, TypeReader
from singletable.schema.codec.scalars import BOOL, BYTES, DECIMAL, FLOAT, STRING, check_surrogates

# More than DynamoDB allows: values of unknown depth are checked before they are sent.
UNBOUNDED_DEPTH = 1000
ANY_TYPE = "a value that DynamoDB can store (str, int, Decimal, bool, None, bytes, list, dict, set)"
JSON_TYPE = "a JSON value (str, int, float, bool, None, list, dict) or bytes"
ALL_TYPES = frozenset({"S", "N", "B", "BOOL", "M", "L", "SS", "NS", "BS"})
_SETS = {
    tag: set_codec(cast(type[set[object]], set), member)
    for tag, member in zip(SET_TYPES, (STRING, DECIMAL, BYTES), strict=True)
}


@dataclass(frozen=True, slots=True)
class DynamicConverter:
    """Converts by the type of the value: `number` reads numbers, `floats` allows writing floats.

    With `exact`, numbers that would be read back as another number are rejected.
    """

    number: Callable[[str], object]
    floats: bool = False
    exact: bool = False

    def encode(self, value: object) -> AttributeValue:
        """Return the attribute value; raise InvalidValue if DynamoDB cannot store the type."""
        match value:
            case None:
                return {"NULL": True}
            case str():
                return STRING.encode(value)
            case bool():
                return BOOL.encode(value)
            case Decimal() if self.exact:
                raise invalid_value(JSON_TYPE, value, f"Write float({str(value)!r}).")
            case int() | Decimal():
                return DECIMAL.encode(value)
            case float() if self.floats:
                return self._float(value)
            case bytes():
                return BYTES.encode(value)
            case list():
                members = enumerate(cast(Iterable[object], value))
                return {"L": [self._member(one, index) for index, one in members]}
            case dict():
                entries = cast(Iterable[tuple[object, object]], value.items())
                return {"M": dict(self._entry(name, one) for name, one in entries)}
            case set() | frozenset() if not self.exact:
                return _encode_set(set(cast(Iterable[object], value)))
            case _:
                expects = JSON_TYPE if self.exact else ANY_TYPE
                raise invalid_value(expects, value, _advice(value))

    def _float(self, value: float) -> AttributeValue:
        encoded = FLOAT.encode(value)
        # 1e23 is stored as the integer 10**23, which is not the number that the float is.
        if self.exact and (read := self.number(encoded["N"])) != value:
            raise invalid_value(
                JSON_TYPE, value, f"It would be read back as {read!r}: write int({value!r})."
            )
        return encoded

    def _member(self, value: object, step: int | str) -> AttributeValue:
        try:
            return self.encode(value)
        except InvalidValue as error:
            raise prepend_path(error, f"[{step!r}]") from None

    def _entry(self, name: object, value: object) -> tuple[str, AttributeValue]:
        if not isinstance(name, str):
            raise invalid_value("a string (str) for every key of the dict", name)
        return check_surrogates(name), self._member(value, name)

    def decode(self, value: AttributeValue) -> object:
        """Return the Python value."""
        match type_of(value):
            case "S" | "BOOL":
                return content_of(value)
            case "N":
                return self.number(value["N"])
            case "NULL":
                return None
            case "L":
                return [self.decode(one) for one in value["L"]]
            case "M":
                return {name: self.decode(one) for name, one in value["M"].items()}
            case "B":
                return BYTES.decode(value)
            case "NS":
                return {self.number(one) for one in value["NS"]}
            case "SS":
                return set(value["SS"])
            case _:
                return _SETS["B"].decode(value)


def _encode_set(value: set[object]) -> AttributeValue:
    if not value:
        raise InvalidValue(
            "expected a set with members, but got an empty set, which DynamoDB cannot store. Leave "
            "it out, or declare the field as set[str], set[int] or similar."
        )
    tags = {_set_member_tag(one) for one in value}
    if len(tags) > 1 or tags == {""}:
        raise invalid_value("a set of str, of numbers (int, Decimal) or of bytes", value)
    (tag,) = tags
    return _SETS[tag].encode(value)


def _set_member_tag(value: object) -> str:
    if isinstance(value, str):
        return "S"
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return "N"
    return "B" if isinstance(value, bytes) else ""


def _advice(value: object) -> str:
    if isinstance(value, float):
        return (
            f'Write Decimal("{value!r}"), or declare the field with attr(codec=Json()), which '
            "reads numbers as int and float."
        )
    if isinstance(value, tuple):
        return "Make it a list, or declare the field as tuple[T, ...]."
    return "Declare the field with that type, or convert the value."


def _json_number(text: str) -> object:
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else float(text)


_ANY_CONVERTER = DynamicConverter(Decimal)
JSON = DynamicConverter(_json_number, floats=True)

ANY = Codec(
    ALL_TYPES,
    _ANY_CONVERTER.encode,
    _ANY_CONVERTER.decode,
    ANY_TYPE,
    depth=UNBOUNDED_DEPTH,
    absent_value=none_value,
    optional=True,
)


_EXACT_JSON = DynamicConverter(_json_number, floats=True, exact=True)

JSON_CODEC = replace(
    ANY,
    types=ALL_TYPES - {"SS", "NS", "BS"},
    encode=_EXACT_JSON.encode,
    decode=_EXACT_JSON.decode,
    expects=JSON_TYPE,
)


class Json(FieldCodec[Any]):
    """Store `Any` as JSON values, floats included; whole numbers are read as int.

    The values are stored as maps, lists and numbers, not as text, so conditions and edits reach
    their members.
    """

    def build(self, annotation: object, reader: TypeReader) -> Codec:
        """Return the codec of the type, in which every `Any` is a JSON value."""
        return reader.json_codec_of(annotation)

    def __repr__(self) -> str:
        return "Json()"


class PydanticModel(Protocol):
    """The methods of a pydantic model that are used here; any class that has them is accepted."""

    def model_dump(self, *, mode: str, by_alias: bool) -> object:
        """Return the content as JSON would have it."""
        ...

    @classmethod
    def model_validate(cls, obj: Any) -> object:
        """Return the model with this content."""
        ...


def is_model(kind: object) -> TypeGuard[type[PydanticModel]]:
    """Return whether the type has the methods of a pydantic model."""
    names = ("model_dump", "model_validate")
    return isinstance(kind, type) and all(hasattr(kind, name) for name in names)


def model_codec(kind: type[PydanticModel]) -> Codec:
    """Return the codec of a pydantic model, stored as a map (M)."""
    expects = f"a {kind.__name__}"

    def encode(value: object) -> AttributeValue:
        if not isinstance(value, cast(type, kind)):
            raise invalid_value(expects, value)
        dumped = cast(PydanticModel, value).model_dump(mode="json", by_alias=True)
        if not isinstance(dumped, dict):
            raise InvalidValue(
                f"expected {expects} that dumps a dict, but it dumped {short_repr(dumped)}."
            )
        content = cast("dict[str, object]", dumped)
        stored = JSON.encode(content)
        try:
            read = decode(stored)
        except ItemMismatch:
            raise _changed_by_pydantic(value, content) from None
        # Private attributes, which `==` compares too, are not stored.
        if read != value and (type(read) is not type(value) or vars(read) != vars(value)):
            raise _changed_by_pydantic(value, content)
        return stored

    def decode(value: AttributeValue) -> object:
        if "M" not in value:
            raise mismatch("a map (M)", value)
        try:
            return kind.model_validate(JSON.decode(value))
        except ValueError as error:
            raise mismatch(f"a map that {kind.__name__} accepts", value, str(error)) from None

    return Codec(frozenset({"M"}), encode, decode, expects, depth=UNBOUNDED_DEPTH)


def adapter_codec(annotation: Any, name: str, *, optional: bool) -> Codec:
    """Return the codec of a type that only pydantic knows, stored as the JSON that it dumps."""
    from pydantic import TypeAdapter  # called for fields of a model, so pydantic is installed

    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    expects = f"a value of type {name}"

    def encode(value: object) -> AttributeValue:
        try:
            dumped = adapter.dump_python(value, mode="json", warnings="error")
            unchanged = adapter.validate_python(dumped) == value
        except ValueError:
            raise invalid_value(expects, value) from None
        if not unchanged:
            raise _changed_by_pydantic(value, dumped)
        return JSON.encode(dumped)

    def decode(value: AttributeValue) -> object:
        try:
            return adapter.validate_python(JSON.decode(value))
        except ValueError as error:
            raise mismatch(f"a value that {name} accepts", value, str(error)) from None

    codec = Codec(ALL_TYPES, encode, decode, expects)
    return optional_codec(codec) if optional else codec


def _changed_by_pydantic(value: object, dumped: object) -> InvalidValue:
    return InvalidValue(
        f"expected a value that pydantic reads back unchanged, but {short_repr(value)} is written "
        f"as {short_repr(dumped)}."
    )
