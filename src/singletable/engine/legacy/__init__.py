"""The parameters from before expressions, read as what an expression would have said."""

from singletable.engine.legacy.attribute_updates import attribute_updates, check_types
from singletable.engine.legacy.expected import expected_condition
from singletable.engine.legacy.filters import filter_condition
from singletable.engine.legacy.key_conditions import key_conditions

__all__ = [
    "attribute_updates",
    "check_types",
    "expected_condition",
    "filter_condition",
    "key_conditions",
]
