"""The pydantic schema of an entity, so that FastAPI accepts it as request body and response.

Rule 1. Fields that the store sets (version, created, updated, counters, numbers of sequences) and
        read-only fields are in the output, and ignored in the input. Hidden fields are in neither.
Rule 2. Values that the store would reject are rejected here, at their field, together with all
        other errors.
Rule 3. Binary is base64 in JSON, because it need not be text.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from types import GenericAlias, UnionType
from typing import Annotated, Any, Optional, Union, cast, get_args, get_origin

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

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.client_fields import counter_steps, is_accepted, reset_counters
from singletable.schema.codec import run_check
from singletable.schema.fields import Attr
from singletable.schema.key_template import FieldSegment
from singletable.schema.model import Model, model_of
from singletable.schema.resolved_key import FieldColumn, ResolvedKey


def schema_of(entity: type, handler: GetCoreSchemaHandler) -> CoreSchema:
    """Return the schema by which pydantic validates and serializes instances of an entity."""
    model = model_of(entity)
    inputs = {
        name: _input_field(model, field, handler)
        for name, field in model.fields.items()
        if is_accepted(field)
    }
    outputs = {
        name: _output_field(field, handler)
        for name, field in model.fields.items()
        if not field.hidden
    }

    def validate(value: object, from_fields: Callable[[object], dict[str, object]]) -> object:
        if isinstance(value, entity):
            return value
        _check_accepted(model)
        return entity(**from_fields(reset_counters(model, value)))

    def serialize(instance: Any, to_output: Callable[[object], object]) -> object:
        values = instance.__dict__
        return to_output({name: values[name] for name in outputs if name in values})

    return core_schema.no_info_wrap_validator_function(
        validate,
        core_schema.typed_dict_schema(inputs, cls=entity, cls_name=entity.__name__),
        ref=f"{entity.__module__}.{entity.__qualname__}:{id(entity)}",
        serialization=core_schema.wrap_serializer_function_ser_schema(
            serialize, schema=core_schema.typed_dict_schema(outputs, cls=entity)
        ),
    )


def collection_schema_of(
    collection: type, members: Mapping[str, tuple[type, str]], handler: GetCoreSchemaHandler
) -> CoreSchema:
    """Return the schema of a collection: an object with the items of each entity."""
    fields: dict[str, core_schema.TypedDictField] = {}
    for name, (entity, cardinality) in members.items():
        schema = handler.generate_schema(entity)
        if cardinality == "all":
            schema = core_schema.list_schema(schema)
        elif cardinality == "optional":
            schema = core_schema.nullable_schema(schema)
        fields[name] = core_schema.typed_dict_field(schema, required=True)

    def validate(value: object, from_fields: Callable[[object], dict[str, object]]) -> object:
        return value if isinstance(value, collection) else collection(**from_fields(value))

    def serialize(instance: Any, to_output: Callable[[object], object]) -> object:
        return to_output({name: getattr(instance, name) for name in members})

    schema = core_schema.typed_dict_schema(fields, cls=collection, cls_name=collection.__name__)
    return core_schema.no_info_wrap_validator_function(
        validate,
        schema,
        ref=f"{collection.__module__}.{collection.__qualname__}:{id(collection)}",
        serialization=core_schema.wrap_serializer_function_ser_schema(serialize, schema=schema),
    )


def json_schema_of(schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
    """Return the JSON schema of an entity, for input or output."""
    is_output = handler.mode == "serialization"
    output = cast(Any, schema)["serialization"]["schema"]
    json_schema = handler(output if is_output else schema)
    definition = handler.resolve_ref_schema(json_schema)
    for field, steps in counter_steps(output["cls"]):
        if field not in definition["properties"]:
            continue  # hidden, or read-only in the input
        if is_output or steps:
            _mark_read_only(definition, (field, *steps))
            continue
        definition["properties"].pop(field, None)
        if field in definition.get("required", ()):
            definition["required"].remove(field)
    return json_schema


def _mark_read_only(definition: dict[str, Any], steps: tuple[str | int, ...]) -> None:
    """Mark a member as read-only, here and not in the definition of its type, which others use."""
    for step in steps:
        if isinstance(step, int):
            return
        items: Any = definition.get("additionalProperties")
        known: dict[str, Any] = {**items} if isinstance(items, dict) else {}
        definition = definition.setdefault("properties", {}).setdefault(step, known)
    definition["readOnly"] = True


def _check_accepted(model: Model) -> None:
    """Raise if a field that no body can set has no other value."""
    for field in model.fields.values():
        if (
            (field.read_only or field.hidden)
            and field.default is None
            and not field.codec().optional
        ):
            raise DeclarationError(
                f"{field} is {'hidden' if field.hidden else 'read-only'}, so a request body cannot "
                f"set it, and it has no default. Declare one: attr(default=…) or attr(factory=…), "
                f"or use another model as the body and create the {model.name} from it."
            )


def _input_field(
    model: Model, field: Attr[Any], handler: GetCoreSchemaHandler
) -> core_schema.TypedDictField:
    """Return the schema of an input field: required unless the constructor has a value for it."""
    checked = core_schema.no_info_after_validator_function(
        _check_of(model, field), handler.generate_schema(annotation_of(field))
    )
    schema = _with_default(checked, field)
    return core_schema.typed_dict_field(schema, required=schema["type"] != "default")


def _output_field(field: Attr[Any], handler: GetCoreSchemaHandler) -> core_schema.TypedDictField:
    """Return the schema of an output field: present, except times of an item not yet written."""
    annotation = annotation_of(field)
    if not is_accepted(field):
        annotation = Annotated[annotation, Field(json_schema_extra={"readOnly": True})]
    schema = _with_default(handler.generate_schema(annotation), field)
    required = field.role not in ("created", "updated", "sequence")
    return core_schema.typed_dict_field(schema, required=required)


def _with_default(schema: CoreSchema, field: Attr[Any]) -> CoreSchema:
    if field.default is None:
        optional = field.codec().optional
        return core_schema.with_default_schema(schema, default=None) if optional else schema
    # JSON cannot represent bytes, so a default of bytes is not in the schema.
    if field.constant and not isinstance(field.default(), bytes):
        return core_schema.with_default_schema(schema, default=field.default())
    return core_schema.with_default_schema(schema, default_factory=field.default)


def _check_of(model: Model, field: Attr[Any]) -> Callable[[Any], object]:
    """Return a check that rejects, with the library's message, a value that cannot be stored."""
    in_keys = [
        write
        for access in (model.key, *model.indexes.values())
        for write in _writers(access, field.name)
    ]

    def check(value: Any) -> object:
        try:
            field.codec().encode(value)
            run_check(field.check, value, secret=field.codec().cipher is not None)
            for write in in_keys if value is not None else ():
                write(value)
        except InvalidValue as problem:
            context = {"problem": problem.text}
            raise PydanticCustomError("invalid_value", "{problem}", context) from None
        return value

    return check


