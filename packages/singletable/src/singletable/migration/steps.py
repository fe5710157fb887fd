"""Migrations as values: an ordered list of steps, and the rules that turn old items into new ones.

A step says what changes, not how it is run. So a migration can be printed, planned and checked
without a database, and the same steps run on any address.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar, overload

from singletable.errors import DeclarationError, MigrationError
from singletable.schema import ItemKey, Selection, Table, model_of

E = TypeVar("E")
F = TypeVar("F")
G = TypeVar("G", bound=Hashable)

# What a function of a rule returns: an entity, several, or None for none.
Derived: TypeAlias = object | Iterable[object] | None


# Rules: which new items follow from old ones


@dataclass(frozen=True, slots=True)
class EachRule:
    """Derive the new items from one old item."""

    entity: type[Any]
    function: Callable[[Any], Derived]

    def __post_init__(self) -> None:
        _check_entity("each", self.entity)
        _check_function("each", self.function)


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
        _check_entity("Part", self.entity)
        _check_function("Part", self.group)
        _check_function("Part", self.read)


@dataclass(frozen=True, slots=True)
class MergeRule:
    """Derive new items from all old items of a group."""

    parts: tuple[Part[Any, Any], ...]
    into: Callable[[list[Any]], Derived]

    def __post_init__(self) -> None:
        if not self.parts or not all(isinstance(part, Part) for part in self.parts):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DeclarationError(
                "merge(…): expected one or more Part(Entity, group=…, read=…), then into=…."
            )
        _check_function("merge", self.into)


@dataclass(frozen=True, slots=True)
class UnchangedRule:
    """Copy items of a table as they are, if no other rule takes them."""

    table: Table

    def __post_init__(self) -> None:
        _check_table("unchanged", self.table)


@dataclass(frozen=True, slots=True)
class LeaveOutRule:
    """Derive nothing from the items of an entity."""

    entity: type[Any]

    def __post_init__(self) -> None:
        _check_entity("leave_out", self.entity)


Rule: TypeAlias = EachRule | MergeRule | UnchangedRule | LeaveOutRule


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


# Steps


@dataclass(frozen=True, slots=True)
class CreateTable:
    """Create a declared table. Going down drops it, if it is empty."""

    table: Table

    def __post_init__(self) -> None:
        _check_table("CreateTable", self.table)


@dataclass(frozen=True, slots=True)
class DropTable:
    """Delete a table with all its items. Cannot be undone."""

    table: Table

    def __post_init__(self) -> None:
        _check_table("DropTable", self.table)


@dataclass(frozen=True, slots=True)
class AddIndex:
    """Add a declared global index and wait until DynamoDB has filled it."""

    table: Table
    index: str

    def __post_init__(self) -> None:
        _check_index("AddIndex", self.table, self.index)


@dataclass(frozen=True, slots=True)
class DropIndex:
    """Remove a global index. Going down adds it again, if the table still declares it."""

    table: Table
    index: str

    def __post_init__(self) -> None:
        _check_table("DropIndex", self.table)


@dataclass(frozen=True, slots=True)
class Backfill(Generic[E]):
    """Write the items of an entity again, with the attributes and index keys declared now.

    `transform` may change an item, or return another with the same key; `down` undoes that. Items
    that would be stored as they are, are not written.
    """

    entity: type[E]
    transform: Callable[[E], E | None] | None = None
    down: Callable[[E], E | None] | None = None

    def __post_init__(self) -> None:
        _check_entity("Backfill", self.entity)


@dataclass(frozen=True, slots=True)
class AddUnique:
    """Write the markers of a unique constraint for existing items.

    All items are read first. If two have the same value, they are reported and nothing is written.
    """

    entity: type[Any]
    unique: str

    def __post_init__(self) -> None:
        _check_entity("AddUnique", self.entity)
        _check_member("AddUnique", self.entity, self.unique, model_of(self.entity).uniques)


@dataclass(frozen=True, slots=True)
class AddCount:
    """Count the existing items of an entity into the number that its Count declares."""

    entity: type[Any]
    count: str

    def __post_init__(self) -> None:
        _check_entity("AddCount", self.entity)
        _check_member("AddCount", self.entity, self.count, model_of(self.entity).counts)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Replace items of a table by others of the same table: split, merge, or change their keys.

    Each replacement is one transaction. The old entity must not match new items by its type tag
    and key, unless the function returns these as they are; they would be replaced again otherwise.
    """

    rules: tuple[Rule, ...]
    back: tuple[Rule, ...] = ()

    def __init__(self, *rules: Rule, back: Sequence[Rule] = ()) -> None:
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "back", tuple(back))
        _check_rules("Rewrite", (*rules, *back))


