"""Building blocks of request and response schemas: strict types, no unknown fields."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Self, TypeAlias

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    WithJsonSchema,
)

_TIMESTAMP = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)


class Document(BaseModel):
    """A JSON object, which can be filled from the attributes of another object."""

    @classmethod
    def from_object(cls, source: object, **computed: Any) -> Self:
        """Return a document with the computed fields, and all others copied from an object."""
        copied = cls.model_fields.keys() - computed.keys()
        return cls(**{name: getattr(source, name) for name in copied}, **computed)


class Model(Document):
    """A JSON object that rejects unknown fields."""

    model_config = ConfigDict(extra="forbid")


def _check_timestamp(value: object) -> object:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not _TIMESTAMP.fullmatch(value):
        raise ValueError("Expected a time with its offset (RFC 3339), such as 2027-01-31T18:00:00Z")
    return value


Timestamp: TypeAlias = Annotated[
    AwareDatetime,
    BeforeValidator(_check_timestamp),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": ["2027-01-31T18:00:00Z"]}),
]
StrictBoolean: TypeAlias = StrictBool


def optional_field(description: str) -> Any:
    """Return a field that may be left out, but not be null; see `model_fields_set`."""

    def without_default(schema: dict[str, Any]) -> None:
        schema.pop("default", None)

    return Field(None, description=description, json_schema_extra=without_default)


def absent_if_none(description: str) -> Any:
    """Return a field of a response that is left out if its value is None."""

    def without_null(schema: dict[str, Any]) -> None:
        schema.pop("default")
        (type_,) = (each for each in schema.pop("anyOf") if each != {"type": "null"})
        schema.update(type_)

    return Field(
        None,
        description=description,
        exclude_if=lambda value: value is None,
        json_schema_extra=without_null,
    )
