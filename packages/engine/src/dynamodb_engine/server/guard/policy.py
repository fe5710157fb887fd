"""Evaluate IAM policies: statements, and the condition operators in them.

An explicit deny overrides every allow, and what no statement allows is denied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal, TypeAlias

# Returns the values that a condition key has in a request; empty if the request lacks the key.
ConditionValues: TypeAlias = Callable[[str], Sequence[str]]
# The set operator in front of a condition operator.
SetOperator: TypeAlias = Literal["", "ForAllValues", "ForAnyValue"]

# The condition keys about the partition key attributes of an item, by the position of the
# attribute. Tables have one such attribute, and global secondary indexes up to four.
PARTITION_KEYS = {
    "dynamodb:LeadingKeys": 0,
    "dynamodb:FirstPartitionKeyValues": 0,
    "dynamodb:SecondPartitionKeyValues": 1,
    "dynamodb:ThirdPartitionKeyValues": 2,
    "dynamodb:FourthPartitionKeyValues": 3,
}
# Keys with several values: their conditions need a set operator.
MULTIVALUED_KEYS = (*PARTITION_KEYS, "dynamodb:Attributes")
REQUEST_KEYS = (
    *MULTIVALUED_KEYS,
    "dynamodb:EnclosingOperation",
    "dynamodb:FullTableScan",
    "dynamodb:ReturnConsumedCapacity",
    "dynamodb:ReturnValues",
    "dynamodb:Select",
)


class PolicyDecision(Enum):
    """The decision of a policy on a request."""

    ALLOWED = auto()
    EXPLICITLY_DENIED = auto()
    NOT_ALLOWED = auto()


@dataclass(frozen=True, slots=True)
class StringCondition:
    """A condition that compares a key's values with patterns."""

    key: str
    set_operator: SetOperator
    if_exists: bool
    negated: bool
    patterns: tuple[re.Pattern[str], ...]

    def is_satisfied(self, values: Sequence[str]) -> bool:
        """Return whether the key's values in a request satisfy the condition."""
        if not values:
            # As in AWS: ForAllValues is true without values, ForAnyValue false even with IfExists,
            # and a missing key equals nothing.
            return self.set_operator == "ForAllValues" or (
                self.set_operator != "ForAnyValue" and (self.if_exists or self.negated)
            )
        results = [self._matches(value) for value in values]
        return any(results) if self.set_operator == "ForAnyValue" else all(results)

    def _matches(self, value: str) -> bool:
        return self.negated != any(pattern.fullmatch(value) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class NullCondition:
    """A condition on whether the request has a key."""

    key: str
    absent: bool

    def is_satisfied(self, values: Sequence[str]) -> bool:
        """Return whether the key is absent, or present, as the condition demands."""
        return self.absent == (not values)


PolicyCondition: TypeAlias = StringCondition | NullCondition


@dataclass(frozen=True, slots=True)
class ActionMatcher:
    """The Action of a statement, or its NotAction if `negated`."""

    patterns: tuple[re.Pattern[str], ...]
    negated: bool = False

    def matches(self, action: str) -> bool:
        """Return whether the statement covers the action."""
        return self.negated != any(pattern.fullmatch(action) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class ResourceMatcher:
    """The Resource of a statement, or its NotResource if `negated`.

    Each pattern has the six parts of an ARN; an empty one matches everything.
    """

    patterns: tuple[tuple[re.Pattern[str], ...], ...]
    negated: bool = False

    def matches(self, resource: str) -> bool:
        """Return whether the statement covers the resource."""
        return self.negated != any(_matches_arn(pattern, resource) for pattern in self.patterns)


def _matches_arn(pattern: tuple[re.Pattern[str], ...], resource: str) -> bool:
    # Part by part: a wildcard must not match across the colons of an ARN.
    if not pattern:
        return True
    parts = resource.split(":", 5)
    return len(parts) == len(pattern) and all(
        part_pattern.fullmatch(part) for part_pattern, part in zip(pattern, parts, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a policy."""

    effect: Literal["Allow", "Deny"]
    actions: ActionMatcher
    resources: ResourceMatcher
    conditions: tuple[PolicyCondition, ...] = ()

    def applies(self, action: str, resource: str, values: ConditionValues) -> bool:
        """Return whether action, resource and all conditions match."""
        return (
            self.actions.matches(action)
            and self.resources.matches(resource)
            and all(condition.is_satisfied(values(condition.key)) for condition in self.conditions)
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """The statements of a credential."""

    statements: tuple[Statement, ...]

    def decide(
        self, action: str, resource: str, values: ConditionValues, *, all_tables: bool = False
    ) -> PolicyDecision:
        """Return the decision on an action.

        With `all_tables`, the action affects every table: a statement that denies it for one table
        denies it, and a statement that excludes a table with NotResource does not allow it.
        """
        denies = (statement for statement in self.statements if statement.effect == "Deny")
        if any(
            statement.actions.matches(action)
            if all_tables
            else statement.applies(action, resource, values)
            for statement in denies
        ):
            return PolicyDecision.EXPLICITLY_DENIED
        allows = (statement for statement in self.statements if statement.effect == "Allow")
        if any(
            statement.applies(action, resource, values)
            for statement in allows
            if not (all_tables and statement.resources.negated)
        ):
            return PolicyDecision.ALLOWED
        return PolicyDecision.NOT_ALLOWED

    def uses_condition_keys(self, keys: Sequence[str]) -> bool:
        """Return whether any statement has a condition on one of the keys."""
        return any(
            condition.key in keys
            for statement in self.statements
            for condition in statement.conditions
        )