@dataclass(frozen=True, slots=True)
class Copy:
    """Derive the items of a new table from old tables, while the old ones stay in use.

    The target may be at another address. `back` derives the old items from the new ones: after the
    cut-over it keeps the old tables up to date, so that a rollback loses nothing. An item for which
    a rule fails stops the copy, or is left out with `skip_failures`; a dry run lists all of them.
    With `if_empty` a target that has items already is an error; otherwise, new items replace those
    with the same key.
    """

    target: Table
    rules: tuple[Rule, ...]
    back: tuple[Rule, ...] = ()
    skip_failures: bool = False
    if_empty: bool = False

    def __init__(
        self,
        target: Table,
        *rules: Rule,
        back: Sequence[Rule] = (),
        skip_failures: bool = False,
        if_empty: bool = False,
    ) -> None:
        object.__setattr__(self, "skip_failures", skip_failures)
        object.__setattr__(self, "if_empty", if_empty)
        object.__setattr__(self, "target", target)
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "back", tuple(back))
        _check_table("Copy", target)
        _check_rules("Copy", (*rules, *back))
        if not rules:
            raise DeclarationError(
                "Copy(…): expected at least one rule, such as each(Old, to_new)."
            )
        if target in self.sources:
            raise DeclarationError(
                f"Copy: {target!r} is both a source and the target. To change items within a "
                "table, use Rewrite(…). To copy to a table of the same name at another address, "
                "declare it twice."
            )

    @property
    def sources(self) -> list[Table]:
        """The tables that are read."""
        return source_tables(self.rules)


Step: TypeAlias = (
    CreateTable
    | DropTable
    | AddIndex
    | DropIndex
    | Backfill[Any]
    | AddUnique
    | AddCount
    | Rewrite
    | Copy
)


@dataclass(frozen=True, slots=True)
class Migration:
    """Steps that are run in order. At most one of them is a Copy, which is then the last.

    `schema` is the digest of the declaration after it, as in schema.lock. `name` is that of its
    file, such as 0003_unique_emails.
    """

    steps: tuple[Step, ...]
    name: str = ""
    schema: str | None = None

    def __init__(self, *steps: Step, name: str = "", schema: str | None = None) -> None:
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "schema", schema)
        for step in steps:
            if not isinstance(step, _STEPS):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise DeclarationError(f"Migration(…): expected steps, but got {step!r}.")
        if any(isinstance(step, Copy) for step in steps[:-1]):
            raise DeclarationError(
                "Migration(…): a Copy must be the last step, because the old and the new table are "
                "used side by side after it. Write the other steps into a migration of their own."
            )

    @property
    def copy(self) -> Copy | None:
        """The copy at the end, if there is one."""
        last = self.steps[-1] if self.steps else None
        return last if isinstance(last, Copy) else None


_STEPS = (
    CreateTable,
    DropTable,
    AddIndex,
    DropIndex,
    Backfill,
    AddUnique,
    AddCount,
    Rewrite,
    Copy,
)


