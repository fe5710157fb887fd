"""Write a designed entity as source: the class, its patterns and its tests, in the app's files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from singletable.errors import DeclarationError
from singletable.migration.schema_diff.old_declaration import STANDARD_NAMES
from singletable.schema.source import (
    docstring,
    format_call,
    format_key,
    quoted,
    render_index,
)
from singletable_design.cli.new.app_modules import AppModules
from singletable_design.cli.new.entity_design import EntityDesign, NewKey, words_of
from singletable_design.cli.new.entity_patterns import NewPattern
from singletable_design.cli.new.entity_tests import render_tests
from singletable_design.cli.new.source_edits import CannotEdit, Group, ModuleSource
from singletable_design.introspection.names import plural, snake_case, unused_name


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file to write. A new file has no `before`; `module` is its name in imports."""

    path: Path
    before: str | None
    after: str
    module: str | None = None


def plan_changes(
    app: AppModules, design: EntityDesign, patterns: Sequence[NewPattern]
) -> list[FileChange]:
    """Return the files to write; raise CannotEdit if one cannot be edited safely."""
    sources = app.sources()
    entities, catalog = sources[app.entities.__name__], sources[app.catalog_at.module_name]
    table = _variable_in(vars(app.entities), app.table) or app.table_at.variable
    if table not in vars(app.entities):
        entities.add_import(app.table_at.module_name, [table])
    index_name = ""
    if design.new_index is not None:
        index_name = _add_index(app, design, sources[app.table_at.module_name])
        entities.add_import(app.table_at.module_name, [index_name])
    elif design.index_key is not None:
        index_name = _index_variable(app, design.index_key, entities)
    text = render_entity(design, table, index_name, entities.width)
    _check_free(vars(app.entities), design.name, entities)
    for module, names in _imports(text).items():
        _add_imports(vars(app.entities), module, names, entities)
    entities.insert_class(text, [one.__name__ for one in app.table.entities])
    _add_patterns(app, design, patterns, catalog)
    changes = [
        FileChange(one.path, one.before, one.after, one.name)
        for one in sources.values()
        if one.after != one.before
    ]
    used = {app.entities.__name__: {design.name}}
    for module, names in (
        (app.table_at.module_name, {app.table_at.variable}),
        (app.catalog_at.module_name, {one.variable for one in patterns}),
    ):
        used[module] = used.get(module, set()) | names
    tests = render_tests(design, patterns, app.table_at.variable, used, entities.width)
    return [*changes, FileChange(_test_path(app, design), None, tests)]


def _test_path(app: AppModules, design: EntityDesign) -> Path:
    """Return the path of the test file: in `tests` if there is such a folder."""
    root = app.root.parent if app.root.name == "src" else app.root
    folder = root / "tests" if (root / "tests").is_dir() else root
    path = folder / f"test_{snake_case(design.name)}.py"
    if path.exists():
        raise DeclarationError(
            f"'{path}' already exists and is not overwritten. Move it, or choose another name for "
            "the entity."
        )
    return path


def _add_index(app: AppModules, design: EntityDesign, source: ModuleSource) -> str:
    """Declare the new index before the table, add it to the table, and return its variable."""
    assert design.new_index is not None
    name = unused_name(snake_case(design.new_index.name), vars(app.table_at.module))
    call = source.find_call(app.table_at.variable)
    source.insert_before(call, f"{render_index(design.new_index, name, source.width)}\n")
    source.add_member(call, "indexes", "[]", name)
    types = {"N": "Number", "B": "Binary"}
    keys = [*design.new_index.pk, *design.new_index.sk]
    names = {"Index", *(types[one.type] for one in keys if one.type in types)}
    _add_imports(vars(app.table_at.module), "singletable", names, source)
    return name


def _index_variable(app: AppModules, key: NewKey, entities: ModuleSource) -> str:
    """Return the name of an existing index in the module of the entities."""
    for module in (app.entities, app.table_at.module):
        name = _variable_in(vars(module), key.index)
        if name is not None:
            entities.add_import(module.__name__, [name])
            return name
    assert key.index is not None
    raise CannotEdit(
        f"The index {key.index.name!r} of the table {app.table.name!r} is in no variable of "
        f"{app.table_at.module_name}, so an entity cannot refer to it. Assign it to one."
    )


def _variable_in(values: Mapping[str, object], wanted: object) -> str | None:
    return next((name for name, value in values.items() if value is wanted), None)


