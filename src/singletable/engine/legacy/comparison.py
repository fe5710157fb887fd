"""One attribute compared by a legacy operator, as a condition."""

from __future__ import annotations

from typing import assert_never

from singletable.expressions import (
    And,
    At,
    BeginsWith,
    Between,
    Comparator,
    Compare,
    Condition,
    Constant,
    Contains,
    Exists,
    In,
    Not,
    NotExists,
)
from singletable.operations.shapes import ComparisonOperator
from singletable.values import AttributeValue

COMPARATORS: dict[ComparisonOperator, Comparator] = {
    "EQ": "=",
    "NE": "<>",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
}


def comparison(
    attribute: str, operator: ComparisonOperator, values: tuple[AttributeValue, ...]
) -> Condition:
    """What the operator asks of the attribute; the values are checked ones.

    The name is a name and no path: a dot in it is part of it.
    """
    at = At((attribute,))
    given = tuple([Constant(value) for value in values])
    match operator:
        case "EQ" | "NE" | "LT" | "LE" | "GT" | "GE":
            return Compare(COMPARATORS[operator], at, given[0])
        case "BETWEEN":
            return Between(at, given[0], given[1])
        case "IN":
            return In(at, given)
        case "BEGINS_WITH":
            return BeginsWith(at, given[0])
        case "CONTAINS":
            return Contains(at, given[0])
        case "NOT_CONTAINS":
            # What is not there neither contains a value nor does it not contain it. NE, to which
            # a missing attribute is different from any value, is the exception.
            return And(Exists(at.path), Not(Contains(at, given[0])))
        case "NULL":
            # Not the type NULL: a value of that type is there.
            return NotExists(at.path)
        case "NOT_NULL":
            return Exists(at.path)
        case _:
            assert_never(operator)
