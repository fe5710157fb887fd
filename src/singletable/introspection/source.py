"""Render specifications as Python source, wrapped as ruff and black would wrap it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from singletable.introspection.field_types import DataclassSpec
from singletable.introspection.names import snake_case, unused_name
from singletable.introspection.spec import (
    EntitySpec,
    FieldPart,
    FieldSpec,
    IndexCondition,
    KeyPart,
    KeySpec,
    TableSpec,
    UniqueSpec,
    join_constants,
    key_text,
)
from singletable.schema import Index, Table
from singletable.schema.table import KeyAttribute

# The default line length of ruff and black.
WIDTH = 88
_STANDARD = {
    "dataclasses": ("dataclass",),
    "datetime": ("date", "datetime"),
    "decimal": ("Decimal",),
    "typing": ("Any",),
    "uuid": ("UUID",),
}
_OURS = (
    "Attr", "Binary", "Entity", "Index", "Key", "LocalIndex", "Number", "Provisioned", "Table",
    "TimeFormat", "Unique", "attr", "casefold", "expires", "padded", "repeated", "version",
)  # fmt: skip


def format_call(begin: str, arguments: Sequence[str], end: str = ")", indent: int = 0) -> str:
    """Format a call on one line if it fits, and wrap it as formatters do otherwise."""
    space = " " * indent
    line = f"{space}{begin}{', '.join(arguments)}{end}"
    if len(line) <= WIDTH:
        return line
    inner = f"{space}    {', '.join(arguments)}"
    if len(inner) <= WIDTH:
        return f"{space}{begin}\n{inner}\n{space}{end}"
    lines = "".join(f"{space}    {argument},\n" for argument in arguments)
    return f"{space}{begin}\n{lines}{space}{end}"


def render_imports(code: str) -> str:
    """Render the sorted imports that the code needs."""
    words = set(re.findall(r"[A-Za-z_]+", re.sub(r'"""(.|\n)*?"""|"[^"\n]*"|#.*', "", code)))
    lines = [
        f"from {module} import {', '.join(name for name in names if name in words)}"
        for module, names in _STANDARD.items()
        if words & set(names)
    ]
    names = [name for name in _OURS if name in words]
    ours = f"from singletable import {', '.join(names)}"
    if len(ours) > WIDTH:
        ours = "from singletable import (\n" + "".join(f"    {name},\n" for name in names) + ")"
    return "\n".join([*lines, *([""] if lines else []), ours]) + "\n"


def render_dataclass(record: DataclassSpec) -> str:
    """Render a dataclass for the maps in items."""
    members = "".join(f"    {name}: {text}\n" for name, text in record.members)
    return f'@dataclass\nclass {record.name}:\n    """A map in items."""\n\n{members}'


def variable_names(spec: TableSpec, taken: Iterable[str] = ()) -> tuple[str, dict[str, str]]:
    """Return the variable names of the table and of its indexes."""
    fields = {field.name for entity in spec.entities for field in entity.fields}
    keys = {key.name for entity in spec.entities for key in entity.indexes}
    used = {*fields, *keys, *taken}
    name = unused_name(snake_case(spec.table.name), used)
    used.add(name)
    indexes: dict[str, str] = {}
    for index in spec.table.indexes:
        plain = snake_case(index.name)
        indexes[index.name] = unused_name(f"{plain}_index" if plain in used else plain, used)
        used.add(indexes[index.name])
    return name, indexes


def render_table(table: Table, name: str, indexes: dict[str, str]) -> str:
    """Render the table, preceded by its indexes."""
    lines = [_index(index, indexes[index.name]) for index in table.indexes]
    arguments = [quoted(table.name)]
    if (table.pk.name, table.pk.type) != ("PK", "S"):
        arguments.append(f"pk={_attribute(table.pk)}")
    if table.sk is None:
        arguments.append("sk=None")
    elif (table.sk.name, table.sk.type) != ("SK", "S"):
        arguments.append(f"sk={_attribute(table.sk)}")
    if indexes:
        arguments.append(f"indexes=[{', '.join(indexes.values())}]")
    if table.ttl is not None:
        arguments.append(f"ttl={quoted(table.ttl)}")
    if table.capacity is not None:
        units = f"read={table.capacity.read}, write={table.capacity.write}"
        arguments.append(f"capacity=Provisioned({units})")
    return "\n".join([*lines, format_call(f"{name} = Table(", arguments)]) + "\n"


def _index(index: Index, name: str) -> str:
    arguments = [quoted(index.name)]
    if not index.local:
        arguments.append(f"pk={_attributes(index.pk)}")
    if index.sk:
        arguments.append(f"sk={_attributes(index.sk)}")
    if index.projection == "KEYS_ONLY":
        arguments.append('projection="KEYS_ONLY"')
    elif index.projection != "ALL":
        arguments.append(f"projection=[{', '.join(map(quoted, index.projection))}]")
    return format_call(f"{name} = {'LocalIndex' if index.local else 'Index'}(", arguments)


def _attributes(attributes: Sequence[KeyAttribute]) -> str:
    if len(attributes) == 1:
        return _attribute(attributes[0])
    return f"({', '.join(map(_attribute, attributes))})"


def _attribute(attribute: KeyAttribute) -> str:
    wrap = {"S": "", "N": "Number", "B": "Binary"}[attribute.type]
    return f"{wrap}({quoted(attribute.name)})" if wrap else quoted(attribute.name)


def render_entity(entity: EntitySpec, table: str, indexes: dict[str, str]) -> str:
    """Render the class with its notes above it and its key as the docstring."""
    notes = "".join(render_comment(note) for note in entity.notes)
    arguments = ["Entity", f"table={table}"]
    if entity.tag is not None:
        arguments.append(f"type_tag=({quoted(entity.tag[0])}, {quoted(entity.tag[1])})")
    lines = [
        format_call(f"class {entity.name}(", arguments, "):"),
        f"    {docstring(key_text(entity.key))}",
        "",
    ]
    lines += [_field(field) for field in entity.fields]
    lines += [""] if entity.fields else []
    lines += [_key(key, indexes) for key in (entity.key, *entity.indexes)]
    lines += [_unique(unique) for unique in entity.uniques]
    return notes + "\n".join(lines) + "\n"


def _field(field: FieldSpec) -> str:
    type_ = f"{field.type.text} | None" if _may_be_none(field) else field.type.text
    function, arguments = field.role or "attr", list[str]()
    if field.role != "expires" and field.stored and field.attribute != field.name:
        arguments.append(f"name={quoted(field.attribute)}")
    if field.type.time_format is not None:
        arguments.append(f"time_format=TimeFormat.{field.type.time_format.name}")
    if field.optional or field.type.text == "Any":
        arguments.append("factory=set" if field.type.text.startswith("set[") else "default=None")
    if not field.stored:
        arguments.append("key_only=True")
    return format_call(f"{field.name}: Attr[{type_}] = {function}(", arguments, indent=4)


def _may_be_none(field: FieldSpec) -> bool:
    """Return whether to add None to the type; an absent set is empty, and Any includes None."""
    return field.optional and not field.type.text.startswith("set[") and field.type.text != "Any"


def _key(key: KeySpec, indexes: dict[str, str]) -> str:
    arguments = [f"pk={_parts(key.pk)}"]
    if key.sk is not None:
        arguments.append(f"sk={_parts(key.sk)}")
    begin = f"{key.name} = Key("
    if key.index is None:
        return format_call(begin, arguments, indent=4)
    on = [indexes[key.index], *([] if key.when is None else [f"when={_condition(key.when)}"])]
    whole = f"{begin}{', '.join(arguments)}).on("
    # Formatters wrap the last call if everything before it fits on a line.
    if len(whole) + 4 <= WIDTH:
        return format_call(whole, on, indent=4)
    return format_call(begin, arguments, f").on({', '.join(on)})", indent=4)


def _unique(unique: UniqueSpec) -> str:
    arguments = [_part(unique.part), f"pk={_parts(unique.pk)}"]
    if unique.sk is not None:
        arguments.append(f"sk={_parts(unique.sk)}")
    return format_call(f"{unique.name} = Unique(", arguments, indent=4)


def _condition(when: IndexCondition) -> str:
    # Linters would turn `== True` into `is True`, which a descriptor cannot overload.
    if isinstance(when.value, bool):
        return f"{when.field}.in_({when.value})"
    return f"{when.field} == {quoted(when.value)}"


def _parts(parts: Sequence[KeyPart]) -> str:
    joined = join_constants(parts)
    texts = [_part(part) for part in joined]
    if len(joined) > 1:
        return f"({', '.join(texts)})"
    only = joined[0]
    return f"({texts[0]},)" if isinstance(only, FieldPart) and only.repeated else texts[0]


def _part(part: KeyPart) -> str:
    if isinstance(part, str):
        return quoted(part)
    text = part.field
    match part.encoding:
        case "padded":
            text = f"padded({text}, {part.width})"
        case "casefold":
            text = f"casefold({text})"
        case "plain":
            pass
    return f"repeated({text})" if part.repeated else text


def quoted(text: str) -> str:
    """Return the text as a Python literal, in double quotes unless it contains some."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def docstring(text: str) -> str:
    """Return the text as a docstring; characters that could end it are replaced."""
    plain = "".join(one if one.isprintable() and one not in '"\\' else "?" for one in text)
    return f'"""{plain}"""'


def render_comment(text: str) -> str:
    """Render the text as comment lines of limited length."""
    lines, line = list[str](), "#"
    for word in "".join(one if one.isprintable() else " " for one in text).split():
        if len(line) + len(word) >= WIDTH and line != "#":
            lines.append(line)
            line = "#"
        line += f" {word}"
    return "".join(f"{one}\n" for one in [*lines, line])
