"""Signatures of functions and classes for readers: without self, and one for all overloads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import is_typeddict

import singletable
from tools.reference.definitions import Definition, Function, find, is_overload
from tools.reference.pages import NOT_INSTANTIATED

WIDTH = 92
# Types that say nothing, and the length from which a union says too much.
_OMITTED_TYPES = ("Any", "object")
_LONGEST_UNION = 40

_VALUE_BASES = ("Operation", "Shape", "Struct")
_BUILT_IN_ERRORS = ("Exception", "UserWarning", "ValueError")


def function_signature(
    where: Definition,
    node: Function,
    name: str,
    *,
    method: bool = False,
    overloads: Sequence[Function] = (),
) -> str:
    """Return the signature of a function; types that it omits come from its overloads."""
    parameters = list(_parameters(where, node, overloads))
    if method:
        parameters = parameters[1:]  # self, or cls
        if parameters[:1] == ["/"]:
            parameters = parameters[1:]
    returns = _type(where, node.returns) or _common_type(where, [one.returns for one in overloads])
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    if any(decorator.endswith("contextmanager") for decorator in decorators):
        keyword = "async with" if isinstance(node, ast.AsyncFunctionDef) else "with"
        inner = returns.partition("[")[2].removesuffix("]")
        return _format_call(f"{keyword} {name}", parameters, f" as {inner}")
    keyword = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    if returns.startswith(("AsyncIterator", "AsyncGenerator")):
        keyword = ""
    return _format_call(f"{keyword}{name}", parameters, f" -> {returns}" if returns else "")


def class_signature(where: Definition, node: ast.ClassDef) -> str:
    """Return how to create an instance or a subclass, or the bare class if users do neither."""
    methods = [member for member in node.body if isinstance(member, Function)]
    bases = [ast.unparse(base) for base in node.bases]
    for method in methods:
        if method.name == "__init_subclass__" and not is_error(where):
            keywords = list(_parameters(where, method, ()))[1:]
            return _format_call("class Yours", [f"{where.name}{_type_variables(bases)}", *keywords])
    is_dict = is_typeddict(getattr(import_module(where.module), where.name))
    if is_dict or any(base.endswith("Enum") for base in bases):
        lines = [f"    {line}" for line in _class_body(where, node)]
        return "\n".join([f"class {where.name}({bases[0]}):", *lines])
    if where.name in NOT_INSTANTIATED or "Protocol" in bases or is_error(where):
        return f"class {where.name}{_type_parameters(bases)}"
    for name in ("__init__", "__new__"):
        constructors = [method for method in methods if method.name == name]
        if constructors:
            overloads = [method for method in constructors if is_overload(method)]
            call = function_signature(
                where, constructors[-1], where.name, method=True, overloads=overloads
            )
            return call.rpartition(")")[0] + ")"
    if list(_fields(where, node)) or any(base.startswith(_VALUE_BASES) for base in bases):
        fields = [field for field in _fields(where, node) if not field.startswith("raw_")]
        return _format_call(where.name, fields)
    return f"class {where.name}{_type_parameters(bases)}"


def is_error(where: Definition) -> bool:
    """Return whether the class is an exception or a warning."""
    bases = [ast.unparse(base) for base in getattr(where.node, "bases", [])]
    if any(base in _BUILT_IN_ERRORS for base in bases):
        return True
    definitions = (find(where.module, base) for base in bases)
    return any(is_error(base) for base in definitions if base is not None)


def _type_parameters(bases: list[str]) -> str:
    """Return the type parameters and the public bases, in Python 3.12 syntax."""
    public = [
        base
        for base in bases
        if base in _BUILT_IN_ERRORS or re.split(r"\W", base)[0] in singletable.__all__
    ]
    return _type_variables(bases) + (f"({', '.join(public)})" if public else "")


def _type_variables(bases: list[str]) -> str:
    """Return the type variables of Generic, or else of all bases."""
    generic = [base for base in bases if base.startswith("Generic[")] or bases
    names = re.findall(r"(?<![\w.])\*?[A-Z](?:_co)?(?![\w.])", " ".join(generic))
    return f"[{', '.join(dict.fromkeys(names))}]" if names else ""


def _class_body(where: Definition, node: ast.ClassDef) -> Iterator[str]:
    yield from _fields(where, node)
    for statement in node.body:
        if isinstance(statement, ast.Assign):
            yield f"{ast.unparse(statement.targets[0])} = {where.source(statement.value)}"


def _fields(where: Definition, node: ast.ClassDef) -> Iterator[str]:
    """Iterate over the public fields of a class, each with its type and default."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            text = f"{statement.target.id}: {where.source(statement.annotation)}"
            if statement.target.id.startswith("_") or "ClassVar" in text:
                continue
            value = statement.value
            yield text if value is None else f"{text} = {_default(where, value)}"


