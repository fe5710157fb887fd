"""The parameters from before expressions, read as what an expression would have said."""

from singletable.engine.legacy.attribute_updates import TYPE_MISMATCH, attribute_updates
from singletable.engine.legacy.expected import expected_condition
from singletable.engine.legacy.filters import filter_condition
from singletable.engine.legacy.key_conditions import key_conditions

__all__ = [
    "TYPE_MISMATCH",
    "attribute_updates",
    "expected_condition",
    "filter_condition",
    "key_conditions",
]
