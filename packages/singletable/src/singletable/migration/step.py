"""What every step of a migration can do: run, undo, verify, estimate, dry-run and describe.

A step is a value that says what changes. So a migration can be printed and checked without a
database, and the same steps run on any address.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, ClassVar, Protocol

from typing_extensions import override

from dynamodb_engine.values import Item
from singletable.errors import MigrationError
from singletable.migration.derivation import item_key
from singletable.migration.environment import Environment
from singletable.migration.estimate import (
    Sample,
    StepPlan,
    Tariff,
    describe_certainty,
    describe_failures,
)
from singletable.migration.trial import ConsumedUnits, CopiedTable, Example, StepTrial
from singletable.migration.two_addresses import Side
from singletable.migration.verification import Verification, VerifySettings, verify_by_running
from singletable.schema import Table, model_of
from singletable.store.writes import ItemId, item_id

# How many items of a table are compared to find examples of what a step changes.
MAX_COMPARED = 2_000


class CopiedTables(Protocol):
    """A copy of the tables of a migration, on which steps are run: a Rehearsal."""

    def load(self, table: Table, side: Side, limit: int | None = None) -> CopiedTable | None:
        """Copy a table, or up to `limit` items, unless it is copied already."""
        ...

    def items(self, table: Table, side: Side) -> Iterator[Item]:
        """Yield the items of a copy."""
        ...

    def run(self, step: Step, segments: int | None = None) -> StepTrial:
        """Run a step on the copy, and return what it did."""
        ...

    def environment(self, step: Step, limit: int | None = None) -> Environment:
        """Return an environment to read the tables of a step as the steps before have left them.

        If any table is copied, those that the step reads are, too, and the copies are read.
        """
        ...


class Step(ABC):
    """A step of a migration."""

    __slots__ = ()

    # What the step does to programs that use the tables meanwhile.
    _locks: ClassVar[str] = (
        "Nothing. Each item is written on the condition that it is still what was read; after a "
        "conflict it is read again."
    )
    # Whether the step creates or deletes its table.
    creates: ClassVar[bool] = False
    drops: ClassVar[bool] = False
    # Whether items are changed or replaced, of which a dry run shows examples.
    _changes_items: ClassVar[bool] = True
    # What `down` does, or why it cannot.
    _undone_by: ClassVar[str] = ""
    _irreversible: ClassVar[str | None] = None
    # What is wrong with an item that the step would still write.
    _fault: ClassVar[str] = ""
    # How the write units of a sample are computed.
    _write_units: ClassVar[str] = "consumed by this step on {sample}, copied into memory"

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

    def dry_run(self, copies: CopiedTables, limit: int | None, examples: int) -> StepTrial:
        """Return what the step would do with all items, or with the first ones of each table."""
        loaded = self.copied(copies, self.tables, limit)
        before = self._first_items(copies, loaded)
        trial = copies.run(self)
        trial.items = sum(one.items for one in loaded.values())
        trial.notes.append(f"{trial.units.write_units:,.0f} write units")
        if self._changes_items:
            after = self._first_items(copies, loaded)
            trial.examples += islice(self._examples(before, after, trial.removed), examples)
        return trial

    def copied(
        self, copies: CopiedTables, tables: Iterable[Table], limit: int | None = None
    ) -> dict[Table, CopiedTable]:
        """Copy tables, and return those that exist: one of several declarations of a table."""
        found: dict[int, tuple[Table, CopiedTable]] = {}
        for table in tables:
            copied = copies.load(table, self.side_of(table), limit)
            if copied is not None:
                found.setdefault(id(copied), (table, copied))
        return dict(found.values())

    def _examples(
        self,
        before: Mapping[ItemId, tuple[Table, Item]],
        after: Mapping[ItemId, tuple[Table, Item]],
        failed: Collection[Item],
    ) -> Iterator[Example]:
        """Yield the items that are changed, with their keys and the attributes that change."""
        for id_, (table, old) in before.items():
            new = after.get(id_, (table, old))[1]
            names = {name for name in old | new if old.get(name) != new.get(name)}
            if names:
                names |= {one.name for one in table.key_attributes}
                shown = [{name: one[name] for name in one if name in names} for one in (old, new)]
                yield Example(self.describe(), [shown[0]], [shown[1]])

    def _undo_examples(
        self,
        before: Mapping[ItemId, tuple[Table, Item]],
        after: Mapping[ItemId, tuple[Table, Item]],
        failed: Collection[Item],
    ) -> Iterator[Example]:
        """Yield the items that are changed when the step is undone."""
        return Step._examples(self, before, after, failed)

    def _first_items(
        self, copies: CopiedTables, tables: Iterable[Table]
    ) -> dict[ItemId, tuple[Table, Item]]:
        return {
            item_id(table.name, item_key(table, item)): (table, item)
            for table in tables
            for item in islice(copies.items(table, self.side_of(table)), MAX_COMPARED)
        }

    def estimate(self, copies: CopiedTables, tariff: Tariff) -> StepPlan:
        """Return what the step reads, writes, costs and takes, from a run on the copied items."""
        loaded = self.copied(copies, self.read_tables)
        sample = Sample([*loaded.values()])
        # Before the step changes them.
        partitions = [] if sample.is_complete else self._sampled_partitions(copies, loaded)
        # Each page rounds its units up, which must not be multiplied.
        trial = copies.run(self, None if sample.is_complete else 1)
        read = trial.units.read_units * sample.factor + trial.units.state_read_units
        write = self._written_units(copies, trial.units, sample.factor)
        how = {} if sample.is_empty else sample.explain(Step._write_units, self._write_units)
        return StepPlan(
            self.describe(),
            sample.items,
            sample.average_size,
            read,
            write,
            tariff.cost(read, write),
            tariff.seconds(read, write),
            self._locks,
            self.how_to_undo,
            how and how | tariff.explain(),
            (
                *describe_failures(trial),
                *describe_certainty(partitions, sample.factor, write),
                *self._notes(sample.items),
            ),
        )

    def _written_units(self, copies: CopiedTables, units: ConsumedUnits, factor: float) -> float:
        """Return the units that are written, if the table has `factor` times the copied items."""
        return units.write_units * factor + units.state_write_units

    def _notes(self, items: int) -> list[str]:
        """Return notes on a run with this many items."""
        return []

    def _is_about(self, item: Item) -> bool:
        """Return whether the step is about an item: of its entity, or with keys of its index."""
        return True

    def _sampled_partitions(
        self, copies: CopiedTables, tables: Iterable[Table]
    ) -> list[tuple[int, int]]:
        """Return for each sampled partition its items, and how many of them the step is about."""
        counts: dict[str, tuple[int, int]] = {}
        for table in tables:
            for item in copies.items(table, self.side_of(table)):
                partition = f"{table.name} {item[table.pk.name]}"
                items, concerned = counts.get(partition, (0, 0))
                counts[partition] = items + 1, concerned + self._is_about(item)
        return list(counts.values())


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
        return f"Undo {self.step.describe()}"

    @override
    def run(self, env: Environment) -> None:
        self.step.undo(env)

    @override
    def dry_run(self, copies: CopiedTables, limit: int | None, examples: int) -> StepTrial:
        if self.read_tables:
            return Step.dry_run(self, copies, limit, examples)
        return StepTrial(self.describe(), notes=[self.step.how_to_undo])

    @override
    def _examples(
        self,
        before: Mapping[ItemId, tuple[Table, Item]],
        after: Mapping[ItemId, tuple[Table, Item]],
        failed: Collection[Item],
    ) -> Iterator[Example]:
        if self.step._changes_items:
            yield from self.step._undo_examples(before, after, failed)


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