def _check_free(values: Mapping[str, object], name: str, source: ModuleSource) -> None:
    if name in values:
        raise DeclarationError(f"{source.name} has the name {name} already. Choose another one.")


def _add_imports(
    values: Mapping[str, object], module: str, names: Iterable[str], source: ModuleSource
) -> None:
    """Import the names that the module lacks; raise if it uses one for something else."""
    for name in names:
        if name not in values:
            source.add_import(module, [name])
        elif values[name] is not getattr(import_module(module), name):
            raise CannotEdit(
                f"{source.name} uses the name {name} for something else than {module}.{name}."
            )


# The entity


def render_entity(design: EntityDesign, table: str, index: str, width: int) -> str:
    """Render the class: docstring, fields and keys."""
    arguments = ["Entity", f"table={table}"]
    if design.tag is not None:
        arguments.append(f"type_tag=({', '.join(map(quoted, design.tag))})")
    lines = [
        format_call(f"class {design.name}(", arguments, "):", width=width),
        f"    {docstring(f'{design.summary}.')}",
        "",
    ]
    for one in design.fields:
        begin, options = one.declare()
        lines.append(format_call(begin, options, indent=4, width=width))
    lines += ["", _render_key(design.key, "", width)]
    if design.index_key is not None:
        lines.append(_render_key(design.index_key, index, width))
    return "\n".join(lines) + "\n"


def _render_key(key: NewKey, index: str, width: int) -> str:
    arguments = [f"pk={_tuple(key.pk)}"]
    if key.sk is not None:
        arguments.append(f"sk={_tuple(key.sk)}")
    return format_key(key.name, arguments, [index] if index else [], width)


def _tuple(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _imports(text: str) -> dict[str, set[str]]:
    """Return the names that a rendered class needs, by module."""
    code = re.sub(r'"[^"\n]*"', "", text)
    called = set(re.findall(r"= (\w+)\(|\b(\w+)\(", code))
    ours = {"Attr"} | {one or other for one, other in called}
    ours &= {
        "Attr", "Key", "attr", "casefold", "concat", "created", "descending", "expires", "ordered",
        "padded", "repeated", "updated", "version",
    }  # fmt: skip
    ours |= {"Entity", *re.findall(r"\bTimeFormat\b", code)}
    types = set(re.findall(r"\w+", " ".join(re.findall(r"Attr\[(.*)\] =", code))))
    standard = {
        module: names & types
        for module, known in STANDARD_NAMES.items()
        if (names := set(known)) & types
    }
    return {"singletable": ours, **standard}


# The patterns


def _add_patterns(
    app: AppModules, design: EntityDesign, patterns: Sequence[NewPattern], source: ModuleSource
) -> None:
    variable = app.catalog_at.variable
    text = render_patterns(design, patterns, variable, source.width)
    source.insert_before_method_call(variable, "check", text)
    source.add_import(app.entities.__name__, [design.name])
    names = set(re.findall(r"\b(creates|updates|deletes|per_\w+)\(", text))
    _add_imports(vars(app.catalog_at.module), "singletable", names, source)
    call = source.find_call(variable)
    source.add_member(call, "sizes", "{}", f"{design.name}: {number_text(design.size)}")
    if design.items is not None:
        source.add_member(call, "counts", "{}", f"{design.name}: {number_text(design.items)}")


def render_patterns(
    design: EntityDesign, patterns: Sequence[NewPattern], catalog: str, width: int
) -> str:
    """Render the patterns, each as the value of a variable."""
    blocks = [f"# {plural(words_of(design.name)).capitalize()}\n"]
    for one in patterns:
        method = "read" if one.is_read else "write"
        members: list[Group | str] = [
            quoted(one.code),
            quoted(one.description),
            _access(one.access),
        ]
        if one.items != 1:
            members.append(f"items={one.items}")
        if one.rate is not None:
            members.append(f"rate=per_{one.rate.period}({number_text(one.rate.calls)})")
        blocks.append(
            Group(f"{one.variable} = {catalog}.{method}(", members, ")").render(0, width) + "\n"
        )
    return "".join(blocks)


def _access(text: str) -> Group | str:
    """Return an access as a group that can be wrapped, if it is a call."""
    name, bracket, inner = text.partition("(")
    return Group(f"{name}(", [*inner.removesuffix(")").split(", ")], ")") if bracket else text


def number_text(number: float) -> str:
    """Return a number as source: 1000 as 1_000."""
    return f"{int(number):_}" if number == int(number) else repr(number)
