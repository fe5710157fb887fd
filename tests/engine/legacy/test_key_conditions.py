"""KeyConditions: the clauses that they become, and which are refused before a table is known."""

from __future__ import annotations

import pytest

from singletable.engine.legacy_parameters import parse_key_conditions
from singletable.operations import ComparisonOperator, Condition
from singletable.values import AttributeValue
from tests.engine.legacy.values import (
    DIALECT,
    NO_NUMBER,
    REVERSED,
    SAME_TYPE,
    condition,
    count_of,
    n,
    refusal,
    s,
    type_for,
)

HASH = condition("EQ", s("x"))
LENGTH = "Conditions can be of length 1 or 2 only"


@pytest.mark.parametrize(
    ("operator", "comparator", "values"),
    [
        ("EQ", "=", [n(1)]),
        ("LT", "<", [n(1)]),
        ("LE", "<=", [n(1)]),
        ("GT", ">", [n(1)]),
        ("GE", ">=", [n(1)]),
        ("BETWEEN", "BETWEEN", [n(1), n(2)]),
        ("BEGINS_WITH", "begins_with", [s("a")]),
        # No key can be looked up by these; the table is asked first, and then they are refused.
        ("NE", "NE", [n(1)]),
        ("IN", "IN", [n(1), n(2)]),
        ("CONTAINS", "CONTAINS", [n(1)]),
        ("NOT_CONTAINS", "NOT_CONTAINS", [n(1)]),
        ("NULL", "NULL", []),
        ("NOT_NULL", "NOT_NULL", []),
    ],
)
def test_an_operator_becomes_a_comparator(
    operator: ComparisonOperator, comparator: str, values: list[AttributeValue]
) -> None:
    (clause,) = parse_key_conditions({"k": condition(operator, *values)}, DIALECT)
    assert (clause.attribute, clause.comparator, list(clause.values)) == ("k", comparator, values)


def test_clauses_keep_their_order_and_values_become_canonical() -> None:
    clauses = parse_key_conditions({"sk": condition("GT", n("01.50")), "pk": HASH}, DIALECT)
    assert [(clause.attribute, clause.values) for clause in clauses] == [
        ("sk", (n("1.5"),)),
        ("pk", (s("x"),)),
    ]


@pytest.mark.parametrize(
    ("conditions", "text"),
    [
        ({}, LENGTH),
        ({"a": condition("EQ", n("x"))}, NO_NUMBER + "x"),
        ({"a": Condition("EQ")}, count_of("EQ")),
        ({"a": condition("NULL", n(1))}, count_of("NULL")),
        ({"a": condition("BETWEEN", n(1), s("2"))}, SAME_TYPE),
        ({"a": condition("BEGINS_WITH", n(1))}, type_for("BEGINS_WITH", "N")),
        ({"a": condition("BETWEEN", n(2), n(1))}, REVERSED),
        # The conditions are looked at before they are counted.
        ({"a": HASH, "b": HASH, "c": Condition("EQ")}, count_of("EQ")),
    ],
    ids=str,
)
def test_key_conditions_are_refused(conditions: dict[str, Condition], text: str) -> None:
    assert refusal(lambda: parse_key_conditions(conditions, DIALECT)) == text
