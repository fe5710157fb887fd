"""A written condition and the request's names and values become a condition, or a refusal.

Clauses are looked at from left to right, and the first with something wrong is reported. Within a
clause come first a name or value that is not defined, then the number of operands, then operands
that must differ, then their types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias, assert_never, cast

from singletable.expressions.compare import compare, size_of
from singletable.expressions.nodes import (
    And,
    At,
    BeginsWith,
    Between,
    Comparator,
    Compare,
    Condition,
    Contains,
    Exists,
    HasType,
    In,
    Literally,
    Not,
    NotExists,
    Operand,
    Or,
    SizeOf,
)
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
from singletable.values import content_of, type_of

MAX_OPTIONS = 100
ORDERED_TYPES = ("S", "N", "B")
OPERAND_COUNTS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
ANY_TYPE = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
TYPE_NAMES = ("B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M")


@dataclass(frozen=True, slots=True)
class _Size:
    """A call of size whose operands are not checked yet."""

    operands: tuple[_Found, ...]


_Found: TypeAlias = At | Literally | _Size


def bind_condition(written: WrittenCondition, placeholders: Placeholders) -> Condition:
    """The condition with its names and values in place."""
    match written:
        case Clause(operator, operands):
            return _bind_clause(operator, operands, placeholders)
        case Joined(word, parts):
            join = And if word == "AND" else Or
            return reduce(join, [bind_condition(part, placeholders) for part in parts])
        case Negated(condition):
            return Not(bind_condition(condition, placeholders))
        case _:
            assert_never(written)


def _bind_clause(
    operator: str, written: tuple[WrittenOperand, ...], placeholders: Placeholders
) -> Condition:
    found = tuple([_find(operand, placeholders) for operand in written])
    for operand in found:
        _check_count_of_size(operand)
    _check_count(operator, found)
    _check_distinct(operator, found)
    operands = tuple([_settle(operand) for operand in found])
    build = _BUILDERS.get(operator)
    return build(operands) if build else _compare(operator, operands)


def _find(operand: WrittenOperand, placeholders: Placeholders) -> _Found:
    match operand:
        case WrittenPath():
            return At(placeholders.path(operand))
        case WrittenValue(alias):
            return Literally(placeholders.value(alias))
        case Call(_, operands):
            return _Size(tuple([_find(inner, placeholders) for inner in operands]))
        case _:
            assert_never(operand)


def _check_count_of_size(operand: _Found) -> None:
    if isinstance(operand, _Size):
        for inner in operand.operands:
            _check_count_of_size(inner)
        _check_count("size", operand.operands)


def _check_count(operator: str, operands: tuple[_Found, ...]) -> None:
    count = len(operands)
    if operator == "IN":
        if count - 1 > MAX_OPTIONS:
            raise Problem(
                "The IN operator is provided with too many operands; "
                f"number of operands: {count - 1}"
            )
    elif OPERAND_COUNTS.get(operator, count) != count:
        raise Problem(
            "Incorrect number of operands for operator or function; "
            f"operator or function: {operator}, number of operands: {count}"
        )


def _check_distinct(operator: str, operands: tuple[_Found, ...]) -> None:
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
    measured = _settle(operand.operands[0])
    if isinstance(measured, At):
        return SizeOf(measured.path)
    size = size_of(measured.value) if isinstance(measured, Literally) else None
    if size is None:
        raise wrong_type("size", known_type(measured) or "N")
    return Literally({"N": str(size)})


def known_type(operand: Operand) -> str | None:
    """The type that the operand has whatever the item; None if the item decides."""
    match operand:
        case At():
            return None
        case Literally(value):
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
    if isinstance(low, Literally) and isinstance(high, Literally):
        bounds = (
            f"lower bound operand: AttributeValue: {_value_text(low)}, "
            f"upper bound operand: AttributeValue: {_value_text(high)}"
        )
        if type_of(low.value) != type_of(high.value):
            raise Problem(
                "The BETWEEN operator requires same data type for lower and upper bounds; " + bounds
            )
        if compare(">", low.value, high.value):
            raise Problem(
                "The BETWEEN operator requires upper bound to be greater than or equal to lower "
                "bound; " + bounds
            )
    return Between(operand, low, high)


def _value_text(operand: Literally) -> str:
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
    if kind != "S" or not isinstance(wanted, Literally):
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
