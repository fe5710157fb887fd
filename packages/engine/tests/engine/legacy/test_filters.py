"""QueryFilter and ScanFilter: which items pass, and which filters are rejected."""

from __future__ import annotations

import pytest

from dynamodb_engine.engine.legacy_parameters import parse_filter
from dynamodb_engine.engine.validation import READ, SCAN
from dynamodb_engine.expressions import holds
from dynamodb_engine.operations import ComparisonOperator, Condition, ConditionalOperator
from dynamodb_engine.values import AttributeValue, Item
from tests.engine.legacy.parameters import (
    NOT_A_NUMBER,
    NOTHING_TO_JOIN,
    REVERSED,
    SAME_TYPE,
    TWO_OR_MORE,
    VALUES,
    condition,
    error_of,
    n,
    s,
    wrong_count,
    wrong_type,
)
from tools.testing.cases import every

ITEM: Item = {
    "text": s("hello"),
    "number": n(5),
    "bytes": {"B": "AQID"},  # 1, 2, 3
    "texts": {"SS": ["a", "b"]},
    "numbers": {"NS": ["1", "2"]},
    "blobs": {"BS": ["AQ==", "Ag=="]},
    "list": {"L": [n(1), s("a"), {"BOOL": True}, {"NULL": True}]},
    "map": {"M": {"x": n(1)}},
    "true": {"BOOL": True},
    "null": {"NULL": True},
    "dotted.name": s("whole"),
    "dotted": {"M": {"name": s("part")}},
}

CASES: list[tuple[str, Condition, bool]] = [
    # Values of one type can be equal: numbers by value, sets in any order, documents recursively.
    ("text", condition("EQ", s("hello")), True),
    ("text", condition("EQ", s("hell")), False),
    ("number", condition("EQ", n("5.0")), True),
    ("number", condition("EQ", s("5")), False),
    ("texts", condition("EQ", {"SS": ["b", "a"]}), True),
    ("texts", condition("EQ", {"SS": ["a"]}), False),
    ("numbers", condition("EQ", {"NS": ["2.0", "1"]}), True),
    ("list", condition("EQ", ITEM["list"]), True),
    ("list", condition("EQ", {"L": [n(1)]}), False),
    ("map", condition("EQ", {"M": {"x": n("1.0")}}), True),
    ("true", condition("EQ", {"BOOL": True}), True),
    ("true", condition("EQ", {"BOOL": False}), False),
    ("null", condition("EQ", {"NULL": True}), True),
    ("missing", condition("EQ", s("")), False),
    ("missing", condition("EQ", {"NULL": True}), False),
    # A value of another type differs, and so does a missing attribute.
    ("text", condition("NE", s("hello")), False),
    ("text", condition("NE", s("hi")), True),
    ("number", condition("NE", s("5")), True),
    ("missing", condition("NE", s("hi")), True),
    ("missing", condition("NE", {"SS": ["a"]}), True),
    ("number", condition("LT", n(6)), True),
    ("number", condition("LT", n(5)), False),
    ("number", condition("LT", n(10)), True),
    ("number", condition("LT", s("6")), False),
    ("text", condition("LT", s("help")), True),
    ("bytes", condition("LT", {"B": "/w=="}), True),
    ("missing", condition("LT", n(6)), False),
    ("number", condition("LE", n(5)), True),
    ("number", condition("LE", n(4)), False),
    ("number", condition("GT", n(4)), True),
    ("number", condition("GT", n(5)), False),
    ("missing", condition("GT", n(4)), False),
    ("number", condition("GE", n(5)), True),
    ("number", condition("GE", n(6)), False),
    ("number", condition("BETWEEN", n(5), n(5)), True),
    ("number", condition("BETWEEN", n(6), n(9)), False),
    ("number", condition("BETWEEN", s("0"), s("9")), False),
    ("text", condition("BETWEEN", s("h"), s("i")), True),
    ("missing", condition("BETWEEN", n(0), n(9)), False),
    ("number", condition("IN", n(1), n(5)), True),
    ("number", condition("IN", n(1)), False),
    ("number", condition("IN", s("5")), False),
    # IN checks whether the attribute is one of the values, not whether it contains one.
    ("numbers", condition("IN", n(1), n(2)), False),
    ("missing", condition("IN", n(1)), False),
    ("text", condition("BEGINS_WITH", s("he")), True),
    ("text", condition("BEGINS_WITH", s("el")), False),
    ("text", condition("BEGINS_WITH", s("")), True),
    ("bytes", condition("BEGINS_WITH", {"B": "AQI="}), True),
    ("number", condition("BEGINS_WITH", s("5")), False),
    ("missing", condition("BEGINS_WITH", s("")), False),
    ("text", condition("CONTAINS", s("ell")), True),
    ("text", condition("CONTAINS", s("x")), False),
    ("text", condition("CONTAINS", n(1)), False),
    ("bytes", condition("CONTAINS", {"B": "AgM="}), True),
    ("texts", condition("CONTAINS", s("a")), True),
    ("texts", condition("CONTAINS", s("ab")), False),
    ("numbers", condition("CONTAINS", n("1.0")), True),
    ("numbers", condition("CONTAINS", s("1")), False),
    ("blobs", condition("CONTAINS", {"B": "Ag=="}), True),
    ("list", condition("CONTAINS", s("a")), True),
    ("list", condition("CONTAINS", {"BOOL": True}), True),
    ("list", condition("CONTAINS", {"BOOL": False}), False),
    ("list", condition("CONTAINS", {"NULL": True}), True),
    ("map", condition("CONTAINS", s("x")), False),
    ("missing", condition("CONTAINS", s("a")), False),
    ("text", condition("NOT_CONTAINS", s("ell")), False),
    ("text", condition("NOT_CONTAINS", s("x")), True),
    ("text", condition("NOT_CONTAINS", n(1)), True),
    ("texts", condition("NOT_CONTAINS", s("a")), False),
    ("list", condition("NOT_CONTAINS", n(2)), True),
    ("map", condition("NOT_CONTAINS", s("x")), True),
    # Unlike NE, a missing attribute does not satisfy this.
    ("missing", condition("NOT_CONTAINS", s("a")), False),
    # NULL requires a missing attribute; an attribute of the type NULL exists.
    ("missing", Condition("NULL"), True),
    ("missing", Condition("NULL", []), True),
    ("null", Condition("NULL"), False),
    ("text", Condition("NULL"), False),
    ("missing", Condition("NOT_NULL"), False),
    ("null", Condition("NOT_NULL"), True),
    ("text", Condition("NOT_NULL", []), True),
    # The attribute is a name, not a path.
    ("dotted.name", condition("EQ", s("whole")), True),
    ("list[0]", condition("EQ", n(1)), False),
]


