"""The syntax trees of PartiQL: expressions as they are written, and statements."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from singletable.expressions import Action, Condition, Path, Projection
from singletable.values import AttributeValue, Item

__all__ = [
    "Delete",
    "Exists",
    "Insert",
    "OrderTerm",
    "ReturnedValues",
    "Select",
    "Statement",
    "Update",
]

ReturnedValues: TypeAlias = Literal["ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"]

# --- Expressions. Each has the place of the token that errors point at.


class Value(Struct, frozen=True):
    """A string, number, boolean or null."""

    value: AttributeValue
    place: str


class Missing(Struct, frozen=True):
    """MISSING"""

    place: str


class IonLiteral(Struct, frozen=True):
    """A literal in backticks, which DynamoDB does not support."""

    text: str
    place: str


class Parameter(Struct, frozen=True):
    """A question mark: the parameter with this number, from 0."""

    number: int
    place: str


class Reference(Struct, frozen=True):
    """A path into the item."""

    path: Path
    place: str
    error: str = ""  # about a step that DynamoDB does not support


class Sequence(Struct, frozen=True):
    """A list in brackets or parentheses, or a bag in `<<` and `>>`."""

    kind: Literal["list", "bag"]
    members: tuple[Expression, ...]
    place: str


class Tuple(Struct, frozen=True):
    """A map: pairs of names and values in braces."""

    pairs: tuple[tuple[Expression, Expression], ...]
    place: str


class Call(Struct, frozen=True):
    """A function with its arguments; the name is in lower case."""

    name: str
    arguments: tuple[Expression, ...]
    place: str


class Operator(Struct, frozen=True):
    """An operator with its operands: =, AND, NOT, IN, BETWEEN, + and so on."""

    name: str
    operands: tuple[Expression, ...]
    place: str


class IsType(Struct, frozen=True):
    """operand IS type"""

    operand: Expression
    type: str
    place: str


class Subquery(Struct, frozen=True):
    """A SELECT inside an expression."""

    statement: ParsedSelect
    place: str


Expression: TypeAlias = (
    Value
    | Missing
    | IonLiteral
    | Parameter
    | Reference
    | Sequence
    | Tuple
    | Call
    | Operator
    | IsType
    | Subquery
)

# --- Statements as they are written. A source is a table, or a table and an index.

Source: TypeAlias = tuple[str, ...]


class OrderTerm(Struct, frozen=True):
    """A key attribute to sort by."""

    attribute: str
    descending: bool


class ParsedSelect(Struct, frozen=True):
    """SELECT projection FROM source WHERE condition ORDER BY terms"""

    projection: tuple[Expression, ...] | None  # None: *
    source: Source
    where: Expression | None
    order: tuple[OrderTerm, ...]
    error: str = ""  # about a clause that DynamoDB does not support


class ParsedInsert(Struct, frozen=True):
    """INSERT INTO source VALUE item"""

    source: Source
    item: Expression
    error: str = ""


class ParsedUpdate(Struct, frozen=True):
    """UPDATE source SET path = term REMOVE path WHERE condition RETURNING values"""

    source: Source
    actions: tuple[tuple[Reference, Expression | None], ...]  # None: REMOVE
    where: Expression | None
    returning: ReturnedValues | None
    error: str = ""


class ParsedDelete(Struct, frozen=True):
    """DELETE FROM source WHERE condition RETURNING values"""

    source: Source
    where: Expression | None
    returning: ReturnedValues | None
    error: str = ""


class ParsedExists(Struct, frozen=True):
    """EXISTS(SELECT …)"""

    select: ParsedSelect
    error: str = ""


ParsedStatement: TypeAlias = (
    ParsedSelect | ParsedInsert | ParsedUpdate | ParsedDelete | ParsedExists
)


class Parsed(Struct, frozen=True):
    """A statement, and how many parameters it has."""

    statement: ParsedStatement
    parameters: int


# --- Statements with their parameters, in the terms of DynamoDB's expressions


class Select(Struct, frozen=True):
    """Read items; `labels` are the names of the projected values if a path is nested."""

    table: str
    index: str | None
    projection: Projection | None
    labels: tuple[str, ...] | None
    where: Condition | None
    order: tuple[OrderTerm, ...]
    error: str = ""  # about the projection, which is checked after the index


class Insert(Struct, frozen=True):
    """Store an item that does not exist."""

    table: str
    attributes: tuple[tuple[str, AttributeValue], ...]

    @property
    def item(self) -> Item:
        """The item."""
        return dict(self.attributes)


class Update(Struct, frozen=True):
    """Change an item that exists."""

    table: str
    actions: tuple[Action, ...]
    where: Condition | None
    returning: ReturnedValues | None


class Delete(Struct, frozen=True):
    """Remove an item."""

    table: str
    where: Condition | None
    returning: ReturnedValues | None


class Exists(Struct, frozen=True):
    """Require, in a transaction, that an item exists and satisfies a condition."""

    select: Select

    @property
    def table(self) -> str:
        """The table of the item."""
        return self.select.table


Statement: TypeAlias = Select | Insert | Update | Delete | Exists
