"""Resolve the `#names` and `:values` of a parsed expression and check its operands.

Clauses of a condition are checked from left to right, and the first error is reported. Within a
clause DynamoDB reports undefined names and values first, then the number of operands, then equal
operands, then types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Literal, TypeAlias, assert_never, cast

from singletable.errors import ValidationError
from singletable.expressions.evaluation import compare, size_of
from singletable.expressions.nodes import (
    Action,
    Add,
    And,
    At,
    BeginsWith,
    Between,
    Comparator,
    Compare,
    Condition,
    Constant,
    Contains,
    Delete,
    Exists,
    HasType,
    IfNotExists,
    In,
    KeyClause,
    KeyComparator,
    KeyCondition,
    ListAppend,
    Not,
    NotExists,
    Operand,
    Or,
    Path,
    Projection,
    Remove,
    Set,
    SizeOf,
    Sum,
    Term,
    Update,
)
from singletable.expressions.paths import check_overlaps, path_text
from singletable.expressions.placeholders import Placeholders
from singletable.expressions.syntax import (
    ExpressionError,
    ParsedAction,
    ParsedArithmetic,
    ParsedCall,
    ParsedClause,
    ParsedCondition,
    ParsedJunction,
    ParsedNot,
    ParsedOperand,
    ParsedPath,
    ParsedProjection,
    ParsedTerm,
    ParsedUpdate,
    ParsedValue,
    wrong_count,
)
from singletable.values import AttributeValue, content_of, type_of

ORDERED_TYPES = ("S", "N", "B")
ANY_TYPE = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
TYPE_NAMES = ("B", "NULL", "SS", "BOOL", "L", "BS", "N", "NS", "S", "M")
TYPE_WORDS = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "NULL": "NULL",
    "BOOL": "BOOLEAN",
    "L": "LIST",
    "M": "MAP",
}
SWAPPED: dict[str, KeyComparator] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NOT_FOR_KEYS = (
    "<>",
    "IN",
    "attribute_exists",
    "attribute_not_exists",
    "attribute_type",
    "contains",
)
_INVALID_CONDITION = "Invalid condition in KeyConditionExpression: "


@dataclass(frozen=True, slots=True)
class MeasuredSize:
    """A call of size() whose operand is not checked yet."""

    operand: Resolved


Resolved: TypeAlias = At | Constant | MeasuredSize


def bind_condition(parsed: ParsedCondition, placeholders: Placeholders) -> Condition:
    """Resolve the names and values of a condition."""
    match parsed:
        case ParsedClause():
            return _bind_clause(parsed, placeholders)
        case ParsedJunction(word, parts):
            join = And if word == "AND" else Or
            return reduce(join, [bind_condition(part, placeholders) for part in parts])
        case ParsedNot(condition):
            return Not(bind_condition(condition, placeholders))
        case _:
            assert_never(parsed)


def _bind_clause(clause: ParsedClause, placeholders: Placeholders) -> Condition:
    operands = [_resolve(operand, placeholders) for operand in clause.operands]
    if clause.error:
        raise ExpressionError(clause.error)
    return build_clause(clause.operator, operands)


def build_clause(operator: str, operands: list[Resolved]) -> Condition:
    """Check the operands of one comparison or test, and create it."""
    _check_distinct(operator, operands)
    checked = tuple([_check_size(operand) for operand in operands])
    build = _BUILDERS.get(operator)
    return build(checked) if build else _compare(operator, checked)


def _resolve(operand: ParsedOperand, placeholders: Placeholders) -> Resolved:
    match operand:
        case ParsedPath():
            return placeholders.at(operand)
        case ParsedValue(alias):
            return Constant(placeholders.value(alias))
        case ParsedCall(_, operands):
            # Resolve all: an undefined one is reported before a superfluous one.
            measured, *_ = [_resolve(inner, placeholders) for inner in operands]
            return MeasuredSize(measured)
        case _:
            assert_never(operand)


def _check_distinct(operator: str, operands: list[Resolved]) -> None:
    if len(operands) != 2 or operator == "IN":
        return
    first, second = operands
    if isinstance(first, At) and first == second:
        raise ExpressionError(
            "The first operand must be distinct from the remaining operands for this operator or "
            f"function; operator: {operator}, first operand: {path_text(first.path)}"
        )


def _check_size(operand: Resolved) -> Operand:
    """Check the operand of size(); the size of a value from the request becomes a constant."""
    if not isinstance(operand, MeasuredSize):
        return operand
    measured = _check_size(operand.operand)
    if isinstance(measured, At):
        return SizeOf(measured.path)
    size = size_of(measured.value) if isinstance(measured, Constant) else None
    if size is None:
        raise wrong_type("size", _known_type(measured) or "N")
    return Constant({"N": str(size)})


def _known_type(operand: Operand) -> str | None:
    """Return the type of the operand if it does not depend on the item, else None."""
    match operand:
        case At():
            return None
        case Constant(value):
            return type_of(value)
        case SizeOf():
            return "N"
        case _:
            assert_never(operand)


def wrong_type(operator: str, kind: str) -> ExpressionError:
    """Return the error for an operand of a type that the operator does not accept."""
    return ExpressionError(
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    )


def _check_types(operator: str, operands: tuple[Operand, ...], allowed: tuple[str, ...]) -> None:
    for operand in operands:
        kind = _known_type(operand)
        if kind is not None and kind not in allowed:
            raise wrong_type(operator, kind)


def _compare(operator: str, operands: tuple[Operand, ...]) -> Condition:
    if operator not in ("=", "<>"):
        _check_types(operator, operands, ORDERED_TYPES)
    left, right = operands
    # Every operator but the comparators has a builder.
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


def _wrong_bounds(requirement: str, low: Constant, high: Constant) -> ExpressionError:
    return ExpressionError(
        f"The BETWEEN operator requires {requirement}; "
        f"lower bound operand: AttributeValue: {_value_text(low)}, "
        f"upper bound operand: AttributeValue: {_value_text(high)}"
    )


def _value_text(operand: Constant) -> str:
    return f"{{{type_of(operand.value)}:{content_of(operand.value)}}}"


def _path(function: str, operand: Operand | Term) -> Path:
    if not isinstance(operand, At):
        raise ExpressionError(
            f"Operator or function requires a document path; operator or function: {function}"
        )
    return operand.path


def _has_type(operands: tuple[Operand, ...]) -> Condition:
    operand, expected = operands
    kind = _known_type(expected)
    if kind != "S" or not isinstance(expected, Constant):
        raise wrong_type("attribute_type", kind or ANY_TYPE)
    name = str(content_of(expected.value))
    if name not in TYPE_NAMES:
        raise ExpressionError(
            f"Invalid attribute type name found; type: {name}, "
            f"valid types: {{{','.join(TYPE_NAMES)}}}"
        )
    return HasType(operand, name)


def _begins_with(operands: tuple[Operand, ...]) -> Condition:
    _check_types("begins_with", operands, ("S", "B"))
    return BeginsWith(*operands)


_BUILDERS: dict[str, Callable[[tuple[Operand, ...]], Condition]] = {
    "BETWEEN": _between,
    "IN": lambda operands: In(operands[0], operands[1:]),
    "attribute_exists": lambda operands: Exists(_path("attribute_exists", operands[0])),
    "attribute_not_exists": lambda operands: NotExists(_path("attribute_not_exists", operands[0])),
    "attribute_type": _has_type,
    "begins_with": _begins_with,
    "contains": lambda operands: Contains(*operands),
}


def bind_key_condition(parsed: ParsedCondition, placeholders: Placeholders) -> KeyCondition:
    """Resolve a valid condition as a key condition; raise if a Query does not accept it."""
    clauses: dict[str, KeyClause] = {}
    _collect_key_clauses(parsed, placeholders, clauses)
    return tuple(clauses.values())


def _collect_key_clauses(
    parsed: ParsedCondition, placeholders: Placeholders, clauses: dict[str, KeyClause]
) -> None:
    match parsed:
        case ParsedJunction("AND", parts):
            for part in parts:
                _collect_key_clauses(part, placeholders, clauses)
        case ParsedJunction():
            raise _invalid_operator("OR")
        case ParsedNot():
            raise _invalid_operator("NOT")
        case ParsedClause():
            clause = _key_clause(parsed, placeholders)
            if clause.attribute in clauses:
                raise ExpressionError(
                    "KeyConditionExpressions must only contain one condition per key"
                )
            clauses[clause.attribute] = clause
        case _:
            assert_never(parsed)


def _key_clause(clause: ParsedClause, placeholders: Placeholders) -> KeyClause:
    operator, operands = clause.operator, clause.operands
    if operator in _NOT_FOR_KEYS:
        raise _invalid_operator(operator)
    if operator not in SWAPPED and not isinstance(operands[0], ParsedPath):
        raise ValidationError(
            f"{_INVALID_CONDITION}{operator} operator must have the key attribute as its first "
            "operand"
        )
    attribute, values = _split_operands(clause, placeholders)
    if attribute is None:
        raise ValidationError(f"{_INVALID_CONDITION}No key attribute specified")
    value_first = isinstance(operands[0], ParsedValue)
    # The remaining operators are the ones that keys support.
    comparator = SWAPPED[operator] if value_first else cast(KeyComparator, operator)
    return KeyClause(attribute, comparator, values)


def _split_operands(
    clause: ParsedClause, placeholders: Placeholders
) -> tuple[str | None, tuple[AttributeValue, ...]]:
    attribute: str | None = None
    values: list[AttributeValue] = []
    for operand in clause.operands:
        match operand:
            case ParsedPath():
                if attribute is not None:
                    raise ValidationError(
                        f"{_INVALID_CONDITION}Multiple attribute names used in one condition"
                    )
                name, *nested = placeholders.path(operand)
                if nested:
                    raise ExpressionError(
                        "KeyConditionExpressions cannot have conditions on nested attributes"
                    )
                attribute = cast(str, name)
            case ParsedValue(alias):
                values.append(placeholders.value(alias))
            case ParsedCall():
                raise ExpressionError("KeyConditionExpressions cannot contain nested operations")
            case _:
                assert_never(operand)
    return attribute, tuple(values)


def _invalid_operator(operator: str) -> ValidationError:
    return ValidationError(f"Invalid operator used in KeyConditionExpression: {operator}")


def bind_update(parsed: ParsedUpdate, placeholders: Placeholders) -> Update:
    """Resolve the names and values of an update.

    DynamoDB checks the whole update once for each kind of error: undefined names, undefined values,
    overlapping targets, conflicting targets, operands of ADD and DELETE, then functions and sums.
    """
    for alias in parsed.names:
        placeholders.name(alias)
    for alias in parsed.values:
        placeholders.value(alias)
    check_overlaps([placeholders.path(action.target) for action in parsed.actions])
    for action in parsed.actions:
        _check_set_operand(action, placeholders)
    return tuple([_bind_action(action, placeholders) for action in parsed.actions])


def _check_set_operand(action: ParsedAction, placeholders: Placeholders) -> None:
    if action.section in ("ADD", "DELETE"):
        kind = type_of(_constant(action, placeholders))
        if kind in TYPE_WORDS and not (action.section == "ADD" and kind == "N"):
            raise ExpressionError(
                "Incorrect operand type for operator or function; "
                f"operator: {action.section}, operand type: {TYPE_WORDS[kind]}"
            )


def _constant(action: ParsedAction, placeholders: Placeholders) -> AttributeValue:
    # The grammar accepts only a `:value` after the target of ADD and DELETE.
    return placeholders.value(cast(ParsedValue, action.term).alias)


def _bind_action(action: ParsedAction, placeholders: Placeholders) -> Action:
    target = placeholders.path(action.target)
    match action.section:
        case "SET":
            # The grammar accepts no SET without a term.
            return Set(target, _bind_term(cast(ParsedTerm, action.term), placeholders))
        case "REMOVE":
            return Remove(target)
        case "ADD":
            return Add(target, _constant(action, placeholders))
        case "DELETE":
            return Delete(target, _constant(action, placeholders))
        case _:
            assert_never(action.section)


def _bind_term(term: ParsedTerm, placeholders: Placeholders) -> Term:
    match term:
        case ParsedPath():
            return placeholders.at(term)
        case ParsedValue(alias):
            return Constant(placeholders.value(alias))
        case ParsedArithmetic(sign, left, right):
            return build_sum(sign, _bind_term(left, placeholders), _bind_term(right, placeholders))
        case ParsedCall(function, operands):
            return build_call(
                function, tuple([_bind_term(inner, placeholders) for inner in operands])
            )
        case _:
            assert_never(term)


def build_sum(sign: Literal["+", "-"], left: Term, right: Term) -> Term:
    """Check the types of two operands, and create their sum or difference."""
    _check_constants(sign, (left, right), "N")
    return Sum(sign, left, right)


def build_call(function: str, operands: tuple[Term, ...]) -> Term:
    """Check the operands of list_append or if_not_exists, and create the call."""
    if len(operands) != 2:
        raise ExpressionError(wrong_count(function, len(operands)))
    first, second = operands
    if function == "list_append":
        _check_constants(function, operands, "L")
        return ListAppend(first, second)
    return IfNotExists(_path(function, first), second)


def _check_constants(operator: str, operands: tuple[Term, ...], expected: str) -> None:
    for operand in operands:
        if isinstance(operand, Constant) and type_of(operand.value) != expected:
            raise wrong_type(operator, type_of(operand.value))


def bind_projection(parsed: ParsedProjection, placeholders: Placeholders) -> Projection:
    """Resolve the names of a projection; raise if its paths overlap."""
    projection = tuple([placeholders.path(path) for path in parsed])
    check_overlaps(projection)
    return projection
