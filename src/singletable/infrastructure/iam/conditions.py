"""Conditions of IAM that hold a statement to some partition keys."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeAlias

from singletable.infrastructure.iam.patterns import ANYTHING, without_covered

Condition: TypeAlias = dict[str, dict[str, object]]

# The key of tables, and of indexes that have one partition key attribute.
_LEADING = "dynamodb:LeadingKeys"
# The keys of indexes that have several.
_EACH = (
    "dynamodb:FirstPartitionKeyValues",
    "dynamodb:SecondPartitionKeyValues",
    "dynamodb:ThirdPartitionKeyValues",
    "dynamodb:FourthPartitionKeyValues",
)


def conditions_of(reached: Collection[tuple[str, ...]]) -> list[Condition | None]:
    """One condition a statement; None alone if some partition key may be anything."""
    if any(set(patterns) == {ANYTHING} for patterns in reached):
        return [None]
    if all(len(patterns) == 1 for patterns in reached):
        return [_condition({_LEADING: without_covered(one for (one,) in reached)})]
    return [
        _condition(
            {
                name: [pattern]
                for name, pattern in zip(_EACH, patterns, strict=False)
                if pattern != ANYTHING
            }
        )
        for patterns in sorted(reached)
    ]


def _condition(tests: dict[str, list[str]]) -> Condition:
    # "For all values" is true of a request that has none, so that there is one is asked for too.
    return {
        "ForAllValues:StringLike": dict(tests),
        "Null": dict.fromkeys(tests, "false"),
    }
