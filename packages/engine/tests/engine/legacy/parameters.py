"""Short names for values, conditions and error messages, for tests of legacy parameters."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynamodb_engine.errors import ValidationError
from dynamodb_engine.operations import ComparisonOperator, Condition
from dynamodb_engine.values import AttributeValue

INVALID = "One or more parameter values were invalid: "
NOT_A_NUMBER = "The parameter cannot be converted to a numeric value: "
NOTHING_TO_JOIN = "ConditionalOperator cannot be used without Filter or Expected"
TWO_OR_MORE = (
    "ConditionalOperator can only be used when Filter or Expected has two or more elements"
)
SAME_TYPE = INVALID + "AttributeValues inside AttributeValueList must be of same type"
REVERSED = (
    "The BETWEEN condition was provided a range where the lower bound is greater than the upper "
    "bound"
)
# One value of every type.
VALUES: dict[str, AttributeValue] = {
    "S": {"S": "b"},
    "N": {"N": "2"},
    "B": {"B": "Yg=="},
    "SS": {"SS": ["b"]},
    "NS": {"NS": ["2"]},
    "BS": {"BS": ["Yg=="]},
    "L": {"L": [{"N": "2"}]},
    "M": {"M": {"b": {"N": "2"}}},
    "BOOL": {"BOOL": True},
    "NULL": {"NULL": True},
}


def s(text: str) -> AttributeValue:
    return {"S": text}


def n(number: int | str) -> AttributeValue:
    return {"N": str(number)}


def condition(operator: ComparisonOperator, *values: AttributeValue) -> Condition:
    return Condition(operator, list(values))


def wrong_count(operator: str) -> str:
    return f"{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator"


def wrong_type(operator: str, kind: str) -> str:
    return f"{INVALID}ComparisonOperator {operator} is not valid for {kind} AttributeValue type"


def error_of(parse: Callable[[], object]) -> str:
    with pytest.raises(ValidationError) as raised:
        parse()
    return raised.value.message