@pytest.mark.parametrize(("attribute", "filter_", "passes"), CASES, ids=str)
def test_filter_is_applied(attribute: str, filter_: Condition, passes: bool) -> None:
    parsed = parse_filter({attribute: filter_}, None, READ)
    assert parsed is not None
    assert holds(parsed, ITEM) is passes


TRUE, FALSE = condition("EQ", n(5)), condition("EQ", n(6))


@every(
    ("first", "second", "operator", "passes"),
    [
        (TRUE, TRUE, None, True),
        (TRUE, FALSE, None, False),
        (TRUE, FALSE, "AND", False),
        (TRUE, FALSE, "OR", True),
        (FALSE, TRUE, "OR", True),
        (FALSE, FALSE, "OR", False),
    ],
)
def test_conditions_are_joined_by_and_by_default(
    first: Condition, second: Condition, operator: ConditionalOperator | None, passes: bool
) -> None:
    parsed = parse_filter({"a": first, "b": second}, operator, READ)
    assert parsed is not None
    assert holds(parsed, {"a": n(5), "b": n(5)}) is passes


# Clients send empty maps for unused parameters.
@every("conditions", [None, {}])
def test_empty_filter_is_not_a_condition(conditions: dict[str, Condition] | None) -> None:
    assert parse_filter(conditions, None, READ) is None


ONE_VALUE: list[ComparisonOperator] = [
    "EQ",
    "NE",
    "LT",
    "LE",
    "GT",
    "GE",
    "CONTAINS",
    "NOT_CONTAINS",
    "BEGINS_WITH",
]
COUNTS: list[tuple[ComparisonOperator, int]] = [
    *[(operator, count) for operator in ONE_VALUE for count in (0, 2)],
    *[("BETWEEN", count) for count in (0, 1, 3)],
    ("IN", 0),
    ("NULL", 1),
    ("NOT_NULL", 1),
]


