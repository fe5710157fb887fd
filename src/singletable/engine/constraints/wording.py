"""AWS's words for the faults of an operation, and which of them it reports at once.

Rule 1: an answer takes the faults of some layers; the first answer that has any is the one given.
Rule 2: the operations that AWS has moved to its newer checks fall back to the older ones, which
report everything together, if a required member is missing or the request is nested too deeply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from singletable.engine.constraints.echo import shown
from singletable.engine.constraints.fault import Fault, Layer

# AWS stops counting there.
MOST_LISTED = 10


class Form(Enum):
    """How one fault is put."""

    MODERN = "Value at 'Limit' failed to satisfy constraint: …"
    CLASSIC = "Value '0' at 'limit' failed to satisfy constraint: …, or the fault's sentence"
    LEGACY = "Value '0' at 'limit' failed to satisfy constraint: …"
    OURS = "Limit must have value greater than or equal to 1, but is '0'"


class Envelope(Enum):
    """How many faults are reported, and what stands before them."""

    ALL = "2 validation errors detected: a; b"
    FIRST = "1 validation error detected: a"
    BARE = "a"


@dataclass(frozen=True, slots=True)
class Answer:
    """The faults of some layers, reported together."""

    layers: frozenset[Layer]
    form: Form = Form.CLASSIC
    envelope: Envelope = Envelope.ALL


TYPES = Answer(frozenset({Layer.TYPE}), envelope=Envelope.BARE)
ABSENT = Answer(frozenset({Layer.ABSENT}), envelope=Envelope.BARE)
SHORT_NAMES = Answer(frozenset({Layer.SHORT_NAME}))
LIMITS = Answer(frozenset({Layer.LIMIT}), Form.MODERN)
CHOICES = Answer(frozenset({Layer.CHOICE}))
NAMELESS = Answer(frozenset({Layer.NAMELESS}))
EMPTY = Answer(frozenset({Layer.EMPTY}), envelope=Envelope.FIRST)
CUSTOM = Answer(frozenset({Layer.CUSTOM}), envelope=Envelope.BARE)
REST = Answer(frozenset(Layer) - {Layer.EMPTY, Layer.CUSTOM})

# Each operation's way through the layers.
ONE_ITEM = (TYPES, LIMITS, REST)
UPDATE = (TYPES, LIMITS, NAMELESS, REST)
PAGES = (TYPES, LIMITS, replace(NAMELESS, envelope=Envelope.BARE), REST)
BATCH_WRITE = (TYPES, LIMITS, CHOICES, REST)
TRANSACTION = (TYPES, LIMITS, REST, EMPTY)
OF_OLD = (TYPES, replace(REST, form=Form.LEGACY), EMPTY)
TABLE = (TYPES, ABSENT, SHORT_NAMES, REST, CUSTOM)
OURS = (TYPES, replace(REST, form=Form.OURS, envelope=Envelope.BARE))


def message(faults: Sequence[Fault], answers: Sequence[Answer]) -> str | None:
    """What the first answer that has any faults says; None if none has."""
    for answer in answers:
        if told := [fault for fault in faults if fault.layer in answer.layers]:
            return _enveloped([_worded(fault, answer.form) for fault in told], answer.envelope)
    return None


def _enveloped(errors: list[str], envelope: Envelope) -> str:
    match envelope:
        case Envelope.BARE:
            return errors[0]
        case Envelope.FIRST:
            return f"1 validation error detected: {errors[0]}"
        case Envelope.ALL:
            listed = errors[:MOST_LISTED]
            plural = "" if len(listed) == 1 else "s"
            return f"{len(listed)} validation error{plural} detected: {'; '.join(listed)}"


def _worded(fault: Fault, form: Form) -> str:
    if fault.sentence and (form is Form.CLASSIC or not fault.text):
        return fault.sentence
    if form is Form.OURS:
        rule = fault.text.replace("Member", fault.path.modern, 1)
        return rule if fault.value is None else f"{rule}, but is {shown(fault.value, 'java')}"
    if form is Form.MODERN:
        where = f"Value at '{fault.path.modern}'"
    else:
        where = f"Value {shown(fault.value, fault.shown_as)} at '{fault.path.classic}'"
    return f"{where} failed to satisfy constraint: {fault.text}"
