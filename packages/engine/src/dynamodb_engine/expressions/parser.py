"""Parse the expressions of a request.

The syntax tree of a text is cached; names and values are resolved for each request. So a request
that is repeated with other values is not parsed again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions.binder import (
    bind_condition,
    bind_key_condition,
    bind_projection,
    bind_update,
)
from dynamodb_engine.expressions.grammar import read_condition, read_projection, read_update
from dynamodb_engine.expressions.nodes import Condition, KeyCondition, Projection, Update
from dynamodb_engine.expressions.placeholders import Placeholders
from dynamodb_engine.expressions.syntax import ExpressionError
from dynamodb_engine.values import text_size

__all__ = [
    "check_key_condition",
    "parse_condition",
    "parse_key_clauses",
    "parse_key_condition",
    "parse_projection",
    "parse_update",
]

MAX_EXPRESSION_SIZE = 4096
# Parsed, an expression takes up to 200 KB.
CACHE_SIZE = 128
KEY_CONDITION = "KeyConditionExpression"

Parsed = TypeVar("Parsed")
Bound = TypeVar("Bound")

_read_condition = lru_cache(CACHE_SIZE)(read_condition)
_read_update = lru_cache(CACHE_SIZE)(read_update)
_read_projection = lru_cache(CACHE_SIZE)(read_projection)


def parse_condition(
    text: str, placeholders: Placeholders, parameter: str = "ConditionExpression"
) -> Condition:
    """Parse a condition; `parameter` is its name in the request."""
    return _parse(parameter, text, placeholders, _read_condition, bind_condition)


def parse_key_condition(text: str, placeholders: Placeholders) -> KeyCondition:
    """Parse a key condition, without checking it against the keys of a table."""
    check_key_condition(text, placeholders)
    return parse_key_clauses(text, placeholders)


def check_key_condition(text: str, placeholders: Placeholders) -> None:
    """Raise unless the text is a valid condition; `parse_key_clauses` checks that it is on keys.

    DynamoDB parses the other expressions of a query between these two steps.
    """
    parse_condition(text, placeholders, KEY_CONDITION)


def parse_key_clauses(text: str, placeholders: Placeholders) -> KeyCondition:
    """Return the clauses of a key condition that was checked, one for each attribute."""
    return _parse(KEY_CONDITION, text, placeholders, _read_condition, bind_key_condition)


def parse_update(text: str, placeholders: Placeholders) -> Update:
    """Parse an update."""
    return _parse("UpdateExpression", text, placeholders, _read_update, bind_update)


def parse_projection(text: str, placeholders: Placeholders) -> Projection:
    """Parse a projection."""
    return _parse("ProjectionExpression", text, placeholders, _read_projection, bind_projection)


def _parse(
    parameter: str,
    text: str,
    placeholders: Placeholders,
    read: Callable[[str], Parsed],
    bind: Callable[[Parsed, Placeholders], Bound],
) -> Bound:
    try:
        _check_size(parameter, text)
        return bind(read(text), placeholders)
    except ExpressionError as error:
        raise ValidationError(f"Invalid {parameter}: {error}") from None


def _check_size(parameter: str, text: str) -> None:
    if not text.strip(" \t\r\n"):
        raise ExpressionError("The expression can not be empty;")
    size = len(text) if text.isascii() else text_size(text)
    if size > MAX_EXPRESSION_SIZE:
        # DynamoDB reports the size except for updates.
        suffix = "" if parameter == "UpdateExpression" else f" expression size: {size}"
        raise ExpressionError(f"Expression size has exceeded the maximum allowed size;{suffix}")
