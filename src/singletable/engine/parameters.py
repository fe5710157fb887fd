"""The expression parameters of a request, and which of them go together."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.errors import ValidationError
from singletable.expressions import Projection
from singletable.values import INVALID


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of an operation: (name at AWS, field), in the order AWS lists them."""

    expressions: tuple[tuple[str, str], ...]
    legacy: tuple[tuple[str, str], ...]
    # What is said of values that come without an expression to use them; None if it says no more.
    unused_values: str | None = None


CONDITION = ("ConditionExpression", "condition_expression")
PROJECTION = ("ProjectionExpression", "projection_expression")
FILTER = ("FilterExpression", "filter_expression")
KEY_CONDITION = ("KeyConditionExpression", "key_condition_expression")
ATTRIBUTES = ("AttributesToGet", "attributes_to_get")
OPERATOR = ("ConditionalOperator", "conditional_operator")
EXPECTED = ("Expected", "expected")

WRITE = Parameters((CONDITION,), (EXPECTED, OPERATOR))
UPDATE = Parameters(
    (("UpdateExpression", "update_expression"), CONDITION),
    (("AttributeUpdates", "attribute_updates"), EXPECTED, OPERATOR),
)
GET = Parameters((PROJECTION,), (ATTRIBUTES,))
QUERY = Parameters(
    (PROJECTION, FILTER, KEY_CONDITION),
    (ATTRIBUTES, ("QueryFilter", "query_filter"), OPERATOR, ("KeyConditions", "key_conditions")),
    "FilterExpression and KeyConditionExpression are null",
)
# KeyConditions may stand beside a filter expression, as long as there is no key expression.
QUERY_BY_KEY_CONDITIONS = Parameters(QUERY.expressions, QUERY.legacy[:-1], QUERY.unused_values)
SCAN = Parameters(
    (PROJECTION, FILTER),
    (ATTRIBUTES, ("ScanFilter", "scan_filter"), OPERATOR),
    "FilterExpression is null",
)


def check_mixture(request: object, parameters: Parameters) -> None:
    """Raise if expressions meet legacy parameters, or names and values have no expression."""
    expressions = [n for n, f in parameters.expressions if getattr(request, f) is not None]
    if expressions:
        legacy = [n for n, f in parameters.legacy if getattr(request, f) is not None]
        if legacy:
            raise ValidationError(
                "Can not use both expression and non-expression parameters in the same request: "
                f"Non-expression parameters: {{{', '.join(legacy)}}} "
                f"Expression parameters: {{{', '.join(expressions)}}}"
            )
    elif getattr(request, "expression_attribute_names", None) is not None:
        raise ValidationError(
            "ExpressionAttributeNames can only be specified when using expressions"
        )
    if getattr(request, "expression_attribute_values", None) is not None and not [
        name for name in expressions if name != "ProjectionExpression"
    ]:
        suffix = "" if parameters.unused_values is None else f": {parameters.unused_values}"
        raise ValidationError(
            f"ExpressionAttributeValues can only be specified when using expressions{suffix}"
        )


def attributes_to_get(names: list[str] | None) -> Projection | None:
    """The legacy form of a projection: top-level attributes by name."""
    if names is None:
        return None
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValidationError(f"{INVALID}Duplicate value in attribute name: {name}")
        seen.add(name)
    return tuple((name,) for name in names)
