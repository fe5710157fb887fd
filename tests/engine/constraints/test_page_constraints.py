"""How AWS reports violations in Query and Scan (observed in eu-west-2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from singletable.operations import Condition, Operation, Query, Scan

Claim: TypeAlias = tuple[Operation[object], str]

ONE = "1 validation error detected: "
FAILED = "failed to satisfy constraint: Member must"
COMPARISONS = (
    "[IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, BEGINS_WITH, GE, CONTAINS]"
)
SELECT = (
    "Value 'BOGUS' at 'select' failed to satisfy constraint: Member must satisfy enum value set: "
    "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]"
)
CAPACITY = (
    "Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: "
    "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
)
OPERATOR = "Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"


def query(table_name: Any = "tab", **fields: Any) -> Query:
    return Query(table_name, **fields)


def scan(table_name: Any = "tab", **fields: Any) -> Scan:
    return Scan(table_name, **fields)


def condition(operator: Any) -> Condition:
    return Condition(operator)


CLAIMS: list[Claim] = [
    (query(select="BOGUS"), ONE + SELECT),
    (
        query(select="BOGUS", return_consumed_capacity="BOGUS"),
        f"2 validation errors detected: {SELECT}; {CAPACITY}",
    ),
    (query(limit=0), f"{ONE}Value at 'Limit' {FAILED} have value greater than or equal to 1"),
    (
        query(limit=0, select="BOGUS"),
        f"{ONE}Value at 'Limit' {FAILED} have value greater than or equal to 1",
    ),
    (
        query(index_name="ab"),
        f"{ONE}Value at 'IndexName' {FAILED} have length greater than or equal to 3",
    ),
    (
        query(table_name="abc!", select="BOGUS"),
        f"2 validation errors detected: {SELECT}; Value 'abc!' at 'tableName' {FAILED} "
        "satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
    (query(table_name=None), f"{ONE}Value null at 'tableName' {FAILED} not be null"),
    # Bare and on its own: the fault of Select is not joined to it.
    (
        query(
            key_conditions={"pk": condition("EQ")},
            query_filter={"b": condition("NULL"), "c": condition("NULL")},
            conditional_operator="XOR",
            select="BOGUS",
        ),
        OPERATOR,
    ),
    (
        query(key_conditions={"b": condition("LIKE")}),
        f"{ONE}Value 'LIKE' at 'keyConditions.b.member.comparisonOperator' {FAILED} "
        f"satisfy enum value set: {COMPARISONS}",
    ),
    (
        query(query_filter={"b": condition(None)}),
        f"{ONE}Value null at 'queryFilter.b.member.comparisonOperator' {FAILED} not be null",
    ),
    (scan(limit=0), f"{ONE}Value at 'Limit' {FAILED} have value greater than or equal to 1"),
    (
        scan(segment=-1, total_segments=4),
        f"{ONE}Value at 'Segment' {FAILED} have value greater than or equal to 0",
    ),
    (
        scan(segment=0, total_segments=1_000_001),
        f"{ONE}Value at 'TotalSegments' {FAILED} have value less than or equal to 1000000",
    ),
    (
        scan(scan_filter={"a": condition("EQ"), "b": condition("EQ")}, conditional_operator="XOR"),
        OPERATOR,
    ),
]


@pytest.mark.parametrize(("operation", "message"), CLAIMS)
def test_query_and_scan_violations_are_reported_as_at_aws(
    operation: Operation[object], message: str, message_of: Callable[[Operation[object]], str]
) -> None:
    assert message_of(operation) == message
