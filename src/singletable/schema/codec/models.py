"""Models of pydantic's kind: whatever has `model_validate` and `model_dump`.

They are held as the map that they dump for JSON, names by alias, and validate it when it is read.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Protocol, TypeGuard, cast

from singletable.errors import InvalidValue
from singletable.schema.codec.anything import BOTTOMLESS, Loose
from singletable.schema.codec.codec import Codec, mismatch, shown, unfit
from singletable.schema.codec.source import Source
from singletable.values import AttributeValue


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
            raise unfit(says, value)
        dumped = cast(Model, value).model_dump(mode="json", by_alias=True)
        if not isinstance(dumped, dict):
            raise InvalidValue(f"expected {says} that dumps a dict, but it dumped {shown(dumped)}.")
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
        says=says,
        writing=writing,
        reading=reading,
        depth=BOTTOMLESS,
    )


def _number(text: str) -> object:
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else float(text)


JSON = Loose(_number, floats=True)
