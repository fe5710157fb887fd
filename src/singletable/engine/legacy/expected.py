"""Expected, as a condition."""

from __future__ import annotations

from singletable.engine.legacy.arguments import check_arguments
from singletable.engine.legacy.comparison import comparison
from singletable.engine.legacy.joined import check_operator, joined
from singletable.engine.validation import Validator
from singletable.errors import ValidationError
from singletable.expressions import Condition, NotExists
from singletable.operations.shapes import (
    ComparisonOperator,
    ConditionalOperator,
    ExpectedAttributeValue,
)
from singletable.values import INVALID


def parse_expected(
    expected: dict[str, ExpectedAttributeValue] | None,
    operator: ConditionalOperator | None,
    dialect: Validator,
) -> Condition | None:
    """What is expected of the item as it stands; None if nothing is."""
    if expected is None and operator is None:
        return None
    check_operator(operator, len(expected or ()))
    found = [_condition(attribute, asked, dialect) for attribute, asked in (expected or {}).items()]
    return joined(found, operator)


def _condition(attribute: str, asked: ExpectedAttributeValue, dialect: Validator) -> Condition:
    if asked.attribute_value_list is not None and asked.value is not None:
        raise _refused("Value and AttributeValueList cannot be used together", attribute)
    if asked.comparison_operator is not None:
        return _compared(attribute, asked, asked.comparison_operator, dialect)
    if asked.attribute_value_list is not None:
        raise _refused("AttributeValueList can only be used with a ComparisonOperator", attribute)
    return _existing(attribute, asked, dialect)


def _compared(
    attribute: str, asked: ExpectedAttributeValue, operator: ComparisonOperator, dialect: Validator
) -> Condition:
    if asked.exists is not None:
        raise _refused("Exists and ComparisonOperator cannot be used together", attribute)
    values = asked.attribute_value_list
    if values is None and asked.value is not None:
        values = [asked.value]
    if values is None and operator not in ("NULL", "NOT_NULL"):
        raise _refused(
            f"Value or AttributeValueList must be used with ComparisonOperator: {operator}",
            attribute,
        )
    return comparison(attribute, operator, check_arguments(operator, values or (), dialect))


def _existing(attribute: str, asked: ExpectedAttributeValue, dialect: Validator) -> Condition:
    """The oldest form: a value that the attribute must have, or that it must not be there."""
    if asked.exists is False:
        if asked.value is not None:
            raise _refused("Value cannot be used when Exists is false", attribute)
        return NotExists((attribute,))
    if asked.value is None:
        exists = "null" if asked.exists is None else "true"
        raise _refused(f"Value must be provided when Exists is {exists}", attribute)
    return comparison(attribute, "EQ", check_arguments("EQ", (asked.value,), dialect))


def _refused(why: str, attribute: str) -> ValidationError:
    return ValidationError(f"{INVALID}{why} for Attribute: {attribute}")
