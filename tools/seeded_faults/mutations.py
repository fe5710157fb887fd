"""Faults: small changes to the syntax tree of a function.

A fault is a line of text: path | function | operator and number | source line. The number counts
the places in equal lines of the function, so that a fault stays the same when other lines change.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
# Changes a node of a tree in place.
Change: TypeAlias = Callable[[], None]

PAIRS: list[tuple[type[ast.AST], type[ast.AST]]] = [
    (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot), (ast.And, ast.Or), (ast.Add, ast.Sub),
]  # fmt: skip
OPPOSITES = {one: other for pair in PAIRS for one, other in (pair, pair[::-1])}
CONDITIONS = {"if_", "condition", "where", "check"}
# Functions, calls and arguments that print, log or describe, or that no test could notice.
SKIPPED = {
    "__repr__", "__str__", "_LOG", "_log", "_logger", "assert_never", "cast", "daemon", "echo",
    "help", "lru_cache", "maxsize", "message", "no_wrap", "print", "stacklevel", "strict", "warn",
}  # fmt: skip


def seed(fault: str, source: str) -> ast.Module:
    """Return the syntax tree of the module with the fault in it."""
    tree = ast.parse(source)
    for found, change in faults(fault.partition(" | ")[0], source, tree):
        if found == fault:
            change()
            return tree
    raise LookupError(f"The sources have no place for this fault: {fault}")


def faults(path: str, source: str, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    """Yield every possible fault of a module, and the change to `tree` that makes it."""
    lines = source.splitlines()
    numbers: Counter[tuple[str, str, str]] = Counter()
    for name, function in functions(tree):
        for operator, line_number, change in _changes(function):
            line = lines[line_number - 1].strip()
            yield f"{path} | {name} | {operator} {numbers[name, operator, line]} | {line}", change
            numbers[name, operator, line] += 1


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield the functions and methods of a module; nested functions belong to the outer one."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield prefix + node.name, node
        elif isinstance(node, ast.stmt):
            inner = f"{prefix}{node.name}." if isinstance(node, ast.ClassDef) else prefix
            yield from functions(node, inner)


def _changes(node: ast.AST) -> Iterator[tuple[str, int, Change]]:
    if _is_skipped(node):
        return
    if isinstance(node, ast.stmt | ast.expr):
        for operator, change in _changes_of_node(node):
            yield operator, node.lineno, change
    for child in node.body if isinstance(node, Function) else ast.iter_child_nodes(node):
        yield from _changes(child)


def _is_skipped(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.Assert() | ast.JoinedStr() | ast.ClassDef():
            return True
        case ast.FunctionDef(name=name) | ast.keyword(arg=name) | ast.Call(func=ast.Name(id=name)):
            return name in SKIPPED
        case ast.Call(func=ast.Attribute(value=value, attr=name)):
            return name in SKIPPED or getattr(value, "id", "") in SKIPPED
        case ast.Expr(value=ast.Call() as call):
            return _is_skipped(call)
    return False


def _changes_of_node(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """Yield the operators that apply to this node itself."""
    match node:
        case ast.Compare(ops=[operator]):
            yield "comparison", lambda: setattr(node, "ops", [OPPOSITES[type(operator)]()])
        case ast.BoolOp(op=either):
            yield "and-or", lambda: setattr(node, "op", OPPOSITES[type(either)]())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", lambda: setattr(node, "operand", ast.UnaryOp(ast.Not(), operand))
        case ast.Constant(value=bool(value)):
            yield "boolean", lambda: setattr(node, "value", not value)
        case ast.Constant(value=int(number)) if number < 1000:  # larger ones are seldom exact
            yield "integer", lambda: setattr(node, "value", number + 1)
        case ast.BinOp(op=ast.Add() | ast.Sub() as sign) if not _is_joined(node):
            yield "arithmetic", lambda: setattr(node, "op", OPPOSITES[type(sign)]())
        case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())):
            yield "call", lambda: setattr(node, "value", ast.Constant(None))
        case ast.If(test=test, body=[*_, ast.Raise()], orelse=[]):
            never = ast.BoolOp(ast.And(), [test, ast.Constant(False)])
            yield "guard", lambda: setattr(node, "test", never)
        case ast.If(body=[*_, ast.Continue() | ast.Break() | ast.Return()] as body, orelse=[]):
            yield "exit", lambda: body.__setitem__(-1, ast.Pass())
        case ast.Call(keywords=keywords) if any(one.arg in CONDITIONS for one in keywords):
            kept = [one for one in keywords if one.arg not in CONDITIONS]
            yield "condition", lambda: setattr(node, "keywords", kept)


def _is_joined(sum_: ast.BinOp) -> bool:
    parts = (sum_.left, sum_.right)
    is_text = any(isinstance(getattr(part, "value", None), str | bytes) for part in parts)
    return is_text or any(isinstance(part, ast.JoinedStr | ast.List | ast.Tuple) for part in parts)