@every(("operator", "count"), COUNTS)
def test_operator_rejects_a_wrong_number_of_values(
    operator: ComparisonOperator, count: int
) -> None:
    filters = {"a": condition(operator, *[s("b")] * count)}
    assert error_of(lambda: parse_filter(filters, None, READ)) == wrong_count(operator)


def test_missing_list_counts_as_empty() -> None:
    assert error_of(lambda: parse_filter({"a": Condition("EQ")}, None, READ)) == wrong_count("EQ")


def test_in_accepts_many_values() -> None:
    parsed = parse_filter({"a": condition("IN", *[n(i) for i in range(200)])}, None, READ)
    assert parsed is not None
    assert holds(parsed, {"a": n(199)})


ACCEPTED: dict[ComparisonOperator, str] = {
    "EQ": "S N B SS NS BS L M BOOL NULL",
    "NE": "S N B SS NS BS L M BOOL NULL",
    "LT": "S N B",
    "LE": "S N B",
    "GT": "S N B",
    "GE": "S N B",
    "IN": "S N B",
    "BETWEEN": "S N B",
    "BEGINS_WITH": "S B",
    "CONTAINS": "S N B BOOL NULL",
    "NOT_CONTAINS": "S N B BOOL NULL",
}


@every("kind", VALUES)
@every("operator", ACCEPTED)
def test_operator_accepts_only_its_types(operator: ComparisonOperator, kind: str) -> None:
    values = [VALUES[kind]] * (2 if operator == "BETWEEN" else 1)
    filters = {"a": condition(operator, *values)}
    if kind in ACCEPTED[operator].split():
        assert parse_filter(filters, None, READ) is not None
    else:
        text = error_of(lambda: parse_filter(filters, None, READ))
        assert text == wrong_type(operator, kind)


INVALID_FILTERS: list[tuple[dict[str, Condition], ConditionalOperator | None, str]] = [
    ({"a": condition("IN", n(3), s("3"))}, None, SAME_TYPE),
    ({"a": condition("BETWEEN", n(3), s("9"))}, None, SAME_TYPE),
    ({"a": condition("BETWEEN", n(10), n(9))}, None, REVERSED),
    ({"a": condition("BETWEEN", s("b"), s("a"))}, None, REVERSED),
    ({"a": condition("BETWEEN", {"B": "/w=="}, {"B": "AQ=="})}, None, REVERSED),
    (
        {"a": condition("EQ", {})},
        None,
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    ),
    # The order of checks in one condition: values, number, same type, supported type, bounds.
    ({"a": condition("EQ", n(1), n("x"))}, None, NOT_A_NUMBER + "x"),
    ({"a": condition("LT", s("a"), {"BOOL": True})}, None, wrong_count("LT")),
    ({"a": condition("BETWEEN", {"BOOL": True}, s("a"))}, None, SAME_TYPE),
    # One condition is checked completely before the next.
    ({"a": condition("BETWEEN", n(2), n(1)), "b": condition("EQ", n("x"))}, None, REVERSED),
    # ConditionalOperator is checked before all conditions.
    ({"a": condition("EQ", n("x"))}, "AND", TWO_OR_MORE),
    ({"a": condition("EQ", n("x"))}, "OR", TWO_OR_MORE),
    ({}, "AND", NOTHING_TO_JOIN),
]


@pytest.mark.parametrize(("conditions", "operator", "text"), INVALID_FILTERS, ids=str)
def test_invalid_filter_is_rejected(
    conditions: dict[str, Condition], operator: ConditionalOperator | None, text: str
) -> None:
    assert error_of(lambda: parse_filter(conditions, operator, READ)) == text


def test_conditional_operator_without_a_filter_is_rejected() -> None:
    assert error_of(lambda: parse_filter(None, "AND", READ)) == NOTHING_TO_JOIN


# Scan still reports invalid values in the older words.
@every(
    ("value", "text"),
    [
        ({"N": ""}, "The parameter cannot be converted to a numeric value"),
        ({"NS": ["1", "1"]}, "Input collection contains duplicates"),
    ],
)
def test_invalid_value_is_reported_in_the_words_of_the_operation(
    value: AttributeValue, text: str
) -> None:
    assert error_of(lambda: parse_filter({"a": condition("EQ", value)}, None, SCAN)) == text
