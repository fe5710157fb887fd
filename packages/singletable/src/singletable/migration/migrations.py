"""Migrations as values, and the files of an app that declare them: `migrations/0001_name.py`."""

from __future__ import annotations

import importlib.util
import re
import sys
import traceback
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from singletable.errors import DeclarationError, InvalidValue, MigrationError
from singletable.migration.copy_step import Copy
from singletable.migration.step import Step
from singletable.schema import Table

FOLDER_NAME = "migrations"
_NAME = re.compile(r"(\d{4})_([a-z0-9_]+)")


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
            if not isinstance(step, Step):  # pyright: ignore[reportUnnecessaryIsInstance]
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

    @property
    def tables(self) -> list[Table]:
        """The tables of all steps, each once."""
        return list(dict.fromkeys(table for step in self.steps for table in step.tables))

    @property
    def state_table(self) -> Table:
        """The table that has the state and the history of the migration."""
        if not self.steps:
            raise InvalidValue(f"Migration {self.name!r} has no steps.")
        if self.copy is not None:
            return self.copy.target
        dropped = {table for step in self.steps if step.drops for table in step.tables}
        return next((one for one in self.tables if one not in dropped), self.tables[0])


# Files


def migrations_folder(module: ModuleType) -> Path:
    """Return the folder with the migrations of a module: beside its file."""
    return module_folder(module) / FOLDER_NAME


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
            f"{name!r} is not a name for a migration. Use a few words that say what it changes, "
            "such as unique_emails."
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


def module_folder(module: ModuleType) -> Path:
    """Return the folder of a module, which has its schema.lock and its migrations."""
    if module.__file__ is None:
        raise MigrationError(
            f"The module {module.__name__} has no file, so schema.lock and {FOLDER_NAME} have no "
            "place. Name the module that declares the tables, such as shop.entities."
        )
    return Path(module.__file__).parent
