"""KeyConditions: the clauses they translate to, and which are rejected without a table."""

from __future__ import annotations

import pytest

from dynamodb_engine.engine.legacy_parameters import parse_key_conditions
from dynamodb_engine.engine.validation import READ
from dynamodb_engine.operations import ComparisonOperator, Condition
from dynamodb_engine.values import AttributeValue
from tests.engine.legacy.parameters import (
    NOT_A_NUMBER,
    REVERSED,
    SAME_TYPE,
    condition,
    error_of,
    n,
    s,
    wrong_count,
    wrong_type,
)
from tools.testing.cases import every

HASH = condition("EQ", s("x"))
LENGTH = "Conditions can be of length 1 or 2 only"


@every(
    ("operator", "comparator", "values"),
    [
        ("EQ", "=", [n(1)]),
        ("LT", "<", [n(1)]),
        ("LE", "<=", [n(1)]),
        ("GT", ">", [n(1)]),
        ("GE", ">=", [n(1)]),
        ("BETWEEN", "BETWEEN", [n(1), n(2)]),
        ("BEGINS_WITH", "begins_with", [s("a")]),
        # No key supports these; they are rejected later, once the table is known.
        ("NE", "NE", [n(1)]),
        ("IN", "IN", [n(1), n(2)]),
        ("CONTAINS", "CONTAINS", [n(1)]),
        ("NOT_CONTAINS", "NOT_CONTAINS", [n(1)]),
        ("NULL", "NULL", []),
        ("NOT_NULL", "NOT_NULL", []),
    ],
)
def test_operator_is_translated_to_a_comparator(
    operator: ComparisonOperator, comparator: str, values: list[AttributeValue]
) -> None:
    (clause,) = parse_key_conditions({"k": condition(operator, *values)}, READ)
    assert (clause.attribute, clause.comparator, list(clause.values)) == ("k", comparator, values)


def test_clauses_keep_their_order_and_have_canonical_values() -> None:
    clauses = parse_key_conditions({"sk": condition("GT", n("01.50")), "pk": HASH}, READ)
    assert [(clause.attribute, clause.values) for clause in clauses] == [
        ("sk", (n("1.5"),)),
        ("pk", (s("x"),)),
    ]


@pytest.mark.parametrize(
    ("conditions", "text"),
    [
        ({}, LENGTH),
        ({"a": condition("EQ", n("x"))}, NOT_A_NUMBER + "x"),
        ({"a": Condition("EQ")}, wrong_count("EQ")),
        ({"a": condition("NULL", n(1))}, wrong_count("NULL")),
        ({"a": condition("BETWEEN", n(1), s("2"))}, SAME_TYPE),
        ({"a": condition("BEGINS_WITH", n(1))}, wrong_type("BEGINS_WITH", "N")),
        ({"a": condition("BETWEEN", n(2), n(1))}, REVERSED),
        # The conditions are checked before they are counted.
        ({"a": HASH, "b": HASH, "c": Condition("EQ")}, wrong_count("EQ")),
    ],
    ids=str,
)
def test_invalid_key_conditions_are_rejected(conditions: dict[str, Condition], text: str) -> None:
    assert error_of(lambda: parse_key_conditions(conditions, READ)) == text
