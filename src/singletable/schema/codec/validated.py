"""Types that pydantic knows and DynamoDB does not, held as the JSON that pydantic makes of them.

What comes back must be what was written: pydantic writes a secret as stars, and such is refused.
"""

from __future__ import annotations

from typing import Any

from singletable.errors import InvalidValue
from singletable.schema.codec.anything import TAGS
from singletable.schema.codec.codec import Codec, mismatch, shown, unfit
from singletable.schema.codec.models import JSON
from singletable.schema.codec.optional import optional
from singletable.schema.codec.source import Source
from singletable.values import AttributeValue


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
            raise unfit(says, value) from None
        if not same:
            raise InvalidValue(
                f"expected a value that pydantic reads back as it was, but {shown(value)} is "
                f"written as {shown(dumped)}."
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
        says=says,
        writing=writing,
        reading=reading,
    )
    return optional(codec) if or_none else codec
