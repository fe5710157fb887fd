"""Create the project of a new app from one of the templates beside this module.

Each is a project that works: its package, `myapp` or `mysite`, gets the name of the app.
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from singletable import InvalidValue, StorageError

TEMPLATE = Path(__file__).parent / "template"
# The template with pages and accounts, and what it has in common with the other one.
PAGES_TEMPLATE = Path(__file__).parent / "template_pages"
_COMMON = (Path(".gitignore"), Path(".github/workflows/test.yml"))
# Longer names would break lines that formatters leave alone.
MAX_NAME_LENGTH = 30
_PACKAGES_IN_USE = {
    *("singletable", "singletable_apps", "fastapi", "pydantic", "pytest", "tests", "uvicorn"),
}


def new(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The name of the package and of its folder, such as bookings."
        ),
    ],
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="PATH", help="The new folder; by default NAME."),
    ] = None,
    pages: Annotated[
        bool,
        typer.Option(
            "--pages", help="A site with accounts, pages and an API, on singletable-apps."
        ),
    ] = False,
) -> None:
    """Create a project that runs: a table with entities and patterns, a web API and its tests.

    It has a Makefile (make run, make test), a workflow for GitHub Actions, and a schema.lock. The
    sample domain is small: events, and the bookings of their seats; with --pages, accounts and
    their notes. Replace it with yours.
    """
    check_app_name(name)
    target = folder or Path(name)
    if target.is_file() or (target.is_dir() and any(target.iterdir())):
        raise StorageError(
            f"'{target}' already exists and is not empty. Choose another folder with --folder."
        )
    files = {
        Path(_renamed(str(path), name)): _renamed(source.read_text("utf-8"), name)
        for path, source in template_files(pages=pages).items()
    }
    try:
        for path, text in files.items():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            (target / path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"'{error.filename}' cannot be written: {error.strerror}.") from None
    for path in files:
        typer.echo(f"{target / path}: written")
    # Later changes are compared with the schema of the new app.
    record = [sys.executable, "-B", "-m", "singletable", "diff", f"{name}.entities", "--write"]
    subprocess.run(record, cwd=target, check=True, stdout=subprocess.DEVNULL)
    typer.echo(f"{target / name / 'schema.lock'}: written")
    typer.echo(f"Next:\n  cd {target}\n  make install\n  make test\n  make run")


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
        likely = re.sub("^(?=[0-9])", "n", re.sub("[^a-z0-9]+", "_", name.lower()).strip("_"))
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
