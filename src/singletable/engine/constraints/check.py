"""Check an operation's parameters one by one, before anything else."""

from __future__ import annotations

from msgspec import Struct as MsgspecStruct

from singletable.engine.constraints.depth import answered_of_old
from singletable.engine.constraints.fast import compile_test
from singletable.engine.constraints.fault import Layer, Path
from singletable.engine.constraints.rules import RULES, Rule
from singletable.engine.constraints.walk import faults_of
from singletable.engine.constraints.wording import OF_OLD, message
from singletable.errors import ValidationError
from singletable.operations import Operation

_TESTS = {operation: compile_test(rule.shape) for operation, rule in RULES.items()}


def check_constraints(operation: Operation[object]) -> None:
    """Raise ValidationError, in AWS's words, unless AWS would accept each of the parameters."""
    try:
        if _TESTS[operation.__class__](operation):
            return
    except (TypeError, AttributeError, KeyError):
        pass  # a value of another type than the member's, or an operation that has no rules
    for kind in operation.__class__.__mro__:
        if rule := RULES.get(kind):
            _refuse(operation, rule)
            return


def _refuse(operation: MsgspecStruct, rule: Rule) -> None:
    faults = list(faults_of(rule.shape, operation, Path()))
    answers = rule.answers
    if faults and rule.falls_back:
        missing = any(fault.layer is Layer.NULL for fault in faults)
        if missing or answered_of_old(operation):
            answers = OF_OLD
    if (text := message(faults, answers)) is not None:
        raise ValidationError(text)
