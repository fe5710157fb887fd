"""Conditions on the fields of an entity."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from singletable import expressions
from singletable.errors import DeclarationError
from singletable.expressions import At, Compare, Constant, Operand
from singletable.schema.codec import Codec

E = TypeVar("E")

NULL = Constant({"NULL": True})


class Condition(Generic[E]):
    """A condition on an item of entity E; combine conditions with `&`, `|` and `~`.

    Comparing a field creates one: `Ballot.rank > 3`. The store takes it as `if_` and `where`.
    """

    __slots__ = ("_build", "fields")

    def __init__(self, build: Callable[[], expressions.Condition], *fields: object) -> None:
        # Built when it is used: fields have no names yet while their class is being declared.
        self._build = build
        self.fields = fields

    def node(self) -> expressions.Condition:
        """Return the condition as an expression."""
        return self._build()

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
            "A condition is neither true nor false: DynamoDB evaluates it on items. Pass it to "
            "the store (if_=…, where=…), and combine conditions with &, | and ~, not with and, or, "
            "not. To compare a value of an item that you have, use the attribute of the instance."
        )


class Size(Generic[E]):
    """The size of a value: characters of a string, bytes, or members of a list, map or set.

    Comparing it with a number creates a condition: `Ballot.notes.size() < 10`.
    """

    __slots__ = ("_document_path", "_path")

    def __init__(self, document_path: Callable[[], expressions.Path], path: object) -> None:
        self._document_path = document_path
        self._path = path

    def operand(self) -> Operand:
        """Return the size as an expression."""
        return expressions.SizeOf(self._document_path())

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


# None is an absent attribute or null: other programs write null for "no value", and so does the
# library where absence would be read as a default. Where the type does not allow None, null could
# not be read, and only the existence of the attribute counts.


def is_not_null(path: expressions.Path, codec: Codec) -> expressions.Condition:
    """Return the condition that the attribute has a value."""
    exists = expressions.Exists(path)
    if codec.absent_value is None:
        return exists
    return expressions.And(exists, Compare("<>", At(path), NULL))


def is_null(path: expressions.Path, codec: Codec) -> expressions.Condition:
    """Return the condition that the attribute is absent or null."""
    missing = expressions.NotExists(path)
    if codec.absent_value is None:
        return missing
    return expressions.Or(missing, Compare("=", At(path), NULL))
