"""Static analysis of expressions: the paths they read and change, operators, result types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from singletable.expressions.nodes import (
    Add,
    And,
    At,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Constant,
    Contains,
    Exists,
    HasType,
    IfNotExists,
    In,
    ListAppend,
    Not,
    NotExists,
    Operand,
    Or,
    Path,
    Set,
    SizeOf,
    Sum,
    Term,
    Update,
)
from singletable.values import type_of

__all__ = [
    "condition_paths",
    "count_operators",
    "creates_item",
    "result_type",
    "target_attributes",
    "update_paths",
]


def condition_paths(condition: Condition) -> tuple[Path, ...]:
    """Return every path that the condition reads, in the order of the text."""
    paths = [
        path
        for clause in clauses(condition)
        for operand in operands(clause)
        if (path := _path_of(operand)) is not None
    ]
    return tuple(paths)


def count_operators(condition: Condition) -> int:
    """Return the number of operators and functions, which DynamoDB limits to 300."""
    count, pending = 0, [condition]
    while pending:
        part = pending.pop()
        count += 1
        match part:
            case And(left, right) | Or(left, right):
                pending += (left, right)
            case Not(inner):
                pending.append(inner)
            case _:
                count += sum(isinstance(operand, SizeOf) for operand in operands(part))
    return count


def clauses(condition: Condition) -> Iterator[Condition]:
    """Iterate over the comparisons and tests of the condition, from left to right."""
    pending = [condition]
    while pending:
        part = pending.pop()
        match part:
            case And(left, right) | Or(left, right):
                pending += (right, left)
            case Not(inner):
                pending.append(inner)
            case _:
                yield part


def operands(clause: Condition) -> tuple[Operand, ...]:
    """Return the operands of one comparison or test."""
    match clause:
        case Compare(_, left, right):
            return (left, right)
        case Between(operand, low, high):
            return (operand, low, high)
        case In(operand, options):
            return (operand, *options)
        case Exists(path) | NotExists(path):
            return (At(path),)
        case HasType(operand, _):
            return (operand,)
        case BeginsWith(operand, other) | Contains(operand, other):
            return (operand, other)
        case And() | Or() | Not():
            return ()
        case _:
            assert_never(clause)


def _path_of(operand: Operand) -> Path | None:
    return None if isinstance(operand, Constant) else operand.path


def target_attributes(update: Update) -> tuple[str, ...]:
    """Return the attributes that the update changes, as a whole or in part."""
    return tuple(dict.fromkeys(str(action.path[0]) for action in update))


def update_paths(update: Update) -> tuple[Path, ...]:
    """Return every path that the update changes or reads, in the order of the text."""
    paths: list[Path] = []
    for action in update:
        paths.append(action.path)
        if isinstance(action, Set):
            _collect_paths(action.term, paths)
    return tuple(paths)


def _collect_paths(term: Term, paths: list[Path]) -> None:
    match term:
        case Constant():
            return
        case At(path):
            paths.append(path)
        case IfNotExists(path, otherwise):
            paths.append(path)
            _collect_paths(otherwise, paths)
        case ListAppend(left, right) | Sum(_, left, right):
            _collect_paths(left, paths)
            _collect_paths(right, paths)
        case _:
            assert_never(term)


def creates_item(update: Update) -> bool:
    """Return whether the update creates a missing item; REMOVE and DELETE alone do not."""
    return any(isinstance(action, Set | Add) for action in update)


def result_type(term: Term) -> str | None:
    """Return the type of the term's value, or None if it depends on the item."""
    match term:
        case At():
            return None
        case Constant(value):
            return type_of(value)
        case IfNotExists(_, otherwise):
            return result_type(otherwise)
        case ListAppend():
            return "L"
        case Sum():
            return "N"
        case _:
            assert_never(term)
