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

from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import nodes, syntax
from dynamodb_engine.expressions.analysis import SWAPPED
from dynamodb_engine.expressions.evaluation import compare, size_of
from dynamodb_engine.expressions.paths import check_overlaps, path_text
from dynamodb_engine.expressions.placeholders import Placeholders
from dynamodb_engine.values import AttributeValue, content_of, type_of

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
    """A call of size() before its operand is checked."""

    operand: Resolved


Resolved: TypeAlias = nodes.At | nodes.Constant | MeasuredSize


def bind_condition(parsed: syntax.ParsedCondition, placeholders: Placeholders) -> nodes.Condition:
    """Resolve the names and values of a condition."""
    match parsed:
        case syntax.ParsedClause():
            return _bind_clause(parsed, placeholders)
        case syntax.ParsedJunction(word, parts):
            join = nodes.And if word == "AND" else nodes.Or
            return reduce(join, [bind_condition(part, placeholders) for part in parts])
        case syntax.ParsedNot(condition):
            return nodes.Not(bind_condition(condition, placeholders))
        case _:
            assert_never(parsed)


def _bind_clause(clause: syntax.ParsedClause, placeholders: Placeholders) -> nodes.Condition:
    operands = [_resolve(operand, placeholders) for operand in clause.operands]
    if clause.error:
        raise syntax.ExpressionError(clause.error)
    return build_clause(clause.operator, operands)


def build_clause(operator: str, operands: list[Resolved]) -> nodes.Condition:
    """Check the operands of one comparison or test, and create it."""
    _check_distinct(operator, operands)
    checked = tuple([_check_size(operand) for operand in operands])
    build = _BUILDERS.get(operator)
    return build(checked) if build else _compare(operator, checked)


def _resolve(operand: syntax.ParsedOperand, placeholders: Placeholders) -> Resolved:
    match operand:
        case syntax.ParsedPath():
            return placeholders.at(operand)
        case syntax.ParsedValue(alias):
            return nodes.Constant(placeholders.value(alias))
        case syntax.ParsedCall(_, operands):
            # Resolve all: an undefined one is reported before a superfluous one.
            measured, *_ = [_resolve(inner, placeholders) for inner in operands]
            return MeasuredSize(measured)
        case _:
            assert_never(operand)


def _check_distinct(operator: str, operands: list[Resolved]) -> None:
    if len(operands) != 2 or operator == "IN":
        return
    first, second = operands
    if isinstance(first, nodes.At) and first == second:
        raise syntax.ExpressionError(
            "The first operand must be distinct from the remaining operands for this operator or "
            f"function; operator: {operator}, first operand: {path_text(first.path)}"
        )


def _check_size(operand: Resolved) -> nodes.Operand:
    """Check the operand of size(); the size of a value from the request becomes a constant."""
    if not isinstance(operand, MeasuredSize):
        return operand
    measured = _check_size(operand.operand)
    if isinstance(measured, nodes.At):
        return nodes.SizeOf(measured.path)
    size = size_of(measured.value) if isinstance(measured, nodes.Constant) else None
    if size is None:
        raise wrong_type("size", _known_type(measured) or "N")
    return nodes.Constant({"N": str(size)})


def _known_type(operand: nodes.Operand) -> str | None:
    """Return the type of the operand if it does not depend on the item, else None."""
    match operand:
        case nodes.At():
            return None
        case nodes.Constant(value):
            return type_of(value)
        case nodes.SizeOf():
            return "N"
        case _:
            assert_never(operand)


def wrong_type(operator: str, kind: str) -> syntax.ExpressionError:
    """Return the error for an operand of a type that the operator does not accept."""
    return syntax.ExpressionError(
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    )


def _check_types(
    operator: str, operands: tuple[nodes.Operand, ...], allowed: tuple[str, ...]
) -> None:
    for operand in operands:
        kind = _known_type(operand)
        if kind is not None and kind not in allowed:
            raise wrong_type(operator, kind)


def _compare(operator: str, operands: tuple[nodes.Operand, ...]) -> nodes.Condition:
    if operator not in ("=", "<>"):
        _check_types(operator, operands, ORDERED_TYPES)
    left, right = operands
    # Every operator but the comparators has a builder.
    return nodes.Compare(cast(nodes.Comparator, operator), left, right)