def step_tables(step: Step) -> list[Table]:
    """Return the tables of a step; those that a Copy reads come first, then its target."""
    match step:
        case CreateTable() | DropTable() | AddIndex() | DropIndex():
            return [step.table]
        case Backfill() | AddUnique():
            return [model_of(step.entity).table]
        case AddCount():
            model = model_of(step.entity)
            parent = model_of(model.counts[step.count].entity)
            return list(dict.fromkeys([model.table, parent.table]))
        case Rewrite():
            return source_tables((*step.rules, *step.back))
        case Copy():
            return [*step.sources, step.target]


def step_text(step: Step) -> str:
    """Return a step as text: `AddIndex(shop, GSI2)`, `Copy(users, likes -> entities)`."""
    kind = type(step).__name__
    match step:
        case CreateTable() | DropTable():
            return f"{kind}({step.table.name})"
        case AddIndex() | DropIndex():
            return f"{kind}({step.table.name}, {step.index})"
        case Backfill():
            return f"{kind}({step.entity.__name__})"
        case AddUnique():
            return f"{kind}({step.entity.__name__}, {step.unique})"
        case AddCount():
            return f"{kind}({step.entity.__name__}, {step.count})"
        case Rewrite():
            entities = (entity for rule in step.rules for entity in rule_entities(rule))
            return f"{kind}({', '.join(entity.__name__ for entity in entities)})"
        case Copy():
            sources = ", ".join(table.name for table in step.sources)
            return f"{kind}({sources} -> {step.target.name})"


def without_table(text: str) -> str:
    """Return a step as text without the table of the app: a later Copy may rename that."""
    kind, _, arguments = text.partition("(")
    match kind:
        case "CreateTable":
            return kind
        case "AddIndex" | "DropIndex":
            return f"{kind}({arguments.rpartition(', ')[2]}"
        case "Copy":
            return text.partition(" -> ")[0]
        case _:
            return text


def rule_entities(rule: Rule) -> list[type[Any]]:
    """Return the old entities of a rule."""
    match rule:
        case EachRule() | LeaveOutRule():
            return [rule.entity]
        case MergeRule():
            return [part.entity for part in rule.parts]
        case UnchangedRule():
            return []


def source_tables(rules: Iterable[Rule]) -> list[Table]:
    """Return the tables that rules read, each once."""
    tables: dict[Table, None] = {}
    for rule in rules:
        if isinstance(rule, UnchangedRule):
            tables[rule.table] = None
        for entity in rule_entities(rule):
            tables[model_of(entity).table] = None
    return list(tables)


def _check_table(where: str, table: object) -> None:
    if not isinstance(table, Table):
        raise DeclarationError(f"{where}(…): expected a Table, but got {table!r}.")


def _check_index(where: str, table: Table, index: object) -> None:
    _check_table(where, table)
    names = [one.name for one in table.indexes if not one.local]
    if index not in names:
        raise DeclarationError(
            f"{where}(…): {table!r} declares no global index {index!r}. Its global indexes: "
            f"{', '.join(names) or 'none'}."
        )


def _check_entity(where: str, entity: object) -> None:
    if not isinstance(entity, type):
        raise DeclarationError(f"{where}(…): expected an entity class, but got {entity!r}.")
    model_of(entity)


def _check_function(where: str, function: object) -> None:
    if not callable(function):
        raise DeclarationError(f"{where}(…): expected a function, but got {function!r}.")


def _check_member(where: str, entity: type, name: object, members: Iterable[str]) -> None:
    known = list(members)
    if name not in known:
        raise DeclarationError(
            f"{where}(…): {entity.__name__} declares no {name!r}. It declares: "
            f"{', '.join(known) or 'none'}."
        )


def _check_rules(where: str, rules: Iterable[Rule]) -> None:
    for rule in rules:
        if not isinstance(rule, EachRule | MergeRule | UnchangedRule | LeaveOutRule):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DeclarationError(
                f"{where}(…): expected rules, such as each(Old, to_new), but got {rule!r}."
            )
