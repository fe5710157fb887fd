"""A policy as it is asked: its statements, and what they say of an action on a resource.

An explicit deny wins over every allow, and what no statement allows is denied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Literal, TypeAlias

from singletable.server.guard.policy.operators import Test

# The values that a condition key has in a request; none if it is not there.
Facts: TypeAlias = Callable[[str], Sequence[str]]


class Verdict(Enum):
    """What a policy says of a request."""

    ALLOWED = auto()
    DENIED = auto()
    NOT_ALLOWED = auto()


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions that a statement is about, or all but these."""

    patterns: tuple[re.Pattern[str], ...]
    negated: bool = False

    def match(self, action: str) -> bool:
        """Whether the statement is about the action."""
        return self.negated != any(pattern.fullmatch(action) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources that a statement is about, or all but these: each the six parts of an ARN."""

    patterns: tuple[tuple[re.Pattern[str], ...], ...]
    negated: bool = False

    def match(self, resource: str) -> bool:
        """Whether the statement is about the resource."""
        return self.negated != any(_matches(pattern, resource) for pattern in self.patterns)


def _matches(pattern: tuple[re.Pattern[str], ...], resource: str) -> bool:
    """Whether an ARN is of the pattern. A star reaches to the end of its part, never further."""
    if not pattern:
        return True
    parts = resource.split(":", 5)
    return len(parts) == len(pattern) and all(
        one.fullmatch(part) for one, part in zip(pattern, parts, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Statement:
    """One rule: what it does to the actions on the resources for which its tests hold."""

    effect: Literal["Allow", "Deny"]
    actions: Actions
    resources: Resources
    tests: tuple[Test, ...] = ()

    def applies(self, action: str, resource: str, facts: Facts) -> bool:
        """Whether the rule is about this action, this resource and these facts."""
        return (
            self.actions.match(action)
            and self.resources.match(resource)
            and all(test.holds(facts(test.key)) for test in self.tests)
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """What a credential may do."""

    statements: tuple[Statement, ...]

    def verdict(
        self, action: str, resource: str, facts: Facts, *, everywhere: bool = False
    ) -> Verdict:
        """What the policy says.

        `everywhere`: the action reaches into every table, so that whatever denies it for one of
        them denies it.
        """
        denials = (one for one in self.statements if one.effect == "Deny")
        if any(
            one.actions.match(action) if everywhere else one.applies(action, resource, facts)
            for one in denials
        ):
            return Verdict.DENIED
        allowances = (one for one in self.statements if one.effect == "Allow")
        if any(one.applies(action, resource, facts) for one in allowances):
            return Verdict.ALLOWED
        return Verdict.NOT_ALLOWED

    def tests(self, keys: Sequence[str]) -> bool:
        """Whether any statement tests one of the condition keys."""
        return any(test.key in keys for one in self.statements for test in one.tests)
