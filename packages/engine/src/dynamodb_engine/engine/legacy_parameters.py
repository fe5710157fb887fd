"""The parameters from before expressions, translated to what an expression would parse to.

`Expected`, `QueryFilter`, `ScanFilter` and `KeyConditions` compare attributes with an operator and
a list of values; `AttributeUpdates` changes attributes with an action and a value;
`AttributesToGet` is a projection.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import assert_never, cast

from dynamodb_engine import expressions as ex
from dynamodb_engine import operations
from dynamodb_engine import operations as ops
from dynamodb_engine.engine.validation import Validator
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.values import INVALID, AttributeValue, Item, check_value, type_of

SCALARS = frozenset(("S", "N", "B"))
TEXTS = frozenset(("S", "B"))
ANY = frozenset(("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"))
SETS = frozenset(("SS", "NS", "BS"))
MEMBERS = ANY - SETS - {"M", "L"}

# The number of values an operator takes (minimum, maximum), and their types.
ARGUMENTS: dict[ops.ComparisonOperator, tuple[int, int | None, frozenset[str]]] = {
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
COMPARATORS: dict[ops.ComparisonOperator, ex.Comparator] = {
    "EQ": "=",
    "NE": "<>",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
}
KEY_COMPARATORS: dict[ops.ComparisonOperator, ex.KeyComparator] = {
    "EQ": "=",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
    "BETWEEN": "BETWEEN",
    "BEGINS_WITH": "begins_with",
}


def parse_expected(
    expected: dict[str, ops.ExpectedAttributeValue] | None,
    operator: ops.ConditionalOperator | None,
    validator: Validator,
) -> ex.Condition | None:
    """Return Expected as a condition, or None."""
    if expected is None and operator is None:
        return None
    _check_conditional_operator(operator, len(expected or ()))
    conditions = [
        _expected_condition(attribute, expectation, validator)
        for attribute, expectation in (expected or {}).items()
    ]
    return _join(conditions, operator)


def parse_filter(
    filters: dict[str, operations.Condition] | None,
    operator: ops.ConditionalOperator | None,
    validator: Validator,
) -> ex.Condition | None:
    """Return QueryFilter or ScanFilter as a condition, or None."""
    _check_conditional_operator(operator, len(filters or ()))
    conditions: list[ex.Condition] = []
    for attribute, filter_ in (filters or {}).items():
        comparison = filter_.comparison_operator
        values = _check_arguments(comparison, filter_.attribute_value_list or (), validator)
        conditions.append(_compare(attribute, comparison, values))
    return _join(conditions, operator)


def parse_key_conditions(
    conditions: dict[str, operations.Condition], validator: Validator
) -> ex.KeyCondition:
    """Return KeyConditions as a key condition, not yet checked against a key schema."""
    clauses = tuple([_key_clause(name, c, validator) for name, c in conditions.items()])
    # More than two are possible: an index can have up to eight key attributes.
    if not clauses:
        raise ValidationError("Conditions can be of length 1 or 2 only")
    return clauses


def parse_attributes_to_get(names: list[str] | None) -> ex.Projection | None:
    """Return AttributesToGet, which lists top-level attributes, as a projection."""
    if names is None:
        return None
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValidationError(f"{INVALID}Duplicate value in attribute name: {name}")
        seen.add(name)
    return tuple((name,) for name in names)


def parse_attribute_updates(
    updates: dict[str, ops.AttributeValueUpdate] | None, validator: Validator
) -> ex.Update:
    """Return AttributeUpdates as an update; empty if there are none."""
    return tuple([_action(name, update, validator) for name, update in (updates or {}).items()])


def check_update_types(update: ex.Update, item: Item) -> None:
    """Raise if the update adds to, or deletes from, an attribute of another type.

    DynamoDB words this error differently for an expression, so it is checked before applying.
    """
    for action in update:
        current = item.get(str(action.path[0]))
        required = _required_type(action)
        if current is not None and required is not None and required != type_of(current):
            raise ValidationError("Type mismatch for attribute to update")


def _check_conditional_operator(operator: ops.ConditionalOperator | None, count: int) -> None:
    """Raise if there is an operator but fewer than two comparisons to join."""
    if operator is None:
        return
    if count == 0:
        raise ValidationError("ConditionalOperator cannot be used without Filter or Expected")
    if count == 1:
        raise ValidationError(
            "ConditionalOperator can only be used when Filter or Expected has two or more elements"
        )


def _join(
    conditions: list[ex.Condition], operator: ops.ConditionalOperator | None
) -> ex.Condition | None:
    return reduce(ex.Or if operator == "OR" else ex.And, conditions) if conditions else None


def _expected_condition(
    attribute: str, expected: ops.ExpectedAttributeValue, validator: Validator
) -> ex.Condition:
    if expected.attribute_value_list is not None and expected.value is not None:
        raise _invalid("Value and AttributeValueList cannot be used together", attribute)
    if expected.comparison_operator is not None:
        return _expected_comparison(attribute, expected, expected.comparison_operator, validator)
    if expected.attribute_value_list is not None:
        raise _invalid("AttributeValueList can only be used with a ComparisonOperator", attribute)
    return _expected_existence(attribute, expected, validator)


def _expected_comparison(
    attribute: str,
    expected: ops.ExpectedAttributeValue,
    operator: ops.ComparisonOperator,
    validator: Validator,
) -> ex.Condition:
    if expected.exists is not None:
        raise _invalid("Exists and ComparisonOperator cannot be used together", attribute)
    values = expected.attribute_value_list
    if values is None and expected.value is not None:
        values = [expected.value]
    if values is None and operator not in ("NULL", "NOT_NULL"):
        raise _invalid(
            f"Value or AttributeValueList must be used with ComparisonOperator: {operator}",
            attribute,
        )
    return _compare(attribute, operator, _check_arguments(operator, values or (), validator))


def _expected_existence(
    attribute: str, expected: ops.ExpectedAttributeValue, validator: Validator
) -> ex.Condition:
    """Translate the oldest form: the attribute has this value, or does not exist."""
    if expected.exists is False:
        if expected.value is not None:
            raise _invalid("Value cannot be used when Exists is false", attribute)
        return ex.NotExists((attribute,))
    if expected.value is None:
        exists = "null" if expected.exists is None else "true"
        raise _invalid(f"Value must be provided when Exists is {exists}", attribute)
    return _compare(attribute, "EQ", _check_arguments("EQ", (expected.value,), validator))


def _invalid(why: str, attribute: str) -> ValidationError:
    return ValidationError(f"{INVALID}{why} for Attribute: {attribute}")


def _check_arguments(
    operator: ops.ComparisonOperator, values: Sequence[AttributeValue], validator: Validator
) -> tuple[AttributeValue, ...]:
    """Return the values in canonical form; raise if the operator does not take them."""
    checked = tuple([check_value(value, validator.layer)[0] for value in values])
    minimum, maximum, types = ARGUMENTS[operator]
    if len(checked) < minimum or (maximum is not None and len(checked) > maximum):
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
        low, high = checked
        if not ex.holds(ex.Compare("<=", ex.Constant(low), ex.Constant(high)), {}):
            raise ValidationError(
                "The BETWEEN condition was provided a range where the lower bound is greater than "
                "the upper bound"
            )
    return checked


def _compare(
    attribute: str, operator: ops.ComparisonOperator, values: tuple[AttributeValue, ...]
) -> ex.Condition:
    """Return the comparison as a condition.

    The attribute is a name, not a path: a dot is part of it.
    """
    at = ex.At((attribute,))
    constants = tuple([ex.Constant(value) for value in values])
    match operator:
        case "EQ" | "NE" | "LT" | "LE" | "GT" | "GE":
            return ex.Compare(COMPARATORS[operator], at, constants[0])
        case "BETWEEN":
            return ex.Between(at, constants[0], constants[1])
        case "IN":
            return ex.In(at, constants)
        case "BEGINS_WITH":
            return ex.BeginsWith(at, constants[0])
        case "CONTAINS":
            return ex.Contains(at, constants[0])
        case "NOT_CONTAINS":
            # Not satisfied by a missing attribute, unlike NE, for which a missing attribute differs
            # from every value.
            return ex.And(ex.Exists(at.path), ex.Not(ex.Contains(at, constants[0])))
        case "NULL":
            # Not the type NULL: an attribute with a value of that type exists.
            return ex.NotExists(at.path)
        case "NOT_NULL":
            return ex.Exists(at.path)
        case _:
            assert_never(operator)


def _key_clause(
    attribute: str, condition: operations.Condition, validator: Validator
) -> ex.KeyClause:
    operator = condition.comparison_operator
    values = _check_arguments(operator, condition.attribute_value_list or (), validator)
    # No index supports the other operators, but DynamoDB reports that only once it knows the table,
    # after other errors. So they keep their own names, which no comparator has.
    comparator = KEY_COMPARATORS.get(operator, cast(ex.KeyComparator, operator))
    return ex.KeyClause(attribute, comparator, values)


def _required_type(action: ex.Action) -> str | None:
    match action:
        case ex.Add(_, value) | ex.Delete(_, value):
            return type_of(value)
        case ex.Set(_, ex.ListAppend()):
            return "L"
        case _:
            return None


def _action(attribute: str, update: ops.AttributeValueUpdate, validator: Validator) -> ex.Action:
    if not attribute:
        raise ValidationError("Empty attribute name")
    if update.value is None:
        if update.action != "DELETE":
            raise ValidationError(
                f"{INVALID}Only DELETE action is allowed when no attribute value is specified"
            )
        return ex.Remove((attribute,))
    value, _ = check_value(update.value, validator.layer)
    match update.action:
        case "ADD":
            return _add_action((attribute,), value)
        case "DELETE":
            return _delete_action((attribute,), value)
        case "PUT" | None:
            return ex.Set((attribute,), ex.Constant(value))


def _add_action(path: ex.Path, value: AttributeValue) -> ex.Action:
    kind = type_of(value)
    if kind == "L":
        # Unlike in an expression, ADD accepts a list and appends it.
        return ex.Set(
            path, ex.ListAppend(ex.IfNotExists(path, ex.Constant({"L": []})), ex.Constant(value))
        )
    if kind != "N" and kind not in SETS:
        raise ValidationError(f"{INVALID}ADD action is not supported for the type {kind}")
    return ex.Add(path, value)


def _delete_action(path: ex.Path, value: AttributeValue) -> ex.Action:
    kind = type_of(value)
    if kind not in SETS:
        raise ValidationError(
            f"{INVALID}DELETE action with value is not supported for the type {kind}"
        )
    return ex.Delete(path, value)
