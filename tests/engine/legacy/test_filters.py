"""QueryFilter and ScanFilter: which items pass, and which filters are refused."""

from __future__ import annotations

import pytest

from singletable.engine.legacy_parameters import parse_filter
from singletable.engine.validation import SCAN
from singletable.expressions import holds
from singletable.operations import ComparisonOperator, Condition, ConditionalOperator
from singletable.values import AttributeValue, Item
from tests.engine.legacy.values import (
    DIALECT,
    NO_NUMBER,
    REVERSED,
    SAME_TYPE,
    TWO_OR_MORE,
    VALUES,
    WITHOUT,
    condition,
    count_of,
    n,
    refusal,
    s,
    type_for,
)

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
    # Equal are values of one type; numbers by value, sets in any order, documents all the way down.
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
    # Another type is another value, and so is none at all.
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
    # IN asks whether the attribute is one of the values, not whether it holds one.
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
    # Unlike NE, this does not hold for an attribute that is not there.
    ("missing", condition("NOT_CONTAINS", s("a")), False),
    # NULL asks for an attribute that is not there; one of the type NULL is.
    ("missing", Condition("NULL"), True),
    ("missing", Condition("NULL", []), True),
    ("null", Condition("NULL"), False),
    ("text", Condition("NULL"), False),
    ("missing", Condition("NOT_NULL"), False),
    ("null", Condition("NOT_NULL"), True),
    ("text", Condition("NOT_NULL", []), True),
    # A name is a name and no path.
    ("dotted.name", condition("EQ", s("whole")), True),
    ("list[0]", condition("EQ", n(1)), False),
]


@pytest.mark.parametrize(("attribute", "asked", "passes"), CASES, ids=str)
def test_an_item_passes_a_filter(attribute: str, asked: Condition, passes: bool) -> None:
    read = parse_filter({attribute: asked}, None, DIALECT)
    assert read is not None
    assert holds(read, ITEM) is passes


HOLDS, FAILS = condition("EQ", n(5)), condition("EQ", n(6))


@pytest.mark.parametrize(
    ("first", "second", "operator", "passes"),
    [
        (HOLDS, HOLDS, None, True),
        (HOLDS, FAILS, None, False),
        (HOLDS, FAILS, "AND", False),
        (HOLDS, FAILS, "OR", True),
        (FAILS, HOLDS, "OR", True),
        (FAILS, FAILS, "OR", False),
    ],
)
def test_conditions_are_joined_by_and_unless_by_or(
    first: Condition, second: Condition, operator: ConditionalOperator | None, passes: bool
) -> None:
    read = parse_filter({"a": first, "b": second}, operator, DIALECT)
    assert read is not None
    assert holds(read, {"a": n(5), "b": n(5)}) is passes


# Clients send empty maps for parameters that nobody filled in.
@pytest.mark.parametrize("conditions", [None, {}])
def test_a_filter_of_nothing_is_none(conditions: dict[str, Condition] | None) -> None:
    assert parse_filter(conditions, None, DIALECT) is None


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


@pytest.mark.parametrize(("operator", "count"), COUNTS)
def test_an_operator_takes_its_number_of_values(operator: ComparisonOperator, count: int) -> None:
    asked = {"a": condition(operator, *[s("b")] * count)}
    assert refusal(lambda: parse_filter(asked, None, DIALECT)) == count_of(operator)


# No list is a list of none.
def test_a_missing_list_is_an_empty_one() -> None:
    assert refusal(lambda: parse_filter({"a": Condition("EQ")}, None, DIALECT)) == count_of("EQ")


def test_in_takes_as_many_values_as_one_likes() -> None:
    read = parse_filter({"a": condition("IN", *[n(i) for i in range(200)])}, None, DIALECT)
    assert read is not None
    assert holds(read, {"a": n(199)})


TAKEN: dict[ComparisonOperator, str] = {
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


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("operator", TAKEN)
def test_an_operator_takes_values_of_its_types(operator: ComparisonOperator, kind: str) -> None:
    values = [VALUES[kind]] * (2 if operator == "BETWEEN" else 1)
    asked = {"a": condition(operator, *values)}
    if kind in TAKEN[operator].split():
        assert parse_filter(asked, None, DIALECT) is not None
    else:
        text = refusal(lambda: parse_filter(asked, None, DIALECT))
        assert text == type_for(operator, kind)


REFUSALS: list[tuple[dict[str, Condition], ConditionalOperator | None, str]] = [
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
    # In one condition: the values, how many there are, whether of one type, of which, which order.
    ({"a": condition("EQ", n(1), n("x"))}, None, NO_NUMBER + "x"),
    ({"a": condition("LT", s("a"), {"BOOL": True})}, None, count_of("LT")),
    ({"a": condition("BETWEEN", {"BOOL": True}, s("a"))}, None, SAME_TYPE),
    # One condition is looked at completely before the next.
    ({"a": condition("BETWEEN", n(2), n(1)), "b": condition("EQ", n("x"))}, None, REVERSED),
    # The operator that joins comes before all of them.
    ({"a": condition("EQ", n("x"))}, "AND", TWO_OR_MORE),
    ({"a": condition("EQ", n("x"))}, "OR", TWO_OR_MORE),
    ({}, "AND", WITHOUT),
]


@pytest.mark.parametrize(("conditions", "operator", "text"), REFUSALS, ids=str)
def test_a_filter_is_refused(
    conditions: dict[str, Condition], operator: ConditionalOperator | None, text: str
) -> None:
    assert refusal(lambda: parse_filter(conditions, operator, DIALECT)) == text


def test_there_is_nothing_to_join_without_a_filter() -> None:
    assert refusal(lambda: parse_filter(None, "AND", DIALECT)) == WITHOUT


# Scan still words its refusals of values as all operations once did.
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"N": ""}, "The parameter cannot be converted to a numeric value"),
        ({"NS": ["1", "1"]}, "Input collection contains duplicates"),
    ],
)
def test_the_operation_words_what_it_says_of_values(value: AttributeValue, text: str) -> None:
    assert refusal(lambda: parse_filter({"a": condition("EQ", value)}, None, SCAN)) == text
