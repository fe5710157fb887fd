"""Resolved keys: the key attributes of an entity, in the table or an index, ready to use."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias, cast

from dynamodb_engine import expressions
from dynamodb_engine.values import AttributeValue, Item
from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema.codec import Codec
from singletable.schema.codec.codec import SourceBuilder
from singletable.schema.condition import Condition
from singletable.schema.key_parts import Shards
from singletable.schema.key_template import KeyTemplate
from singletable.schema.table import Index, KeyAttribute


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A key attribute with the text that a template renders."""

    attribute: KeyAttribute
    template: KeyTemplate
    max_bytes: int
    # Whether the attribute exists only for this key.
    dedicated: bool = True

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the text is computed from."""
        return self.template.fields

    @property
    def parameters(self) -> tuple[str, ...]:
        """The fields to pass values for."""
        return tuple(segment.field for segment in self.template.field_segments)

    @property
    def recoverable_fields(self) -> tuple[str, ...]:
        """The fields that can be read back from the text."""
        segments = self.template.field_segments
        return tuple(segment.field for segment in segments if segment.encoding.lossless)

    def __str__(self) -> str:
        return str(self.template)

    def value(
        self, values: Mapping[str, object], shard: str | None = None
    ) -> AttributeValue | None:
        """Return the attribute for these values, or None if one of them is missing."""
        text = self.template.render(values, shard)
        return None if text is None else {"S": self.checked(text)}

    def checked(self, text: str) -> str:
        """Return the text; raise InvalidValue if it is too long for DynamoDB."""
        # A character has at most four bytes.
        if len(text) * 4 <= self.max_bytes:
            return text
        size = len(text.encode())
        if size > self.max_bytes:
            raise InvalidValue(
                f"{self.template.owner}: the key {self.template} would have {size} bytes, but "
                f"DynamoDB allows {self.max_bytes} in {self.attribute.name}. Use a shorter "
                f"{', '.join(self.fields)}."
            )
        return text

    def fits(self, text: str) -> bool:
        """Return whether the text is short enough for DynamoDB."""
        return len(text.encode()) <= self.max_bytes

    def parse(self, item: Item) -> dict[str, object] | None:
        """Return the values in an item's attribute, or None if the template does not match."""
        text = item.get(self.attribute.name, {}).get("S")
        return None if text is None else self.template.parse(text)


@dataclass(frozen=True, slots=True)
class FieldColumn:
    """A key attribute that is a field itself, or a copy of it."""

    owner: str
    attribute: KeyAttribute
    field: str
    codec: Codec
    max_bytes: int
    # Whether stored values sort as their values do; those of an Enum do not.
    ordered: bool
    # Whether the attribute is a copy that exists only for this key.
    dedicated: bool

    @property
    def fields(self) -> tuple[str, ...]:
        """The field."""
        return (self.field,)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The field to pass a value for."""
        return (self.field,)

    @property
    def recoverable_fields(self) -> tuple[str, ...]:
        """The field."""
        return (self.field,)

    def value(
        self, values: Mapping[str, object], shard: str | None = None
    ) -> AttributeValue | None:
        """Return the attribute for these values, or None if the field is missing."""
        value = values.get(self.field)
        if value is None:
            return None
        try:
            encoded = self.codec.encode(value)
        except InvalidValue as error:
            raise InvalidValue(f"{self.owner}.{self.field} in a key: {error}") from None
        if encoded in ({"S": ""}, {"B": ""}, {"B": b""}):
            raise InvalidValue(f"{self.owner}.{self.field}: a value in a key must not be empty.")
        size = _size(encoded)
        if size > self.max_bytes:
            raise InvalidValue(
                f"{self.owner}.{self.field} would have {size} bytes, but DynamoDB allows "
                f"{self.max_bytes} in the key attribute {self.attribute.name}."
            )
        return encoded

    def parse(self, item: Item) -> dict[str, object] | None:
        """Return the value in an item's attribute, or None if it has another type."""
        stored = item.get(self.attribute.name)
        if stored is None or self.attribute.type not in stored:
            return None
        try:
            return {self.field: self.codec.decode(stored)}
        except ItemMismatch:
            return None


def _size(value: AttributeValue) -> int:
    """Return the bytes of a string or binary; numbers are never too long."""
    if "S" in value:
        return len(value["S"].encode())
    return len(b64decode(value["B"])) if "B" in value else 0


Column: TypeAlias = TextColumn | FieldColumn
# Returns key attributes for some values by field, or None if one of them is missing.
KeyRenderer: TypeAlias = Callable[[Mapping[str, object]], Item | None]


def compile_renderer(title: str, columns: tuple[Column, ...]) -> KeyRenderer:
    """Return the generated function that renders these key attributes."""
    source = SourceBuilder(title)

    def body() -> tuple[str, list[str]]:
        fields = dict.fromkeys(name for column in columns for name in column.fields)
        variables = {name: source.new_variable() for name in fields}
        lines = [f"{variable} = values.get({name!r})" for name, variable in variables.items()]
        if variables:
            missing = " or ".join(f"{variable} is None" for variable in variables.values())
            lines.append(f"if {missing}: return None")
        entries: list[str] = []
        for column in columns:
            result = source.new_variable("column")
            if isinstance(column, TextColumn):
                lines.append(f"{result} = {column.template.render_source(source, variables)}")
                # A character has at most four bytes.
                check = f"{source.bind(column.checked, 'checked')}({result})"
                lines.append(f"if len({result}) > {column.max_bytes // 4}: {check}")
                entries.append(f'{column.attribute.name!r}: {{"S": {result}}}')
            else:
                lines.append(f"{result} = {source.bind(column.value, 'column_value')}(values)")
                entries.append(f"{column.attribute.name!r}: {result}")
        return "values", [*lines, f"return {{{', '.join(entries)}}}"]

    name = source.function("render", title, title, body)
    return cast(KeyRenderer, source.compile()[name])


