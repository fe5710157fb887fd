"""Building blocks of request and response schemas: strict types, no unknown fields."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from typing import Annotated, Any, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    WithJsonSchema,
    create_model,
    model_validator,
)

from singletable.fastapi import ApiModel
from singletable_apps.shared.text import InputChecks

_TIMESTAMP = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def _decode_base64(value: object) -> bytes:
    if not isinstance(value, str) or not value.isascii():
        raise ValueError("Expected Base64")
    return b64decode(value, validate=True)


# An image in a JSON body; pages upload it as a file.
ImageData: TypeAlias = Annotated[
    bytes,
    BeforeValidator(_decode_base64),
    WithJsonSchema({"type": "string", "contentEncoding": "base64"}),
]


class Document(ApiModel):
    """A JSON object, which can be filled from the attributes of another object."""


class Model(Document):
    """A JSON object that rejects unknown fields."""

    model_config = ConfigDict(extra="forbid")


class PictureLink(Document):
    """A picture, and what it shows."""

    url: str
    alt: str


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


def _check_day(value: object) -> object:
    if not isinstance(value, date) and not (isinstance(value, str) and _DAY.fullmatch(value)):
        raise ValueError("Expected a day, such as 2027-01-31")
    return value


# A date would also be read from a number, as a time in seconds.
Day: TypeAlias = Annotated[
    date,
    BeforeValidator(_check_day),
    WithJsonSchema({"type": "string", "format": "date", "examples": ["2027-01-31"]}),
]
StrictBoolean: TypeAlias = StrictBool


def line(*, longest: int, required: bool = False) -> AfterValidator:
    """Check one line of text, as forms and services do: `Annotated[str, line(longest=100)]`."""
    return _checked(partial(InputChecks.line, longest=longest, required=required))


def paragraphs(*, longest: int, required: bool = False) -> AfterValidator:
    """Check text of several lines, as `line` does."""
    return _checked(partial(InputChecks.text, longest=longest, required=required))


def _checked(check: Callable[[InputChecks, str, str], str]) -> AfterValidator:
    def validate(text: str) -> str:
        checks = InputChecks()
        value = check(checks, "", text)
        checks.raise_errors(lambda errors: ValueError(errors[""]))
        return value

    return AfterValidator(validate)


def optional_field(description: str) -> Any:
    """Return a field that may be left out, but not be null; see `model_fields_set`."""

    def without_default(schema: dict[str, Any]) -> None:
        schema.pop("default", None)

    return Field(None, description=description, json_schema_extra=without_default)


class Changes(Model):
    """Fields to change, at least one; the others stay as they are. Use with `@partial_model()`."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    @model_validator(mode="after")
    def _has_a_field(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("Expected at least one field to change")
        return self

    def sent(self) -> dict[str, Any]:
        """Return the fields that were sent."""
        return {name: getattr(self, name) for name in self.model_fields_set}


M = TypeVar("M", bound=Model)


def partial_model(*required: str) -> Callable[[type[M]], type[M]]:
    """Return a decorator that makes fields optional, as `optional_field` does, except `required`.

    Fields of base classes become optional too, so one base can describe what is read and changed.
    """

    def decorate(model: type[M]) -> type[M]:
        fields: dict[str, Any] = {
            name: (
                Annotated[info.annotation, Field(examples=info.examples), *info.metadata],
                optional_field(info.description or ""),
            )
            for name, info in model.model_fields.items()
            if name not in required
        }
        about, place = model.__doc__, model.__module__
        return create_model(
            model.__name__, __base__=model, __doc__=about, __module__=place, **fields
        )

    return decorate


def absent_if_none(description: str) -> Any:
    """Return a field of a response that is left out instead of null."""

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
