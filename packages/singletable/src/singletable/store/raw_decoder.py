"""Decode items straight from their JSON: the fast path of reads.

A read returns items as JSON. For each entity a generated function decodes it into a msgspec struct,
whose fields are the declared attributes, and creates the instance from that, without a dictionary
for every attribute. An item that is unusual in any way (undeclared attributes, null, another type
tag, a key that does not agree with its attributes) is decoded by `decode_item`, which explains what
is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from msgspec import Raw, Struct, defstruct
from msgspec.json import Decoder

from singletable.schema import Model
from singletable.schema.codec.codec import SourceBuilder
from singletable.schema.codec.containers import StoredField
from singletable.schema.resolved_key import TextColumn
from singletable.store.decoder import decode_item
from singletable.values import AttributeValue, Item, item_from_json

RawDecoder: TypeAlias = Callable[[Raw], Any]


class _String(Struct, gc=False):
    S: str


class _Number(Struct, gc=False):
    N: str


class _Binary(Struct, gc=False):
    B: str


class _Boolean(Struct, gc=False):
    BOOL: bool


_SCALARS: dict[str, type[Struct]] = {"S": _String, "N": _Number, "B": _Binary, "BOOL": _Boolean}

# Compiled on the first read of an entity, because most programs do not read all of them.
_DECODERS: dict[type, RawDecoder] = {}


def raw_decoder(model: Model) -> RawDecoder:
    """Return the function that decodes an item of this entity as `decode_item` does."""
    decoder = _DECODERS.get(model.entity)
    if decoder is None:
        decoder = compile_decoder(model, lambda raw: decode_item(model, item_from_json(raw)))
        _DECODERS[model.entity] = decoder
    return decoder


def compile_decoder(model: Model, decode_slowly: RawDecoder) -> RawDecoder:
    """Return the generated function, which leaves unusual items to `decode_slowly`."""
    if (
        model.encrypted
        or model.key_only_fields
        or any(
            column.dedicated and not isinstance(column, TextColumn) for column in model.key.columns
        )
    ):
        return decode_slowly
    source = SourceBuilder(f"{model.name} from JSON")
    struct = _ItemStruct(model)

    def body() -> tuple[str, list[str]]:
        decode = source.bind(Decoder(struct.type).decode, "decode")
        lines = [f"item = {decode}(raw)", *_read_fields(source, struct, model)]
        slow = f"return {source.bind(decode_slowly, 'decode_slowly')}(raw)"
        fast = [f"    {line}" for line in lines]
        return "raw", ["try:", *fast, "except Exception:", "    pass", slow]

    name = source.function("read", model.name, model.name, body)
    return cast(RawDecoder, source.compile()[name])


class _ItemStruct:
    """The struct of an entity's items: one field for each declared attribute."""

    def __init__(self, model: Model) -> None:
        # Attribute names need not be valid names of fields.
        self.names = {name: f"a{number}" for number, name in enumerate(sorted(model.codec.names))}
        kinds: dict[str, Any] = dict.fromkeys(self.names, AttributeValue | None)
        required: set[str] = set()
        for access in (model.key, *model.indexes.values()):
            for column in access.columns:
                if isinstance(column, TextColumn):
                    kinds[column.attribute.name] = _String | None
        for column in model.key.columns:
            required.add(column.attribute.name)
        for name, value in _constants(model).items():
            kinds[name] = _SCALARS[next(iter(value))] | None
        for stored in model.codec.fields:
            kinds[stored.attribute] = _kind(stored)
            if stored.absent_value is None:
                required.add(stored.attribute)
        fields: list[Any] = [
            (self.names[name], kinds[name]) for name in self.names if name in required
        ]
        fields += [
            (self.names[name], kinds[name], None) for name in self.names if name not in required
        ]
        self.type = defstruct(
            model.name,
            fields,
            rename={field: name for name, field in self.names.items()},
            forbid_unknown_fields=True,
            gc=False,
        )

    def source(self, attribute: str) -> str:
        """Return the expression of an attribute of the struct in the variable `item`."""
        return f"item.{self.names[attribute]}"


def _constants(model: Model) -> Item:
    """Return the attributes that are the same in all items: the type tag, the schema version."""
    constants: Item = {} if model.tag is None else {model.tag[0]: {"S": model.tag[1]}}
    model.versions.stamp(constants)
    return constants


def _may_be_absent(model: Model, name: str) -> bool:
    """Return whether an item without the constant is one of this entity and version."""
    return name != model.versions.attribute or model.versions.current == 1


def _kind(stored: StoredField) -> Any:
    if stored.codec.content_expression is None:
        return AttributeValue | None
    (tag,) = stored.codec.types
    return _SCALARS[tag] | None


def _read_fields(source: SourceBuilder, struct: _ItemStruct, model: Model) -> list[str]:
    lines: list[str] = []
    # Items of other entities and of other schema versions are not for this function.
    for name, value in _constants(model).items():
        ((kind, text),) = value.items()
        stored = struct.source(name)
        absent = f"{stored} is None or " if _may_be_absent(model, name) else ""
        lines.append(f"if not ({absent}{stored}.{kind} == {text!r}): fail()")
    variables: dict[str, str] = {}
    for field in model.codec.fields:
        variables[field.field] = source.new_variable()
        lines += _read_field(source, struct, field, variables[field.field])
    for column in model.key.columns:
        if isinstance(column, TextColumn):
            rendered = column.template.render_source(source, variables)
            lines.append(f"if {struct.source(column.attribute.name)}.S != {rendered}: fail()")
    entries = ", ".join(f"{name!r}: {variable}" for name, variable in variables.items())
    if model.factory is not None:
        return [*lines, f"return {source.bind(model.factory, 'factory')}({{{entries}}})"]
    # An entity checks assignments; these functions do not.
    new, assign = source.bind(object.__new__, "new"), source.bind(object.__setattr__, "assign")
    return [
        *lines,
        f"instance = {new}({source.bind(model.entity, model.name)})",
        f"{assign}(instance, '__dict__', {{{entries}}})",
        "return instance",
    ]


def _read_field(
    source: SourceBuilder, struct: _ItemStruct, field: StoredField, variable: str
) -> list[str]:
    """Return the lines that assign the value of a field to a variable."""
    stored = source.new_variable("stored")
    codec = field.codec
    if codec.content_expression is None:
        decoded = codec.decode_source(source, stored)
    else:
        (tag,) = codec.types
        decoded = codec.content_expression(source, f"{stored}.{tag}")
    lines = [f"{stored} = {struct.source(field.attribute)}"]
    if field.absent_value is None:
        return [*lines, f"{variable} = {decoded}"]
    absent = source.bind(field.absent_value, f"default_{field.field}")
    return [*lines, f"{variable} = ({decoded}) if {stored} is not None else {absent}()"]
