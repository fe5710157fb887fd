"""The syntax trees of PartiQL: expressions as they are written, and statements."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from dynamodb_engine.expressions import Action, Condition, Path, Projection
from dynamodb_engine.values import AttributeValue, Item

__all__ = [
    "Delete",
    "Exists",
    "Insert",
    "OrderTerm",
    "ReturnedValues",
    "Select",
    "Statement",
    "Update",
    "Write",
]

ReturnedValues: TypeAlias = Literal["ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"]

# --- Statements as they are written


class Node(Struct, frozen=True):
    """A part of an expression, with the place of the token that errors point at.

    The kind is that of a term, in lower case ("value", "missing", "ion", "parameter", "path",
    "list", "bag", "map", "call", "subquery"), or an operator ("=", "AND", "IS" and so on). The
    name is that of a function or type, or a text. The members of a map alternate: name, value.
    """

    kind: str
    place: str
    members: tuple[Node, ...] = ()
    name: str = ""
    value: AttributeValue = {}
    number: int = 0  # of a parameter, from 0
    path: Path = ()
    error: str = ""  # about a step of the path that DynamoDB does not support
    select: Parsed | None = None
    depth: int = 0  # of the members


class OrderTerm(Struct, frozen=True):
    """A key attribute to sort by."""

    attribute: str
    descending: bool


class Parsed(Struct, frozen=True):
    """A statement. Its source is a table, or a table and an index."""

    kind: Literal["select", "insert", "update", "delete", "exists"]
    source: tuple[str, ...]
    where: Node | None = None
    returning: ReturnedValues | None = None
    projection: tuple[Node, ...] | None = None  # None: *
    order: tuple[OrderTerm, ...] = ()
    item: Node | None = None
    changes: tuple[tuple[Node, Node | None], ...] = ()  # None: REMOVE
    parameters: int = 0
    error: str = ""  # about a clause that DynamoDB does not support


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


Write: TypeAlias = Insert | Update | Delete
Statement: TypeAlias = Select | Write | Exists
