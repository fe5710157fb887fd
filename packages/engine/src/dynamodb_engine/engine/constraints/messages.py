"""AWS's messages about violations, and which violations each operation reports together.

1. A report covers the violations of some stages. The first report that has any is the message.
2. Operations that AWS has moved to its newer checks fall back to the legacy ones, which report
   everything together, if a required member is missing or the request is nested too deeply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from dynamodb_engine.engine.constraints.echo import echo
from dynamodb_engine.engine.constraints.types import Structure
from dynamodb_engine.engine.constraints.violations import Stage, Violation

# AWS lists no more.
MAX_LISTED = 10


class Form(Enum):
    """How one violation is worded."""

    NEWER = "Value at 'Limit' failed to satisfy constraint: …"
    CLASSIC = "Value '0' at 'limit' failed to satisfy constraint: …, or the violation's message"
    LEGACY = "Value '0' at 'limit' failed to satisfy constraint: …"
    OURS = "Limit must have value greater than or equal to 1, but is '0'"


class Envelope(Enum):
    """How many violations are reported, and after which prefix."""

    ALL = "2 validation errors detected: a; b"
    FIRST = "1 validation error detected: a"
    BARE = "a"


@dataclass(frozen=True, slots=True)
class Report:
    """The violations of some stages, reported together."""

    stages: frozenset[Stage]
    form: Form = Form.CLASSIC
    envelope: Envelope = Envelope.ALL


@dataclass(frozen=True, slots=True)
class Rule:
    """The constraints of one operation, and its reports in order.

    `falls_back` if AWS has moved the operation to its newer checks.
    """

    structure: Structure
    reports: tuple[Report, ...]
    falls_back: bool = True


TYPES = Report(frozenset({Stage.TYPE}), envelope=Envelope.BARE)
MISSING = Report(frozenset({Stage.MISSING}), envelope=Envelope.BARE)
NAME_LENGTHS = Report(frozenset({Stage.NAME_LENGTH}))
LIMITS = Report(frozenset({Stage.LIMIT}), Form.NEWER)
CHOICES = Report(frozenset({Stage.CHOICE}))
NEWER_CHOICES = Report(frozenset({Stage.NEWER_CHOICE}))
EMPTY = Report(frozenset({Stage.EMPTY}), envelope=Envelope.FIRST)
CUSTOM = Report(frozenset({Stage.CUSTOM}), envelope=Envelope.BARE)
REST = Report(frozenset(Stage) - {Stage.EMPTY, Stage.CUSTOM})

# The reports of each kind of operation.
SINGLE_ITEM = (TYPES, LIMITS, REST)
UPDATE = (TYPES, LIMITS, NEWER_CHOICES, REST)
PAGED_READ = (TYPES, LIMITS, replace(NEWER_CHOICES, envelope=Envelope.BARE), REST)
BATCH_WRITE = (TYPES, LIMITS, CHOICES, REST)
TRANSACTION = (TYPES, LIMITS, REST, EMPTY)
LEGACY = (TYPES, replace(REST, form=Form.LEGACY), EMPTY)
CONTROL = (TYPES, MISSING, NAME_LENGTHS, REST, CUSTOM)
OURS = (TYPES, replace(REST, form=Form.OURS, envelope=Envelope.BARE))


def find_message(violations: Sequence[Violation], reports: Sequence[Report]) -> str | None:
    """Return the message of the first report that has any violations, or None."""
    for report in reports:
        if reported := [v for v in violations if v.stage in report.stages]:
            return _enclose([_word(violation, report.form) for violation in reported], report)
    return None


def _enclose(errors: list[str], report: Report) -> str:
    match report.envelope:
        case Envelope.BARE:
            return errors[0]
        case Envelope.FIRST:
            return f"1 validation error detected: {errors[0]}"
        case Envelope.ALL:
            listed = errors[:MAX_LISTED]
            plural = "" if len(listed) == 1 else "s"
            return f"{len(listed)} validation error{plural} detected: {'; '.join(listed)}"


def _word(violation: Violation, form: Form) -> str:
    if violation.message and (form is Form.CLASSIC or not violation.constraint):
        return violation.message
    if form is Form.OURS:
        rule = violation.constraint.replace("Member", violation.path.newer, 1)
        return (
            rule if violation.value is None else f"{rule}, but is {echo(violation.value, 'java')}"
        )
    if form is Form.NEWER:
        subject = f"Value at '{violation.path.newer}'"
    else:
        subject = f"Value {echo(violation.value, violation.echo)} at '{violation.path.legacy}'"
    return f"{subject} failed to satisfy constraint: {violation.constraint}"
