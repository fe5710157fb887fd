"""An entity as pydantic sees it: what makes it a body and a response of FastAPI.

Rule 1. What the store sets (version, created, updated) is shown, and ignored where it comes in.
Rule 2. Whatever the store would refuse is refused here, at its field, with all else that is wrong.
Rule 3. Binary is base64 in JSON: what DynamoDB holds need not be text.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from datetime import datetime
from functools import partial
from types import GenericAlias
from typing import Annotated, Any, Optional, cast, get_args, get_origin

from pydantic import (
    AwareDatetime,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainSerializer,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from singletable.errors import InvalidValue
from singletable.schema.codec import run_check
from singletable.schema.fields import Attr
from singletable.schema.model import Model, model_of
from singletable.schema.resolved_key import FieldColumn, ResolvedKey

BY_STORE = ("version", "created", "updated")


def schema_of(entity: type, handler: GetCoreSchemaHandler) -> CoreSchema:
    """How pydantic makes instances of an entity, and what it writes for them."""
    model = model_of(entity)
    taken = {
        name: _taken(model, field, handler)
        for name, field in model.fields.items()
        if field.role not in BY_STORE
    }
    shown = {name: _shown(field, handler) for name, field in model.fields.items()}

    def validate(value: object, from_fields: Callable[[object], dict[str, object]]) -> object:
        return value if isinstance(value, entity) else entity(**from_fields(value))

    def serialize(instance: Any, to_shown: Callable[[object], object]) -> object:
        held = instance.__dict__
        return to_shown({name: held[name] for name in model.fields if name in held})

    return core_schema.no_info_wrap_validator_function(
        validate,
        core_schema.typed_dict_schema(taken, cls=entity, cls_name=entity.__name__),
        ref=f"{entity.__module__}.{entity.__qualname__}:{id(entity)}",
        serialization=core_schema.wrap_serializer_function_ser_schema(
            serialize, schema=core_schema.typed_dict_schema(shown, cls=entity)
        ),
    )


def json_schema_of(schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
    """What OpenAPI says of an entity: of what comes in, or of what goes out."""
    shown = cast(Any, schema)["serialization"]["schema"]
    return handler(shown if handler.mode == "serialization" else schema)


def _taken(
    model: Model, field: Attr[Any], handler: GetCoreSchemaHandler
) -> core_schema.TypedDictField:
    """A field that comes in: required unless the constructor knows a value."""
    checked = core_schema.no_info_after_validator_function(
        _check_of(model, field), handler.generate_schema(_annotation(field))
    )
    schema = _with_default(checked, field)
    return core_schema.typed_dict_field(schema, required=schema["type"] != "default")


def _shown(field: Attr[Any], handler: GetCoreSchemaHandler) -> core_schema.TypedDictField:
    """A field that goes out: always there, but for times of an item that was not yet written."""
    annotation = _annotation(field)
    if field.role in BY_STORE:
        annotation = Annotated[annotation, Field(json_schema_extra={"readOnly": True})]
    schema = _with_default(handler.generate_schema(annotation), field)
    required = field.role not in ("created", "updated")
    return core_schema.typed_dict_field(schema, required=required)


def _with_default(schema: CoreSchema, field: Attr[Any]) -> CoreSchema:
    if field.default is None:
        absent = field.codec().optional
        return core_schema.with_default_schema(schema, default=None) if absent else schema
    # JSON has no word for bytes, so a default of bytes is not shown.
    if field.constant and not isinstance(field.default(), bytes):
        return core_schema.with_default_schema(schema, default=field.default())
    return core_schema.with_default_schema(schema, default_factory=field.default)


def _check_of(model: Model, field: Attr[Any]) -> Callable[[Any], object]:
    """What refuses, in the words of the library, a value that the store would not take."""
    in_keys = [
        write
        for access in (model.key, *model.indexes.values())
        for write in _writers(access, field.name)
    ]

    def check(value: Any) -> object:
        try:
            field.codec().encode(value)
            run_check(field.check, value)
            for write in in_keys if value is not None else ():
                write(value)
        except InvalidValue as problem:
            told = {"problem": problem.text}
            raise PydanticCustomError("invalid_value", "{problem}", told) from None
        return value

    return check


def _writers(access: ResolvedKey, name: str) -> list[Callable[[Any], object]]:
    """What writes the values of a field into a key, and refuses those that do not fit."""
    found: list[Callable[[Any], object]] = []
    for column in access.columns:
        if isinstance(column, FieldColumn):
            if column.field == name:
                found.append(_value_writer(column, name))
            continue
        found += [
            partial(column.template.encode_value, value)
            for value in column.template.field_segments
            if value.field == name
        ]
    return found


def _value_writer(column: FieldColumn, name: str) -> Callable[[Any], object]:
    return lambda given: column.value({name: given})


def _annotation(field: Attr[Any]) -> Any:
    inner = _with_zones_and_base64(field.annotation)
    return Optional[inner] if field.codec().optional else inner  # noqa: UP045 (made at run time)


def _with_zones_and_base64(annotation: Any) -> Any:
    """The type with moments that have a zone, and with binary that is base64 in JSON."""
    if annotation is bytes:
        return _BINARY
    if annotation is datetime:
        return AwareDatetime
    origin = get_origin(annotation)
    if origin in (list, tuple, dict, set, frozenset):
        arguments = tuple(_with_zones_and_base64(one) for one in get_args(annotation))
        return GenericAlias(cast(type, origin), arguments)
    return annotation


def _binary(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise PydanticCustomError("base64", "expected base64, which this is not") from None


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


_BINARY = Annotated[
    bytes,
    BeforeValidator(_binary),
    PlainSerializer(_base64, when_used="json"),
    WithJsonSchema({"type": "string", "contentEncoding": "base64"}),
]
