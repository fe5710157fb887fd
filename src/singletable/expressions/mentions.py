"""What an expression mentions: the paths it looks at, and those it changes."""

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


def condition_paths(condition: Condition) -> tuple[Path, ...]:
    """Every path that the condition looks at, in the order of the text."""
    paths = [
        path
        for clause in clauses(condition)
        for operand in operands(clause)
        if (path := _path_of(operand)) is not None
    ]
    return tuple(paths)


def count_operators(condition: Condition) -> int:
    """How many operators and functions the condition has; DynamoDB takes 300."""
    count, waiting = 0, [condition]
    while waiting:
        part = waiting.pop()
        count += 1
        match part:
            case And(left, right) | Or(left, right):
                waiting += (left, right)
            case Not(inner):
                waiting.append(inner)
            case _:
                count += sum(isinstance(operand, SizeOf) for operand in operands(part))
    return count


def clauses(condition: Condition) -> Iterator[Condition]:
    """The comparisons and tests of which the condition is made, from left to right."""
    waiting = [condition]
    while waiting:
        part = waiting.pop()
        match part:
            case And(left, right) | Or(left, right):
                waiting += (right, left)
            case Not(inner):
                waiting.append(inner)
            case _:
                yield part


def operands(clause: Condition) -> tuple[Operand, ...]:
    """The operands of one comparison or test."""
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
    """The attributes that the update changes, or something inside of them."""
    return tuple(dict.fromkeys(str(action.path[0]) for action in update))


def update_paths(update: Update) -> tuple[Path, ...]:
    """Every path that the update changes or looks at, in the order of the text."""
    paths: list[Path] = []
    for action in update:
        paths.append(action.path)
        if isinstance(action, Set):
            _add_paths_in(action.term, paths)
    return tuple(paths)


def _add_paths_in(term: Term, paths: list[Path]) -> None:
    match term:
        case Constant():
            return
        case At(path):
            paths.append(path)
        case IfNotExists(path, otherwise):
            paths.append(path)
            _add_paths_in(otherwise, paths)
        case ListAppend(one, other) | Sum(_, one, other):
            _add_paths_in(one, paths)
            _add_paths_in(other, paths)
        case _:
            assert_never(term)


def creates_item(update: Update) -> bool:
    """Whether the update makes an item where there is none.

    DynamoDB lets REMOVE and DELETE alone pass over an item that is not there, without a trace.
    """
    return any(isinstance(action, Set | Add) for action in update)


def result_type(term: Term) -> str | None:
    """The type that SET will give, as far as it is known without the item."""
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
