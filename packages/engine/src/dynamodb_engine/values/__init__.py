"""Attribute values: types, validation, canonical form, size and sort order."""

from dynamodb_engine.values.attributes import *  # noqa: F403
from dynamodb_engine.values.numbers import *  # noqa: F403
from dynamodb_engine.values.sort_order import *  # noqa: F403
from dynamodb_engine.values.validation import *  # noqa: F403
