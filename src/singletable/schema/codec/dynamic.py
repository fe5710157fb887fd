"""Whatever DynamoDB can hold, for fields whose type is not declared further.

Numbers are read as Decimal. A float is refused, because it would not come back as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, TypeGuard, cast

from singletable.errors import InvalidValue
from singletable.schema.codec.codec import (
    Codec,
    Source,
    invalid_value,
    located,
    mismatch,
    nothing,
    optional,
    short_repr,
)
from singletable.schema.codec.containers import SETS, set_of
from singletable.schema.codec.scalars import BOOL, BYTES, DECIMAL, FLOAT, TEXT, whole_characters
from singletable.values import AttributeValue, content_of, type_of

# More than DynamoDB allows: what is nested so is looked at before it is sent.
BOTTOMLESS = 1000
SAYS = "what DynamoDB can hold (str, int, Decimal, bool, None, bytes, list, dict, set)"
TAGS = frozenset({"S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"})
_SETS = [set_of(cast(type[set[object]], set), member) for member in (TEXT, DECIMAL, BYTES)]


@dataclass(frozen=True, slots=True)
class Loose:
    """Values of any type: how numbers are read, and whether floats may be written."""

    number: Callable[[str], object]
    floats: bool = False

    def encode(self, value: object) -> AttributeValue:
        """The value in wire form, by the type that it has."""
        match value:
            case None:
                return {"NULL": True}
            case str():
                return TEXT.encode(value)
            case bool():
                return BOOL.encode(value)
            case int() | Decimal():
                return DECIMAL.encode(value)
            case float() if self.floats:
                return FLOAT.encode(value)
            case bytes():
                return BYTES.encode(value)
            case list():
                return {"L": [self._member(one, at) for at, one in enumerate(_all(value))]}
            case dict():
                return {"M": dict(self._entry(name, one) for name, one in _pairs(value))}
            case set() | frozenset():
                return _encode_set(set(_all(value)))
            case _:
                raise invalid_value(SAYS, value, _advice(value))

    def _member(self, value: object, place: int | str) -> AttributeValue:
        try:
            return self.encode(value)
        except InvalidValue as problem:
            raise located(problem, f"[{place!r}]") from None

    def _entry(self, name: object, value: object) -> tuple[str, AttributeValue]:
        if not isinstance(name, str):
            raise invalid_value("text (str) for every name in the dict", name)
        return whole_characters(name), self._member(value, name)

    def decode(self, value: AttributeValue) -> object:
        """The value that the wire form tells."""
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
                return _SETS[2].decode(value)


def _encode_set(value: set[object]) -> AttributeValue:
    if not value:
        raise InvalidValue(
            "expected a set with something in it, but got an empty one, which DynamoDB does not "
            "have. Leave it out, or declare the field as set[str], set[int] or the like."
        )
    kinds = {_kind(one) for one in value}
    if len(kinds) > 1 or kinds == {""}:
        raise invalid_value("a set of str, of numbers (int, Decimal) or of bytes", value)
    (kind,) = kinds
    return _SETS[list(SETS).index(kind)].encode(value)


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "S"
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return "N"
    return "B" if isinstance(value, bytes) else ""


def _all(values: Any) -> Iterable[object]:
    return cast(Iterable[object], values)


def _pairs(values: Any) -> Iterable[tuple[object, object]]:
    return cast(Iterable[tuple[object, object]], values.items())


def _advice(value: object) -> str:
    if isinstance(value, float):
        return f'Write Decimal("{value!r}"), or declare the field as float.'
    if isinstance(value, tuple):
        return "Make it a list, or declare the field as tuple[T, ...]."
    return "Declare the field as that type, or convert the value."


_anything = Loose(Decimal)


def _write(source: Source, name: str) -> str:
    return f"{source.name(_anything.encode, 'encode_any')}({name})"


def _read(source: Source, name: str) -> str:
    return f"{source.name(_anything.decode, 'decode_any')}({name})"


ANYTHING = Codec(
    types=TAGS - {"NULL"},
    optional=True,
    encode=_anything.encode,
    decode=_anything.decode,
    expects=SAYS,
    writing=_write,
    reading=_read,
    depth=BOTTOMLESS,
    absent_value=nothing,
)


# FROM models.py: Models of pydantic's kind: whatever has `model_validate` and `model_dump`.
#
# They are held as the map that they dump for JSON, names by alias, and validate it when it is read.


class Model(Protocol):
    """As much of a model as is needed."""

    def model_dump(self, *, mode: str, by_alias: bool) -> object:
        """What the model holds, as JSON would have it."""
        ...

    @classmethod
    def model_validate(cls, obj: Any) -> object:
        """The model that holds this."""
        ...


def is_model(kind: object) -> TypeGuard[type[Model]]:
    """Whether the type is one of these."""
    names = ("model_dump", "model_validate")
    return isinstance(kind, type) and all(hasattr(kind, name) for name in names)


def model_of(kind: type[Model]) -> Codec:
    """How the model is held: as a map (M)."""
    says = f"a {kind.__name__}"

    def encode(value: object) -> AttributeValue:
        if not isinstance(value, cast(type, kind)):
            raise invalid_value(says, value)
        dumped = cast(Model, value).model_dump(mode="json", by_alias=True)
        if not isinstance(dumped, dict):
            raise InvalidValue(
                f"expected {says} that dumps a dict, but it dumped {short_repr(dumped)}."
            )
        return JSON.encode(cast(object, dumped))

    def decode(value: AttributeValue) -> object:
        if "M" not in value:
            raise mismatch("a map (M)", value)
        try:
            return kind.model_validate(JSON.decode(value))
        except ValueError as problem:
            raise mismatch(f"a map that {kind.__name__} accepts", value, str(problem)) from None

    def writing(source: Source, name: str) -> str:
        return f"{source.name(encode, f'write_{kind.__name__}')}({name})"

    def reading(source: Source, name: str) -> str:
        return f"{source.name(decode, f'read_{kind.__name__}')}({name})"

    return Codec(
        types=frozenset({"M"}),
        optional=False,
        encode=encode,
        decode=decode,
        expects=says,
        writing=writing,
        reading=reading,
        depth=BOTTOMLESS,
    )


def _number(text: str) -> object:
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else float(text)


JSON = Loose(_number, floats=True)


# Types that pydantic knows and DynamoDB does not, held as the JSON that pydantic makes of them.
#
# What comes back must be what was written: pydantic writes a secret as stars, and such is refused.


def validated(annotation: Any, name: str, *, or_none: bool) -> Codec:
    """How pydantic's type is held; `name` is what people call it."""
    from pydantic import TypeAdapter  # there is a model, so there is pydantic

    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    says = f"a value of type {name}"

    def encode(value: object) -> AttributeValue:
        try:
            dumped = adapter.dump_python(value, mode="json", warnings="error")
            same = adapter.validate_python(dumped) == value
        except ValueError:
            raise invalid_value(says, value) from None
        if not same:
            raise InvalidValue(
                f"expected a value that pydantic reads back as it was, but {short_repr(value)} is "
                f"written as {short_repr(dumped)}."
            )
        return JSON.encode(dumped)

    def decode(value: AttributeValue) -> object:
        try:
            return adapter.validate_python(JSON.decode(value))
        except ValueError as problem:
            raise mismatch(f"what {name} accepts", value, str(problem)) from None

    def writing(source: Source, variable: str) -> str:
        return f"{source.name(encode, 'write_validated')}({variable})"

    def reading(source: Source, variable: str) -> str:
        return f"{source.name(decode, 'read_validated')}({variable})"

    codec = Codec(
        types=TAGS - {"NULL"},
        optional=False,
        encode=encode,
        decode=decode,
        expects=says,
        writing=writing,
        reading=reading,
    )
    return optional(codec) if or_none else codec
