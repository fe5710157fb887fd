"""The way to a value inside an item, with the type of what is there.

On the class a field is a path: `Ballot.when_cast < deadline` is a condition on stored items, and
`Ballot.rankings.append(r)` a change to one. A wrong type is a type error, and is refused when it
comes all the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Generic, TypeAlias, TypeVar, cast, overload

from singletable import expressions
from singletable.errors import InvalidValue
from singletable.expressions import At, Compare, Constant, Operand
from singletable.schema.codec import Codec
from singletable.schema.condition import Condition, Size, is_not_null, is_null
from singletable.values import AttributeValue

# FROM edit.py: One change to an item: what an update is made of.

E = TypeVar("E")


class Edit(Generic[E]):
    """A change to a field of entity E; made with `Ballot.rank.set(1)` and its like."""

    __slots__ = ("action", "field", "shown")

    def __init__(self, field: str, shown: str, action: expressions.Action) -> None:
        self.field = field
        self.shown = shown
        self.action = action

    def __repr__(self) -> str:
        return f"Edit({self.shown}, {self.action})"


T = TypeVar("T")
V = TypeVar("V")
W = TypeVar("W")

# Inside the class `set` is what changes a value.
Members: TypeAlias = set[V]


class Path(ABC, Generic[E, T]):
    """The way to a value of type T in items of entity E.

    `==`, `!=`, `<`, `<=`, `>` and `>=` with a value or another path make a condition; `== None`
    asks whether there is none: no attribute, or null. `[0]` and `["name"]` go on to what is inside
    a list or a dictionary.
    """

    @abstractmethod
    def document_path(self) -> expressions.Path:
        """The way, by the names of attributes."""

    @abstractmethod
    def codec(self) -> Codec:
        """How the value is held there."""

    @property
    @abstractmethod
    def field(self) -> str:
        """The name of the field that the way begins with."""

    @abstractmethod
    def child(self, step: str | int) -> Path[E, Any]:
        """The way to a member or an element of the value."""

    def __lt__(self, other: T | Path[E, T]) -> Condition[E]:
        return self._compare("<", other)

    def __le__(self, other: T | Path[E, T]) -> Condition[E]:
        return self._compare("<=", other)

    def __gt__(self, other: T | Path[E, T]) -> Condition[E]:
        return self._compare(">", other)

    def __ge__(self, other: T | Path[E, T]) -> Condition[E]:
        return self._compare(">=", other)

    def __eq__(self, other: T | Path[E, T]) -> Condition[E]:  # type: ignore[override]
        return self.missing() if other is None else self._compare("=", other)

    def __ne__(self, other: T | Path[E, T]) -> Condition[E]:  # type: ignore[override]
        return self.exists() if other is None else self._compare("<>", other)

    __hash__ = object.__hash__

    def between(self, low: T, high: T) -> Condition[E]:
        """The value is from low to high, both included."""
        return self._condition(
            lambda: expressions.Between(
                At(self.document_path()), self._given(low), self._given(high)
            )
        )

    def in_(self, *options: T) -> Condition[E]:
        """The value is one of these."""
        values = [option for option in options if option is not None]
        if len(values) < len(options):
            return self.in_(*values) | self.missing() if values else self.missing()
        return self._condition(
            lambda: expressions.In(
                At(self.document_path()), tuple(self._given(option) for option in options)
            )
        )

    def exists(self) -> Condition[E]:
        """There is a value, and it is not null."""
        return self._condition(lambda: is_not_null(self.document_path(), self.codec()))

    def missing(self) -> Condition[E]:
        """There is no value, or null in its place."""
        return self._condition(lambda: is_null(self.document_path(), self.codec()))

    def begins_with(self: Path[E, str] | Path[E, str | None], prefix: str) -> Condition[E]:
        """The text begins so."""
        return self._condition(
            lambda: expressions.BeginsWith(
                At(self.document_path()), self._of_type("S", {"S": prefix})
            )
        )

    @overload
    def contains(self: Path[E, str] | Path[E, str | None], member: str) -> Condition[E]: ...
    @overload
    def contains(self: Path[E, list[V]], member: V) -> Condition[E]: ...
    @overload
    def contains(self: Path[E, Members[V]], member: V) -> Condition[E]: ...
    @overload
    def contains(self: Path[E, frozenset[V]], member: V) -> Condition[E]: ...
    def contains(self: Path[E, Any], member: object) -> Condition[E]:
        """The text has this part, or the list or set this member."""
        return self._condition(
            lambda: expressions.Contains(At(self.document_path()), Constant(self._member(member)))
        )

    def size(self) -> Size[E]:
        """The number of characters, bytes or members, to be compared."""
        return Size(self.document_path, self)

    def set(self, value: T) -> Edit[E]:
        """Make it this value; None removes it."""
        if value is not None and value != frozenset():
            return self._edit(expressions.Set(self.document_path(), Constant(self._encoded(value))))
        may_be = self.codec().optional if value is None else self._may_be_absent()
        if not may_be:
            raise InvalidValue(f"{self}: expected a value, but got {value!r}. It is not optional.")
        return self._edit(self._absence({"NULL": True}))

    def set_if_missing(self, value: T) -> Edit[E]:
        """Make it this value unless there is one; a null that another program wrote stays."""
        if value is None or value == frozenset():
            raise InvalidValue(f"{self}: expected a value to set once, but got {value!r}.")
        place = self.document_path()
        given = Constant(self._encoded(value))
        return self._edit(expressions.Set(place, expressions.IfNotExists(place, given)))

    def remove(self) -> Edit[E]:
        """Take it away: it is None from then on, or its default."""
        if not self._may_be_absent():
            raise InvalidValue(f"{self} cannot be removed: it is not optional and has no default.")
        return self._edit(self._absence(None))

    @overload
    def add(self: Path[E, int] | Path[E, int | None], amount: int) -> Edit[E]: ...
    @overload
    def add(self: Path[E, Decimal] | Path[E, Decimal | None], amount: Decimal | int) -> Edit[E]: ...
    @overload
    def add(self: Path[E, float] | Path[E, float | None], amount: float) -> Edit[E]: ...
    def add(self: Path[E, Any], amount: object) -> Edit[E]:
        """Add to the number, in one step however many do so; it begins at zero."""
        self._of_type("N", {"S": ""})
        return self._edit(expressions.Add(self.document_path(), self._encoded(amount)))

    def append(self: Path[E, list[V]], *values: V) -> Edit[E]:
        """Put values behind the list, which begins empty."""
        return self._grow(list(values), at_end=True)

    def prepend(self: Path[E, list[V]], *values: V) -> Edit[E]:
        """Put values before the list, which begins empty."""
        return self._grow(list(values), at_end=False)

    @overload
    def add_members(self: Path[E, Members[V]], *members: V) -> Edit[E]: ...
    @overload
    def add_members(self: Path[E, frozenset[V]], *members: V) -> Edit[E]: ...
    def add_members(self: Path[E, Any], *members: object) -> Edit[E]:
        """Put members into the set."""
        return self._edit(expressions.Add(self.document_path(), self._members(members)))

    @overload
    def remove_members(self: Path[E, Members[V]], *members: V) -> Edit[E]: ...
    @overload
    def remove_members(self: Path[E, frozenset[V]], *members: V) -> Edit[E]: ...
    def remove_members(self: Path[E, Any], *members: object) -> Edit[E]:
        """Take members out of the set."""
        return self._edit(expressions.Delete(self.document_path(), self._members(members)))

    @overload
    def __getitem__(self: Path[E, list[V]], step: int) -> Path[E, V]: ...
    @overload
    def __getitem__(self: Path[E, dict[str, V]], step: str) -> Path[E, V]: ...
    def __getitem__(self: Path[E, Any], step: Any) -> Path[E, Any]:
        """The way to an element of the list, or to what the map has under a name."""
        return self.child(step)

    def __iter__(self) -> Any:
        raise TypeError(f"{self} is the way to a value in the table, and cannot be iterated.")

    @overload
    def nested(self: Path[E, V | None], step: Callable[[V], W]) -> Path[E, W]: ...
    @overload
    def nested(self, step: Callable[[T], W]) -> Path[E, W]: ...
    def nested(self: Path[E, Any], step: Callable[[Any], Any]) -> Path[E, Any]:
        """The way further in: `Order.address.at(lambda a: a.street)`."""
        reached = step(_Walk(self))
        if not isinstance(reached, _Walk):
            raise InvalidValue(f"{self}.at(…): the function must give back a member of its value.")
        return reached.way_

    def _compare(self, comparator: expressions.Comparator, other: object) -> Condition[E]:
        return self._condition(
            lambda: Compare(comparator, At(self.document_path()), self._given(other)),
            *_paths(other),
        )

    def _condition(
        self, read: Callable[[], expressions.Condition], *others: object
    ) -> Condition[E]:
        return Condition(read, self, *others)

    def _edit(self, action: expressions.Action) -> Edit[E]:
        return Edit(self.field, str(self), action)

    def _given(self, value: object) -> Operand:
        if isinstance(value, Path):
            return At(value.document_path())
        if isinstance(value, Size):
            return value.operand()
        return Constant(self._encoded(value))

    def _encoded(self, value: object) -> AttributeValue:
        try:
            return self.codec().encode(value)
        except InvalidValue as error:
            raise InvalidValue(f"{self}: {error}") from None

    def _of_type(self, type_: str, value: AttributeValue) -> Operand:
        if type_ not in self.codec().types:
            raise InvalidValue(f"{self} is not of the kind that this can be asked of.")
        return Constant(value)

    def _member(self, member: object) -> AttributeValue:
        types = self.codec().types
        if "S" in types:
            return self._encoded(member)
        if "L" in types:
            return self._encoded([member])["L"][0]
        ((tag, members),) = self._members((member,)).items()
        return cast("AttributeValue", {tag[0]: cast("list[str]", members)[0]})

    def _members(self, members: tuple[object, ...]) -> AttributeValue:
        if not members or not self.codec().types & {"SS", "NS", "BS"}:
            raise InvalidValue(f"{self}: expected members of a set, at least one.")
        try:
            return self.codec().encode(frozenset(members))
        except InvalidValue:
            return self._encoded(set(members))

    def _grow(self, values: list[object], *, at_end: bool) -> Edit[E]:
        place = self.document_path()
        there = expressions.IfNotExists(place, Constant({"L": []}))
        new = Constant(self._encoded(values))
        first, second = (there, new) if at_end else (new, there)
        return self._edit(expressions.Set(place, expressions.ListAppend(first, second)))

    def _may_be_absent(self) -> bool:
        return self.codec().optional

    def _absence(self, instead: AttributeValue | None) -> expressions.Action:
        """What takes the value away; `instead` stands where absence would be read as a default."""
        return expressions.Remove(self.document_path())


def _paths(other: object) -> list[Path[Any, Any]]:
    return [other] if isinstance(other, Path) else []  # pyright: ignore[reportUnknownVariableType]


class _Walk:
    """Stands in for a value while `at` looks where the function goes."""

    def __init__(self, way: Path[Any, Any]) -> None:
        self.way_ = way

    def __getattr__(self, name: str) -> _Walk:
        return _Walk(self.way_.child(name))

    def __getitem__(self, step: str | int) -> _Walk:
        return _Walk(self.way_.child(step))
