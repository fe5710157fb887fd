"""Check the parameters of an operation."""

from __future__ import annotations

from msgspec import Struct

from dynamodb_engine.engine.constraints.compiled import compile_test
from dynamodb_engine.engine.constraints.item_rules import ITEM_RULES
from dynamodb_engine.engine.constraints.messages import LEGACY, Rule, find_message
from dynamodb_engine.engine.constraints.table_rules import TABLE_RULES
from dynamodb_engine.engine.constraints.violations import MemberPath, Stage, find_violations
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.operations import Operation

# Measured on AWS: an item nested 61 maps deep (125 levels of JSON) goes through the newer checks,
# one nested 63 deep (129) through the legacy ones; so does an expression value of a transaction
# at 128.
MAX_NEWER_DEPTH = 127
MAX_VALUES = 20_000

RULES: dict[type, Rule] = {rule.structure.type: rule for rule in (*ITEM_RULES, *TABLE_RULES)}
_TESTS = {operation: compile_test(rule.structure) for operation, rule in RULES.items()}


def check_constraints(operation: Operation[object]) -> None:
    """Raise ValidationError, in AWS's words, unless AWS would accept each of the parameters."""
    try:
        if _TESTS[operation.__class__](operation):
            return
    except (TypeError, AttributeError, KeyError):
        pass  # a value of an unexpected type, or an operation without rules
    for kind in operation.__class__.__mro__:
        if rule := RULES.get(kind):
            _reject_violations(operation, rule)
            return


def _reject_violations(operation: Struct, rule: Rule) -> None:
    violations = list(find_violations(rule.structure, operation, MemberPath()))
    reports = rule.reports
    if violations and rule.falls_back:
        is_missing = any(violation.stage is Stage.NULL for violation in violations)
        if is_missing or uses_legacy_checks(operation):
            reports = LEGACY
    if (message := find_message(violations, reports)) is not None:
        raise ValidationError(message)


def uses_legacy_checks(operation: Struct) -> bool:
    """Return whether the request is nested too deeply for AWS's newer checks.

    The search stops early in requests with very many values.
    """
    level: list[object] = [operation]
    depth = values = 0
    while level and values < MAX_VALUES:
        values += len(level)
        children: list[object] = []
        for value in level:
            children += _children(value)
            if len(children) > MAX_VALUES:
                return False
        level = [value for value in children if isinstance(value, dict | list | Struct)]
        depth += 1
        if depth > MAX_NEWER_DEPTH:
            return True
    return False


def _children(value: object) -> list[object]:
    match value:
        case Struct():
            return [getattr(value, name) for name in value.__struct_fields__]
        case dict():
            return list(value.values())  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
        case list():
            return value  # pyright: ignore[reportUnknownVariableType]
        case _:
            return []
