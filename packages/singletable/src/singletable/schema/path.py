"""Typed paths to values inside items, and the conditions and edits that they create.

On the class a field is a path: `Ballot.when_cast < deadline` is a condition on stored items, and
`Ballot.rankings.append(r)` an edit of one. A wrong type is an error for type checkers, and at run
time as well.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any, Generic, TypeAlias, TypeVar, cast, overload

from dynamodb_engine import expressions
from dynamodb_engine.expressions import At, Compare, Constant, Operand
from dynamodb_engine.expressions.grammar import MAX_OPTIONS
from dynamodb_engine.values import AttributeValue, key_bytes
from singletable.errors import InvalidValue
from singletable.schema.codec import Codec
from singletable.schema.condition import Condition, Size, is_not_null, is_null

E = TypeVar("E")
T = TypeVar("T")
V = TypeVar("V")
W = TypeVar("W")
T_co = TypeVar("T_co", covariant=True)

# In the class body, `set` is the method.
Members: TypeAlias = set[V]


class Edit(Generic[E]):
    """A change to a field of entity E, created with `Ballot.rank.set(1)` and similar methods."""

    __slots__ = ("action", "field", "path")

    def __init__(self, field: str, path: Path[E, Any], action: expressions.Action) -> None:
        self.field = field
        self.path = path
        self.action = action

    def __repr__(self) -> str:
        return f"Edit({self.path}, {self.action})"


class TypedValue(Generic[E, T_co]):
    """A value of type T or of a subtype, such as `NewType("Email", str)` for str.

    A `Path` has exactly the type T, because `set` accepts no other.
    """


class Path(TypedValue[E, T], ABC, Generic[E, T]):
    """The path to a value of type T in items of entity E.

    Comparing it (`==`, `!=`, `<`, `<=`, `>`, `>=`) with a value or another path creates a
    condition; `== None` matches an absent attribute and null. `[0]` and `["name"]` are paths to
    members of a list or map.
    """

    @abstractmethod
    def document_path(self) -> expressions.Path:
        """Return the path by attribute names."""

    @abstractmethod
    def codec(self) -> Codec:
        """Return the codec of the value."""

    @property
    @abstractmethod
    def field(self) -> str:
        """The name of the field that the path starts with."""

    @property
    @abstractmethod
    def root(self) -> Path[E, Any]:
        """The path to the field."""

    @abstractmethod
    def child(self, step: str | int) -> Path[E, Any]:
        """Return the path to a member of the value."""

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
        """Match a value from low to high, both included."""

        def build() -> expressions.Condition:
            first, last = self._ordered(low), self._ordered(high)
            values = [one.value for one in (first, last) if isinstance(one, Constant)]
            # An encrypted value has no order; the store rejects the condition.
            plain = [one for one in values if all(isinstance(text, str) for text in one.values())]
            if len(plain) == 2 and key_bytes(plain[0]) > key_bytes(plain[1]):
                raise InvalidValue(
                    f"{self}: between({low!r}, {high!r}) has the higher value first."
                )
            return expressions.Between(self._compared(), first, last)

        return self._condition(build)

    def in_(self, *options: T) -> Condition[E]:
        """Match one of these values."""
        if not options:
            raise InvalidValue("in_() expects at least one value, but got none: no item matches.")
        if len(options) > MAX_OPTIONS:
            raise InvalidValue(
                f"{self}.in_() expects at most {MAX_OPTIONS} values, which is what DynamoDB "
                f"accepts, but got {len(options)}. Combine several: field.in_(…) | field.in_(…)."
            )
        values = [option for option in options if option is not None]
        if len(values) < len(options):
            return self.in_(*values) | self.missing() if values else self.missing()
        return self._condition(
            lambda: expressions.In(
                self._compared(), tuple(self._operand(option) for option in options)
            )
        )

    def exists(self) -> Condition[E]:
        """Match a value that exists and is not null."""
        return self._condition(lambda: is_not_null(self.document_path(), self.codec()))

    def missing(self) -> Condition[E]:
        """Match an absent value, or null."""
        return self._condition(lambda: is_null(self.document_path(), self.codec()))

    def begins_with(self: TypedValue[E, str | None], prefix: str) -> Condition[E]:
        """Match a string that starts with the prefix."""
        path = cast("Path[E, Any]", self)
        return path._condition(
            lambda: expressions.BeginsWith(path._compared(), path._of_type("S", {"S": prefix}))
        )

    @overload
    def contains(self: TypedValue[E, str | None], member: str) -> Condition[E]: ...
    @overload
    def contains(self: Path[E, list[V]], member: V) -> Condition[E]: ...
    @overload
    def contains(self: Path[E, Members[V]], member: V) -> Condition[E]: ...
    @overload
    def contains(self: Path[E, frozenset[V]], member: V) -> Condition[E]: ...
    def contains(self: TypedValue[E, Any], member: object) -> Condition[E]:
        """Match a string with this substring, or a list or set with this member."""
        path = cast("Path[E, Any]", self)
        return path._condition(
            lambda: expressions.Contains(path._compared(), Constant(path._member(member)))
        )

    def size(self) -> Size[E]:
        """Return the number of characters, bytes or members, to compare."""
        if self._is_declared():
            self._measured()
        return Size(self._measured, self)

    def set(self, value: T) -> Edit[E]:
        """Set the value; None removes it."""
        if value is not None and not is_empty_set(value):
            return self._edit(expressions.Set(self.document_path(), Constant(self._encoded(value))))
        if value is None and not self.codec().optional:
            raise InvalidValue(
                f"expected a value, but got {value!r}. It is not optional.", str(self)
            )
        self._encoded(value)  # rejects an empty set where another type is expected
        return self._edit(self._absence({"NULL": True}))

    def set_if_missing(self, value: T) -> Edit[E]:
        """Set the value unless the attribute exists; null written by another program stays."""
        if value is None or is_empty_set(value):
            raise InvalidValue(f"expected a value, but got {value!r}.", str(self))
        path = self.document_path()
        constant = Constant(self._encoded(value))
        return self._edit(expressions.Set(path, expressions.IfNotExists(path, constant)))

    def remove(self) -> Edit[E]:
        """Remove the value, which leaves None or the field's default."""
        if not self._may_be_absent():
            raise InvalidValue(f"{self} cannot be removed: it is not optional and has no default.")
        return self._edit(self._absence(None))

    @overload
    def add(self: TypedValue[E, int | None], amount: int) -> Edit[E]: ...
    @overload
    def add(self: TypedValue[E, Decimal | None], amount: Decimal | int) -> Edit[E]: ...
    @overload
    # Not TypedValue: an int is a float for type checkers, and cannot get a fraction.
    def add(self: Path[E, float] | Path[E, float | None], amount: float) -> Edit[E]: ...
    @overload
    def add(self: TypedValue[E, timedelta | None], amount: timedelta) -> Edit[E]: ...
    def add(self: TypedValue[E, Any], amount: object) -> Edit[E]:
        """Add to the number atomically; an absent number counts as zero."""
        path = cast("Path[E, Any]", self)
        path._of_type("N", {"S": ""})
        return path._edit(expressions.Add(path.document_path(), path._encoded(amount)))

    def append(self: Path[E, list[V]], *values: V) -> Edit[E]:
        """Append values to the list; an absent list counts as empty."""
        return self._extend(list(values), at_end=True)

    def prepend(self: Path[E, list[V]], *values: V) -> Edit[E]:
        """Insert values at the start of the list; an absent list counts as empty."""
        return self._extend(list(values), at_end=False)

    @overload
    def add_members(self: Path[E, Members[V]], *members: V) -> Edit[E]: ...
    @overload
    def add_members(self: Path[E, frozenset[V]], *members: V) -> Edit[E]: ...
    def add_members(self: Path[E, Any], *members: object) -> Edit[E]:
        """Add members to the set."""
        return self._edit(expressions.Add(self.document_path(), self._members(members)))

    @overload
    def remove_members(self: Path[E, Members[V]], *members: V) -> Edit[E]: ...
    @overload
    def remove_members(self: Path[E, frozenset[V]], *members: V) -> Edit[E]: ...
    def remove_members(self: Path[E, Any], *members: object) -> Edit[E]:
        """Remove members from the set."""
        return self._edit(expressions.Delete(self.document_path(), self._members(members)))

    @overload
    def __getitem__(self: Path[E, list[V]], step: int) -> Path[E, V]: ...
    @overload
    def __getitem__(self: Path[E, dict[str, V]], step: str) -> Path[E, V]: ...
    def __getitem__(self: Path[E, Any], step: Any) -> Path[E, Any]:
        """Return the path to a member of the list or map."""
        return self.child(step)

    def __iter__(self) -> Any:
        raise TypeError(f"{self} is a path to a value in the table, and cannot be iterated.")

    @overload
    def nested(self: Path[E, V | None], step: Callable[[V], W]) -> Path[E, W]: ...
    @overload
    def nested(self, step: Callable[[T], W]) -> Path[E, W]: ...
    def nested(self: Path[E, Any], step: Callable[[Any], Any]) -> Path[E, Any]:
        """Return the path to a nested value: `Order.address.nested(lambda a: a.street)`."""
        recorder = step(_PathRecorder(self))
        if not isinstance(recorder, _PathRecorder):
            raise InvalidValue(f"{self}.nested(…): the function must return a member of its value.")
        return recorder.path_

    def _compare(self, comparator: expressions.Comparator, other: object) -> Condition[E]:
        def build() -> expressions.Condition:
            is_equality = comparator in ("=", "<>")
            left, right = self._compared(), (self._operand if is_equality else self._ordered)(other)
            if left == right:
                raise InvalidValue(f"{self} is compared with itself. Compare it with a value.")
            return Compare(comparator, left, right)

        return self._condition(build, *_paths(other))

    def _condition(
        self, build: Callable[[], expressions.Condition], *others: Path[Any, Any]
    ) -> Condition[E]:
        if not self._is_declared():
            return Condition(build, self, *others)
        # Built at once, so that a wrong value is rejected where it is written.
        node = build()
        return Condition(lambda: node, self, *others)

    def _is_declared(self) -> bool:
        """Return whether the class of the field is complete, so that it has a name and a codec."""
        return True

    def _edit(self, action: expressions.Action) -> Edit[E]:
        return Edit(self.field, self, action)

    def _compared(self) -> At:
        """Return the value as an operand; raise InvalidValue if it cannot be compared."""
        opaque = self.codec().opaque
        if opaque is not None:
            raise InvalidValue(
                f"{self} is {opaque}, so DynamoDB cannot compare it. Test exists() or missing(), "
                "or store what you search for in another field."
            )
        return At(self.document_path())

    def _measured(self) -> expressions.Path:
        """Return the path of a value that has a size; raise InvalidValue if it has none."""
        if self.codec().types <= {"N", "BOOL", "NULL"}:
            raise InvalidValue(
                f"{self}: {self.codec().expects} has no size. size() is for strings, bytes, lists, "
                "maps and sets."
            )
        return self._compared().path

    def _operand(self, value: object) -> Operand:
        if isinstance(value, Path):
            return value._compared()  # pyright: ignore[reportUnknownMemberType]
        if isinstance(value, Size):
            return value.operand()
        return Constant(self._encoded(value))

    def _ordered(self, value: object) -> Operand:
        """Return the operand of a comparison by order; raise InvalidValue if it has no order."""
        operand = self._operand(value)
        if isinstance(operand, Constant) and not operand.value.keys() & {"S", "N", "B"}:
            raise InvalidValue(
                f"{self}: DynamoDB orders strings, numbers and binary, but not {value!r}. Compare "
                "it with == or !=."
            )
        return operand

    def _encoded(self, value: object) -> AttributeValue:
        try:
            return self.codec().encode(value)
        except InvalidValue as error:
            raise InvalidValue(error.text, f"{self}{error.path}") from None

    def _of_type(self, type_: str, value: AttributeValue) -> Operand:
        if type_ not in self.codec().types:
            needs = f"a number.{self._members_advice()}" if type_ == "N" else "a string."
            raise InvalidValue(
                f"{self}: its type does not support this operation, which needs {needs}"
            )
        return Constant(value)

    def _members_advice(self) -> str:
        """Return how to change the members of a set or list; nothing for other types."""
        types = self.codec().types
        if types & {"SS", "NS", "BS"}:
            return " It is a set: use add_members(…) and remove_members(…)."
        return " It is a list: use append(…) and prepend(…)." if "L" in types else ""

    def _member(self, member: object) -> AttributeValue:
        types = self.codec().types
        if "S" in types:
            return self._encoded(member)
        if "L" in types:
            return self._encoded([member])["L"][0]
        ((tag, members),) = self._members((member,)).items()
        return cast("AttributeValue", {tag[0]: cast("list[str]", members)[0]})

    def _members(self, members: tuple[object, ...]) -> AttributeValue:
        if not self.codec().types & {"SS", "NS", "BS"}:
            raise InvalidValue(
                f"{self}: its type does not support this operation, because it has no "
                f"members.{self._members_advice()}"
            )
        if not members:
            raise InvalidValue(f"{self}: expected at least one member, but got none.")
        try:
            return self.codec().encode(frozenset(members))
        except InvalidValue:
            return self._encoded(set(members))

    def _extend(self, values: list[object], *, at_end: bool) -> Edit[E]:
        if "L" not in self.codec().types:
            raise InvalidValue(
                f"{self}: its type does not support this operation, which needs a "
                f"list.{self._members_advice()}"
            )
        path = self.document_path()
        stored = expressions.IfNotExists(path, Constant({"L": []}))
        new = Constant(self._encoded(values))
        first, second = (stored, new) if at_end else (new, stored)
        return self._edit(expressions.Set(path, expressions.ListAppend(first, second)))

    def _may_be_absent(self) -> bool:
        return self.codec().optional

    def _absence(self, instead: AttributeValue | None) -> expressions.Action:
        """Return the action that removes the value.

        `instead` is stored where absence would be read as a default.
        """
        return expressions.Remove(self.document_path())


# A union of types would be tested more slowly.
_SETS = (set, frozenset)


def is_empty_set(value: object) -> bool:
    """Return whether the value is an empty set, which DynamoDB cannot store."""
    return isinstance(value, _SETS) and not value


def _paths(other: object) -> list[Path[Any, Any]]:
    return [other] if isinstance(other, Path) else []  # pyright: ignore[reportUnknownVariableType]


class _PathRecorder:
    """Stands in for a value and records the members that the function of `nested` accesses."""

    def __init__(self, path: Path[Any, Any]) -> None:
        self.path_ = path

    def __getattr__(self, name: str) -> _PathRecorder:
        return _PathRecorder(self.path_.child(name))

    def __getitem__(self, step: str | int) -> _PathRecorder:
        return _PathRecorder(self.path_.child(step))
