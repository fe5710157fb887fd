"""The expressions of a request: which parameters may be combined, and how they are parsed.

The requests of a program are similar: the same expressions and names, and values of the same types.
The expressions of such a shape are parsed once and cached; later requests only fill in their
values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias, cast

from msgspec import Raw, Struct

from dynamodb_engine import expressions as ex
from dynamodb_engine.engine.validation import Validator
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.values import AttributeValue, check_value, item_from_json, item_to_json


@dataclass(frozen=True, slots=True)
class ExpressionParameters:
    """The parameters of an operation: (name in AWS, field), in the order AWS lists them."""

    expressions: tuple[tuple[str, str], ...]
    legacy: tuple[tuple[str, str], ...]
    # Completes the error about values without an expression to use them.
    unused_values: str | None = None


CONDITION = ("ConditionExpression", "condition_expression")
PROJECTION = ("ProjectionExpression", "projection_expression")
FILTER = ("FilterExpression", "filter_expression")
KEY_CONDITION = ("KeyConditionExpression", "key_condition_expression")
ATTRIBUTES = ("AttributesToGet", "attributes_to_get")
OPERATOR = ("ConditionalOperator", "conditional_operator")
EXPECTED = ("Expected", "expected")

WRITE_PARAMETERS = ExpressionParameters((CONDITION,), (EXPECTED, OPERATOR))
UPDATE_PARAMETERS = ExpressionParameters(
    (("UpdateExpression", "update_expression"), CONDITION),
    (("AttributeUpdates", "attribute_updates"), EXPECTED, OPERATOR),
)
GET_PARAMETERS = ExpressionParameters((PROJECTION,), (ATTRIBUTES,))
QUERY_PARAMETERS = ExpressionParameters(
    (PROJECTION, FILTER, KEY_CONDITION),
    (ATTRIBUTES, ("QueryFilter", "query_filter"), OPERATOR, ("KeyConditions", "key_conditions")),
    "FilterExpression and KeyConditionExpression are null",
)
# KeyConditions may be combined with a filter expression if there is no key condition expression.
KEY_CONDITIONS_PARAMETERS = ExpressionParameters(
    QUERY_PARAMETERS.expressions, QUERY_PARAMETERS.legacy[:-1], QUERY_PARAMETERS.unused_values
)
SCAN_PARAMETERS = ExpressionParameters(
    (PROJECTION, FILTER),
    (ATTRIBUTES, ("ScanFilter", "scan_filter"), OPERATOR),
    "FilterExpression is null",
)


def check_parameters(request: object, parameters: ExpressionParameters) -> None:
    """Raise if expressions are mixed with legacy parameters, or names or values have no use."""
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


Names: TypeAlias = Mapping[str, str]
Values: TypeAlias = Mapping[str, AttributeValue]
Texts: TypeAlias = tuple[str | None, ...]


class ParsedExpressions(Struct, frozen=True):
    """The parsed expressions of a request, with None for a missing one."""

    update: ex.Update | None = None
    condition: ex.Condition | None = None
    key_condition: ex.KeyCondition | None = None
    filter: ex.Condition | None = None
    projection: ex.Projection | None = None


FIELDS = (
    "update_expression",
    "condition_expression",
    "key_condition_expression",
    "filter_expression",
    "projection_expression",
)
_NO_TEXTS: Texts = (None,) * len(FIELDS)
_NO_EXPRESSIONS = ParsedExpressions()
# The number of cached shapes. Longer expressions are not cached: parsed, they take 100 times the
# memory of their text.
CACHE_SIZE = 512
MAX_CACHED_LENGTH = 2048


def parse_expressions(request: object, validator: Validator) -> ParsedExpressions:
    """Return the parsed expressions of a request; raise ValidationError if one is invalid."""
    texts: Texts = tuple([getattr(request, field, None) for field in FIELDS])
    if texts == _NO_TEXTS:
        return _NO_EXPRESSIONS
    names: Names | None = getattr(request, "expression_attribute_names", None)
    values: Values | None = getattr(request, "expression_attribute_values", None)
    try:
        return _fill_cached(texts, names, values, validator)
    except (_NotCached, ValidationError, TypeError):
        # Parse step by step, which reports errors in DynamoDB's order.
        return _parse(
            texts, ex.Placeholders.checked(names, values, validator.check_expression_value)
        )


def project_json(projection: ex.Projection, json: Raw | bytes) -> bytes:
    """Return the item's JSON with the projected paths only."""
    return item_to_json(ex.project(projection, item_from_json(json)))


def project_all(projection: ex.Projection | None, items: list[bytes]) -> list[Raw]:
    """Return the items with the projected paths only, or unchanged without a projection."""
    if projection is None:
        return list(map(Raw, items))
    return [Raw(project_json(projection, json)) for json in items]


class _NotCached(Exception):
    """The expressions must be parsed."""


def _fill_cached(
    texts: Texts, names: Names | None, values: Values | None, validator: Validator
) -> ParsedExpressions:
    """Return the expressions of a cached shape; raise if anything is invalid or not cached."""
    length = sum([len(text) for text in texts if text is not None])
    if values is not None:
        length += sum(map(len, values))
    if names is not None:
        length += sum(map(len, names)) + sum(map(len, names.values()))
    if length > MAX_CACHED_LENGTH:
        raise _NotCached
    named = None if names is None else tuple(names.items())
    types = None if values is None else tuple([(alias, *value) for alias, value in values.items()])
    fill = _prepare_shape(texts, named, types)
    if fill is None:
        raise _NotCached
    if values is None:
        return fill({})
    layer = validator.layer
    return fill({alias: check_value(value, layer)[0] for alias, value in values.items()})


@lru_cache(CACHE_SIZE)
def _prepare_shape(
    texts: Texts,
    names: tuple[tuple[str, str], ...] | None,
    types: tuple[tuple[str, ...], ...] | None,
) -> Callable[[Values], ParsedExpressions] | None:
    """Return a function that fills in values; None for invalid or value-dependent expressions."""
    try:
        values = None if types is None else {alias: {**ex.SAMPLES[kind]} for alias, kind in types}
        placeholders = ex.Placeholders.checked(
            None if names is None else dict(names),
            cast("Values | None", values),
            lambda _, value: value,
        )
        return ex.prepare(_parse(texts, placeholders), placeholders.values)
    except (ValidationError, KeyError, ValueError):
        return None


def _parse(texts: Texts, placeholders: ex.Placeholders) -> ParsedExpressions:
    update, condition, key_condition, filter_, projection = texts
    parsed_update = None if update is None else ex.parse_update(update, placeholders)
    parsed_condition = None if condition is None else ex.parse_condition(condition, placeholders)
    if key_condition is not None:
        ex.check_key_condition(key_condition, placeholders)
    parsed_filter = (
        None if filter_ is None else ex.parse_condition(filter_, placeholders, "FilterExpression")
    )
    parsed_projection = (
        None if projection is None else ex.parse_projection(projection, placeholders)
    )
    placeholders.check_unused()
    clauses = None if key_condition is None else ex.parse_key_clauses(key_condition, placeholders)
    return ParsedExpressions(
        parsed_update, parsed_condition, clauses, parsed_filter, parsed_projection
    )
