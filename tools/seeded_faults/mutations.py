"""Faults: small changes to the syntax tree of a function, found again by their source line."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
# The name of the operator, the changed node, and a function that changes it in place.
Change: TypeAlias = tuple[str, ast.AST, Callable[[], None]]

COMPARISONS: list[tuple[type[ast.cmpop], type[ast.cmpop]]] = [
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
    (ast.Eq, ast.NotEq),
    (ast.In, ast.NotIn),
    (ast.Is, ast.IsNot),
]
OPPOSITES = dict([*COMPARISONS, *((right, left) for left, right in COMPARISONS)])
CONDITIONS = {"if_", "condition", "where"}
# Names and texts for people, and arguments that change nothing a test could see.
UNCHANGED_FUNCTIONS = {"__repr__", "__str__", "__rich__"}
UNCHANGED_CALLS = {"cast", "echo", "lru_cache", "print", "warn", "assert_never"}
UNCHANGED_ARGUMENTS = {"strict", "stacklevel", "daemon", "message", "help", "maxsize"}
LOGGERS = {"log", "logger", "logging", "warnings", "_log", "_logger", "LOG"}


@dataclass(frozen=True)
class Fault:
    """A fault; `number` counts equal lines of the function to which the operator applies."""

    path: str
    function: str
    operator: str
    number: int
    line: str

    def __str__(self) -> str:
        return f"{self.path} | {self.function} | {self.operator} {self.number} | {self.line}"

    @classmethod
    def parse(cls, text: str) -> Fault:
        """Return the fault that a line of the list describes."""
        path, function, place, line = text.split(" | ", 3)
        operator, number = place.split()
        return cls(path, function, operator, int(number), line)


def seed(fault: Fault, source: str) -> ast.Module:
    """Return the syntax tree of the module with the fault in it."""
    tree = ast.parse(source)
    for found, change in faults(fault.path, source, tree):
        if found == fault:
            change()
            return tree
    raise LookupError(f"The sources have no place for this fault: {fault}")


def faults(path: str, source: str, tree: ast.Module) -> Iterator[tuple[Fault, Callable[[], None]]]:
    """Yield every fault of a module, with a function that changes `tree`."""
    lines = source.splitlines()
    seen: Counter[Fault] = Counter()
    for name, function in functions(tree):
        if function.name in UNCHANGED_FUNCTIONS:
            continue
        for operator, node, change in _changes(function):
            fault = Fault(path, name, operator, 0, lines[_line_number(node) - 1].strip())
            yield Fault(path, name, operator, seen[fault], fault.line), change
            seen[fault] += 1


def functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield the functions and methods of a module; nested functions belong to the outer one."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{prefix}{node.name}.")
        elif isinstance(node, ast.stmt):
            yield from functions(node, prefix)


def _line_number(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def _changes(node: ast.AST) -> Iterator[Change]:
    if _is_unchanged(node):
        return
    for operator, change in _changes_of_node(node):
        yield operator, node, change
    for child in _children(node):
        yield from _changes(child)


def _children(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, Function):
        return list(node.body)
    if isinstance(node, ast.AnnAssign):
        return [node.value] if node.value else []
    return list(ast.iter_child_nodes(node))


def _is_unchanged(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.Assert() | ast.JoinedStr() | ast.ClassDef():
            return True
        case ast.keyword(arg=name):
            return name in UNCHANGED_ARGUMENTS
        case ast.Call(func=ast.Name(id=name)):
            return name in UNCHANGED_CALLS
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name)):
            return owner in LOGGERS or name in UNCHANGED_CALLS
        case ast.Expr(value=ast.Call() as call):
            return _is_unchanged(call)
    return False


def _changes_of_node(node: ast.AST) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the operators that apply to this node; each changes the node in place."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in OPPOSITES:
            yield "comparison", lambda: setattr(node, "ops", [OPPOSITES[type(operator)]()])
        case ast.BoolOp(op=ast.And()):
            yield "and-or", lambda: setattr(node, "op", ast.Or())
        case ast.BoolOp(op=ast.Or()):
            yield "and-or", lambda: setattr(node, "op", ast.And())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", lambda: setattr(node, "operand", ast.UnaryOp(ast.Not(), operand))
        case ast.Constant(value=bool(value)):
            yield "boolean", lambda: setattr(node, "value", not value)
        # One more or less of a large number is seldom a fault.
        case ast.Constant(value=int(number)) if number < 1000:
            yield "integer", lambda: setattr(node, "value", number + 1)
        case ast.BinOp(op=ast.Add(), left=left, right=right) if (
            not {type(left), type(right)} & {ast.JoinedStr, ast.List, ast.Tuple}
            and not _is_text(left)
            and not _is_text(right)
        ):
            yield "arithmetic", lambda: setattr(node, "op", ast.Sub())
        case ast.BinOp(op=ast.Sub()):
            yield "arithmetic", lambda: setattr(node, "op", ast.Add())
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


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
