"""Expected: which items satisfy it, and which expectations are rejected."""

from __future__ import annotations

import pytest

from dynamodb_engine.engine.legacy_parameters import parse_expected
from dynamodb_engine.engine.validation import READ
from dynamodb_engine.expressions import holds
from dynamodb_engine.operations import ComparisonOperator, ConditionalOperator
from dynamodb_engine.operations import ExpectedAttributeValue as Expect
from dynamodb_engine.values import AttributeValue, Item
from tests.engine.legacy.parameters import (
    INVALID,
    NOT_A_NUMBER,
    NOTHING_TO_JOIN,
    REVERSED,
    SAME_TYPE,
    TWO_OR_MORE,
    error_of,
    n,
    s,
    wrong_count,
    wrong_type,
)
from tools.testing.cases import every


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
    # Value is a list with one value.
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


@pytest.mark.parametrize(("attribute", "expected", "satisfied"), CASES, ids=str)
def test_expectation_is_checked(attribute: str, expected: Expect, satisfied: bool) -> None:
    condition = parse_expected({attribute: expected}, None, READ)
    assert condition is not None
    assert holds(condition, ITEM) is satisfied


YES, NO = Expect(value=n(1)), Expect(value=n(2))


@pytest.mark.parametrize(
    ("expected", "operator", "satisfied"),
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
def test_expectations_are_joined_by_and_by_default(
    expected: dict[str, Expect], operator: ConditionalOperator | None, satisfied: bool
) -> None:
    condition = parse_expected(expected, operator, READ)
    assert condition is not None
    assert holds(condition, ITEM) is satisfied


# Clients send empty maps for unused parameters.
@every("expected", [None, {}])
def test_empty_expected_is_not_a_condition(expected: dict[str, Expect] | None) -> None:
    assert parse_expected(expected, None, READ) is None


def error_for_a(why: str) -> str:
    return f"{INVALID}{why} for Attribute: a"


TOGETHER = error_for_a("Value and AttributeValueList cannot be used together")
INVALID_EXPECTATIONS: list[tuple[Expect, str]] = [
    (Expect(value=n(1), attribute_value_list=[]), TOGETHER),
    (
        Expect(value=n("x"), attribute_value_list=[n(1)], comparison_operator="EQ", exists=True),
        TOGETHER,
    ),
    (
        Expect(exists=False, comparison_operator="EQ"),
        error_for_a("Exists and ComparisonOperator cannot be used together"),
    ),
    (
        Expect(comparison_operator="EQ"),
        error_for_a("Value or AttributeValueList must be used with ComparisonOperator: EQ"),
    ),
    (
        Expect(comparison_operator="IN"),
        error_for_a("Value or AttributeValueList must be used with ComparisonOperator: IN"),
    ),
    (compared("EQ"), wrong_count("EQ")),
    (compared("EQ", n(1), n(2)), wrong_count("EQ")),
    (compared("IN"), wrong_count("IN")),
    (Expect(comparison_operator="BETWEEN", value=n(1)), wrong_count("BETWEEN")),
    (compared("BETWEEN", n(1)), wrong_count("BETWEEN")),
    (Expect(comparison_operator="NULL", value=n(1)), wrong_count("NULL")),
    (compared("NOT_NULL", n(1)), wrong_count("NOT_NULL")),
    (compared("IN", n(1), s("1")), SAME_TYPE),
    (compared("BETWEEN", n(2), n(1)), REVERSED),
    (compared("LT", {"L": []}), wrong_type("LT", "L")),
    (compared("BEGINS_WITH", n(1)), wrong_type("BEGINS_WITH", "N")),
    (compared("CONTAINS", {"L": [n(1)]}), wrong_type("CONTAINS", "L")),
    (compared("EQ", n("x")), NOT_A_NUMBER + "x"),
    (
        Expect(attribute_value_list=[n(1)]),
        error_for_a("AttributeValueList can only be used with a ComparisonOperator"),
    ),
    (
        Expect(attribute_value_list=[n(1)], exists=False),
        error_for_a("AttributeValueList can only be used with a ComparisonOperator"),
    ),
    (Expect(), error_for_a("Value must be provided when Exists is null")),
    (Expect(exists=True), error_for_a("Value must be provided when Exists is true")),
    (Expect(exists=False, value=n("x")), error_for_a("Value cannot be used when Exists is false")),
    (Expect(value=n("x")), NOT_A_NUMBER + "x"),
    (Expect(value=n("x"), exists=True), NOT_A_NUMBER + "x"),
]


@pytest.mark.parametrize(("expected", "text"), INVALID_EXPECTATIONS, ids=str)
def test_invalid_expectation_is_rejected(expected: Expect, text: str) -> None:
    assert error_of(lambda: parse_expected({"a": expected}, None, READ)) == text


@pytest.mark.parametrize(
    ("expected", "operator", "text"),
    [
        (None, "AND", NOTHING_TO_JOIN),
        ({}, "OR", NOTHING_TO_JOIN),
        ({"a": Expect()}, "OR", TWO_OR_MORE),
        ({"a": Expect(), "b": NO}, "OR", error_for_a("Value must be provided when Exists is null")),
        ({"b": NO, "a": Expect()}, None, error_for_a("Value must be provided when Exists is null")),
    ],
    ids=str,
)
def test_invalid_combination_of_expectations_is_rejected(
    expected: dict[str, Expect] | None, operator: ConditionalOperator | None, text: str
) -> None:
    assert error_of(lambda: parse_expected(expected, operator, READ)) == text
