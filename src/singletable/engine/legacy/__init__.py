"""The parameters from before expressions, read as what an expression would have said."""

from singletable.engine.legacy.attribute_updates import check_update_types, parse_attribute_updates
from singletable.engine.legacy.expected import parse_expected
from singletable.engine.legacy.filters import parse_filter
from singletable.engine.legacy.key_conditions import parse_key_conditions

__all__ = [
    "check_update_types",
    "parse_attribute_updates",
    "parse_expected",
    "parse_filter",
    "parse_key_conditions",
]
