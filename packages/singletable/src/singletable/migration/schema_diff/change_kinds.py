"""One change of a schema: what it is, what it needs, and which steps of a migration make it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeAlias

from singletable.migration.schema_diff.snapshot import EntitySchema
from singletable.migration.schema_diff.type_comparison import Classes


class SchemaChangeKind(Enum):
    """What a change of the schema needs before programs can rely on it."""

    NO_MIGRATION = "needs no migration"
    BACKFILL = "needs a backfill"
    INDEX = "needs an index to be added or removed"
    REWRITE = "needs items to be rewritten"
    NEW_TABLE = "needs a new table"
    DANGEROUS = "is dangerous"

    @property
    def needs_migration(self) -> bool:
        """Whether a migration must make the change, or at least record the decision."""
        return self is not SchemaChangeKind.NO_MIGRATION


StepName: TypeAlias = Literal[
    "CreateTable", "AddIndex", "DropIndex", "Backfill", "AddUnique", "AddCount", "Rewrite", "Copy"
]


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step of a migration by name: `AddUnique(User, one_email)`.

    `subject` is a table for CreateTable, AddIndex, DropIndex and Copy, and an entity otherwise.
    """

    name: StepName
    subject: str
    member: str = ""

    def __str__(self) -> str:
        member = f", {self.member}" if self.member else ""
        return f"{self.name}({self.subject}{member})"


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """A change: what was declared before and is now, what that needs, why, and what to do.

    With `needs_edit` no migration can make the change as it is declared: edit the declaration.
    """

    table: str
    subject: str
    before: str
    after: str
    kind: SchemaChangeKind
    advice: str
    steps: tuple[PlannedStep, ...] = ()
    needs_edit: bool = False

    def __str__(self) -> str:
        is_drafted = self.steps and not self.needs_edit
        steps = f" Steps: {', '.join(map(str, self.steps))}." if is_drafted else ""
        return (
            f"{self.subject}: was {self.before}, is {self.after}. This {self.kind.value}. "
            f"{self.advice}{steps}"
        )


@dataclass(frozen=True, slots=True)
class EntityPair:
    """An entity before and after, in a table that exists in both schemas."""

    table: str
    name: str
    before: EntitySchema
    after: EntitySchema
    old_classes: Classes
    new_classes: Classes

    def backfill(self) -> tuple[PlannedStep, ...]:
        """Return the step that writes all items of the entity again."""
        return (PlannedStep("Backfill", self.name),)


Changes: TypeAlias = Iterator[SchemaChange]
