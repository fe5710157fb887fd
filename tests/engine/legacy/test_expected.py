"""Expected: for which items it holds, and which expectations are refused."""

from __future__ import annotations

import pytest

from singletable.engine.legacy_parameters import parse_expected
from singletable.expressions import holds
from singletable.operations import ComparisonOperator, ConditionalOperator
from singletable.operations import ExpectedAttributeValue as Expect
from singletable.values import AttributeValue, Item
from tests.engine.legacy.values import (
    DIALECT,
    INVALID,
    NO_NUMBER,
    REVERSED,
    SAME_TYPE,
    TWO_OR_MORE,
    WITHOUT,
    count_of,
    n,
    refusal,
    s,
    type_for,
)


def compared(operator: ComparisonOperator, *values: AttributeValue) -> Expect:
    return Expect(comparison_operator=operator, attribute_value_list=list(values))


ITEM: Item = {"a": n(1), "b": s("hello"), "nothing": {"NULL": True}}

CASES: list[tuple[str, Expect, bool]] = [
    ("a", Expect(value=n("1.0")), True),
    ("a", Expect(value=n(2)), False),
    ("a", Expect(value=s("1")), False),
    ("missing", Expect(value=n(1)), False),
    # Exists adds nothing to a value.
    ("a", Expect(value=n(1), exists=True), True),
    ("a", Expect(value=n(2), exists=True), False),
    ("a", Expect(exists=False), False),
    ("missing", Expect(exists=False), True),
    ("nothing", Expect(exists=False), False),
    # Value is a list of one.
    ("b", Expect(comparison_operator="BEGINS_WITH", value=s("he")), True),
    ("b", Expect(comparison_operator="BEGINS_WITH", value=s("lo")), False),
    ("b", compared("EQ", s("hello")), True),
    ("b", compared("EQ", s("hi")), False),
    ("a", compared("BETWEEN", n(0), n(1)), True),
    ("a", compared("IN", n(2), n(1)), True),
    ("missing", compared("NE", n(1)), True),
    ("missing", compared("NOT_CONTAINS", n(1)), False),
    ("missing", compared("NULL"), True),
    ("nothing", compared("NULL"), False),
    ("a", Expect(comparison_operator="NOT_NULL"), True),
    ("nothing", Expect(comparison_operator="NOT_NULL"), True),
    ("missing", Expect(comparison_operator="NOT_NULL"), False),
]


@pytest.mark.parametrize(("attribute", "asked", "met"), CASES, ids=str)
def test_an_expectation_is_met(attribute: str, asked: Expect, met: bool) -> None:
    read = parse_expected({attribute: asked}, None, DIALECT)
    assert read is not None
    assert holds(read, ITEM) is met


YES, NO = Expect(value=n(1)), Expect(value=n(2))


@pytest.mark.parametrize(
    ("expected", "operator", "met"),
    [
        ({"a": YES, "z": Expect(exists=False)}, None, True),
        ({"a": YES, "b": NO}, None, False),
        ({"a": YES, "b": NO}, "AND", False),
        ({"a": YES, "b": NO}, "OR", True),
        ({"a": NO, "b": NO, "z": Expect(exists=False)}, "OR", True),
        ({"a": NO, "b": NO}, "OR", False),
    ],
    ids=str,
)
def test_expectations_are_joined_by_and_unless_by_or(
    expected: dict[str, Expect], operator: ConditionalOperator | None, met: bool
) -> None:
    read = parse_expected(expected, operator, DIALECT)
    assert read is not None
    assert holds(read, ITEM) is met


# Clients send empty maps for parameters that nobody filled in.
@pytest.mark.parametrize("expected", [None, {}])
def test_to_expect_nothing_is_no_condition(expected: dict[str, Expect] | None) -> None:
    assert parse_expected(expected, None, DIALECT) is None


def of_a(why: str) -> str:
    return f"{INVALID}{why} for Attribute: a"


TOGETHER = of_a("Value and AttributeValueList cannot be used together")
REFUSALS: list[tuple[Expect, str]] = [
    (Expect(value=n(1), attribute_value_list=[]), TOGETHER),
    (
        Expect(value=n("x"), attribute_value_list=[n(1)], comparison_operator="EQ", exists=True),
        TOGETHER,
    ),
    (
        Expect(exists=False, comparison_operator="EQ"),
        of_a("Exists and ComparisonOperator cannot be used together"),
    ),
    (
        Expect(comparison_operator="EQ"),
        of_a("Value or AttributeValueList must be used with ComparisonOperator: EQ"),
    ),
    (
        Expect(comparison_operator="IN"),
        of_a("Value or AttributeValueList must be used with ComparisonOperator: IN"),
    ),
    (compared("EQ"), count_of("EQ")),
    (compared("EQ", n(1), n(2)), count_of("EQ")),
    (compared("IN"), count_of("IN")),
    (Expect(comparison_operator="BETWEEN", value=n(1)), count_of("BETWEEN")),
    (compared("BETWEEN", n(1)), count_of("BETWEEN")),
    (Expect(comparison_operator="NULL", value=n(1)), count_of("NULL")),
    (compared("NOT_NULL", n(1)), count_of("NOT_NULL")),
    (compared("IN", n(1), s("1")), SAME_TYPE),
    (compared("BETWEEN", n(2), n(1)), REVERSED),
    (compared("LT", {"L": []}), type_for("LT", "L")),
    (compared("BEGINS_WITH", n(1)), type_for("BEGINS_WITH", "N")),
    (compared("CONTAINS", {"L": [n(1)]}), type_for("CONTAINS", "L")),
    (compared("EQ", n("x")), NO_NUMBER + "x"),
    (
        Expect(attribute_value_list=[n(1)]),
        of_a("AttributeValueList can only be used with a ComparisonOperator"),
    ),
    (
        Expect(attribute_value_list=[n(1)], exists=False),
        of_a("AttributeValueList can only be used with a ComparisonOperator"),
    ),
    (Expect(), of_a("Value must be provided when Exists is null")),
    (Expect(exists=True), of_a("Value must be provided when Exists is true")),
    (Expect(exists=False, value=n("x")), of_a("Value cannot be used when Exists is false")),
    (Expect(value=n("x")), NO_NUMBER + "x"),
    (Expect(value=n("x"), exists=True), NO_NUMBER + "x"),
]


@pytest.mark.parametrize(("asked", "text"), REFUSALS, ids=str)
def test_an_expectation_is_refused(asked: Expect, text: str) -> None:
    assert refusal(lambda: parse_expected({"a": asked}, None, DIALECT)) == text


@pytest.mark.parametrize(
    ("expected", "operator", "text"),
    [
        (None, "AND", WITHOUT),
        ({}, "OR", WITHOUT),
        ({"a": Expect()}, "OR", TWO_OR_MORE),
        ({"a": Expect(), "b": NO}, "OR", of_a("Value must be provided when Exists is null")),
        ({"b": NO, "a": Expect()}, None, of_a("Value must be provided when Exists is null")),
    ],
    ids=str,
)
def test_expectations_are_refused_together(
    expected: dict[str, Expect] | None, operator: ConditionalOperator | None, text: str
) -> None:
    assert refusal(lambda: parse_expected(expected, operator, DIALECT)) == text
