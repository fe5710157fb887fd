"""Conditions on the fields of an entity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, Protocol, TypeVar

from dynamodb_engine import expressions
from dynamodb_engine.expressions import At, Compare, Constant, Operand
from singletable.errors import DeclarationError
from singletable.schema.codec import Codec

E = TypeVar("E")

NULL = Constant({"NULL": True})


class ConditionPath(Protocol):
    """The path to a value that a condition tests."""

    def document_path(self) -> expressions.Path:
        """Return the path by attribute names."""
        ...

    @property
    def field(self) -> str:
        """The name of the field that the path starts with."""
        ...


class Condition(Generic[E]):
    """A condition on an item of entity E; combine conditions with `&`, `|` and `~`.

    Comparing a field creates one: `Ballot.rank > 3`. The store takes it as `if_` and `where`.
    """

    __slots__ = ("_build", "fields")

    def __init__(self, build: Callable[[], expressions.Condition], *fields: ConditionPath) -> None:
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

    def __repr__(self) -> str:
        try:
            # Paths by attribute names become the fields that the condition was written with.
            names = {field.document_path(): str(field) for field in self.fields}
            return _shown(self.node(), names)
        except DeclarationError:
            return "Condition(…)"  # Its class is being declared.

    def source(self) -> str:
        """Return the condition as the class of its entity declares it, by names of fields."""
        names = {field.document_path(): str(field).partition(".")[2] for field in self.fields}
        return _shown(self.node(), names)

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

    def __init__(self, document_path: Callable[[], expressions.Path], path: ConditionPath) -> None:
        self._document_path = document_path
        self._path = path

    def operand(self) -> Operand:
        """Return the size as an expression."""
        return expressions.SizeOf(self._document_path())

    def __repr__(self) -> str:
        return f"{self._path!r}.size()"

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


def _shown(node: expressions.Condition, names: Mapping[expressions.Path, str]) -> str:
    """Return a condition as it is written in Python."""

    def show(operand: Operand) -> str:
        match operand:
            case At(path):
                return names.get(path) or ".".join(map(str, path))
            case expressions.SizeOf(path):
                return f"{show(At(path))}.size()"
            case Constant({"N": number}):
                return str(number)
            case Constant({"NULL": _}):
                return "None"
            case Constant(value):
                return repr(next(iter(value.values())))

    match node:
        case expressions.And(expressions.Exists(path), Compare("<>", At(other), null)) if (
            path == other and null == NULL
        ):
            return f"{show(At(path))}.exists()"
        case expressions.Or(expressions.NotExists(path), Compare("=", At(other), null)) if (
            path == other and null == NULL
        ):
            return f"{show(At(path))}.missing()"
        case Compare(comparator, left, right):
            sign = {"=": "==", "<>": "!="}.get(comparator, comparator)
            return f"{show(left)} {sign} {show(right)}"
        case expressions.Between(operand, low, high):
            return f"{show(operand)}.between({show(low)}, {show(high)})"
        case expressions.In(operand, options):
            return f"{show(operand)}.in_({', '.join(map(show, options))})"
        case expressions.Exists(path):
            return f"{show(At(path))}.exists()"
        case expressions.NotExists(path):
            return f"{show(At(path))}.missing()"
        case expressions.HasType(operand, type_):
            return f"{show(operand)} has type {type_}"
        case expressions.BeginsWith(operand, prefix):
            return f"{show(operand)}.begins_with({show(prefix)})"
        case expressions.Contains(operand, member):
            return f"{show(operand)}.contains({show(member)})"
        case expressions.And(one, two):
            return f"({_shown(one, names)}) & ({_shown(two, names)})"
        case expressions.Or(one, two):
            return f"({_shown(one, names)}) | ({_shown(two, names)})"
        case expressions.Not(inner):
            return f"~({_shown(inner, names)})"


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
