"""What an expression says, once it is read: small frozen values, to be matched to the end.

A path is the way to a value inside an item, from its top: ("address", "lines", 0).
Names and values stand here as themselves, never as the `#n` and `:v` they were written as.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from singletable.values import AttributeValue

Path: TypeAlias = tuple[str | int, ...]
Comparator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True)
class At:
    """The value that an item holds at a path."""

    path: Path


@dataclass(frozen=True, slots=True)
class Literally:
    """A value given with the request."""

    value: AttributeValue


@dataclass(frozen=True, slots=True)
class SizeOf:
    """The size of what an item holds at a path: characters, bytes or members."""

    path: Path


Operand: TypeAlias = At | Literally | SizeOf


@dataclass(frozen=True, slots=True)
class Compare:
    """left <comparator> right"""

    comparator: Comparator
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between:
    """operand BETWEEN low AND high, both ends included"""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class In:
    """operand IN (options)"""

    operand: Operand
    options: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Exists:
    """attribute_exists(path)"""

    path: Path


@dataclass(frozen=True, slots=True)
class NotExists:
    """attribute_not_exists(path)"""

    path: Path


@dataclass(frozen=True, slots=True)
class HasType:
    """attribute_type(operand, type)"""

    operand: Operand
    type: str


@dataclass(frozen=True, slots=True)
class BeginsWith:
    """begins_with(operand, prefix)"""

    operand: Operand
    prefix: Operand


@dataclass(frozen=True, slots=True)
class Contains:
    """contains(operand, member)"""

    operand: Operand
    member: Operand


@dataclass(frozen=True, slots=True)
class And:
    """left AND right"""

    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class Or:
    """left OR right"""

    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class Not:
    """NOT condition"""

    condition: Condition


Condition: TypeAlias = (
    Compare | Between | In | Exists | NotExists | HasType | BeginsWith | Contains | And | Or | Not
)


@dataclass(frozen=True, slots=True)
class IfNotExists:
    """if_not_exists(path, otherwise)"""

    path: Path
    otherwise: Term


@dataclass(frozen=True, slots=True)
class ListAppend:
    """list_append(first, second)"""

    first: Term
    second: Term


@dataclass(frozen=True, slots=True)
class Sum:
    """left + right, or left - right"""

    sign: Literal["+", "-"]
    left: Term
    right: Term


Term: TypeAlias = At | Literally | IfNotExists | ListAppend | Sum


@dataclass(frozen=True, slots=True)
class Set:
    """SET path = term"""

    path: Path
    term: Term


@dataclass(frozen=True, slots=True)
class Remove:
    """REMOVE path"""

    path: Path


@dataclass(frozen=True, slots=True)
class Add:
    """ADD path value: to a number, or members to a set"""

    path: Path
    value: AttributeValue


@dataclass(frozen=True, slots=True)
class Delete:
    """DELETE path value: members from a set"""

    path: Path
    value: AttributeValue


Action: TypeAlias = Set | Remove | Add | Delete
Update: TypeAlias = tuple[Action, ...]
Projection: TypeAlias = tuple[Path, ...]
