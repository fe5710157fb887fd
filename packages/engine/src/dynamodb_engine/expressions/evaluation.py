"""Compare values, and evaluate conditions on an item.

Values are in canonical form, so equal numbers have equal texts.
"""

from __future__ import annotations

from binascii import a2b_base64
from decimal import Decimal
from typing import TypeVar, assert_never

from dynamodb_engine.expressions.nodes import (
    And,
    At,
    BeginsWith,
    Between,
    Comparator,
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
from dynamodb_engine.expressions.paths import value_at
from dynamodb_engine.values import AttributeValue, Item, type_of

__all__ = ["holds"]

_EQUALITY = ("=", "<>")
_SCALARS = frozenset(("S", "N", "B", "BOOL", "NULL"))
Ordered = TypeVar("Ordered", str, bytes, Decimal)


def holds(
    condition: Condition, item: Item, equalities: dict[tuple[int, int], bool] | None = None
) -> bool:
    """Return whether the item matches the condition. A missing attribute equals nothing.

    All values are in canonical form, with sorted sets, so that `==` can compare large values fast.
    A long condition may compare two of them hundreds of times: `equalities` has the results by the
    ids of the values, which all belong to the item or the condition.
    """
    match condition:
        case Compare(comparator, left, right):
            first, second = _value(left, item), _value(right, item)
            if first is None or second is None:
                return comparator == "<>"
            if equalities is None or comparator not in _EQUALITY or type_of(first) in _SCALARS:
                return compare(comparator, first, second)
            pair = id(first), id(second)
            if pair not in equalities:
                equalities[pair] = first == second
            return equalities[pair] is (comparator == "=")
        case And() | Or():
            return _junction_holds(condition, item, {} if equalities is None else equalities)
        case Not(inner):
            return not holds(inner, item, equalities)
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
            first, second = _value(operand, item), _value(prefix, item)
            return first is not None and second is not None and starts_with(first, second)
        case Contains(operand, member):
            first, second = _value(operand, item), _value(member, item)
            return first is not None and second is not None and has_member(first, second)
        case _:
            assert_never(condition)


def _junction_holds(
    condition: And | Or, item: Item, equalities: dict[tuple[int, int], bool]
) -> bool:
    """Evaluate a left-leaning chain of AND or OR without recursion."""
    links: list[Condition] = []
    rest: Condition = condition
    while isinstance(rest, condition.__class__):
        links.append(rest.right)
        rest = rest.left
    decisive = isinstance(condition, Or)
    if holds(rest, item, equalities) is decisive:
        return decisive
    for link in reversed(links):
        if holds(link, item, equalities) is decisive:
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
    # An option may be repeated hundreds of times, and values may be large: compare each one once.
    candidates = {id(one): one for option in options if (one := _value(option, item)) is not None}
    return value in candidates.values()


def compare(comparator: Comparator, left: AttributeValue, right: AttributeValue) -> bool:
    """Return whether left <comparator> right; values of different types are unequal, unordered."""
    if comparator == "=":
        return left == right
    if comparator == "<>":
        return left != right
    if "S" in left and "S" in right:
        # Python sorts text by code points, which is the order of the UTF-8 bytes.
        return _compare_ordered(comparator, left["S"], right["S"])
    if "N" in left and "N" in right:
        return _compare_ordered(comparator, Decimal(left["N"]), Decimal(right["N"]))
    if "B" in left and "B" in right:
        return _compare_ordered(comparator, a2b_base64(left["B"]), a2b_base64(right["B"]))
    return False


def _compare_ordered(comparator: Comparator, left: Ordered, right: Ordered) -> bool:
    match comparator:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case "=" | "<>":
            return (left == right) is (comparator == "=")
        case _:
            assert_never(comparator)


def starts_with(value: AttributeValue, prefix: AttributeValue) -> bool:
    """Return whether a string or binary starts with `prefix`."""
    if "S" in value and "S" in prefix:
        return value["S"].startswith(prefix["S"])
    if "B" in value and "B" in prefix:
        return a2b_base64(value["B"]).startswith(a2b_base64(prefix["B"]))
    return False


def has_member(value: AttributeValue, member: AttributeValue) -> bool:
    """Return whether a string or binary contains another, or a list or set the member."""
    if "S" in value and "S" in member:
        return member["S"] in value["S"]
    if "B" in value and "B" in member:
        return a2b_base64(member["B"]) in a2b_base64(value["B"])
    if "L" in value:
        return member in value["L"]
    if "SS" in value and "S" in member:
        return member["S"] in value["SS"]
    if "NS" in value and "N" in member:
        return member["N"] in value["NS"]
    if "BS" in value and "B" in member:
        return member["B"] in value["BS"]
    return False


def size_of(value: AttributeValue) -> int | None:
    """Return size(value) in characters, bytes or members; None for a type that has no size."""
    if "S" in value:
        # DynamoDB counts UTF-16 code units, as Java does.
        return len(value["S"].encode("utf-16-le", "surrogatepass")) // 2
    if "B" in value:
        return len(a2b_base64(value["B"]))
    if "L" in value:
        return len(value["L"])
    if "M" in value:
        return len(value["M"])
    if "SS" in value or "NS" in value or "BS" in value:
        return len(members(value))
    return None


def members(value: AttributeValue) -> list[str]:
    """Return the members of a set as strings; an empty list for other types."""
    return value.get("SS") or value.get("NS") or value.get("BS") or []
