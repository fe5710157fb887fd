"""Static analysis of expressions: the paths they read and change, operators, result types."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import UnionType
from typing import assert_never

from dynamodb_engine.expressions import nodes
from dynamodb_engine.values import AttributeValue, type_of

__all__ = [
    "condition_paths",
    "conjuncts",
    "count_operators",
    "creates_item",
    "disjuncts",
    "equality",
    "joined",
    "key_clause",
    "result_type",
    "target_attributes",
    "update_paths",
]


SWAPPED: dict[str, nodes.KeyComparator] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def condition_paths(condition: nodes.Condition | None) -> tuple[nodes.Path, ...]:
    """Return every path that the condition reads, in the order of the text."""
    paths = [
        path
        for clause in clauses(condition)
        for operand in operands(clause)
        if (path := _path_of(operand)) is not None
    ]
    return tuple(paths)


def count_operators(condition: nodes.Condition) -> int:
    """Return the number of operators and functions, which DynamoDB limits to 300."""
    count, pending = 0, [condition]
    while pending:
        part = pending.pop()
        count += 1
        match part:
            case nodes.And(left, right) | nodes.Or(left, right):
                pending += (left, right)
            case nodes.Not(inner):
                pending.append(inner)
            case _:
                count += sum(isinstance(operand, nodes.SizeOf) for operand in operands(part))
    return count


def clauses(condition: nodes.Condition | None) -> Iterator[nodes.Condition]:
    """Iterate over the comparisons and tests of the condition, from left to right."""
    pending = [] if condition is None else [condition]
    while pending:
        part = pending.pop()
        match part:
            case nodes.And(left, right) | nodes.Or(left, right):
                pending += (right, left)
            case nodes.Not(inner):
                pending.append(inner)
            case _:
                yield part


def joined(join: UnionType | type, condition: nodes.Condition | None) -> Iterator[nodes.Condition]:
    """Iterate over the conditions that AND or OR joins, from left to right."""
    pending = [] if condition is None else [condition]
    while pending:
        part = pending.pop()
        if isinstance(part, nodes.And | nodes.Or) and isinstance(part, join):
            pending += (part.right, part.left)
        else:
            yield part


conjuncts = partial(joined, nodes.And)
disjuncts = partial(joined, nodes.Or)


def key_clause(condition: nodes.Condition) -> nodes.KeyClause | None:
    """Return a condition that compares an attribute with values as one of a query, or None."""
    comparator: nodes.KeyComparator
    # Every SELECT and every write comes here: `isinstance` takes a third of the time of `match`.
    if isinstance(condition, nodes.Compare):
        if condition.comparator == "<>":
            return None
        comparator = condition.comparator
        path, *others = condition.left, condition.right
        if isinstance(path, nodes.Constant):
            comparator, path, others = SWAPPED[comparator], condition.right, [path]
    elif isinstance(condition, nodes.Between):
        comparator = "BETWEEN"
        path, *others = condition.operand, condition.low, condition.high
    elif isinstance(condition, nodes.BeginsWith):
        comparator = "begins_with"
        path, *others = condition.operand, condition.prefix
    else:
        return None
    values = tuple([other.value for other in others if isinstance(other, nodes.Constant)])
    if not isinstance(path, nodes.At) or len(path.path) > 1 or len(values) < len(others):
        return None
    return nodes.KeyClause(str(path.path[0]), comparator, values)


def equality(condition: nodes.Condition) -> tuple[str, AttributeValue] | None:
    """Return the attribute and the value of `attribute = value`, or None for other conditions."""
    if not isinstance(condition, nodes.Compare) or condition.comparator != "=":
        return None
    clause = key_clause(condition)
    return None if clause is None else (clause.attribute, clause.values[0])


def operands(clause: nodes.Condition) -> tuple[nodes.Operand, ...]:
    """Return the operands of one comparison or test."""
    if isinstance(clause, nodes.Compare):  # most are, and `match` is slow
        return (clause.left, clause.right)
    match clause:
        case nodes.Between(operand, low, high):
            return (operand, low, high)
        case nodes.In(operand, options):
            return (operand, *options)
        case nodes.Exists(path) | nodes.NotExists(path):
            return (nodes.At(path),)
        case nodes.HasType(operand, _):
            return (operand,)
        case nodes.BeginsWith(operand, other) | nodes.Contains(operand, other):
            return (operand, other)
        case nodes.And() | nodes.Or() | nodes.Not():
            return ()
        case _:
            assert_never(clause)


def _path_of(operand: nodes.Operand) -> nodes.Path | None:
    return None if isinstance(operand, nodes.Constant) else operand.path


def target_attributes(update: nodes.Update) -> tuple[str, ...]:
    """Return the attributes that the update changes, as a whole or in part."""
    return tuple(dict.fromkeys(str(action.path[0]) for action in update))


def update_paths(update: nodes.Update) -> tuple[nodes.Path, ...]:
    """Return every path that the update changes or reads, in the order of the text."""
    paths: list[nodes.Path] = []
    for action in update:
        paths.append(action.path)
        if isinstance(action, nodes.Set):
            _collect_paths(action.term, paths)
    return tuple(paths)


def _collect_paths(term: nodes.Term, paths: list[nodes.Path]) -> None:
    match term:
        case nodes.Constant():
            return
        case nodes.At(path):
            paths.append(path)
        case nodes.IfNotExists(path, otherwise):
            paths.append(path)
            _collect_paths(otherwise, paths)
        case nodes.ListAppend(left, right) | nodes.Sum(_, left, right):
            _collect_paths(left, paths)
            _collect_paths(right, paths)
        case _:
            assert_never(term)


def creates_item(update: nodes.Update) -> bool:
    """Return whether the update creates a missing item; REMOVE and DELETE alone do not."""
    return any(isinstance(action, nodes.Set | nodes.Add) for action in update)


def result_type(term: nodes.Term) -> str | None:
    """Return the type of the term's value, or None if it depends on the item."""
    match term:
        case nodes.At():
            return None
        case nodes.Constant(value):
            return type_of(value)
        case nodes.IfNotExists(_, otherwise):
            return result_type(otherwise)
        case nodes.ListAppend():
            return "L"
        case nodes.Sum():
            return "N"
        case _:
            assert_never(term)
