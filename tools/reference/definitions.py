"""Find definitions by parsing the sources, without importing them.

An annotation is shown as it is written. A name in it is resolved as Python does: in the module
itself, or in the module it is imported from.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TypeAlias

SOURCES = sorted((Path(__file__).resolve().parents[2] / "packages").glob("*/src"))

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Node: TypeAlias = ast.ClassDef | Function | ast.AnnAssign


@dataclass(frozen=True, slots=True)
class Definition:
    """A name with the module and the node that define it."""

    module: str
    name: str
    node: Node

    @property
    def docstring(self) -> str:
        """The docstring, or ""."""
        if isinstance(self.node, ast.AnnAssign):
            return ""
        return ast.get_docstring(self.node) or ""

    def source(self, node: ast.expr) -> str:
        """Return the source of an expression on one line, without names of modules."""
        line = " ".join(_segment(self.module, node).split()).replace("( ", "(").replace("[ ", "[")
        line = re.sub(r"\b(?:ex|ops)\.", "", line)
        for closing in (")", "]"):
            line = line.replace(f", {closing}", closing).replace(f" {closing}", closing)
        return line

    def comment_above(self, line: int) -> str:
        """Return the comment directly above a line, or ""."""
        lines = _text(self.module).splitlines()[: line - 1]
        comment = takewhile(lambda text: text.startswith("#"), map(str.strip, reversed(lines)))
        return " ".join(text.removeprefix("# ") for text in reversed(list(comment)))


def find(module: str, name: str) -> Definition | None:
    """Return the definition of a name in a module, or None if it is not in singletable."""
    definition: Definition | None = None
    for node in _statements(_tree(module).body):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() if node.name == name:
                definition = Definition(module, name, node)  # the last one: overloads precede it
            case ast.AnnAssign(target=ast.Name(id=target)) if target == name:
                return Definition(module, name, node)
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Name(id=other)) if (
                target == name
            ):
                return find(module, other)  # another name of a class
            case ast.ImportFrom(module=str(origin), names=names):
                for alias in names:
                    if (alias.asname or alias.name) == name and origin.startswith(
                        ("singletable", "dynamodb_engine")
                    ):
                        return find(origin, alias.name)
                    if alias.name == "*" and name in exported(origin):
                        return find(origin, name)
            case _:
                pass
    return definition


def exported(module: str) -> list[str]:
    """Return the names in a module's `__all__`, and those that a package imports for others."""
    names: list[str] = []
    is_package = any(one.joinpath(*module.split(".")).is_dir() for one in SOURCES)
    for node in _statements(_tree(module).body):
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                names += ast.literal_eval(node.value)
            case ast.ImportFrom(module=str(origin), names=[ast.alias(name="*")]):
                names += exported(origin)
            case ast.ImportFrom(names=imported) if is_package:
                names += [one.name for one in imported if one.name == one.asname]
            case _:
                pass
    return names


def first_line(module: str) -> str:
    """Return the first line of a module's docstring."""
    return (ast.get_docstring(_tree(module)) or "").partition("\n")[0]


def functions(module: str) -> list[Function]:
    """Return the functions of a module, including overloads."""
    return [node for node in _tree(module).body if isinstance(node, Function)]


def is_overload(node: Function) -> bool:
    """Return whether the function is decorated with @overload."""
    return any(isinstance(by, ast.Name) and by.id == "overload" for by in node.decorator_list)


def _statements(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from node.body


def _segment(module: str, node: ast.expr) -> str:
    """Return the source of an expression, as `ast.get_source_segment` does without splitting."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    lines = _lines(module)[first : last + 1]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return b"\n".join(lines).decode()


@cache
def _lines(module: str) -> list[bytes]:
    return _text(module).encode().split(b"\n")  # columns of nodes count bytes


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_text(module))


@cache
def _text(module: str) -> str:
    (source,) = (one for one in SOURCES if (one / module.partition(".")[0]).is_dir())
    path = source.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.read_text()
