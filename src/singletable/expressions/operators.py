"""What each operator and function of a condition takes, and the clause that it makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never, cast

from singletable.expressions.compare import compare
from singletable.expressions.nodes import (
    At,
    BeginsWith,
    Between,
    Comparator,
    Compare,
    Condition,
    Constant,
    Contains,
    Exists,
    HasType,
    In,
    NotExists,
    Operand,
    SizeOf,
)
from singletable.expressions.problem import Problem
from singletable.values import content_of, type_of

ORDERED_TYPES = ("S", "N", "B")
ANY_TYPE = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
TYPE_NAMES = ("B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M")


def make_clause(operator: str, operands: tuple[Operand, ...]) -> Condition:
    """The clause of an operator or function, whose operands are right in number."""
    build = _BUILDERS.get(operator)
    return build(operands) if build else _compare(operator, operands)


def known_type(operand: Operand) -> str | None:
    """The type that the operand has whatever the item; None if the item decides."""
    match operand:
        case At():
            return None
        case Constant(value):
            return type_of(value)
        case SizeOf():
            return "N"
        case _:
            assert_never(operand)


def wrong_type(operator: str, kind: str) -> Problem:
    """That an operand is of a type that the operator cannot take."""
    return Problem(
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    )


def _check_types(operator: str, operands: tuple[Operand, ...], allowed: tuple[str, ...]) -> None:
    for operand in operands:
        kind = known_type(operand)
        if kind is not None and kind not in allowed:
            raise wrong_type(operator, kind)


def _compare(operator: str, operands: tuple[Operand, ...]) -> Condition:
    if operator not in ("=", "<>"):
        _check_types(operator, operands, ORDERED_TYPES)
    left, right = operands
    # The grammar knows no other operator that has no builder.
    return Compare(cast(Comparator, operator), left, right)


def _between(operands: tuple[Operand, ...]) -> Condition:
    _check_types("BETWEEN", operands, ORDERED_TYPES)
    operand, low, high = operands
    if isinstance(low, Constant) and isinstance(high, Constant):
        if type_of(low.value) != type_of(high.value):
            raise _wrong_bounds("same data type for lower and upper bounds", low, high)
        if compare(">", low.value, high.value):
            raise _wrong_bounds("upper bound to be greater than or equal to lower bound", low, high)
    return Between(operand, low, high)


def _wrong_bounds(requirement: str, low: Constant, high: Constant) -> Problem:
    return Problem(
        f"The BETWEEN operator requires {requirement}; "
        f"lower bound operand: AttributeValue: {_value_text(low)}, "
        f"upper bound operand: AttributeValue: {_value_text(high)}"
    )


def _value_text(operand: Constant) -> str:
    return f"{{{type_of(operand.value)}:{content_of(operand.value)}}}"


def _in(operands: tuple[Operand, ...]) -> Condition:
    return In(operands[0], operands[1:])


def _exists(operands: tuple[Operand, ...]) -> Condition:
    return Exists(_required_path("attribute_exists", operands[0]).path)


def _not_exists(operands: tuple[Operand, ...]) -> Condition:
    return NotExists(_required_path("attribute_not_exists", operands[0]).path)


def _required_path(function: str, operand: Operand) -> At:
    if not isinstance(operand, At):
        raise Problem(
            f"Operator or function requires a document path; operator or function: {function}"
        )
    return operand


def _has_type(operands: tuple[Operand, ...]) -> Condition:
    operand, wanted = operands
    kind = known_type(wanted)
    if kind != "S" or not isinstance(wanted, Constant):
        raise wrong_type("attribute_type", kind or ANY_TYPE)
    name = str(content_of(wanted.value))
    if name not in TYPE_NAMES:
        raise Problem(
            f"Invalid attribute type name found; type: {name}, "
            f"valid types: {{{','.join(TYPE_NAMES)}}}"
        )
    return HasType(operand, name)


def _begins_with(operands: tuple[Operand, ...]) -> Condition:
    _check_types("begins_with", operands, ("S", "B"))
    return BeginsWith(*operands)


def _contains(operands: tuple[Operand, ...]) -> Condition:
    return Contains(*operands)


_BUILDERS: dict[str, Callable[[tuple[Operand, ...]], Condition]] = {
    "BETWEEN": _between,
    "IN": _in,
    "attribute_exists": _exists,
    "attribute_not_exists": _not_exists,
    "attribute_type": _has_type,
    "begins_with": _begins_with,
    "contains": _contains,
}
