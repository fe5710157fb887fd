"""Conditions on the fields of an entity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from singletable import expressions
from singletable.errors import DeclarationError
from singletable.expressions import Compare, Constant, Operand
from singletable.schema.codec import Codec

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


# FROM size.py: How large a value in an item is.


class Size(Generic[E]):
    """The size of a value: characters of a text, bytes, members of a list, map or set.

    Comparing it with a number makes a condition: `Ballot.notes.size() < 10`.
    """

    __slots__ = ("_path", "_place")

    def __init__(self, place: Callable[[], expressions.Path], path: object) -> None:
        self._place = place
        self._path = path

    def operand(self) -> Operand:
        """The size in DynamoDB's language."""
        return expressions.SizeOf(self._place())

    def __lt__(self, other: int) -> Condition[E]:
        return self._compare("<", other)

    def __le__(self, other: int) -> Condition[E]:
        return self._compare("<=", other)

    def __gt__(self, other: int) -> Condition[E]:
        return self._compare(">", other)

    def __ge__(self, other: int) -> Condition[E]:
        return self._compare(">=", other)

    def __eq__(self, other: int) -> Condition[E]:  # type: ignore[override]
        return self._compare("=", other)

    def __ne__(self, other: int) -> Condition[E]:  # type: ignore[override]
        return self._compare("<>", other)

    __hash__ = object.__hash__

    def _compare(self, comparator: expressions.Comparator, other: int) -> Condition[E]:
        return Condition(
            lambda: Compare(comparator, self.operand(), Constant({"N": str(other)})), self._path
        )


# FROM presence.py: Whether an item has a value.

NULL = expressions.Constant({"NULL": True})


def is_not_null(place: expressions.Path, codec: Codec) -> expressions.Condition:
    """The condition that there is a value."""
    exists = expressions.Exists(place)
    if codec.absent_value is None:
        return exists
    return expressions.And(exists, expressions.Compare("<>", expressions.At(place), NULL))


def is_null(place: expressions.Path, codec: Codec) -> expressions.Condition:
    """The condition that there is no value."""
    missing = expressions.NotExists(place)
    if codec.absent_value is None:
        return missing
    return expressions.Or(missing, expressions.Compare("=", expressions.At(place), NULL))
