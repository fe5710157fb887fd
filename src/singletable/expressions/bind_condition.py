"""A written condition and the request's names and values become a condition, or a refusal.

Clauses are looked at from left to right, and the first with something wrong is reported. Within a
clause come first a name or value that is not defined, then the number of operands, then operands
that must differ, then their types.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias, assert_never

from singletable.expressions.compare import size_of
from singletable.expressions.nodes import (
    And,
    At,
    Condition,
    Constant,
    Not,
    Operand,
    Or,
    SizeOf,
)
from singletable.expressions.operators import known_type, make_clause, wrong_type
from singletable.expressions.paths import path_text
from singletable.expressions.placeholders import Placeholders
from singletable.expressions.problem import Problem
from singletable.expressions.written import (
    Call,
    Clause,
    Joined,
    Negated,
    WrittenCondition,
    WrittenOperand,
    WrittenPath,
    WrittenValue,
)


@dataclass(frozen=True, slots=True)
class _Size:
    """A call of size whose operand is not checked yet."""

    operand: _Found


_Found: TypeAlias = At | Constant | _Size


def bind_condition(written: WrittenCondition, placeholders: Placeholders) -> Condition:
    """The condition with its names and values in place."""
    match written:
        case Clause():
            return _bind_clause(written, placeholders)
        case Joined(word, parts):
            join = And if word == "AND" else Or
            return reduce(join, [bind_condition(part, placeholders) for part in parts])
        case Negated(condition):
            return Not(bind_condition(condition, placeholders))
        case _:
            assert_never(written)


def _bind_clause(clause: Clause, placeholders: Placeholders) -> Condition:
    found = [_find(operand, placeholders) for operand in clause.operands]
    if clause.fault:
        raise Problem(clause.fault)
    _check_distinct(clause.operator, found)
    return make_clause(clause.operator, tuple([_settle(operand) for operand in found]))


def _find(operand: WrittenOperand, placeholders: Placeholders) -> _Found:
    match operand:
        case WrittenPath():
            return placeholders.at(operand)
        case WrittenValue(alias):
            return Constant(placeholders.value(alias))
        case Call(_, operands):
            # All are looked up, for one that is not defined is reported before one too many.
            measured, *_ = [_find(inner, placeholders) for inner in operands]
            return _Size(measured)
        case _:
            assert_never(operand)


def _check_distinct(operator: str, operands: list[_Found]) -> None:
    if len(operands) != 2 or operator == "IN":
        return
    first, second = operands
    if isinstance(first, At) and first == second:
        raise Problem(
            "The first operand must be distinct from the remaining operands for this operator or "
            f"function; operator: {operator}, first operand: {path_text(first.path)}"
        )


def _settle(operand: _Found) -> Operand:
    """The operand with its types checked; the size of a value given with the request is a value."""
    if not isinstance(operand, _Size):
        return operand
    measured = _settle(operand.operand)
    if isinstance(measured, At):
        return SizeOf(measured.path)
    size = size_of(measured.value) if isinstance(measured, Constant) else None
    if size is None:
        raise wrong_type("size", known_type(measured) or "N")
    return Constant({"N": str(size)})
