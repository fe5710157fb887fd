"""What objects in bodies have in common: names as the document writes them, and no nulls."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from singletable_apps.shared import web


class Sent(web.Model):
    """An object that is sent; its fields are `expiresAt` in JSON, and `expires_at` here alone."""

    model_config = ConfigDict(alias_generator=to_camel)


class Shown(web.Model):
    """An object that is answered."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


def absent_if_none(description: str) -> Any:
    """A field of an answer that is left out where there is nothing to say, and never null."""
    return Field(
        None,
        description=description,
        exclude_if=lambda value: value is None,
        json_schema_extra=_without_null,
    )


def _without_null(schema: dict[str, Any]) -> None:
    schema.pop("default")
    (type_,) = (each for each in schema.pop("anyOf") if each != {"type": "null"})
    schema.update(type_)
