"""What every step of a migration can do: run, undo, verify, try and describe.

A step is a value that says what changes. So a migration can be printed and checked without a
database, and the same steps run on any address.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol

from typing_extensions import override

from dynamodb_engine.values import Item
from singletable.errors import MigrationError
from singletable.migration.derivation import Key
from singletable.migration.environment import Environment
from singletable.migration.trial import (
    CONSUMED,
    ConsumedUnits,
    CopiedRun,
    CopiedTable,
    Example,
    Sample,
    StepTrial,
)
from singletable.migration.two_addresses import Side
from singletable.migration.verification import Verification, VerifySettings, verify_by_running
from singletable.schema import Table, model_of
from singletable.store.writes import ItemId


class CopiedTables(Protocol):
    """A copy of the tables of a migration, on which steps are run: a Rehearsal."""

    def load(self, table: Table, side: Side, limit: int | None = None) -> CopiedTable | None:
        """Copy a table, or up to `limit` items, unless it is copied already."""
        ...

    def create(self, table: Table, side: Side) -> None:
        """Create a table that does not exist yet, among the copies."""
        ...

    def items(self, table: Table, side: Side) -> Iterator[Item]:
        """Yield the items of a copy."""
        ...

    def run(self, step: Step, segments: int | None = None) -> CopiedRun:
        """Run a step on the copy; items that fail are removed from it."""
        ...

    def remove(self, table: Table, side: Side, keys: Iterable[Item]) -> None:
        """Remove items from a copy."""
        ...

    def environment(self, *, original: bool = False) -> Environment:
        """Return an environment to read and write the copies with, or to read the tables."""
        ...


class Step(ABC):
    """A step of a migration."""

    __slots__ = ()

    # What the step does to programs that use the tables meanwhile.
    locks: ClassVar[str] = (
        "Nothing. Each item is written on the condition that it is still what was read; after a "
        "conflict it is read again."
    )
    # Whether the step creates or deletes its table.
    creates: ClassVar[bool] = False
    drops: ClassVar[bool] = False
    # Whether items are changed or replaced, of which a dry run shows examples.
    changes_items: ClassVar[bool] = True
    # What `down` does, or why it cannot.
    _undone_by: ClassVar[str] = ""
    _irreversible: ClassVar[str | None] = None
    # Whether it depends on an item whether the step is about it.
    selects_items: ClassVar[bool] = True
    # What is wrong with an item that the step would still write.
    _fault: ClassVar[str] = ""
    # How the write units of a sample are computed.
    written: ClassVar[str] = CONSUMED

    @property
    def tables(self) -> list[Table]:
        """The tables of the step; those that a Copy reads come first, then its target."""
        subject = self._arguments[0]
        return [subject if isinstance(subject, Table) else model_of(subject).table]

    @property
    def read_tables(self) -> list[Table]:
        """The tables of which the step reads all items."""
        return self.tables

    def side_of(self, table: Table) -> Side:
        """Return where a table is: only the tables that a Copy reads are at the source."""
        return "target"

    def describe(self) -> str:
        """Return the step as text: `AddIndex(shop, GSI2)`, `Copy(users, likes -> entities)`."""
        subject, *members = self._arguments
        name = subject.name if isinstance(subject, Table) else subject.__name__
        shown = [name, *(one for one in members if isinstance(one, str))]
        return f"{type(self).__name__}({', '.join(shown)})"

    @property
    def _arguments(self) -> list[Any]:
        """The values of the fields: a table or an entity, then names and functions."""
        return [getattr(self, one.name) for one in fields(self)]  # type: ignore[arg-type]

    @abstractmethod
    def run(self, env: Environment) -> None:
        """Make the change. A run that was interrupted is continued."""

    def undo(self, env: Environment) -> None:
        """Undo the change; raise MigrationError if that is impossible."""
        raise MigrationError(f"{self.describe()} cannot be undone: {self.irreversible}")

    @property
    def irreversible(self) -> str | None:
        """Why the step cannot be undone; None if it can."""
        return self._irreversible

    @property
    def restores_items(self) -> bool:
        """Whether undoing the step gives its items back as they were before it."""
        return False

    @property
    def how_to_undo(self) -> str:
        """How the step is undone, or that it cannot be."""
        reason = self.irreversible
        return self._undone_by if reason is None else f"Cannot be undone: {reason}"

    def verify(self, env: Environment, report: Verification, settings: VerifySettings) -> None:
        """Report what is not as the step should have left it."""
        verify_by_running(env, self.run, report, self._fault, repair=settings.repair)

    # Try it on a copy of the tables

    def try_rules(  # noqa: B027
        self, copies: CopiedTables, trial: StepTrial, examples: int
    ) -> None:
        """Record what the rules of a Copy do with each item, and remove those that fail."""

    @property
    def skips_failures(self) -> bool:
        """Whether items that fail are left out, and the others changed."""
        return False

    @property
    def undo_text(self) -> str:
        """The undo of the step as text."""
        return f"Undo {self.describe()}"

    def try_undo(self, copies: CopiedTables) -> StepTrial:
        """Undo the step, which was run on the copies; return which items fail."""
        trial = StepTrial(self.undo_text)
        ran = copies.run(Undo(self))
        trial.write_units = ran.units.write_units
        trial.fail(ran.failures)
        return trial

    def untried_undo(self, sample: Sample) -> str | None:
        """Return why the undo cannot be tried on a sample; None if it can."""
        return None

    def copied(self, copies: CopiedTables) -> dict[Table, CopiedTable]:
        """Copy the tables that are read; return those that exist, by one declaration of each."""
        found: dict[int, tuple[Table, CopiedTable]] = {}
        for table in self.read_tables:
            copied = copies.load(table, self.side_of(table))
            if copied is not None:
                found.setdefault(id(copied), (table, copied))
        return dict(found.values())

    def examples(
        self,
        before: Mapping[ItemId, tuple[Table, Item]],
        after: Mapping[ItemId, tuple[Table, Item]],
        failed: Collection[Key],
    ) -> Iterator[Example]:
        """Yield the items that are changed, with their keys and the attributes that change."""
        for id_, (table, old) in before.items():
            new = after.get(id_, (table, old))[1]
            names = {name for name in old | new if old.get(name) != new.get(name)}
            if names:
                names |= {one.name for one in table.key_attributes}
                shown = [{name: one[name] for name in one if name in names} for one in (old, new)]
                yield Example(self.describe(), [shown[0]], [shown[1]])

    def undo_examples(
        self,
        before: Mapping[ItemId, tuple[Table, Item]],
        after: Mapping[ItemId, tuple[Table, Item]],
        failed: Collection[Key],
    ) -> Iterator[Example]:
        """Yield the items that are changed when the step is undone."""
        return Step.examples(self, before, after, failed)

    def written_units(self, copies: CopiedTables, units: ConsumedUnits, factor: float) -> float:
        """Return the units that are written, if the table has `factor` times the copied items."""
        return units.write_units * factor + units.state_write_units

    def notes(self, items: int) -> list[str]:
        """Return notes on a run with this many items."""
        return []

    def is_about(self, item: Item) -> bool:
        """Return whether the step is about an item: of its entity, or with keys of its index."""
        return True


@dataclass(frozen=True, slots=True)
class Undo(Step):
    """Undo a step; this can be tried on a copy of the tables, as a step can."""

    step: Step

    @property
    @override
    def tables(self) -> list[Table]:
        return self.step.tables

    @property
    @override
    def read_tables(self) -> list[Table]:
        return self.step.read_tables

    @override
    def side_of(self, table: Table) -> Side:
        return self.step.side_of(table)

    @override
    def describe(self) -> str:
        return self.step.undo_text

    @override
    def run(self, env: Environment) -> None:
        self.step.undo(env)

    @override
    def examples(
        self,
        before: Mapping[ItemId, tuple[Table, Item]],
        after: Mapping[ItemId, tuple[Table, Item]],
        failed: Collection[Key],
    ) -> Iterator[Example]:
        if self.step.changes_items:
            yield from self.step.undo_examples(before, after, failed)

    @override
    def is_about(self, item: Item) -> bool:
        return self.step.is_about(item)


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