def _between(operands: tuple[nodes.Operand, ...]) -> nodes.Condition:
    _check_types("BETWEEN", operands, ORDERED_TYPES)
    operand, low, high = operands
    if isinstance(low, nodes.Constant) and isinstance(high, nodes.Constant):
        if type_of(low.value) != type_of(high.value):
            raise _wrong_bounds("same data type for lower and upper bounds", low, high)
        if compare(">", low.value, high.value):
            raise _wrong_bounds("upper bound to be greater than or equal to lower bound", low, high)
    return nodes.Between(operand, low, high)


def _wrong_bounds(
    requirement: str, low: nodes.Constant, high: nodes.Constant
) -> syntax.ExpressionError:
    return syntax.ExpressionError(
        f"The BETWEEN operator requires {requirement}; "
        f"lower bound operand: AttributeValue: {_value_text(low)}, "
        f"upper bound operand: AttributeValue: {_value_text(high)}"
    )


def _value_text(operand: nodes.Constant) -> str:
    return f"{{{type_of(operand.value)}:{content_of(operand.value)}}}"


def _path(function: str, operand: nodes.Operand | nodes.Term) -> nodes.Path:
    if not isinstance(operand, nodes.At):
        raise syntax.ExpressionError(
            f"Operator or function requires a document path; operator or function: {function}"
        )
    return operand.path


def _has_type(operands: tuple[nodes.Operand, ...]) -> nodes.Condition:
    operand, expected = operands
    kind = _known_type(expected)
    if kind != "S" or not isinstance(expected, nodes.Constant):
        raise wrong_type("attribute_type", kind or ANY_TYPE)
    name = str(content_of(expected.value))
    if name not in TYPE_NAMES:
        raise syntax.ExpressionError(
            f"Invalid attribute type name found; type: {name}, "
            f"valid types: {{{','.join(TYPE_NAMES)}}}"
        )
    return nodes.HasType(operand, name)


def _begins_with(operands: tuple[nodes.Operand, ...]) -> nodes.Condition:
    _check_types("begins_with", operands, ("S", "B"))
    return nodes.BeginsWith(*operands)


_BUILDERS: dict[str, Callable[[tuple[nodes.Operand, ...]], nodes.Condition]] = {
    "BETWEEN": _between,
    "IN": lambda operands: nodes.In(operands[0], operands[1:]),
    "attribute_exists": lambda operands: nodes.Exists(_path("attribute_exists", operands[0])),
    "attribute_not_exists": lambda operands: nodes.NotExists(
        _path("attribute_not_exists", operands[0])
    ),
    "attribute_type": _has_type,
    "begins_with": _begins_with,
    "contains": lambda operands: nodes.Contains(*operands),
}


def bind_key_condition(
    parsed: syntax.ParsedCondition, placeholders: Placeholders
) -> nodes.KeyCondition:
    """Resolve a valid condition as a key condition; raise if a Query does not accept it."""
    clauses: dict[str, nodes.KeyClause] = {}
    _collect_key_clauses(parsed, placeholders, clauses)
    return tuple(clauses.values())


def _collect_key_clauses(
    parsed: syntax.ParsedCondition, placeholders: Placeholders, clauses: dict[str, nodes.KeyClause]
) -> None:
    match parsed:
        case syntax.ParsedJunction("AND", parts):
            for part in parts:
                _collect_key_clauses(part, placeholders, clauses)
        case syntax.ParsedJunction():
            raise _invalid_operator("OR")
        case syntax.ParsedNot():
            raise _invalid_operator("NOT")
        case syntax.ParsedClause():
            clause = _key_clause(parsed, placeholders)
            if clause.attribute in clauses:
                raise syntax.ExpressionError(
                    "KeyConditionExpressions must only contain one condition per key"
                )
            clauses[clause.attribute] = clause
        case _:
            assert_never(parsed)


def _key_clause(clause: syntax.ParsedClause, placeholders: Placeholders) -> nodes.KeyClause:
    operator, operands = clause.operator, clause.operands
    if operator in _NOT_FOR_KEYS:
        raise _invalid_operator(operator)
    if operator not in SWAPPED and not isinstance(operands[0], syntax.ParsedPath):
        raise ValidationError(
            f"{_INVALID_CONDITION}{operator} operator must have the key attribute as its first "
            "operand"
        )
    attribute, values = _split_operands(clause, placeholders)
    if attribute is None:
        raise ValidationError(f"{_INVALID_CONDITION}No key attribute specified")
    value_first = isinstance(operands[0], syntax.ParsedValue)
    # The remaining operators are the ones that keys support.
    comparator = SWAPPED[operator] if value_first else cast(nodes.KeyComparator, operator)
    return nodes.KeyClause(attribute, comparator, values)


