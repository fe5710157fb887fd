"""How many bytes DynamoDB charges for an update itself, whatever it makes of the item.

UpdateItem refuses an update beyond 400 KB by this count even if the item stays small. The key and
attributes that are not touched cost nothing; the numbers were measured at AWS to the byte.
"""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from singletable.expressions.nodes import (
    Action,
    Add,
    At,
    Constant,
    Delete,
    IfNotExists,
    ListAppend,
    Path,
    Remove,
    Set,
    Sum,
    Term,
    Update,
)
from singletable.values import AttributeValue, check_value, text_size

BASE = 3
WRITE = 19
REMOVAL = 1
NESTED_STEP = 4
READ = 1
READ_STEP = 14
PLUS = 34
MINUS = 37
IF_NOT_EXISTS = 39
LIST_APPEND = 37


def update_cost(update: Update) -> int:
    """The bytes that the update counts against the limit of an item."""
    return BASE + sum([_action(action) for action in update])


def _action(action: Action) -> int:
    target = _target(action.path)
    match action:
        case Set(_, term):
            return WRITE + target + _term(term)
        case Add(_, value):
            return WRITE + target + _value(value)
        case Remove() | Delete():
            return REMOVAL + target
        case _:
            assert_never(action)


@lru_cache(1024)
def _target(path: Path) -> int:
    return sum([text_size(str(step)) for step in path]) + NESTED_STEP * (len(path) - 1)


@lru_cache(1024)
def _source(path: Path) -> int:
    return READ + sum([READ_STEP + text_size(str(step)) for step in path])


def _value(value: AttributeValue) -> int:
    return check_value(value)[1]


def _term(term: Term) -> int:
    match term:
        case Constant(value):
            return _value(value)
        case At(path):
            return _source(path)
        case IfNotExists(path, otherwise):
            return IF_NOT_EXISTS + _source(path) + _term(otherwise)
        case ListAppend(first, second):
            return LIST_APPEND + _term(first) + _term(second)
        case Sum(sign, left, right):
            return (PLUS if sign == "+" else MINUS) + _term(left) + _term(right)
        case _:
            assert_never(term)
