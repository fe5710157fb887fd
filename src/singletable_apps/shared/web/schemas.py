"""What objects in bodies are made of: every field is described, and what is sent is not guessed."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, TypeAlias

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    WithJsonSchema,
)

_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)


class Model(BaseModel):
    """An object of which every field is described."""

    model_config = ConfigDict(extra="forbid")


def _moment(value: object) -> object:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        raise ValueError("Expected a moment with its zone as RFC 3339 has it, 2027-01-31T18:00:00Z")
    return value


Timestamp: TypeAlias = Annotated[
    AwareDatetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": ["2027-01-31T18:00:00Z"]}),
]
StrictBoolean: TypeAlias = StrictBool


def optional_field(description: str) -> Any:
    """A field that may be left out, and then is not in `model_fields_set`; null is no way to."""

    def without_default(schema: dict[str, Any]) -> None:
        schema.pop("default", None)

    return Field(None, description=description, json_schema_extra=without_default)
