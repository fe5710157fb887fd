"""Write `schema.lock`, and compare a declaration with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from singletable.errors import MigrationError
from singletable.migration.migrations import load_migrations, migrations_folder, module_folder
from singletable.migration.schema_diff.change_kinds import SchemaChange
from singletable.migration.schema_diff.schema_changes import compare_schemas
from singletable.migration.schema_diff.snapshot import (
    LOCK_NAME,
    Lock,
    Schema,
    lock_text,
    read_lock,
    snapshot,
)
from singletable.schema import Table, find_tables


def lock_path(module: ModuleType) -> Path:
    """Return the path of the schema.lock of a module: beside its file."""
    return module_folder(module) / LOCK_NAME


def write_lock(path: Path, schema: Schema, migration: str | None) -> None:
    """Write schema.lock; replace the file as a whole, so that it is never half written."""
    new = path.with_suffix(".lock.new")
    try:
        new.write_text(lock_text(schema, migration), encoding="utf-8", newline="\n")
        new.replace(path)
    except OSError as error:
        raise MigrationError(f"'{path}' cannot be written: {error.strerror}.") from None


@dataclass(frozen=True, slots=True)
class LockComparison:
    """A declaration compared with its schema.lock; `made_by` is the migration that makes it."""

    lock: Lock
    schema: Schema
    changes: Sequence[SchemaChange]
    made_by: str | None

    @property
    def needs_migration(self) -> bool:
        """Whether a change needs a migration, and no file makes it."""
        return self.made_by is None and any(one.kind.needs_migration for one in self.changes)


def compare_with_lock(module: ModuleType, tables: Sequence[Table]) -> LockComparison | None:
    """Compare the tables of a module with its schema.lock; return None without one.

    All migrations are loaded, so one that cannot be run is an error.
    """
    # Before the migrations, which declare old entities.
    schema = snapshot(tables)
    path = lock_path(module)
    migrations = load_migrations(migrations_folder(module))
    lock = read_lock(path)
    if lock is None:
        return None
    if lock.migration is not None and lock.migration not in [one.name for one in migrations]:
        raise MigrationError(
            f"'{path}' names the migration {lock.migration}, but there is no such file. Restore "
            "both from version control: they belong together."
        )
    made_by = [one.name for one in migrations if one.schema == schema.digest]
    changes = compare_schemas(lock.schema, schema)
    return LockComparison(lock, schema, changes, made_by[-1] if made_by else None)


def check_schema(module: ModuleType) -> None:
    """Raise MigrationError if the tables of a module have changed and need a migration.

    Call it in a test: `check_schema(shop.entities)`. `singletable diff` shows the changes.
    """
    name = module.__name__
    result = compare_with_lock(module, find_tables(module))
    if result is None:
        raise MigrationError(
            f"{name} has no {LOCK_NAME}. Write it: singletable diff {name} --write"
        )
    if result.needs_migration:
        needed = [change for change in result.changes if change.kind.needs_migration]
        advice = f"and needs a migration. Draft it with: singletable migration new {name} NAME"
        if edits := [change for change in needed if change.needs_edit]:
            advice = "and is not ready. Edit the declaration before you draft a migration:"
        changes = "".join(f"\n- {change}" for change in edits or needed)
        raise MigrationError(f"{name} has changed since {LOCK_NAME}, {advice}{changes}")
