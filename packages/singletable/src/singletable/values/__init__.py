"""Attribute values: types, validation, canonical form, size and sort order."""

from singletable.values.attributes import *  # noqa: F403
from singletable.values.numbers import *  # noqa: F403
from singletable.values.sort_order import *  # noqa: F403
from singletable.values.validation import *  # noqa: F403
