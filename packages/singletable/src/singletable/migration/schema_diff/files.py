"""The files beside a declaration: `schema.lock`, and migrations as `migrations/0001_name.py`."""

from __future__ import annotations

import importlib.util
import re
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from singletable.errors import DeclarationError, MigrationError
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
from singletable.migration.steps import Migration
from singletable.schema import Table, find_tables

FOLDER_NAME = "migrations"
_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)")


def lock_path(module: ModuleType) -> Path:
    """Return the path of the schema.lock of a module: beside its file."""
    return _folder(module) / LOCK_NAME


def write_lock(path: Path, schema: Schema, migration: str | None) -> None:
    """Write schema.lock; replace the file as a whole, so that it is never half written."""
    new = path.with_suffix(".lock.new")
    try:
        new.write_text(lock_text(schema, migration), encoding="utf-8", newline="\n")
        new.replace(path)
    except OSError as error:
        raise MigrationError(f"'{path}' cannot be written: {error.strerror}.") from None


def migrations_folder(module: ModuleType) -> Path:
    """Return the folder with the migrations of a module: beside its file."""
    return _folder(module) / FOLDER_NAME


@dataclass(frozen=True, slots=True)
class LockComparison:
    """A declaration compared with its schema.lock; `made_by` is the migration that leads to it."""

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
        changes = "".join(
            f"\n- {change}" for change in result.changes if change.kind.needs_migration
        )
        raise MigrationError(
            f"{name} has changed since {LOCK_NAME}, and needs a migration. Draft it with: "
            f"singletable migration new {name} NAME{changes}"
        )


def migration_paths(folder: Path) -> list[Path]:
    """Return the migration files in order; raise MigrationError for gaps and duplicate numbers.

    The first ones may be missing: migrations that were run everywhere can be deleted. Files that
    start with `_` are not migrations.
    """
    paths = sorted(path for path in folder.glob("*.py") if not path.name.startswith("_"))
    for path in paths:
        if _NAME.fullmatch(path.stem) is None:
            raise MigrationError(
                f"'{path}' is not named as a migration: expected four digits, an underscore and a "
                "name in lower case, such as 0001_add_email.py. Rename it; a file that is not a "
                "migration starts with '_'."
            )
    for before, path in pairwise(paths):
        number, expected = _number(path), _number(before) + 1
        if number < expected:
            raise MigrationError(
                f"'{folder}' has two migrations with the number {number:04d}: {before.name} and "
                f"{path.name}. Renumber the one that was not run anywhere yet."
            )
        if number > expected:
            raise MigrationError(
                f"'{folder}' has no migration {expected:04d} between {before.name} and "
                f"{path.name}. Restore the missing file: only the first ones can be deleted."
            )
    return paths


def _number(path: Path) -> int:
    return int(path.name[:4])


def load_migrations(folder: Path) -> list[Migration]:
    """Import the migrations of a folder and return them in order, each with the name of its file.

    A folder that does not exist has no migrations.
    """
    return [load_migration(path) for path in migration_paths(folder)]


def load_migration(path: Path) -> Migration:
    """Import a migration file and return its `migration`."""
    module = _import(path)
    migration = vars(module).get("migration")
    if not isinstance(migration, Migration):
        found = "it has none" if migration is None else f"it is {migration!r}"
        raise MigrationError(
            f"'{path}': expected a variable named migration, with a Migration(…), but {found}."
        )
    if migration.name not in ("", path.stem):
        raise MigrationError(
            f"'{path}': its migration is named {migration.name!r}, but a migration is named as its "
            f"file. Write name={path.stem!r}, or leave it out."
        )
    return Migration(*migration.steps, name=path.stem, schema=migration.schema)


def next_name(folder: Path, name: str) -> str:
    """Return the name of a new migration in a folder, with the next number."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not plain:
        raise MigrationError(
            f"{name!r} is no name for a migration. Use a few words that say what it changes, such "
            "as unique_emails."
        )
    paths = migration_paths(folder)
    return f"{_number(paths[-1]) + 1 if paths else 1:04d}_{plain}"


def describe_import_failure(subject: str, error: BaseException) -> str:
    """Return a message with the error of an import and the line that raised it."""
    if isinstance(error, SyntaxError):
        return f"{subject} is not valid Python: {error}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "importlib" not in frame.filename and frame.name == "<module>"
    ]
    location = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{subject} could not be imported{location}: {type(error).__name__}: {error}"


def _import(path: Path) -> ModuleType:
    """Run a file as a new module each time: the old entities in it have their own tables."""
    name = f"singletable_migrations.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Entities resolve the types of their fields by the name of the module.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except MigrationError:  # of undecided(…), which names the line
        del sys.modules[name]
        raise
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        advice = ""
        if isinstance(error, DeclarationError | ImportError):
            advice = (
                " If the app no longer declares what this migration needs, and it was run "
                "everywhere, delete it and the migrations before it."
            )
        raise MigrationError(describe_import_failure(f"'{path}'", error) + advice) from None
    return module


def _folder(module: ModuleType) -> Path:
    if module.__file__ is None:
        raise MigrationError(
            f"The module {module.__name__} has no file, so {LOCK_NAME} and {FOLDER_NAME} have no "
            "place. Name the module that declares the tables, such as shop.entities."
        )
    return Path(module.__file__).parent
