"""How values compare. They are in canonical form, so equal numbers have equal texts."""

from __future__ import annotations

from binascii import a2b_base64
from decimal import Decimal
from typing import TypeVar, assert_never

from singletable.expressions.nodes import Comparator
from singletable.values import AttributeValue, type_of

Ordered = TypeVar("Ordered", str, bytes, Decimal)


def equal(left: AttributeValue, right: AttributeValue) -> bool:
    """Whether two values are the same; the order within a set does not matter."""
    if left == right:
        return True
    if "L" in left and "L" in right:
        one, other = left["L"], right["L"]
        return len(one) == len(other) and all(map(equal, one, other))
    if "M" in left and "M" in right:
        mine, theirs = left["M"], right["M"]
        return mine.keys() == theirs.keys() and all(equal(mine[k], theirs[k]) for k in mine)
    if "SS" in left or "NS" in left or "BS" in left:
        return type_of(left) == type_of(right) and set(members(left)) == set(members(right))
    return False


def compare(comparator: Comparator, left: AttributeValue, right: AttributeValue) -> bool:
    """Whether left <comparator> right. Values of different types are unequal, and have no order."""
    if comparator == "=":
        return equal(left, right)
    if comparator == "<>":
        return not equal(left, right)
    if "S" in left and "S" in right:
        # Python orders text by code points, which is the order of its bytes in UTF-8.
        return _in_order(comparator, left["S"], right["S"])
    if "N" in left and "N" in right:
        return _in_order(comparator, Decimal(left["N"]), Decimal(right["N"]))
    if "B" in left and "B" in right:
        return _in_order(comparator, a2b_base64(left["B"]), a2b_base64(right["B"]))
    return False


def _in_order(comparator: Comparator, left: Ordered, right: Ordered) -> bool:
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


def begins(value: AttributeValue, prefix: AttributeValue) -> bool:
    """Whether a text or binary begins with another."""
    if "S" in value and "S" in prefix:
        return value["S"].startswith(prefix["S"])
    if "B" in value and "B" in prefix:
        return a2b_base64(value["B"]).startswith(a2b_base64(prefix["B"]))
    return False


def has_member(value: AttributeValue, member: AttributeValue) -> bool:
    """Whether a text or binary holds another, or a list or set the member."""
    if "S" in value and "S" in member:
        return member["S"] in value["S"]
    if "B" in value and "B" in member:
        return a2b_base64(member["B"]) in a2b_base64(value["B"])
    if "L" in value:
        return any(equal(element, member) for element in value["L"])
    if "SS" in value and "S" in member:
        return member["S"] in value["SS"]
    if "NS" in value and "N" in member:
        return member["N"] in value["NS"]
    if "BS" in value and "B" in member:
        return member["B"] in value["BS"]
    return False


def size_of(value: AttributeValue) -> int | None:
    """What size() gives: characters, bytes or members; None for a type that has no size."""
    if "S" in value:
        # DynamoDB counts as Java does: a character beyond the first 65,536 counts twice.
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
    """The members of a set, as texts; none if it is no set."""
    return value.get("SS") or value.get("NS") or value.get("BS") or []
