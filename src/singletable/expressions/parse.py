"""Expressions from the texts of a request.

What a text says by itself is read once and kept; names and values are put in at each call. So a
request that comes again with other values costs no reading.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from singletable.errors import ValidationError
from singletable.expressions.bind_condition import bind_condition
from singletable.expressions.bind_update import bind_update
from singletable.expressions.condition_grammar import read_condition
from singletable.expressions.key_condition import KeyCondition, bind_key_condition
from singletable.expressions.nodes import Condition, Projection, Update
from singletable.expressions.paths import check_together
from singletable.expressions.placeholders import Placeholders
from singletable.expressions.problem import Problem
from singletable.expressions.projection_grammar import read_projection
from singletable.expressions.update_grammar import read_update
from singletable.expressions.written import WrittenProjection
from singletable.values import text_size

MAX_EXPRESSION_SIZE = 4096
KEPT = 1024
KEY_CONDITION = "KeyConditionExpression"

Written = TypeVar("Written")
Bound = TypeVar("Bound")

_condition_kept = lru_cache(KEPT)(read_condition)
_update_kept = lru_cache(KEPT)(read_update)
_projection_kept = lru_cache(KEPT)(read_projection)


def parse_condition(
    text: str, placeholders: Placeholders, parameter: str = "ConditionExpression"
) -> Condition:
    """The condition that the text writes; `parameter` is its name in the request."""
    return _parse(parameter, text, placeholders, _condition_kept, bind_condition)


def parse_key_condition(text: str, placeholders: Placeholders) -> KeyCondition:
    """The key condition that the text writes, not yet held against the keys of a table."""
    check_key_condition(text, placeholders)
    return parse_key_clauses(text, placeholders)


def check_key_condition(text: str, placeholders: Placeholders) -> None:
    """Raise for whatever is wrong with any condition; that it is about keys is the next step.

    DynamoDB reads the other expressions of a query between the two.
    """
    parse_condition(text, placeholders, KEY_CONDITION)


def parse_key_clauses(text: str, placeholders: Placeholders) -> KeyCondition:
    """The clauses of a key condition that was checked, one for each attribute."""
    return _parse(KEY_CONDITION, text, placeholders, _condition_kept, bind_key_condition)


def parse_update(text: str, placeholders: Placeholders) -> Update:
    """The update that the text writes."""
    return _parse("UpdateExpression", text, placeholders, _update_kept, bind_update)


def parse_projection(text: str, placeholders: Placeholders) -> Projection:
    """The projection that the text writes."""
    return _parse("ProjectionExpression", text, placeholders, _projection_kept, _bind_projection)


def _bind_projection(written: WrittenProjection, placeholders: Placeholders) -> Projection:
    projection = tuple([placeholders.path(path) for path in written])
    check_together(projection)
    return projection


def _parse(
    parameter: str,
    text: str,
    placeholders: Placeholders,
    read: Callable[[str], Written],
    bind: Callable[[Written, Placeholders], Bound],
) -> Bound:
    try:
        _check_size(parameter, text)
        return bind(read(text), placeholders)
    except Problem as problem:
        raise ValidationError(f"Invalid {parameter}: {problem}") from None


def _check_size(parameter: str, text: str) -> None:
    if not text.strip(" \t\r\n"):
        raise Problem("The expression can not be empty;")
    size = len(text) if text.isascii() else text_size(text)
    if size > MAX_EXPRESSION_SIZE:
        # Of an update alone DynamoDB does not tell the size.
        told = "" if parameter == "UpdateExpression" else f" expression size: {size}"
        raise Problem(f"Expression size has exceeded the maximum allowed size;{told}")
