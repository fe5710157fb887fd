"""Create the project of a new app from one of the templates beside this module.

Each is a project that works: its package, `myapp` or `mysite`, gets the name of the app.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import typer

from singletable.cli.output import shown_path
from singletable.errors import InvalidValue, StorageError
from singletable.migration.schema_diff.lock_file import write_lock
from singletable.migration.schema_diff.snapshot import LOCK_NAME, snapshot
from singletable.schema import find_tables
from singletable_design.introspection.names import snake_case

TEMPLATE = Path(__file__).parent / "template"
# The template with pages and accounts, and what it has in common with the other one.
PAGES_TEMPLATE = Path(__file__).parent / "template_pages"
_COMMON = (Path(".gitignore"), Path(".github/workflows/test.yml"))
# Longer names would break lines that formatters leave alone.
MAX_NAME_LENGTH = 30
_PACKAGES_IN_USE = {
    *("singletable", "singletable_apps", "fastapi", "pydantic", "pytest", "tests", "uvicorn"),
}


def create_project(name: str, folder: Path, *, pages: bool = False) -> None:
    """Write the project into a new folder; raise if the name or the folder cannot be used."""
    check_app_name(name)
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise StorageError(
            f"'{folder}' already exists and is not empty. Choose another folder with --folder."
        )
    files = {
        Path(_renamed(str(path), name)): _renamed(source.read_text("utf-8"), name)
        for path, source in template_files(pages=pages).items()
    }
    try:
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        _write_lock(name, folder.resolve() / name, files)
    except OSError as error:
        raise StorageError(f"'{error.filename}' cannot be written: {error.strerror}.") from None
    for path in [*files, Path(name, LOCK_NAME)]:
        typer.echo(f"{shown_path(folder) / path}: written")
    sample = "  make sample\n" if pages else ""
    typer.echo(f"Next:\n  cd {shown_path(folder)}\n  make install\n  make test\n{sample}  make run")


def template_files(*, pages: bool = False) -> dict[Path, Path]:
    """Return the files of a template by their path in it, without the caches of tools."""
    template = PAGES_TEMPLATE if pages else TEMPLATE
    found = {path.relative_to(template): path for path in template.rglob("*") if path.is_file()}
    found |= {path: TEMPLATE / path for path in _COMMON}
    return {
        path: source
        for path, source in sorted(found.items())
        if not any("cache" in part for part in path.parts)
    }


def check_app_name(name: str) -> None:
    """Raise InvalidValue unless a new package can have this name."""
    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        likely = snake_case(name)
        hint = f" Did you mean {likely}?" if likely.isidentifier() and likely != name else ""
        raise InvalidValue(
            f"{name!r} is not a name for a package: expected lower case letters, digits and "
            f"underscores, and a letter first, such as bookings.{hint}"
        )
    if len(name) > MAX_NAME_LENGTH:
        raise InvalidValue(
            f"{name!r} has {len(name)} characters, and a name has at most {MAX_NAME_LENGTH}."
        )
    if len(name) < 3:
        raise InvalidValue(
            f"{name!r} is too short: it is also the name of the table, and DynamoDB requires three "
            "characters."
        )
    if name in sys.stdlib_module_names or name in _PACKAGES_IN_USE:
        raise InvalidValue(f"{name!r} is the name of another package. Choose a different one.")


def _renamed(text: str, name: str) -> str:
    text = re.sub("my(app|site)", name, text).replace("MYAPP", name.upper())
    return text.replace("Mysite", name.replace("_", " ").capitalize())


def _write_lock(name: str, package: Path, files: dict[Path, str]) -> None:
    """Record the schema of the new app, so that later changes are compared with it."""
    with run_source(files[Path(name, "entities.py")]) as module:
        schema = snapshot(find_tables(module))
    write_lock(package / LOCK_NAME, schema, None)


@contextmanager
def run_source(text: str) -> Generator[ModuleType]:
    """Run a module that is not written yet; it cannot be imported after the block."""
    module = ModuleType("new_module")
    sys.modules[module.__name__] = module
    try:
        exec(text, vars(module))
        yield module
    finally:
        del sys.modules[module.__name__]
