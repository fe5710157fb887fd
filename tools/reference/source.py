"""Find where a name is defined, by reading the sources: nothing is imported, so nothing is guessed.

An annotation is shown as its author wrote it. What a name in it means is found as Python finds it:
in the module itself, or where the module imports it from.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TypeAlias

SOURCES = Path(__file__).parents[2] / "src"

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Node: TypeAlias = ast.ClassDef | Function | ast.AnnAssign


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a name is defined."""

    module: str
    name: str
    node: Node

    @property
    def text(self) -> str:
        """What its docstring says."""
        if isinstance(self.node, ast.AnnAssign):
            return ""
        return ast.get_docstring(self.node) or ""

    def said(self, node: ast.expr) -> str:
        """A piece of its source, on one line and with no quotes around types."""
        text = ast.get_source_segment(_text(self.module), node) or ""
        line = " ".join(text.split()).replace("( ", "(").replace("[ ", "[")
        for closing in (")", "]"):
            line = line.replace(f", {closing}", closing).replace(f" {closing}", closing)
        return line

    def comment_above(self, line: int) -> str:
        """What a comment right above a line says."""
        lines = _text(self.module).splitlines()[: line - 1]
        told = list(takewhile(lambda one: one.startswith("#"), map(str.strip, reversed(lines))))
        return " ".join(one.removeprefix("# ") for one in reversed(told))


def find(module: str, name: str) -> Definition | None:
    """The definition that a name in a module stands for; None if it is not ours."""
    found: Definition | None = None
    for node in _statements(_tree(module).body):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() if node.name == name:
                found = Definition(module, name, node)  # The last one: overloads come before it.
            case ast.AnnAssign(target=ast.Name(id=target)) if target == name:
                return Definition(module, name, node)
            case ast.ImportFrom(module=str(origin), names=names):
                for one in names:
                    if (one.asname or one.name) == name and origin.startswith("singletable"):
                        return find(origin, one.name)
                    if one.name == "*" and name in exported(origin):
                        return find(origin, name)
            case _:
                pass
    return found


def exported(module: str) -> list[str]:
    """Return the names in a module's `__all__`, and in those of the modules it star-imports."""
    names: list[str] = []
    for node in _tree(module).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                names += ast.literal_eval(node.value)
            case ast.ImportFrom(module=str(origin), names=[ast.alias(name="*")]):
                names += exported(origin)
            case _:
                pass
    return names


def sentence(module: str) -> str:
    """What a module says first about itself."""
    return (ast.get_docstring(_tree(module)) or "").partition("\n")[0]


def functions(module: str) -> list[Function]:
    """The functions of a module, overloads included."""
    return [one for one in _tree(module).body if isinstance(one, Function)]


def is_overload(node: Function) -> bool:
    """Whether it is one of several signatures."""
    return any(isinstance(by, ast.Name) and by.id == "overload" for by in node.decorator_list)


def _statements(body: Iterable[ast.stmt]) -> Iterable[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from node.body


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_text(module))


@cache
def _text(module: str) -> str:
    path = SOURCES.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.read_text()
