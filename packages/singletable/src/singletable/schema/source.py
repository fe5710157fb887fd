"""Write declarations as Python source, wrapped as ruff and black would wrap it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from singletable.schema.table import Index, KeyAttribute, Table

# The default line length of ruff and black.
WIDTH = 88


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


def format_key(name: str, arguments: Sequence[str], on: Sequence[str] = ()) -> str:
    """Format the key of an entity, in a class: `name = Key(…)`, or `name = Key(…).on(…)`."""
    begin = f"{name} = Key("
    if not on:
        return format_call(begin, arguments, indent=4)
    whole = f"{begin}{', '.join(arguments)}).on("
    # Formatters wrap the last call if everything before it fits on a line.
    if len(whole) + 4 <= WIDTH:
        return format_call(whole, on, indent=4)
    return format_call(begin, arguments, f").on({', '.join(on)})", indent=4)


def render_imports(code: str, groups: Iterable[Mapping[str, Iterable[str]]]) -> str:
    """Render the imports that the code needs, in groups: names by module."""
    words = set(re.findall(r"\w+", re.sub(r'"""(.|\n)*?"""|"[^"\n]*"|#.*', "", code)))
    blocks: list[str] = []
    for modules in groups:
        lines = [
            _render_import(module, words & set(names))
            for module, names in sorted(modules.items())
            if words & set(names)
        ]
        blocks += ["\n".join(lines)] if lines else []
    return "\n\n".join(blocks) + "\n"


def _render_import(module: str, names: Iterable[str]) -> str:
    """Render one import with sorted names; each is on a line of its own if they do not fit."""
    ordered = sorted(names, key=_import_order)
    line = f"from {module} import {', '.join(ordered)}"
    if len(line) <= WIDTH:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in ordered) + ")"


def _import_order(name: str) -> tuple[bool, bool, str, str]:
    """Sort constants before classes, and classes before functions, as isort does.

    Case does not matter among them: ImportedPerson comes before ImportPart.
    """
    is_constant = name.isupper() and len(name) > 1
    return not is_constant, not name[0].isupper(), name.casefold(), name


def render_table(table: Table, name: str, indexes: dict[str, str]) -> str:
    """Render the table, preceded by its indexes."""
    lines = [render_index(index, indexes[index.name]) for index in table.indexes]
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


def render_index(index: Index, name: str) -> str:
    """Render an index as the value of a variable."""
    arguments = [quoted(index.name)]
    if not index.local:
        arguments.append(f"pk={_attributes(index.pk)}")
    if index.sk:
        arguments.append(f"sk={_attributes(index.sk)}")
    if index.projection == "KEYS_ONLY":
        arguments.append('projection="KEYS_ONLY"')
    elif index.projection != "ALL":
        arguments.append(f"projection=[{', '.join(map(quoted, index.projection))}]")
    begin = f"{name} = {'LocalIndex' if index.local else 'Index'}("
    return format_call(begin, arguments)


def _attributes(attributes: Sequence[KeyAttribute]) -> str:
    if len(attributes) == 1:
        return _attribute(attributes[0])
    return f"({', '.join(map(_attribute, attributes))})"


def _attribute(attribute: KeyAttribute) -> str:
    wrap = {"S": "", "N": "Number", "B": "Binary"}[attribute.type]
    return f"{wrap}({quoted(attribute.name)})" if wrap else quoted(attribute.name)


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
