"""The condition of a Query: one clause for each key attribute, in the order of the text.

Which attributes are keys, and of what type, only the table knows. Everything else is settled here.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, assert_never, cast

from msgspec import Struct

from singletable.errors import ValidationError
from singletable.expressions.placeholders import Placeholders
from singletable.expressions.problem import Problem
from singletable.expressions.written import (
    Call,
    Clause,
    Joined,
    Negated,
    WrittenCondition,
    WrittenPath,
    WrittenValue,
)
from singletable.values import AttributeValue

KeyComparator: TypeAlias = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]

_MIRRORED: dict[str, KeyComparator] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_FORBIDDEN = ("<>", "IN", "attribute_exists", "attribute_not_exists", "attribute_type", "contains")
_INVALID_CONDITION = "Invalid condition in KeyConditionExpression: "


class KeyClause(Struct, frozen=True):
    """What one key attribute must be: a comparator, and one value or, for BETWEEN, two."""

    attribute: str
    comparator: KeyComparator
    values: tuple[AttributeValue, ...]


KeyCondition: TypeAlias = tuple[KeyClause, ...]


def bind_key_condition(written: WrittenCondition, placeholders: Placeholders) -> KeyCondition:
    """The clauses of a condition that is sound as any condition, or a refusal for its shape."""
    found: dict[str, KeyClause] = {}
    _collect(written, placeholders, found)
    return tuple(found.values())


def _collect(
    written: WrittenCondition, placeholders: Placeholders, found: dict[str, KeyClause]
) -> None:
    match written:
        case Joined("AND", parts):
            for part in parts:
                _collect(part, placeholders, found)
        case Joined():
            raise _invalid_operator("OR")
        case Negated():
            raise _invalid_operator("NOT")
        case Clause():
            clause = _key_clause(written, placeholders)
            if clause.attribute in found:
                raise Problem("KeyConditionExpressions must only contain one condition per key")
            found[clause.attribute] = clause
        case _:
            assert_never(written)


def _key_clause(clause: Clause, placeholders: Placeholders) -> KeyClause:
    operator, operands = clause.operator, clause.operands
    if operator in _FORBIDDEN:
        raise _invalid_operator(operator)
    if operator not in _MIRRORED and not isinstance(operands[0], WrittenPath):
        raise ValidationError(
            f"{_INVALID_CONDITION}{operator} operator must have the key attribute as its first "
            "operand"
        )
    attribute, values = _sort_operands(clause, placeholders)
    if attribute is None:
        raise ValidationError(f"{_INVALID_CONDITION}No key attribute specified")
    value_first = isinstance(operands[0], WrittenValue)
    # The operators that are left are the ones a key may have.
    comparator = _MIRRORED[operator] if value_first else cast(KeyComparator, operator)
    return KeyClause(attribute, comparator, values)


def _sort_operands(
    clause: Clause, placeholders: Placeholders
) -> tuple[str | None, tuple[AttributeValue, ...]]:
    attribute: str | None = None
    values: list[AttributeValue] = []
    for operand in clause.operands:
        match operand:
            case WrittenPath():
                if attribute is not None:
                    raise ValidationError(
                        f"{_INVALID_CONDITION}Multiple attribute names used in one condition"
                    )
                name, *nested = placeholders.path(operand)
                if nested:
                    raise Problem(
                        "KeyConditionExpressions cannot have conditions on nested attributes"
                    )
                attribute = cast(str, name)
            case WrittenValue(alias):
                values.append(placeholders.value(alias))
            case Call():
                raise Problem("KeyConditionExpressions cannot contain nested operations")
            case _:
                assert_never(operand)
    return attribute, tuple(values)


def _invalid_operator(operator: str) -> ValidationError:
    return ValidationError(f"Invalid operator used in KeyConditionExpression: {operator}")
