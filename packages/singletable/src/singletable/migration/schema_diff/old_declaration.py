"""Write the old declaration of a table and its entities as Python, from a schema.

A migration declares the old form of what it changes, because the app declares only the new one.
Old classes have a table object of their own, so the app's table does not know them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from singletable.migration.schema_diff.snapshot import (
    EntitySchema,
    FieldSchema,
    IndexSchema,
    KeySchema,
    Schema,
    TableSchema,
    UniqueSchema,
    key_attribute,
    template_segments,
)
from singletable.migration.schema_diff.type_text import ClassSchema, TypeTexts
from singletable.schema import Binary, Index, LocalIndex, Number, Table
from singletable.schema.source import docstring, format_call, format_key, quoted, render_table
from singletable.schema.table import KeyAttribute, KeyType

# What the code may need from the standard library, and from us.
STANDARD_NAMES: Mapping[str, Sequence[str]] = {
    "dataclasses": ("dataclass", "field"),
    "datetime": ("date", "datetime", "timedelta"),
    "decimal": ("Decimal",),
    "enum": ("Enum",),
    "typing": ("Annotated", "Any", "Literal", "TypedDict"),
    "uuid": ("UUID",),
}
OUR_NAMES = (
    "Attr", "Binary", "Compressed", "Entity", "Index", "Json", "Key", "LocalIndex", "Number",
    "Shards", "Table", "TimeFormat", "Unique", "attr", "casefold", "concat", "descending",
    "expires", "ordered", "padded", "repeated",
)  # fmt: skip
VERSION_FIELD = "stored_version"
_FACTORIES = ("set()", "list()", "dict()", "frozenset()", "tuple()", "[]", "{}", "()")
_FACTORY_NAMES = {"[]": "list", "{}": "dict", "()": "tuple"}
_VALUE = re.compile(r"\w+\.\w+|(date|datetime|timedelta|Decimal|UUID)\(.*\)")
_RENDERED_CODECS = ("Compressed()", "Json()")


def old_name(name: str) -> str:
    """Return the name of the old class for an entity or a type."""
    return f"Old{name}"


def table_variable(name: str) -> str:
    """Return the variable of the old table."""
    return f"old_{re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_')}"


class OldTypes:
    """The classes in old types: imported if they are as they were, or else written out."""

    def __init__(self, before: Schema, after: Schema, texts: TypeTexts) -> None:
        self._before = before.classes
        self._after = after.classes
        self._objects = texts.objects
        # What the code refers to: modules of imported classes, and source of old ones.
        self.imports: dict[str, set[str]] = {}
        self.sources: dict[str, str] = {}

    def is_unchanged(self, text: str) -> bool:
        """Return whether all classes in a type are as they were."""
        return all(self._is_same(name) for name in self._named(text))

    def name_of(self, name: str) -> str:
        """Return the name of a class in the migration; Any if it cannot be written."""
        if self._is_same(name):
            kind = self._objects[name]
            self.imports.setdefault(kind.__module__, set()).add(kind.__qualname__.split(".")[0])
            return str(kind.__qualname__)
        schema = self._before[name]
        if schema.kind in ("model", "class"):
            return "Any"
        if schema.kind == "new type":
            return self.text(schema.members["of"])
        plain = old_name(name.rpartition(".")[2])
        if plain not in self.sources:
            self.sources[plain] = ""  # a recursive class mentions itself
            self.sources[plain] = self._render(plain, schema)
        return plain

    def text(self, type_: str) -> str:
        """Return a type as the migration writes it."""
        if not self._named(type_):
            return double_quoted(type_)
        tree = ast.parse(type_, mode="eval")
        return double_quoted(ast.unparse(_Renamed(self._before, self.name_of).visit(tree)))

    def enum_of(self, type_: str) -> ClassSchema | None:
        """Return the Enum that a type is, if it is one."""
        known = self._before.get(type_)
        return known if known is not None and known.kind == "enum" else None

    def _named(self, text: str) -> list[str]:
        return [name for name in self._before if re.search(rf"\b{re.escape(name)}\b", text)]

    def _is_same(self, name: str, seen: frozenset[str] = frozenset()) -> bool:
        """Return whether a class is unchanged, and so are all classes that its members mention."""
        schema = self._before[name]
        kind = self._objects.get(name)
        if schema != self._after.get(name) or "<locals>" in getattr(kind, "__qualname__", ""):
            return False
        if schema.kind == "enum":
            return True
        others = {one for text in schema.members.values() for one in self._named(text)}
        return all(self._is_same(one, seen | {name}) for one in others - seen - {name})

    def _render(self, name: str, schema: ClassSchema) -> str:
        match schema.kind:
            case "enum":
                lines = [f"class {name}(Enum):"]
                lines += [
                    f"    {one} = {double_quoted(value)}" for one, value in schema.members.items()
                ]
            case "typed dict":
                lines = [f"class {name}(TypedDict):"]
                lines += [f"    {one}: {self.text(text)}" for one, text in schema.members.items()]
            case _:
                lines = ["@dataclass(kw_only=True)", f"class {name}:"]
                for one, text in schema.members.items():
                    type_, _, default = text.partition(" = ")
                    lines.append(f"    {one}: {self.text(type_)}{self._default(default)}")
        return "\n".join(lines) + "\n"

    def _default(self, default: str) -> str:
        if not default:
            return ""
        if default in _FACTORIES:
            name = _FACTORY_NAMES.get(default, default.removesuffix("()"))
            return f" = field(default_factory={name})"
        if _is_source(default):
            return f" = {self.text(default)}"
        return f"  # default: {default}"


@dataclass(frozen=True, slots=True)
class _Renamed(ast.NodeTransformer):
    """Replaces the names of classes in a type."""

    classes: Mapping[str, ClassSchema]
    rename: Callable[[str], str]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Replace a name."""
        if node.id not in self.classes:
            return node
        return ast.parse(self.rename(node.id), mode="eval").body


