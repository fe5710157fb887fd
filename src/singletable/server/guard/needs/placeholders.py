"""The names and values that a request's expressions stand on."""

from __future__ import annotations

from singletable.expressions import Placeholders
from singletable.server.guard.needs.need import Part
from singletable.values import AttributeValue, check_value


def placeholders_of(part: Part) -> Placeholders:
    """The names and values of a request; an OperationError if a value is none.

    Requests come here before the driver has looked at them, and values are compared with each other
    when an expression is read.
    """
    names: dict[str, str] | None = getattr(part, "expression_attribute_names", None)
    values: dict[str, AttributeValue] | None = getattr(part, "expression_attribute_values", None)
    checked = {alias: check_value(value)[0] for alias, value in (values or {}).items()}
    return Placeholders(names, checked)
