"""Syntax tree nodes of conditions, key conditions, updates and projections: small frozen values.

A path leads to a value inside an item, from the top: ("address", "lines", 0). Nodes contain names
and values, never the placeholders of the text (`#n` and `:v`).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from dynamodb_engine.values import AttributeValue

__all__ = [
    "Action",
    "Add",
    "And",
    "At",
    "BeginsWith",
    "Between",
    "Comparator",
    "Compare",
    "Condition",
    "Constant",
    "Contains",
    "Delete",
    "Exists",
    "HasType",
    "IfNotExists",
    "In",
    "KeyClause",
    "KeyComparator",
    "KeyCondition",
    "ListAppend",
    "Not",
    "NotExists",
    "Operand",
    "Or",
    "Path",
    "Projection",
    "Remove",
    "Set",
    "SizeOf",
    "Sum",
    "Term",
    "Update",
]

Path: TypeAlias = tuple[str | int, ...]
Comparator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]


class At(Struct, frozen=True):
    """The value at a path of the item."""

    path: Path


class Constant(Struct, frozen=True):
    """A value from the request."""

    value: AttributeValue


class SizeOf(Struct, frozen=True):
    """The size of the value at a path: in characters, bytes or members."""

    path: Path


Operand: TypeAlias = At | Constant | SizeOf


class Compare(Struct, frozen=True):
    """left <comparator> right"""

    comparator: Comparator
    left: Operand
    right: Operand


class Between(Struct, frozen=True):
    """operand BETWEEN low AND high, bounds included"""

    operand: Operand
    low: Operand
    high: Operand


class In(Struct, frozen=True):
    """operand IN (options)"""

    operand: Operand
    options: tuple[Operand, ...]


class Exists(Struct, frozen=True):
    """attribute_exists(path)"""

    path: Path


class NotExists(Struct, frozen=True):
    """attribute_not_exists(path)"""

    path: Path


class HasType(Struct, frozen=True):
    """attribute_type(operand, type)"""

    operand: Operand
    type: str


class BeginsWith(Struct, frozen=True):
    """begins_with(operand, prefix)"""

    operand: Operand
    prefix: Operand


class Contains(Struct, frozen=True):
    """contains(operand, member)"""

    operand: Operand
    member: Operand


class And(Struct, frozen=True):
    """left AND right"""

    left: Condition
    right: Condition


class Or(Struct, frozen=True):
    """left OR right"""

    left: Condition
    right: Condition


class Not(Struct, frozen=True):
    """NOT condition"""

    condition: Condition


Condition: TypeAlias = (
    Compare | Between | In | Exists | NotExists | HasType | BeginsWith | Contains | And | Or | Not
)


class IfNotExists(Struct, frozen=True):
    """if_not_exists(path, default)"""

    path: Path
    default: Term


class ListAppend(Struct, frozen=True):
    """list_append(first, second)"""

    first: Term
    second: Term


class Sum(Struct, frozen=True):
    """left + right, or left - right"""

    sign: Literal["+", "-"]
    left: Term
    right: Term


Term: TypeAlias = At | Constant | IfNotExists | ListAppend | Sum


class Set(Struct, frozen=True):
    """SET path = term"""

    path: Path
    term: Term


class Remove(Struct, frozen=True):
    """REMOVE path"""

    path: Path


class Add(Struct, frozen=True):
    """ADD path value: add to a number, or add members to a set"""

    path: Path
    value: AttributeValue


class Delete(Struct, frozen=True):
    """DELETE path value: remove members from a set"""

    path: Path
    value: AttributeValue


Action: TypeAlias = Set | Remove | Add | Delete
Update: TypeAlias = tuple[Action, ...]
Projection: TypeAlias = tuple[Path, ...]

KeyComparator: TypeAlias = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]


class KeyClause(Struct, frozen=True):
    """The condition on one key attribute: a comparator and one value, or two for BETWEEN."""

    attribute: str
    comparator: KeyComparator
    values: tuple[AttributeValue, ...]


KeyCondition: TypeAlias = tuple[KeyClause, ...]
