"""An attribute value in wire form, the one form in which items travel and rest.

A value is a mapping with exactly one entry, whose name is its type: `{"S": "ada"}`, `{"N": "36"}`.
Numbers are text, because DynamoDB has 38 digits and JSON readers do not; binary is base64 text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from typing_extensions import TypedDict

AttributeType: TypeAlias = Literal["S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"]
KeyType: TypeAlias = Literal["S", "N", "B"]


class AttributeValue(TypedDict, total=False):
    """One value; exactly one of the entries is there."""

    S: str
    N: str
    B: str
    SS: list[str]
    NS: list[str]
    BS: list[str]
    M: dict[str, AttributeValue]
    L: list[AttributeValue]
    NULL: bool
    BOOL: bool


Item: TypeAlias = dict[str, AttributeValue]


def type_of(value: AttributeValue) -> str:
    """The name of the value's type: "S", "N", "M" and so on."""
    return next(iter(value))


def content_of(value: Mapping[str, object]) -> object:
    """What the value holds, without its type name."""
    return next(iter(value.values()))
