"""Rules of a Copy or a Rewrite: which new items are derived from old ones."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, overload

from typing_extensions import override

from singletable.errors import DeclarationError, MigrationError
from singletable.schema import ItemKey, Selection, Table, model_of

E = TypeVar("E")
F = TypeVar("F")
G = TypeVar("G", bound=Hashable)

# What a function of a rule returns: an entity, several, or None for none.
Derived: TypeAlias = object | Iterable[object] | None


class Rule(ABC):
    """How the new items of some old items are derived."""

    __slots__ = ()
    name: ClassVar[str]

    @property
    @abstractmethod
    def entities(self) -> list[type[Any]]:
        """The old entities of the rule."""

    def __str__(self) -> str:
        return f"{self.name}({', '.join(entity.__name__ for entity in self.entities)})"


@dataclass(frozen=True, slots=True)
class EachRule(Rule):
    """Derive the new items from one old item."""

    name = "each"

    entity: type[Any]
    function: Callable[[Any], Derived]

    def __post_init__(self) -> None:
        check_entity("each", self.entity)
        _check_function("each", self.function)

    @property
    @override
    def entities(self) -> list[type[Any]]:
        return [self.entity]


@dataclass(frozen=True, slots=True)
class Part(Generic[E, G]):
    """Old items of an entity that a merge reads.

    `group` returns the group of an item. `read` gets a group, and returns the key of its one item,
    or the selection of all of them.
    """

    entity: type[E]
    group: Callable[[E], G]
    read: Callable[[G], Selection[E] | ItemKey[E]]

    def __post_init__(self) -> None:
        check_entity("Part", self.entity)
        _check_function("Part", self.group)
        _check_function("Part", self.read)


@dataclass(frozen=True, slots=True)
class MergeRule(Rule):
    """Derive new items from all old items of a group."""

    name = "merge"

    parts: tuple[Part[Any, Any], ...]
    into: Callable[[list[Any]], Derived]

    def __post_init__(self) -> None:
        if not self.parts or not all(isinstance(part, Part) for part in self.parts):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DeclarationError(
                "merge(…): expected one or more Part(Entity, group=…, read=…), then into=…."
            )
        _check_function("merge", self.into)

    @property
    @override
    def entities(self) -> list[type[Any]]:
        return [part.entity for part in self.parts]


@dataclass(frozen=True, slots=True)
class UnchangedRule(Rule):
    """Copy items of a table as they are, if no other rule takes them."""

    name = "unchanged"

    table: Table

    def __post_init__(self) -> None:
        check_table("unchanged", self.table)

    @property
    @override
    def entities(self) -> list[type[Any]]:
        return []

    def __str__(self) -> str:
        return f"unchanged({self.table.name})"


@dataclass(frozen=True, slots=True)
class LeaveOutRule(Rule):
    """Derive nothing from the items of an entity."""

    name = "leave_out"

    entity: type[Any]

    def __post_init__(self) -> None:
        check_entity("leave_out", self.entity)

    @property
    @override
    def entities(self) -> list[type[Any]]:
        return [self.entity]


def each(entity: type[E], function: Callable[[E], Derived]) -> EachRule:
    """Turn each item of an old entity into a new one, into several (a split), or into none.

    The function is called again whenever the old item changes, so it must depend on nothing but its
    argument.
    """
    return EachRule(entity, function)


@overload
def merge(part: Part[E, Any], /, *, into: Callable[[list[E]], Derived]) -> MergeRule: ...
@overload
def merge(
    one: Part[E, G], other: Part[F, G], /, *, into: Callable[[list[E | F]], Derived]
) -> MergeRule: ...
@overload
def merge(
    one: Part[Any, G],
    other: Part[Any, G],
    third: Part[Any, G],
    /,
    *more: Part[Any, G],
    into: Callable[[list[Any]], Derived],
) -> MergeRule: ...
def merge(*parts: Part[Any, Any], into: Callable[[list[Any]], Derived]) -> MergeRule:
    """Turn all old items of a group into new ones.

    `into` gets the items of the group that exist, of all parts in one list: those of the first part
    first. Tell them apart with `isinstance`. It is called again whenever one of them changes.
    """
    return MergeRule(parts, into)


def unchanged(table: Table) -> UnchangedRule:
    """Copy the items of a table that no other rule takes as they are."""
    return UnchangedRule(table)


def leave_out(entity: type[Any]) -> LeaveOutRule:
    """Leave out the items of an entity. Items without any rule are an error."""
    return LeaveOutRule(entity)


def undecided(what: str) -> Any:
    """Raise MigrationError with the line of the call: something that only you can decide.

    A drafted migration calls it when it is loaded, so nothing can be run before it is decided.
    """
    frame = sys._getframe(1)
    raise MigrationError(
        f"'{frame.f_code.co_filename}', line {frame.f_lineno} is undecided: {what}. Then delete "
        "the line."
    )


def source_tables(rules: Iterable[Rule]) -> list[Table]:
    """Return the tables that rules read, each once."""
    tables: dict[Table, None] = {}
    for rule in rules:
        if isinstance(rule, UnchangedRule):
            tables[rule.table] = None
        for entity in rule.entities:
            tables[model_of(entity).table] = None
    return list(tables)


def check_table(where: str, table: object) -> None:
    """Raise DeclarationError unless `table` is a Table."""
    if not isinstance(table, Table):
        raise DeclarationError(f"{where}(…): expected a Table, but got {table!r}.")


def check_entity(where: str, entity: object) -> None:
    """Raise DeclarationError unless `entity` is an entity class."""
    if not isinstance(entity, type):
        raise DeclarationError(f"{where}(…): expected an entity class, but got {entity!r}.")
    model_of(entity)


def _check_function(where: str, function: object) -> None:
    if not callable(function):
        raise DeclarationError(f"{where}(…): expected a function, but got {function!r}.")


def check_member(where: str, entity: type, name: object, members: Iterable[str]) -> None:
    """Raise DeclarationError unless an entity declares a member with this name."""
    known = list(members)
    if name not in known:
        raise DeclarationError(
            f"{where}(…): {entity.__name__} declares no {name!r}. It declares: "
            f"{', '.join(known) or 'none'}."
        )


def check_rules(where: str, rules: Iterable[Rule]) -> None:
    """Raise DeclarationError unless all rules are rules."""
    for rule in rules:
        if not isinstance(rule, Rule):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DeclarationError(
                f"{where}(…): expected rules, such as each(Old, to_new), but got {rule!r}."
            )
