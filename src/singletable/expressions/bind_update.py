"""A written update and the request's names and values become an update, or a refusal.

DynamoDB looks through the whole update once for each kind of problem: names that are not defined,
values that are not, targets that overlap, targets that conflict, values that ADD or DELETE cannot
take, and last the functions and sums.
"""

from __future__ import annotations

from typing import assert_never, cast

from singletable.expressions.nodes import (
    Action,
    Add,
    At,
    Constant,
    Delete,
    IfNotExists,
    ListAppend,
    Remove,
    Set,
    Sum,
    Term,
    Update,
)
from singletable.expressions.operators import wrong_type
from singletable.expressions.paths import check_together
from singletable.expressions.placeholders import Placeholders
from singletable.expressions.problem import Problem
from singletable.expressions.written import (
    Arithmetic,
    Call,
    WrittenAction,
    WrittenPath,
    WrittenTerm,
    WrittenUpdate,
    WrittenValue,
)
from singletable.values import AttributeValue, type_of

TYPES_IN_WORDS = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "NULL": "NULL",
    "BOOL": "BOOLEAN",
    "L": "LIST",
    "M": "MAP",
}


def bind_update(written: WrittenUpdate, placeholders: Placeholders) -> Update:
    """The update with its names and values in place."""
    for alias in written.names:
        placeholders.name(alias)
    for alias in written.values:
        placeholders.value(alias)
    check_together([placeholders.path(action.target) for action in written.actions])
    for action in written.actions:
        _check_added(action, placeholders)
    return tuple([_bind_action(action, placeholders) for action in written.actions])


def _check_added(action: WrittenAction, placeholders: Placeholders) -> None:
    if action.section in ("ADD", "DELETE"):
        kind = type_of(_given(action, placeholders))
        if kind in TYPES_IN_WORDS and not (action.section == "ADD" and kind == "N"):
            raise Problem(
                "Incorrect operand type for operator or function; "
                f"operator: {action.section}, operand type: {TYPES_IN_WORDS[kind]}"
            )


def _given(action: WrittenAction, placeholders: Placeholders) -> AttributeValue:
    # The grammar takes nothing but a `:value` behind the target of ADD and DELETE.
    return placeholders.value(cast(WrittenValue, action.term).alias)


def _bind_action(action: WrittenAction, placeholders: Placeholders) -> Action:
    target = placeholders.path(action.target)
    match action.section:
        case "SET":
            # The grammar takes no SET without a term.
            return Set(target, _bind_term(cast(WrittenTerm, action.term), placeholders))
        case "REMOVE":
            return Remove(target)
        case "ADD":
            return Add(target, _given(action, placeholders))
        case "DELETE":
            return Delete(target, _given(action, placeholders))
        case _:
            assert_never(action.section)


def _bind_term(term: WrittenTerm, placeholders: Placeholders) -> Term:
    match term:
        case WrittenPath():
            return placeholders.at(term)
        case WrittenValue(alias):
            return Constant(placeholders.value(alias))
        case Arithmetic(sign, left, right):
            one, other = _bind_term(left, placeholders), _bind_term(right, placeholders)
            _check_literals(sign, (one, other), "N")
            return Sum(sign, one, other)
        case Call(function, operands):
            return _call(function, tuple([_bind_term(inner, placeholders) for inner in operands]))
        case _:
            assert_never(term)


def _call(function: str, operands: tuple[Term, ...]) -> Term:
    if len(operands) != 2:
        raise Problem(
            "Incorrect number of operands for operator or function; "
            f"operator or function: {function}, number of operands: {len(operands)}"
        )
    first, second = operands
    if function == "list_append":
        _check_literals(function, operands, "L")
        return ListAppend(first, second)
    if not isinstance(first, At):
        raise Problem(
            f"Operator or function requires a document path; operator or function: {function}"
        )
    return IfNotExists(first.path, second)


def _check_literals(operator: str, operands: tuple[Term, ...], wanted: str) -> None:
    for operand in operands:
        if isinstance(operand, Constant) and type_of(operand.value) != wanted:
            raise wrong_type(operator, type_of(operand.value))