def _format_call(name: str, parameters: Sequence[str], suffix: str = "") -> str:
    """Format a call on one line if it fits, else with one line per parameter."""
    line = f"{name}({', '.join(parameters)}){suffix}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {parameter}," for parameter in parameters), f"){suffix}"])


def _parameters(where: Definition, node: Function, overloads: Sequence[Function]) -> Iterator[str]:
    arguments = node.args

    def text(argument: ast.arg, default: ast.expr | None = None) -> str:
        kind = _type(where, argument.annotation) or _type_in_overloads(
            where, argument.arg, overloads
        )
        declared = f"{argument.arg}: {kind}" if kind else argument.arg
        if default is None:
            return declared
        return f"{declared}{' = ' if kind else '='}{_default(where, default)}"

    positional = [*arguments.posonlyargs, *arguments.args]
    required: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults = [*required, *arguments.defaults]
    for index, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
        yield text(argument, default)
        if arguments.posonlyargs and index == len(arguments.posonlyargs) - 1:
            yield "/"
    if arguments.vararg is not None:
        yield f"*{text(arguments.vararg)}"
    elif arguments.kwonlyargs:
        yield "*"
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        # Only type checkers need it: it has one possible value.
        if _type(where, argument.annotation) != "Literal[False]":
            yield text(argument, default)
    if arguments.kwarg is not None:
        yield f"**{text(arguments.kwarg)}"


def _type(where: Definition, annotation: ast.expr | None) -> str:
    text = "" if annotation is None else where.source(annotation).strip("\"'")
    return "" if text in _OMITTED_TYPES else text


def _type_in_overloads(where: Definition, name: str, overloads: Sequence[Function]) -> str:
    """Return the union of a parameter's types in all overloads, or "" if it is too long."""
    kinds: dict[str, None] = {}
    for overload in overloads:
        arguments = overload.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for argument in [*every, *([arguments.vararg] if arguments.vararg else [])]:
            if argument.arg == name:
                kind = _type(where, argument.annotation)
                kinds |= dict.fromkeys([kind] if "[" in kind else kind.split(" | "))
    union = " | ".join(kind for kind in kinds if kind)
    return union if len(union) <= _LONGEST_UNION else ""


def _common_type(where: Definition, returns: Sequence[ast.expr | None]) -> str:
    """Return the return type that all overloads share, or ""."""
    # The overload that returns it only makes type checkers reject a call without arguments.
    kinds = {_type(where, annotation) for annotation in returns} - {"MissingValues"}
    return kinds.pop() if len(kinds) == 1 else ""


def _default(where: Definition, node: ast.expr) -> str:
    """Return a default value; for a dataclass field(), its default or factory call."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "field":
        for keyword in node.keywords:
            if keyword.arg == "default":
                return where.source(keyword.value)
            if keyword.arg == "default_factory":
                return f"{where.source(keyword.value)}()"
    text = where.source(node)
    return "…" if text.startswith("_") or text == "..." else text
