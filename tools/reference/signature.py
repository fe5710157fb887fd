"""Signatures as one reads them: without self, and one for all overloads."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tools.reference.source import Definition, Function

WIDTH = 92
# Types that say nothing, and a type too long to say something.
_UNSAID = ("Any", "object")
_LONGEST_UNION = 40


def of_function(
    where: Definition,
    node: Function,
    name: str,
    *,
    method: bool = False,
    overloads: Sequence[Function] = (),
) -> str:
    """How a function is called; where its own types say nothing, those of its overloads."""
    parameters = parameters_of(where, node, overloads)
    if method:
        parameters = parameters[1:]  # self, or cls
        if parameters[:1] == ["/"]:
            parameters = parameters[1:]
    returns = _said(where, node.returns) or _agreed(where, [one.returns for one in overloads])
    words = [ast.unparse(by) for by in node.decorator_list]
    if any(word.endswith("contextmanager") for word in words):
        awaited = "async with" if isinstance(node, ast.AsyncFunctionDef) else "with"
        inner = returns.partition("[")[2].removesuffix("]")
        return written(f"{awaited} {name}", parameters, f" as {inner}")
    awaited = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    if returns.startswith(("AsyncIterator", "AsyncGenerator")):
        awaited = ""
    return written(f"{awaited}{name}", parameters, f" -> {returns}" if returns else "")


def of_fields(where: Definition, node: ast.ClassDef) -> str:
    """How a value is made: by its fields, in their order."""
    fields = [field for field in fields_of(where, node) if not field.startswith("raw_")]
    return written(where.name, fields)


def fields_of(where: Definition, node: ast.ClassDef) -> Iterator[str]:
    """The fields of a dataclass, a struct or a typed dictionary, each with type and default."""
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            said = f"{one.target.id}: {where.said(one.annotation)}"
            if one.target.id.startswith("_") or "ClassVar" in said:
                continue
            yield said if one.value is None else f"{said} = {_default(where, one.value)}"


def written(name: str, parameters: Sequence[str], after: str = "") -> str:
    """A call on one line, or on as many as it has parameters."""
    line = f"{name}({', '.join(parameters)}){after}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {one}," for one in parameters), f"){after}"])


def parameters_of(
    where: Definition, node: Function, overloads: Sequence[Function] = ()
) -> list[str]:
    """The parameters of a function, each with type and default."""
    return list(_parameters(where, node, overloads))


def _parameters(where: Definition, node: Function, overloads: Sequence[Function]) -> Iterator[str]:
    given = node.args

    def shown(one: ast.arg, default: ast.expr | None = None) -> str:
        said = _said(where, one.annotation) or _in_overloads(where, one.arg, overloads)
        text = f"{one.arg}: {said}" if said else one.arg
        if default is None:
            return text
        return f"{text}{' = ' if said else '='}{_default(where, default)}"

    positional = [*given.posonlyargs, *given.args]
    none: list[ast.expr | None] = [None] * (len(positional) - len(given.defaults))
    for at, (one, default) in enumerate(zip(positional, [*none, *given.defaults], strict=True)):
        yield shown(one, default)
        if given.posonlyargs and at == len(given.posonlyargs) - 1:
            yield "/"
    if given.vararg is not None:
        yield f"*{shown(given.vararg)}"
    elif given.kwonlyargs:
        yield "*"
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        # A word for type checkers alone: it can be given no other value.
        if _said(where, one.annotation) != "Literal[False]":
            yield shown(one, default)
    if given.kwarg is not None:
        yield f"**{shown(given.kwarg)}"


def _said(where: Definition, annotation: ast.expr | None) -> str:
    said = "" if annotation is None else where.said(annotation).strip("\"'")
    return "" if said in _UNSAID else said


def _in_overloads(where: Definition, name: str, overloads: Sequence[Function]) -> str:
    """The types that a parameter has in some overload or other, if that can be read."""
    found: dict[str, None] = {}
    for one in overloads:
        given = one.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        for argument in [*every, *([given.vararg] if given.vararg else [])]:
            if argument.arg == name:
                said = _said(where, argument.annotation)
                found |= dict.fromkeys([said] if "[" in said else said.split(" | "))
    union = " | ".join(one for one in found if one)
    return union if len(union) <= _LONGEST_UNION else ""


def _agreed(where: Definition, returns: Sequence[ast.expr | None]) -> str:
    """What all overloads give, if they give the same."""
    found = {_said(where, one) for one in returns}
    return found.pop() if len(found) == 1 else ""


def _default(where: Definition, node: ast.expr) -> str:
    """A default as a reader needs it: what a field is filled with, not how it is said."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "field":
        for word in node.keywords:
            if word.arg == "default":
                return where.said(word.value)
            if word.arg == "default_factory":
                return f"{where.said(word.value)}()"
    said = where.said(node)
    return "…" if said.startswith("_") or said == "..." else said
