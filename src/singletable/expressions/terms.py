"""What the right-hand side of SET gives, of the item as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from singletable.errors import ValidationError
from singletable.expressions.nodes import At, Constant, IfNotExists, ListAppend, Sum, Term
from singletable.expressions.paths import value_at
from singletable.values import AttributeValue, InvalidNumber, Item, add_numbers, subtract_numbers
from singletable.values.numbers import OVERFLOW, TOO_MANY_DIGITS

NO_SUCH_ATTRIBUTE = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"


def evaluate(term: Term, item: Item) -> AttributeValue:
    """The value of the term; ValidationError if an attribute is missing or of the wrong type."""
    match term:
        case Constant(value):
            return value
        case At(path):
            found = value_at(path, item)
            if found is None:
                raise ValidationError(NO_SUCH_ATTRIBUTE)
            return found
        case IfNotExists(path, otherwise):
            found = value_at(path, item)
            return evaluate(otherwise, item) if found is None else found
        case Sum(sign, left, right):
            # DynamoDB looks at one operand completely before it looks at the other.
            one = _number(evaluate(left, item))
            other = _number(evaluate(right, item))
            return number(add_numbers if sign == "+" else subtract_numbers, one, other)
        case ListAppend(first, second):
            beginning = _elements(evaluate(first, item))
            return {"L": [*beginning, *_elements(evaluate(second, item))]}
        case _:
            assert_never(term)


def number(reckon: Callable[[str, str], str], left: str, right: str) -> AttributeValue:
    """The result of a sum, unless it is no number that DynamoDB can keep."""
    try:
        return {"N": reckon(left, right)}
    except InvalidNumber as problem:
        # Of a sum with more digits than it keeps, DynamoDB says that it is too large; it is not.
        text = OVERFLOW if str(problem) == TOO_MANY_DIGITS else str(problem)
        raise ValidationError(text) from None


def _number(value: AttributeValue) -> str:
    if "N" not in value:
        raise ValidationError(WRONG_TYPE)
    return value["N"]


def _elements(value: AttributeValue) -> list[AttributeValue]:
    if "L" not in value:
        raise ValidationError(WRONG_TYPE)
    return value["L"]