def double_quoted(source: str) -> str:
    """Return source with its plain string literals in double quotes, as formatters write them."""
    return re.sub(r"'([^'\"\\]*)'", r'"\1"', source)


def _is_source(text: str) -> bool:
    """Return whether a default is a literal, a member of an Enum or a plain value."""
    if "<" in text or "…" in text:
        return False
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return (
            re.fullmatch(r"\w+\.\w+|(date|datetime|timedelta|Decimal|UUID)\(.*\)", text) is not None
        )
    return True


# Tables


def render_old_table(name: str, schema: TableSchema) -> str:
    """Render the old table, preceded by its indexes."""
    indexes = [_index(one, index) for one, index in schema.indexes.items()]
    table = Table(
        name,
        pk=_key_type(key_attribute(schema.pk)),
        sk=None if schema.sk is None else _key_type(key_attribute(schema.sk)),
        indexes=indexes,
        ttl=schema.ttl,
    )
    variables = {index.name: table_variable(index.name) for index in indexes}
    return render_table(table, table_variable(name), variables)


def _index(name: str, schema: IndexSchema) -> Index:
    pk = [_key_type(key_attribute(one)) for one in schema.pk]
    sk = [_key_type(key_attribute(one)) for one in schema.sk]
    if schema.local:
        return LocalIndex(name, sk=sk[0], projection=schema.projection)
    return Index(name, pk=pk, sk=sk or None, projection=schema.projection)


def _key_type(attribute: KeyAttribute) -> KeyType:
    match attribute.type:
        case "N":
            return Number(attribute.name)
        case "B":
            return Binary(attribute.name)
        case "S":
            return attribute.name


# Entities


def render_old_entity(
    name: str, entity: EntitySchema, table: str, schema: TableSchema, types: OldTypes
) -> str:
    """Render the old class of an entity.

    Numbers of sequences and times are plain fields, so that a function can set them.
    """
    arguments = ["Entity", f"table={table_variable(table)}"]
    fields = [_field(one, field, types) for one, field in entity.fields.items()]
    if entity.type_tag is not None:
        attribute, value = (quoted(text) for text in entity.type_tag)
        arguments.append(f"type_tag=({attribute}, {value})")
    if entity.schema_version is not None:
        fields.append(_version_field(entity.schema_version, entity.version_attribute))
    parts = _Parts(entity, types)
    keys = [parts.key(entity.key_name, entity.key, _key_names(schema))]
    for one, placed in entity.indexes.items():
        index = schema.indexes[placed.index]
        names = [[key_attribute(text).name for text in side] for side in (index.pk, index.sk)]
        on = [table_variable(placed.index)]
        on += [] if placed.when is None else [f"when={parts.condition(placed.when)}"]
        keys.append(parts.key(one, placed.key, names, on))
    keys += [parts.unique(one, unique, schema) for one, unique in entity.uniques.items()]
    lines = [
        format_call(f"class {old_name(name)}(", arguments, "):"),
        f"    {docstring(f'{name} before this migration.')}",
        "",
        *fields,
        *([""] if fields else []),
        *keys,
    ]
    return "\n".join(lines) + "\n"


def _key_names(table: TableSchema) -> list[list[str]]:
    sides = [[table.pk], [] if table.sk is None else [table.sk]]
    return [[key_attribute(text).name for text in side] for side in sides]


def _version_field(version: int, attribute: str | None) -> str:
    """Render the version as a field, so that items of another version are an error."""
    arguments = [f"name={quoted(attribute or VERSION_FIELD)}"]
    # Items without the attribute have version 1.
    arguments += ["default=1"] if version == 1 else []
    begin = f"{VERSION_FIELD}: Attr[Literal[{version}]] = attr("
    return format_call(begin, arguments, indent=4)


