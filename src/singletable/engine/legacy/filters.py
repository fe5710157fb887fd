"""QueryFilter and ScanFilter, as a condition."""

from __future__ import annotations

from singletable.engine.legacy.arguments import check_arguments
from singletable.engine.legacy.comparison import comparison
from singletable.engine.legacy.joined import check_operator, joined
from singletable.engine.validation import Validator
from singletable.expressions import Condition
from singletable.operations import shapes


def parse_filter(
    conditions: dict[str, shapes.Condition] | None,
    operator: shapes.ConditionalOperator | None,
    dialect: Validator,
) -> Condition | None:
    """What the filter asks of an item; None if it asks nothing."""
    check_operator(operator, len(conditions or ()))
    found: list[Condition] = []
    for attribute, asked in (conditions or {}).items():
        compare = asked.comparison_operator
        values = check_arguments(compare, asked.attribute_value_list or (), dialect)
        found.append(comparison(attribute, compare, values))
    return joined(found, operator)