@dataclass(frozen=True, slots=True)
class ResolvedKey:
    """The primary key of an entity, or its key in an index."""

    owner: str
    name: str
    index: Index | None
    pk: tuple[Column, ...]
    sk: tuple[Column, ...]
    when: Condition[object] | None = None
    # Whether a stored item is rejected if its attributes of this index are others than its fields
    # render.
    checked: bool = True
    # Derived once: all columns, the fields that a caller passes for the partition, the sort key and
    # both, all fields that the key is computed from, and the attributes that exist only for this
    # key.
    columns: tuple[Column, ...] = field(init=False, repr=False, compare=False)
    pk_fields: tuple[str, ...] = field(init=False, repr=False, compare=False)
    sk_fields: tuple[str, ...] = field(init=False, repr=False, compare=False)
    parameters: tuple[str, ...] = field(init=False, repr=False, compare=False)
    fields: tuple[str, ...] = field(init=False, repr=False, compare=False)
    dedicated_attributes: tuple[str, ...] = field(init=False, repr=False, compare=False)
    # Render all attributes of the key, and those of its partition key.
    attributes: KeyRenderer = field(init=False, repr=False, compare=False)
    partition_attributes: KeyRenderer = field(init=False, repr=False, compare=False)
    # The condition of a sparse index (`when`) as an expression.
    condition: expressions.Condition | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        columns = self.pk + self.sk
        derived: dict[str, object] = {
            "columns": columns,
            "pk_fields": tuple(name for column in self.pk for name in column.parameters),
            "sk_fields": tuple(name for column in self.sk for name in column.parameters),
            "parameters": tuple(name for column in columns for name in column.parameters),
            "fields": tuple(dict.fromkeys(name for one in columns for name in one.fields)),
            "dedicated_attributes": tuple(one.attribute.name for one in columns if one.dedicated),
            "condition": None if self.when is None else self.when.node(),
            "attributes": partial(self._compile, "attributes", columns),
            "partition_attributes": partial(self._compile, "partition_attributes", self.pk),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @property
    def shards(self) -> Shards | None:
        """The shards of the partition key, if it has any."""
        column = self.pk[0]
        return column.template.shards if isinstance(column, TextColumn) else None

    def bind(self, fields: tuple[str, ...], values: tuple[object, ...]) -> dict[str, object]:
        """Return the values by field; raise InvalidValue if there are too many or too few."""
        if len(values) != len(fields):
            noun = "value" if len(fields) == 1 else "values"
            raise InvalidValue(
                f"{self.owner}.{self.name} expects {len(fields)} {noun} "
                f"({', '.join(fields)}), but got {len(values)}."
            )
        return dict(zip(fields, values))  # noqa: B905 (the lengths are equal)

    def _compile(
        self, name: str, columns: tuple[Column, ...], values: Mapping[str, object]
    ) -> Item | None:
        """Compile a renderer on first use, because most programs do not use every key."""
        render = compile_renderer(str(self), columns)
        object.__setattr__(self, name, render)
        return render(values)

    def require_attributes(self, values: Mapping[str, object]) -> Item:
        """Return the key attributes for these values; raise InvalidValue if one is missing."""
        attributes = self.attributes(values)
        if attributes is None:
            missing = [name for name in self.fields if values.get(name) is None]
            raise InvalidValue(
                f"{self}: expected a value for {', '.join(missing)}, but got None. "
                "A key needs all its values."
            )
        return attributes

    def includes(self, item: Item) -> bool:
        """Return whether the item satisfies the condition of a sparse index."""
        return self.condition is None or expressions.holds(self.condition, item)

    def parse(self, item: Item) -> dict[str, object] | None:
        """Return the values in an item's key, or None if the key has another shape."""
        values: dict[str, object] = {}
        for column in self.columns:
            parsed = column.parse(item)
            if parsed is None:
                return None
            for name, value in parsed.items():
                if values.setdefault(name, value) != value:
                    return None
        return values

    @property
    def recoverable_fields(self) -> set[str]:
        """The fields that can be read back from the key."""
        return {name for column in self.columns for name in column.recoverable_fields}

    @property
    def condition_paths(self) -> tuple[expressions.Path, ...]:
        """The document paths in the condition of a sparse index."""
        return expressions.condition_paths(self.condition)

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}"


def in_order(
    where: object,
    fields: tuple[str, ...],
    values: tuple[object, ...],
    named: Mapping[str, object],
) -> tuple[object, ...]:
    """Return the values of these fields in order: first `values`, then those passed by name."""
    expected = f"{where} expects {', '.join(fields) or 'no values'}, but"
    rest = fields[len(values) :]
    for name in named:
        if name not in fields:
            raise InvalidValue(f"{expected} got {name}.")
        if name not in rest:
            raise InvalidValue(f"{expected} got {name} twice: by position and by name.")
    missing = [name for name in rest if name not in named]
    if missing:
        raise InvalidValue(f"{expected} got no {' and no '.join(missing)}.")
    return (*values, *(named[name] for name in rest))
