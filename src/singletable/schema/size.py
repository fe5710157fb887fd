"""How large a value in an item is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from singletable import expressions
from singletable.expressions import Compare, Literally, Operand
from singletable.schema.condition import Condition

E = TypeVar("E")


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
            lambda: Compare(comparator, self.operand(), Literally({"N": str(other)})), self._path
        )