def _split_operands(
    clause: syntax.ParsedClause, placeholders: Placeholders
) -> tuple[str | None, tuple[AttributeValue, ...]]:
    attribute: str | None = None
    values: list[AttributeValue] = []
    for operand in clause.operands:
        match operand:
            case syntax.ParsedPath():
                if attribute is not None:
                    raise ValidationError(
                        f"{_INVALID_CONDITION}Multiple attribute names used in one condition"
                    )
                name, *nested = placeholders.path(operand)
                if nested:
                    raise syntax.ExpressionError(
                        "KeyConditionExpressions cannot have conditions on nested attributes"
                    )
                attribute = cast(str, name)
            case syntax.ParsedValue(alias):
                values.append(placeholders.value(alias))
            case syntax.ParsedCall():
                raise syntax.ExpressionError(
                    "KeyConditionExpressions cannot contain nested operations"
                )
            case _:
                assert_never(operand)
    return attribute, tuple(values)


def _invalid_operator(operator: str) -> ValidationError:
    return ValidationError(f"Invalid operator used in KeyConditionExpression: {operator}")


def bind_update(parsed: syntax.ParsedUpdate, placeholders: Placeholders) -> nodes.Update:
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


def _check_set_operand(action: syntax.ParsedAction, placeholders: Placeholders) -> None:
    if action.section in ("ADD", "DELETE"):
        kind = type_of(_constant(action, placeholders))
        if kind in TYPE_WORDS and not (action.section == "ADD" and kind == "N"):
            raise syntax.ExpressionError(
                "Incorrect operand type for operator or function; "
                f"operator: {action.section}, operand type: {TYPE_WORDS[kind]}"
            )


def _constant(action: syntax.ParsedAction, placeholders: Placeholders) -> AttributeValue:
    # The grammar accepts only a `:value` after the target of ADD and DELETE.
    return placeholders.value(cast(syntax.ParsedValue, action.term).alias)


def _bind_action(action: syntax.ParsedAction, placeholders: Placeholders) -> nodes.Action:
    target = placeholders.path(action.target)
    match action.section:
        case "SET":
            # The grammar accepts no SET without a term.
            return nodes.Set(target, _bind_term(cast(syntax.ParsedTerm, action.term), placeholders))
        case "REMOVE":
            return nodes.Remove(target)
        case "ADD":
            return nodes.Add(target, _constant(action, placeholders))
        case "DELETE":
            return nodes.Delete(target, _constant(action, placeholders))
        case _:
            assert_never(action.section)


def _bind_term(term: syntax.ParsedTerm, placeholders: Placeholders) -> nodes.Term:
    match term:
        case syntax.ParsedPath():
            return placeholders.at(term)
        case syntax.ParsedValue(alias):
            return nodes.Constant(placeholders.value(alias))
        case syntax.ParsedArithmetic(sign, left, right):
            return build_sum(sign, _bind_term(left, placeholders), _bind_term(right, placeholders))
        case syntax.ParsedCall(function, operands):
            return build_call(
                function, tuple([_bind_term(inner, placeholders) for inner in operands])
            )
        case _:
            assert_never(term)


def build_sum(sign: Literal["+", "-"], left: nodes.Term, right: nodes.Term) -> nodes.Term:
    """Check the types of two operands, and create their sum or difference."""
    _check_constants(sign, (left, right), "N")
    return nodes.Sum(sign, left, right)


def build_call(function: str, operands: tuple[nodes.Term, ...]) -> nodes.Term:
    """Check the operands of list_append or if_not_exists, and create the call."""
    if len(operands) != 2:
        raise syntax.ExpressionError(syntax.wrong_count(function, len(operands)))
    first, second = operands
    if function == "list_append":
        _check_constants(function, operands, "L")
        return nodes.ListAppend(first, second)
    return nodes.IfNotExists(_path(function, first), second)


def _check_constants(operator: str, operands: tuple[nodes.Term, ...], expected: str) -> None:
    for operand in operands:
        if isinstance(operand, nodes.Constant) and type_of(operand.value) != expected:
            raise wrong_type(operator, type_of(operand.value))


def bind_projection(
    parsed: syntax.ParsedProjection, placeholders: Placeholders
) -> nodes.Projection:
    """Resolve the names of a projection; raise if its paths overlap."""
    projection = tuple([placeholders.path(path) for path in parsed])
    check_overlaps(projection)
    return projection
