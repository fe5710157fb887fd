"""Render specifications as Python source, wrapped as ruff and black would wrap it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from singletable.schema.source import (
    docstring,
    format_call,
    format_key,
    quoted,
    render_comment,
    render_imports,
)
from singletable_design.introspection.field_types import DataclassSpec
from singletable_design.introspection.names import snake_case, unused_name
from singletable_design.introspection.spec import (
    ConcatParts,
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

_STANDARD = {
    "dataclasses": ("dataclass",),
    "datetime": ("date", "datetime"),
    "decimal": ("Decimal",),
    "typing": ("Any",),
    "uuid": ("UUID",),
}
_OURS = (
    "Attr", "Binary", "Entity", "Index", "Key", "LocalIndex", "Number", "Provisioned", "Table",
    "TimeFormat", "Unique", "attr", "casefold", "concat", "expires", "padded", "repeated",
    "version",
)  # fmt: skip


def imports_of(code: str) -> str:
    """Render the sorted imports that the code needs."""
    return render_imports(code, [_STANDARD, {"singletable": _OURS}])


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
    if key.index is None:
        return format_key(key.name, arguments)
    on = [indexes[key.index], *([] if key.when is None else [f"when={_condition(key.when)}"])]
    return format_key(key.name, arguments, on)


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
    if isinstance(parts, ConcatParts):
        return f"concat({', '.join(texts)})"
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
