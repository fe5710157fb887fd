"""How an instance of a class comes about: by a call, by a subclass, or by others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import singletable
from tools.reference.pages import GIVEN
from tools.reference.signature import fields_of, of_fields, of_function, parameters_of, written
from tools.reference.source import Definition, Function, find, is_overload

_VALUES = ("Operation", "Shape", "Struct")
_BUILT_IN = ("Exception", "UserWarning", "ValueError")


def made(where: Definition, node: ast.ClassDef) -> str:
    """What one writes to have one."""
    methods = [one for one in node.body if isinstance(one, Function)]
    bases = [ast.unparse(base) for base in node.bases]
    for one in methods:
        if one.name == "__init_subclass__":
            words = parameters_of(where, one)[1:]
            return written("class Yours", [f"{where.name}{_own(bases)}", *words])
    if "TypedDict" in bases or any(base.endswith("Enum") for base in bases):
        lines = [f"    {line}" for line in _body(where, node)]
        return "\n".join([f"class {where.name}({bases[0]}):", *lines])
    if where.name in GIVEN or "Protocol" in bases or is_error(where):
        return f"class {where.name}{_parameters(bases)}"
    for name in ("__init__", "__new__"):
        several = [one for one in methods if one.name == name]
        if several:
            overloads = [one for one in several if is_overload(one)]
            call = of_function(where, several[-1], where.name, method=True, overloads=overloads)
            return call.rpartition(")")[0] + ")"
    if list(fields_of(where, node)) or any(base.startswith(_VALUES) for base in bases):
        return of_fields(where, node)
    return f"class {where.name}{_parameters(bases)}"


def is_error(where: Definition) -> bool:
    """Whether it is raised, or warned with."""
    bases = [ast.unparse(base) for base in getattr(where.node, "bases", [])]
    if any(base in _BUILT_IN for base in bases):
        return True
    found = (find(where.module, base) for base in bases)
    return any(is_error(base) for base in found if base is not None)


def _parameters(bases: list[str]) -> str:
    """The parameters and the public bases of a class, as Python writes them today."""
    known = [
        base
        for base in bases
        if base in _BUILT_IN or re.split(r"\W", base)[0] in singletable.__all__
    ]
    return _own(bases) + (f"({', '.join(known)})" if known else "")


def _own(bases: list[str]) -> str:
    """The type parameters of a class: those of Generic, or all that its bases speak of."""
    generic = [base for base in bases if base.startswith("Generic[")] or bases
    names = re.findall(r"(?<![\w.])\*?[A-Z](?:_co)?(?![\w.])", " ".join(generic))
    return f"[{', '.join(dict.fromkeys(names))}]" if names else ""


def _body(where: Definition, node: ast.ClassDef) -> Iterator[str]:
    yield from fields_of(where, node)
    for one in node.body:
        if isinstance(one, ast.Assign):
            yield f"{ast.unparse(one.targets[0])} = {where.said(one.value)}"
