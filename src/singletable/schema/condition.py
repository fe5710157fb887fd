"""Conditions on the fields of an entity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from singletable import expressions
from singletable.errors import DeclarationError

E = TypeVar("E")


class Condition(Generic[E]):
    """Something an item of entity E meets or not; put together with `&`, `|` and `~`.

    Comparing a field makes one: `Ballot.rank > 3`. The store takes it as `if_` and `where`.
    """

    __slots__ = ("_read", "fields")

    def __init__(self, read: Callable[[], expressions.Condition], *fields: object) -> None:
        # Read when it is needed: while a class is being declared its fields have no names yet.
        self._read = read
        self.fields = fields

    def node(self) -> expressions.Condition:
        """The condition in DynamoDB's language."""
        return self._read()

    def __and__(self, other: Condition[E]) -> Condition[E]:
        return Condition(
            lambda: expressions.And(self.node(), other.node()), *self.fields, *other.fields
        )

    def __or__(self, other: Condition[E]) -> Condition[E]:
        return Condition(
            lambda: expressions.Or(self.node(), other.node()), *self.fields, *other.fields
        )

    def __invert__(self) -> Condition[E]:
        return Condition(lambda: expressions.Not(self.node()), *self.fields)

    def __bool__(self) -> bool:
        raise DeclarationError(
            "A condition has no truth of its own: it is asked of items in the table. Give it to "
            "the store (if_=…, where=…), and join conditions with &, | and ~, not with and, or, "
            "not. To compare the value of an item you have, compare the attribute of the instance."
        )
