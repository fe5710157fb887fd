"""The values that a comparison operator is given: how many, of which types, in which order."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.engine.validation import Validator
from singletable.errors import ValidationError
from singletable.expressions import Compare, Constant, holds
from singletable.operations.shapes import ComparisonOperator
from singletable.values import INVALID, AttributeValue, check_value, type_of

SCALARS = frozenset(("S", "N", "B"))
TEXTS = frozenset(("S", "B"))
ANY = frozenset(("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"))
MEMBERS = ANY - {"SS", "NS", "BS", "M", "L"}

# How many values an operator takes (at least, at most), and of which types.
ARGUMENTS: dict[ComparisonOperator, tuple[int, int | None, frozenset[str]]] = {
    "EQ": (1, 1, ANY),
    "NE": (1, 1, ANY),
    "LT": (1, 1, SCALARS),
    "LE": (1, 1, SCALARS),
    "GT": (1, 1, SCALARS),
    "GE": (1, 1, SCALARS),
    "CONTAINS": (1, 1, MEMBERS),
    "NOT_CONTAINS": (1, 1, MEMBERS),
    "BEGINS_WITH": (1, 1, TEXTS),
    "BETWEEN": (2, 2, SCALARS),
    "IN": (1, None, SCALARS),
    "NULL": (0, 0, ANY),
    "NOT_NULL": (0, 0, ANY),
}


def check_arguments(
    operator: ComparisonOperator, values: Sequence[AttributeValue], dialect: Validator
) -> tuple[AttributeValue, ...]:
    """The values in canonical form; ValidationError if the operator cannot take them."""
    checked = tuple([check_value(value, dialect.layer)[0] for value in values])
    fewest, most, types = ARGUMENTS[operator]
    if len(checked) < fewest or (most is not None and len(checked) > most):
        raise ValidationError(
            f"{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator"
        )
    if len({type_of(value) for value in checked}) > 1:
        raise ValidationError(
            f"{INVALID}AttributeValues inside AttributeValueList must be of same type"
        )
    if checked and (kind := type_of(checked[0])) not in types:
        raise ValidationError(
            f"{INVALID}ComparisonOperator {operator} is not valid for {kind} AttributeValue type"
        )
    if operator == "BETWEEN":
        _check_bounds(*checked)
    return checked


def _check_bounds(low: AttributeValue, high: AttributeValue) -> None:
    if not holds(Compare("<=", Constant(low), Constant(high)), {}):
        raise ValidationError(
            "The BETWEEN condition was provided a range where the lower bound is greater than the "
            "upper bound"
        )