def _field(name: str, field: FieldSchema, types: OldTypes) -> str:
    text = types.text(field.type)
    type_ = f"{text} | None" if field.optional and text != "Any" else text
    arguments: list[str] = []
    if field.attribute is not None:
        arguments.append(f"name={quoted(field.attribute)}")
    if field.role == "expires":
        arguments += ["default=None"] if field.default else []
        return format_call(f"{name}: Attr[{type_}] = expires(", arguments, indent=4)
    comment = ""
    if field.role == "version":
        arguments.append("default=0")
    elif field.default in _FACTORIES:
        arguments.append(f"factory={text}")
    elif field.default is not None and _is_source(field.default):
        arguments.append(f"default={types.text(field.default)}")
    elif field.default is not None:
        comment = f"    # The default was {field.default}.\n"
    if field.time_format is not None:
        arguments.append(f"time_format=TimeFormat.{field.time_format}")
    if field.codec in _RENDERED_CODECS:
        arguments.append(f"codec={field.codec}")
    elif field.codec is not None:
        arguments.append(f"codec=undecided({quoted(f'the codec was {field.codec}')})")
    if field.key_only:
        arguments.append("key_only=True")
    return comment + format_call(f"{name}: Attr[{type_}] = attr(", arguments, indent=4)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Renders keys, conditions and constraints of an entity from their texts."""

    entity: EntitySchema
    types: OldTypes

    def key(
        self, name: str, key: KeySchema, sides: Sequence[Sequence[str]], on: Sequence[str] = ()
    ) -> str:
        return format_key(name, self._specs(key, sides), on)

    def unique(self, name: str, unique: UniqueSchema, table: TableSchema) -> str:
        arguments = [*unique.fields, *self._specs(unique.key, _key_names(table))]
        if unique.include:
            included = [
                f"{quoted(one)}: {text[1:-1] if text.startswith('{') else quoted(text)}"
                for one, text in unique.include.items()
            ]
            arguments.append(f"include={{{', '.join(included)}}}")
        return format_call(f"{name} = Unique(", arguments, indent=4)

    def _specs(self, key: KeySchema, sides: Sequence[Sequence[str]]) -> list[str]:
        """Return the arguments pk and sk; one that is too long for a line is wrapped."""
        arguments: list[str] = []
        for role, side in zip(("pk", "sk"), sides, strict=True):
            parts = self._parts([key[attribute] for attribute in side])
            if len(parts) == 1:
                part = f"({parts[0]},)" if parts[0].startswith("Shards(") else parts[0]
                arguments.append(f"{role}={part}")
            elif parts:
                arguments.append(format_call(f"{role}=(", parts, indent=8).strip())
        return arguments

    def condition(self, when: str) -> str:
        tree = ast.parse(when, mode="eval")
        text = ast.unparse(_EnumMembers(self.entity, self.types).visit(tree))
        # Linters would turn `== True` into `is True`, which a field cannot overload.
        return double_quoted(re.sub(r" == (True|False)\b", r".in_(\1)", text))

    def _parts(self, templates: Sequence[str]) -> list[str]:
        """Return the parts of a key: the fields of several attributes, or of one template."""
        if len(templates) > 1:
            return [text[1:-1] for text in templates]
        parts: list[str] = []
        fixed: list[str] = []
        for segment in template_segments(templates[0]) if templates else ():
            if not segment.startswith("{"):
                fixed.append(segment)
                continue
            parts += [quoted("#".join(fixed))] if fixed else []
            fixed = []
            parts.append(self.condition(segment[1:-1]))
        return [*parts, *([quoted("#".join(fixed))] if fixed else [])]


@dataclass(frozen=True, slots=True)
class _EnumMembers(ast.NodeTransformer):
    """Replaces stored values of Enum fields by members of the Enum."""

    entity: EntitySchema
    types: OldTypes

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Replace the value that a field is compared with."""
        node.comparators = [self._member(node.left, one) for one in node.comparators]
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Replace values in `status.in_(…)` and in the order of `ordered(status, […])`."""
        if isinstance(node.func, ast.Attribute):
            node.args = [self._member(node.func.value, one) for one in node.args]
        elif len(node.args) == 2 and isinstance(order := node.args[1], ast.List):
            order.elts = [self._member(node.args[0], one) for one in order.elts]
            values = ", ".join(map(ast.unparse, order.elts))
            if self._type(node.args[0]) == f"Literal[{values}]":
                node.args.pop()  # the order of the type
        self.generic_visit(node)
        return node

    def _type(self, subject: ast.expr) -> str:
        """Return the type of a field; empty for other expressions."""
        field = self.entity.fields.get(subject.id) if isinstance(subject, ast.Name) else None
        return "" if field is None else field.type

    def _member(self, subject: ast.expr, value: ast.expr) -> ast.expr:
        type_ = self._type(subject)
        enum = self.types.enum_of(type_)
        for name, text in enum.members.items() if enum else ():
            if text == ast.unparse(value):
                return ast.parse(f"{self.types.name_of(type_)}.{name}", mode="eval").body
        return value
