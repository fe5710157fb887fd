"""KeyConditions, as a key condition."""

from __future__ import annotations

from typing import cast

from singletable.engine.legacy.arguments import check_arguments
from singletable.engine.validation import Validator
from singletable.errors import ValidationError
from singletable.expressions import KeyClause, KeyComparator, KeyCondition
from singletable.operations.shapes import ComparisonOperator, Condition

COMPARATORS: dict[ComparisonOperator, KeyComparator] = {
    "EQ": "=",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
    "BETWEEN": "BETWEEN",
    "BEGINS_WITH": "begins_with",
}


def parse_key_conditions(conditions: dict[str, Condition], dialect: Validator) -> KeyCondition:
    """What the conditions ask of a key; whether the table has such a key is seen later."""
    clauses = tuple([_clause(name, asked, dialect) for name, asked in conditions.items()])
    # More than two can be right: an index may have up to eight key attributes.
    if not clauses:
        raise ValidationError("Conditions can be of length 1 or 2 only")
    return clauses


def _clause(attribute: str, asked: Condition, dialect: Validator) -> KeyClause:
    operator = asked.comparison_operator
    values = check_arguments(operator, asked.attribute_value_list or (), dialect)
    # No index can serve the other operators, and DynamoDB says so only once it knows the table,
    # after other complaints. So they travel on under their own names, which no comparator has.
    return KeyClause(attribute, COMPARATORS.get(operator, cast(KeyComparator, operator)), values)
