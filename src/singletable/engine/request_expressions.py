"""The expression parameters of a request, and which of them go together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias, cast

from msgspec import Struct

from singletable.engine.validation import Validator
from singletable.errors import ValidationError
from singletable.expressions import (
    Condition,
    KeyCondition,
    Placeholders,
    Projection,
    Update,
    check_key_condition,
    parse_condition,
    parse_key_clauses,
    parse_projection,
    parse_update,
    prepare,
)
from singletable.values import INVALID, AttributeValue, check_value


@dataclass(frozen=True, slots=True)
class ExpressionParameters:
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

WRITE = ExpressionParameters((CONDITION,), (EXPECTED, OPERATOR))
UPDATE = ExpressionParameters(
    (("UpdateExpression", "update_expression"), CONDITION),
    (("AttributeUpdates", "attribute_updates"), EXPECTED, OPERATOR),
)
GET = ExpressionParameters((PROJECTION,), (ATTRIBUTES,))
QUERY = ExpressionParameters(
    (PROJECTION, FILTER, KEY_CONDITION),
    (ATTRIBUTES, ("QueryFilter", "query_filter"), OPERATOR, ("KeyConditions", "key_conditions")),
    "FilterExpression and KeyConditionExpression are null",
)
# KeyConditions may stand beside a filter expression, as long as there is no key expression.
QUERY_BY_KEY_CONDITIONS = ExpressionParameters(
    QUERY.expressions, QUERY.legacy[:-1], QUERY.unused_values
)
SCAN = ExpressionParameters(
    (PROJECTION, FILTER),
    (ATTRIBUTES, ("ScanFilter", "scan_filter"), OPERATOR),
    "FilterExpression is null",
)


def check_parameters(request: object, parameters: ExpressionParameters) -> None:
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


# FROM reading.py: What the expressions of a request say.
#
# Requests of a program are alike: the same texts and names, and values of the same types. Of such a
# shape the expressions are read once, and then made of each request's values at once.

Names: TypeAlias = Mapping[str, str]
Values: TypeAlias = Mapping[str, AttributeValue]
Texts: TypeAlias = tuple[str | None, ...]


class ParsedExpressions(Struct, frozen=True):
    """What the expressions of a request say; None for those that are not there."""

    update: Update | None = None
    condition: Condition | None = None
    key_condition: KeyCondition | None = None
    filter: Condition | None = None
    projection: Projection | None = None


FIELDS = (
    "update_expression",
    "condition_expression",
    "key_condition_expression",
    "filter_expression",
    "projection_expression",
)
_NO_TEXTS: Texts = (None,) * len(FIELDS)
_NONE = ParsedExpressions()
# Shapes that are kept; a name may be long, so that those with many letters in their names are not.
KEPT = 1024
MOST_LETTERS = 1024
# A value of each type, to read expressions with that will be made of other values.
_ANY: dict[str, AttributeValue] = {
    "S": {"S": "any"},
    "N": {"N": "1"},
    "B": {"B": "YW55"},
    "SS": {"SS": ["any"]},
    "NS": {"NS": ["1"]},
    "BS": {"BS": ["YW55"]},
    "M": {"M": {}},
    "L": {"L": []},
    "NULL": {"NULL": True},
    "BOOL": {"BOOL": True},
}


def parse_expressions(request: object, dialect: Validator) -> ParsedExpressions:
    """What the request's expressions say; ValidationError if one cannot be read."""
    texts: Texts = tuple([getattr(request, field, None) for field in FIELDS])
    if texts == _NO_TEXTS:
        return _NONE
    names: Names | None = getattr(request, "expression_attribute_names", None)
    values: Values | None = getattr(request, "expression_attribute_values", None)
    try:
        return _made(texts, names, values, dialect)
    except (_UnknownShape, ValidationError, TypeError):
        # Whatever is wrong is found, and told, in DynamoDB's order.
        return _read(texts, Placeholders.checked(names, values, dialect.check_expression_value))


class _UnknownShape(Exception):
    """The expressions must be read."""


def _made(
    texts: Texts, names: Names | None, values: Values | None, dialect: Validator
) -> ParsedExpressions:
    """The expressions of a known shape; whatever may be wrong raises."""
    named = None if names is None else tuple(names.items())
    if named is not None and sum([len(name) for _, name in named]) > MOST_LETTERS:
        raise _UnknownShape
    types = None if values is None else tuple([(alias, *value) for alias, value in values.items()])
    make = _maker(texts, named, types)
    if make is None:
        raise _UnknownShape
    if values is None:
        return make({})
    layer = dialect.layer
    return make({alias: check_value(value, layer)[0] for alias, value in values.items()})


@lru_cache(KEPT)
def _maker(
    texts: Texts,
    names: tuple[tuple[str, str], ...] | None,
    types: tuple[tuple[str, ...], ...] | None,
) -> Callable[[Values], ParsedExpressions] | None:
    """What makes the expressions of a shape; None if they are wrong, or must be read each time."""
    try:
        values = None if types is None else {alias: {**_ANY[kind]} for alias, kind in types}
        placeholders = Placeholders.checked(
            None if names is None else dict(names),
            cast("Values | None", values),
            lambda _, value: value,
        )
        return prepare(_read(texts, placeholders), placeholders.values)
    except (ValidationError, KeyError, ValueError):
        return None


def _read(texts: Texts, placeholders: Placeholders) -> ParsedExpressions:
    update, condition, key_condition, filter_, projection = texts
    read_update = None if update is None else parse_update(update, placeholders)
    read_condition = None if condition is None else parse_condition(condition, placeholders)
    if key_condition is not None:
        check_key_condition(key_condition, placeholders)
    read_filter = (
        None if filter_ is None else parse_condition(filter_, placeholders, "FilterExpression")
    )
    read_projection = None if projection is None else parse_projection(projection, placeholders)
    placeholders.check_unused()
    clauses = None if key_condition is None else parse_key_clauses(key_condition, placeholders)
    return ParsedExpressions(read_update, read_condition, clauses, read_filter, read_projection)
