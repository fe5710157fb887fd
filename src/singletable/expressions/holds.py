"""Whether an item meets a condition."""

from __future__ import annotations

from typing import assert_never

from singletable.expressions.compare import begins, compare, equal, has_member, size_of
from singletable.expressions.nodes import (
    And,
    At,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Constant,
    Contains,
    Exists,
    HasType,
    In,
    Not,
    NotExists,
    Operand,
    Or,
    SizeOf,
)
from singletable.expressions.paths import value_at
from singletable.values import AttributeValue, Item, type_of


def holds(condition: Condition, item: Item) -> bool:
    """Whether the item meets the condition. A missing attribute equals nothing, nor another."""
    match condition:
        case Compare(comparator, left, right):
            one, other = _value(left, item), _value(right, item)
            if one is None or other is None:
                return comparator == "<>"
            return compare(comparator, one, other)
        case And() | Or():
            return _joined(condition, item)
        case Not(inner):
            return not holds(inner, item)
        case Exists(path):
            return value_at(path, item) is not None
        case NotExists(path):
            return value_at(path, item) is None
        case Between(operand, low, high):
            return _between(_value(operand, item), _value(low, item), _value(high, item))
        case In(operand, options):
            return _in(_value(operand, item), options, item)
        case HasType(operand, kind):
            value = _value(operand, item)
            return value is not None and type_of(value) == kind
        case BeginsWith(operand, prefix):
            one, other = _value(operand, item), _value(prefix, item)
            return one is not None and other is not None and begins(one, other)
        case Contains(operand, member):
            one, other = _value(operand, item), _value(member, item)
            return one is not None and other is not None and has_member(one, other)
        case _:
            assert_never(condition)


def _joined(condition: And | Or, item: Item) -> bool:
    """And or Or, without a call for each link: a chain of them leans to the left."""
    links: list[Condition] = []
    rest: Condition = condition
    while isinstance(rest, condition.__class__):
        links.append(rest.right)
        rest = rest.left
    decisive = isinstance(condition, Or)
    if holds(rest, item) is decisive:
        return decisive
    for link in reversed(links):
        if holds(link, item) is decisive:
            return decisive
    return not decisive


def _value(operand: Operand, item: Item) -> AttributeValue | None:
    match operand:
        case Constant(value):
            return value
        case At(path):
            return value_at(path, item)
        case SizeOf(path):
            measured = value_at(path, item)
            size = None if measured is None else size_of(measured)
            return None if size is None else {"N": str(size)}
        case _:
            assert_never(operand)


def _between(
    value: AttributeValue | None, low: AttributeValue | None, high: AttributeValue | None
) -> bool:
    if value is None or low is None or high is None:
        return False
    return compare("<=", low, value) and compare("<=", value, high)


def _in(value: AttributeValue | None, options: tuple[Operand, ...], item: Item) -> bool:
    if value is None:
        return False
    for option in options:
        candidate = _value(option, item)
        if candidate is not None and equal(value, candidate):
            return True
    return False
