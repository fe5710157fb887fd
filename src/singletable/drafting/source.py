"""A draft written down as Python, as a person would write it and a formatter would wrap it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from singletable.drafting.drafted import (
    DraftEntity,
    DraftField,
    DraftKey,
    DraftTable,
    DraftUnique,
    FieldPart,
    Part,
    When,
    joined,
    shape_of,
)
from singletable.drafting.kinds import Record
from singletable.drafting.names import free, snake
from singletable.schema import Index, Table
from singletable.schema.table import KeyAttribute

# As wide as ruff and black make lines unless they are told otherwise.
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


def call(begin: str, arguments: Sequence[str], end: str = ")", indent: int = 0) -> str:
    """A call on one line if it fits, and wrapped as formatters do if it does not."""
    space = " " * indent
    line = f"{space}{begin}{', '.join(arguments)}{end}"
    if len(line) <= WIDTH:
        return line
    inner = f"{space}    {', '.join(arguments)}"
    if len(inner) <= WIDTH:
        return f"{space}{begin}\n{inner}\n{space}{end}"
    lines = "".join(f"{space}    {argument},\n" for argument in arguments)
    return f"{space}{begin}\n{lines}{space}{end}"


def imports(code: str) -> str:
    """The imports that the code needs, in the order in which tools sort them."""
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


def record_source(record: Record) -> str:
    """A dataclass for the maps in items."""
    members = "".join(f"    {name}: {text}\n" for name, text in record.members)
    return f'@dataclass\nclass {record.name}:\n    """A map in items."""\n\n{members}'


def table_names(draft: DraftTable, taken: Iterable[str] = ()) -> tuple[str, dict[str, str]]:
    """The variables that the table and its indexes are held in."""
    fields = {field.name for entity in draft.entities for field in entity.fields}
    keys = {key.name for entity in draft.entities for key in entity.indexes}
    used = {*fields, *keys, *taken}
    name = free(snake(draft.table.name), used)
    used.add(name)
    indexes: dict[str, str] = {}
    for index in draft.table.indexes:
        plain = snake(index.name)
        indexes[index.name] = free(f"{plain}_index" if plain in used else plain, used)
        used.add(indexes[index.name])
    return name, indexes


def table_source(table: Table, name: str, indexes: dict[str, str]) -> str:
    """The table, with its indexes before it."""
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
    return "\n".join([*lines, call(f"{name} = Table(", arguments)]) + "\n"


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
    return call(f"{name} = {'LocalIndex' if index.local else 'Index'}(", arguments)


def _attributes(attributes: Sequence[KeyAttribute]) -> str:
    if len(attributes) == 1:
        return _attribute(attributes[0])
    return f"({', '.join(map(_attribute, attributes))})"


def _attribute(attribute: KeyAttribute) -> str:
    wrap = {"S": "", "N": "Number", "B": "Binary"}[attribute.type]
    return f"{wrap}({quoted(attribute.name)})" if wrap else quoted(attribute.name)


def entity_source(entity: DraftEntity, table: str, indexes: dict[str, str]) -> str:
    """The class, its shape as its docstring, what to know of it above."""
    notes = "".join(comment(note) for note in entity.notes)
    arguments = ["Entity", f"table={table}"]
    if entity.tag is not None:
        arguments.append(f"type_tag=({quoted(entity.tag[0])}, {quoted(entity.tag[1])})")
    lines = [
        call(f"class {entity.name}(", arguments, "):"),
        f"    {docstring(shape_of(entity.key))}",
        "",
    ]
    lines += [_field(field) for field in entity.fields]
    lines += [""] if entity.fields else []
    lines += [_key(key, indexes) for key in (entity.key, *entity.indexes)]
    lines += [_unique(unique) for unique in entity.uniques]
    return notes + "\n".join(lines) + "\n"


def _field(field: DraftField) -> str:
    kind = f"{field.kind.text} | None" if _may_be_none(field) else field.kind.text
    made, arguments = field.role or "attr", list[str]()
    if field.role != "expires" and field.stored and field.attribute != field.name:
        arguments.append(f"name={quoted(field.attribute)}")
    if field.kind.form is not None:
        arguments.append(f"time_format=TimeFormat.{field.kind.form.name}")
    if field.optional or field.kind.text == "Any":
        arguments.append("factory=set" if field.kind.text.startswith("set[") else "default=None")
    if not field.stored:
        arguments.append("key_only=True")
    return call(f"{field.name}: Attr[{kind}] = {made}(", arguments, indent=4)


def _may_be_none(field: DraftField) -> bool:
    """Whether the type says None: an absent set is an empty one, and Any may be None anyway."""
    return field.optional and not field.kind.text.startswith("set[") and field.kind.text != "Any"


def _key(key: DraftKey, indexes: dict[str, str]) -> str:
    arguments = [f"pk={_parts(key.pk)}"]
    if key.sk is not None:
        arguments.append(f"sk={_parts(key.sk)}")
    begin = f"{key.name} = Key("
    if key.index is None:
        return call(begin, arguments, indent=4)
    on = [indexes[key.index], *([] if key.when is None else [f"when={_condition(key.when)}"])]
    whole = f"{begin}{', '.join(arguments)}).on("
    # Formatters break the last call if what is before it fits on a line.
    if len(whole) + 4 <= WIDTH:
        return call(whole, on, indent=4)
    return call(begin, arguments, f").on({', '.join(on)})", indent=4)


def _unique(unique: DraftUnique) -> str:
    arguments = [_part(unique.part), f"pk={_parts(unique.pk)}"]
    if unique.sk is not None:
        arguments.append(f"sk={_parts(unique.sk)}")
    return call(f"{unique.name} = Unique(", arguments, indent=4)


def _condition(when: When) -> str:
    # Linters want `is True`, which no descriptor can answer.
    if isinstance(when.value, bool):
        return f"{when.field}.in_({when.value})"
    return f"{when.field} == {quoted(when.value)}"


def _parts(parts: Sequence[Part]) -> str:
    found = joined(parts)
    texts = [_part(part) for part in found]
    if len(found) > 1:
        return f"({', '.join(texts)})"
    alone = found[0]
    return f"({texts[0]},)" if isinstance(alone, FieldPart) and alone.again else texts[0]


def _part(part: Part) -> str:
    if isinstance(part, str):
        return quoted(part)
    text = part.field
    match part.form:
        case "padded":
            text = f"padded({text}, {part.width})"
        case "casefold":
            text = f"casefold({text})"
        case "plain":
            pass
    return f"repeated({text})" if part.again else text


def quoted(text: str) -> str:
    """The text as Python has it, in double quotes unless it holds some."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


def docstring(text: str) -> str:
    """The text as a docstring, which nothing in it can end."""
    plain = "".join(one if one.isprintable() and one not in '"\\' else "?" for one in text)
    return f'"""{plain}"""'


def comment(text: str) -> str:
    """Lines that begin with `#`, none too long."""
    lines, line = list[str](), "#"
    for word in "".join(one if one.isprintable() else " " for one in text).split():
        if len(line) + len(word) >= WIDTH and line != "#":
            lines.append(line)
            line = "#"
        line += f" {word}"
    return "".join(f"{one}\n" for one in [*lines, line])
