"""Decode items straight from their JSON: the fast path of reads.

A read returns items as JSON. For each entity a generated function decodes it into a msgspec struct,
whose fields are the declared attributes, and creates the instance from that, without a dictionary
for every attribute. An item that is unusual in any way (undeclared attributes, null, another type
tag, keys that do not agree with its attributes) is decoded by `decode_item`, which explains what
is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

from msgspec import Raw, Struct, defstruct
from msgspec.json import Decoder

from dynamodb_engine import expressions as ex
from dynamodb_engine.values import AttributeValue, Item, item_from_json
from singletable.schema import Model
from singletable.schema.codec.codec import SourceBuilder
from singletable.schema.codec.containers import StoredField
from singletable.schema.key_template import ValueText
from singletable.schema.resolved_key import Column, ResolvedKey, TextColumn
from singletable.store.decoder import decode_item

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


def raw_decoder(model: Model) -> RawDecoder:
    """Return the function that decodes an item of this entity as `decode_item` does.

    It is compiled on the first read, because most programs do not read all entities.
    """
    decoder: RawDecoder | None = model.derived.get(raw_decoder)
    if decoder is None:
        decoder = compile_decoder(model, lambda raw: decode_item(model, item_from_json(raw)))
        model.derived[raw_decoder] = decoder
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
        lines = [f"item = {decode}(raw)", *_Source(source, struct, model).lines()]
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
        types = {kind | None: tag for tag, kind in _SCALARS.items()}
        self._tags = {name: types[kind] for name, kind in kinds.items() if kind in types}
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

    def tag(self, attribute: str) -> str | None:
        """Return the type of an attribute that is a struct itself, or None."""
        return self._tags.get(attribute)


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


class _Source:
    """Generates the lines that decode an item of an entity from the variable `item`."""

    def __init__(self, source: SourceBuilder, struct: _ItemStruct, model: Model) -> None:
        self._source = source
        self._struct = struct
        self._model = model
        # The values by field, the stored texts of fields, and the structs by attribute.
        self._variables: dict[str, str] = {}
        self._contents: dict[str, str] = {}
        self._stored: dict[str, str] = {}
        # Variables of texts that were checked: of the values in the primary key, and of its whole
        # attributes by their expected text. Index keys often repeat them.
        self._texts: dict[ValueText, str] = {}
        self._keys: dict[str, str] = {}

    def lines(self) -> list[str]:
        """Return the lines of the function, which raise for an unusual item."""
        source, model = self._source, self._model
        lines = [*self._check_constants(), *self._read_fields(), *self._check_key()]
        for access in model.checked_indexes:
            lines += self._check_index_key(access)
        entries = ", ".join(f"{name!r}: {variable}" for name, variable in self._variables.items())
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

    def _check_constants(self) -> list[str]:
        """Return the lines that fail for items of other entities and of other schema versions."""
        lines: list[str] = []
        for name, value in _constants(self._model).items():
            ((kind, text),) = value.items()
            stored = self._source.new_variable("stored")
            present = f"{stored} is not None and " if _may_be_absent(self._model, name) else ""
            lines += [
                f"{stored} = {self._struct.source(name)}",
                f"if {present}{stored}.{kind} != {text!r}: fail()",
            ]
        return lines

    def _read_fields(self) -> list[str]:
        return [line for field in self._model.codec.fields for line in self._read_field(field)]

    def _read_field(self, field: StoredField) -> list[str]:
        """Return the lines that assign the value of a field to a variable."""
        source, codec, attribute = self._source, field.codec, field.attribute
        stored = self._stored[attribute] = source.new_variable("stored")
        variable = self._variables[field.field] = source.new_variable()
        if codec.content_expression is None:
            decoded = codec.decode_source(source, stored)
        else:
            (tag,) = codec.types
            content = f"{stored}.{tag}"
            decoded = codec.content_expression(source, content)
            if tag == "S":
                self._contents[field.field] = variable if decoded == content else content
        lines = [f"{stored} = {self._struct.source(attribute)}"]
        if field.absent_value is None:
            return [*lines, f"{variable} = {decoded}"]
        absent = source.bind(field.absent_value, f"default_{field.field}")
        return [*lines, f"{variable} = ({decoded}) if {stored} is not None else {absent}()"]

    def _check_key(self) -> list[str]:
        """Return the lines that fail unless the item has the key that its fields render."""
        lines: list[str] = []
        for column in self._model.key.columns:
            if not isinstance(column, TextColumn):
                continue
            for text, expression in self._value_sources(column).items():
                if text not in self._texts:
                    self._texts[text] = self._source.new_variable("text")
                    lines.append(f"{self._texts[text]} = {expression}")
            rendered, key = self._rendered(column), self._source.new_variable("key")
            lines += [
                f"{key} = {self._struct.source(column.attribute.name)}.S",
                f"if {key} != {rendered}: fail()",
            ]
            self._keys[rendered] = key
        return lines

    def _check_index_key(self, access: ResolvedKey) -> list[str]:
        """Return the lines that fail unless the item has the index key that its fields render.

        An item without the attributes of the index passes. One with some of them fails.
        """
        source = self._source
        columns = [one for one in access.columns if one.dedicated]
        stored = [source.new_variable("stored") for _ in columns]
        lines = [
            f"{name} = {self._struct.source(column.attribute.name)}"
            for name, column in zip(stored, columns, strict=True)
        ]
        fields = self._model.fields
        optional = [name for name in access.fields if fields[name].codec().optional]
        tests = [f"{self._variables[name]} is None" for name in optional]
        if access.condition is not None:
            tests.append(f"not ({self._condition_source(access.condition)})")
        tests += [self._differs(name, column) for name, column in zip(stored, columns, strict=True)]
        is_complete = " and ".join(f"{name} is not None" for name in stored)
        is_partial = " or ".join(f"{name} is not None" for name in stored)
        lines += [f"if {is_complete}:", f"    if {' or '.join(tests)}: fail()"]
        return lines if len(stored) == 1 else [*lines, f"elif {is_partial}: fail()"]

    def _differs(self, stored: str, column: Column) -> str:
        """Return the expression that is true unless a stored key attribute is as rendered."""
        if not isinstance(column, TextColumn):
            encoded = column.codec.encode_source(self._source, self._variables[column.field])
            return f"{stored} != {encoded}"
        rendered = self._rendered(column)
        if column.template.shards is None:
            return f"{stored}.S != {self._keys.get(rendered, rendered)}"
        same = self._source.bind(column.template.agrees_without_shard, "same")
        return f"not {same}({stored}.S, {rendered})"

    def _value_sources(self, column: TextColumn) -> dict[ValueText, str]:
        return column.template.value_sources(self._source, self._variables, self._contents)

    def _rendered(self, column: TextColumn) -> str:
        texts = {**self._value_sources(column), **self._texts}
        return column.template.render_source(self._source, self._variables, texts)

    def _condition_source(self, condition: ex.Condition) -> str:
        """Return an expression that is true if the stored attributes satisfy the condition."""
        match condition:
            case ex.And(left, right):
                return f"({self._condition_source(left)}) and ({self._condition_source(right)})"
            case ex.Compare("=", ex.At((str(name),)), ex.Constant(value)) if (
                self._struct.tag(name) in value
            ):
                ((tag, content),) = value.items()
                stored = self._stored_source(name)
                return f"{stored} is not None and {stored}.{tag} == {content!r}"
            case ex.Exists((str(name),)):
                return f"{self._stored_source(name)} is not None"
            case ex.NotExists((str(name),)):
                return f"{self._stored_source(name)} is None"
            case _:
                paths = ex.condition_paths(condition)
                attributes = [
                    self._attribute(name) for name in sorted({str(one[0]) for one in paths})
                ]
                holds = self._source.bind(_holds, "holds")
                node = self._source.bind(condition, "condition")
                return f"{holds}({node}, [{', '.join(attributes)}])"

    def _stored_source(self, attribute: str) -> str:
        return self._stored.get(attribute) or self._struct.source(attribute)

    def _attribute(self, name: str) -> str:
        """Return the expression of an attribute's name and AttributeValue."""
        stored, tag = self._stored_source(name), self._struct.tag(name)
        value = f"{{{tag!r}: {stored}.{tag}}} if {stored} is not None else None" if tag else stored
        return f"({name!r}, {value})"


def _holds(
    condition: ex.Condition, attributes: Sequence[tuple[str, AttributeValue | None]]
) -> bool:
    return ex.holds(condition, {name: one for name, one in attributes if one is not None})