def _writers(access: ResolvedKey, name: str) -> list[Callable[[Any], object]]:
    """Return functions that write a field's value into a key, and raise if it does not fit."""
    writers: list[Callable[[Any], object]] = []
    for column in access.columns:
        if isinstance(column, FieldColumn):
            if column.field == name:
                writers.append(_value_writer(column, name))
            continue
        writers += [
            partial(column.template.value_text, position, value)
            for position, value in enumerate(column.template.segments)
            if isinstance(value, FieldSegment) and value.field == name
        ]
    return writers


def _value_writer(column: FieldColumn, name: str) -> Callable[[Any], object]:
    return lambda value: column.value({name: value})


def _binary(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise PydanticCustomError("base64", "expected base64") from None


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


_BINARY = Annotated[
    bytes,
    BeforeValidator(_binary),
    PlainSerializer(_base64, when_used="json"),
    WithJsonSchema({"type": "string", "contentEncoding": "base64"}),
]
# Datetimes have a time zone, and binary is base64.
JSON_TYPES: Mapping[Any, Any] = {bytes: _BINARY, datetime: AwareDatetime}


def annotation_of(field: Attr[Any], types: Mapping[Any, Any] = JSON_TYPES) -> Any:
    """Return the type of a field for pydantic, with other types instead of some."""
    inner = _replace_types(field.annotation, types)
    if field.field_codec is not None:
        inner = Annotated[inner, field.field_codec]
    return Optional[inner] if field.codec().optional else inner  # noqa: UP045 (evaluated at run time)


def _replace_types(annotation: Any, types: Mapping[Any, Any]) -> Any:
    if isinstance(annotation, type) and annotation in types:
        return types[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return Union[tuple(_replace_types(one, types) for one in arguments)]  # noqa: UP007
    if origin in (list, tuple, dict, set, frozenset):
        return GenericAlias(
            cast(type, origin), tuple(_replace_types(one, types) for one in arguments)
        )
    return annotation
