"""Comparisons of several attributes, joined by ConditionalOperator."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from singletable.errors import ValidationError
from singletable.expressions import And, Condition, Or
from singletable.operations.shapes import ConditionalOperator


def check_operator(operator: ConditionalOperator | None, count: int) -> None:
    """Raise if there is an operator, and fewer than two comparisons that it could join."""
    if operator is None:
        return
    if count == 0:
        raise ValidationError("ConditionalOperator cannot be used without Filter or Expected")
    if count == 1:
        raise ValidationError(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )


def joined(
    conditions: Iterable[Condition], operator: ConditionalOperator | None
) -> Condition | None:
    """All of the conditions, or any of them if the operator is OR; None if there are none."""
    each = list(conditions)
    return reduce(Or if operator == "OR" else And, each) if each else None
