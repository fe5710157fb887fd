"""`singletable diff` and `singletable migration new|list`: exit codes, output, and the files."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest

from dynamodb_engine.steps import run as run_steps
from singletable import Engine, MigrationError
from singletable.cli.app_loader import load_module
from singletable.migration import check_schema
from singletable.migration.applied import Applied, HistoryStore
from singletable.schema import Table
from tools.testing.commands import Run

DECLARATION = """
from __future__ import annotations

from singletable import Attr, Entity, Index, Key, Table, Unique, attr, casefold

gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
table = Table("shop", indexes=[gsi1])


class User(Entity, table=table):
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("USER", name), sk="PROFILE")
"""
KEY = 'key = Key(pk=("USER", name), sk="PROFILE")'
UNIQUE = f"{KEY}\n    one_email = Unique(casefold(email))"
OPTIONAL = f"{KEY}\n    phone: Attr[str | None] = attr(default=None)"
# The last of two declarations of a field counts.
RENAMED = (
    f'email: Attr[str] = attr(name="mail")\n    {KEY}\n\n\nUser.renamed(from_=1, email="email")'
)
VERSION = "table=table, schema_version=2"
REQUIRED = f"{KEY}\n    phone: Attr[str] = attr()"
_numbers = count()


class App:
    """An app in a folder of its own; a module is imported once, so a change needs a new one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = ""
        self.declare(KEY)

    def declare(self, text: str, arguments: str = "table=table") -> None:
        """Write the declaration into a new module."""
        self.name = f"declaration{next(_numbers)}"
        declaration = DECLARATION.replace(KEY, text).replace("table=table", arguments)
        (self._folder / f"{self.name}.py").write_text(declaration)

    @property
    def migrations(self) -> list[Path]:
        return sorted((self._folder / "migrations").glob("*.py"))


@pytest.fixture
def app(folder: Path) -> App:
    return App(folder)


def test_diff_without_a_lock_says_how_to_create_it(run: Run, app: App) -> None:
    assert f"singletable diff {app.name} --write" in run.rejected("diff", app.name)
    assert run("diff", app.name, "--write") == (0, "schema.lock: written\n", "")
    code, out, _ = run("diff", app.name)
    assert (code, "as in schema.lock" in out) == (0, True)


def test_safe_change_is_recorded(run: Run, app: App) -> None:
    run("diff", app.name, "--write")
    app.declare(OPTIONAL)
    code, out, _ = run("diff", app.name)
    assert code == 0
    assert "needs no migration:\n  User.phone\n    no such field → str | None\n" in out
    assert f"Record them with: singletable diff {app.name} --write" in out
    code, out, _ = run("diff", app.name, "--write")
    assert (code, out.endswith("none needs a migration.\nschema.lock: written\n")) == (0, True)
    assert "as in schema.lock" in run("diff", app.name)[1]


def test_optional_steps_are_drafted_instead_of_recorded(run: Run, app: App) -> None:
    run("diff", app.name, "--write")
    app.declare(RENAMED, VERSION)
    code, out, _ = run("diff", app.name)
    assert (code, "Optional steps: Backfill(User)" in out) == (0, True)
    assert f"optional steps instead: singletable migration new {app.name} NAME" in out
    assert "Backfill(User)" in run("migration", "new", app.name, "rename")[1]


def test_change_that_needs_a_migration_fails_until_it_is_drafted(
    run: Run, app: App, folder: Path
) -> None:
    run("diff", app.name, "--write")
    before = (folder / "schema.lock").read_text()
    app.declare(UNIQUE)
    code, out, err = run("diff", app.name, "--write")
    assert code == 1
    assert "needs a backfill:\n  User.one_email" in out
    assert "Steps: AddUnique(User, one_email)" in out
    assert "schema.lock was not written" in err
    assert (folder / "schema.lock").read_text() == before
    code, out, err = run("migration", "new", app.name, "unique emails")
    assert (code, err) == (0, "Written to migrations/0001_unique_emails.py.\n")
    assert out == "0001_unique_emails: 1 step\n  AddUnique(User, one_email)\n"
    assert [path.name for path in app.migrations] == ["0001_unique_emails.py"]
    assert run("diff", app.name)[0] == 0
    # Without the new lock, the migration file covers the change.
    (folder / "schema.lock").write_text(before)
    code, out, _ = run("diff", app.name)
    assert (code, "the migration 0001_unique_emails makes them" in out) == (0, True)


def test_migration_is_not_drafted_before_the_declaration_is_edited(run: Run, app: App) -> None:
    run("diff", app.name, "--write")
    app.declare(REQUIRED)
    code, out, err = run("migration", "new", app.name, "phones")
    assert (code, out, app.migrations) == (2, "", [])
    assert "User.phone: Existing items have no value for it" in err
    code, out, _ = run("diff", app.name)
    assert (code, "Edit the declaration before" in out) == (1, True)
    assert "1 needs an edit of the declaration first" in out
    assert "migration new" not in out


def test_migration_without_changes_is_empty(run: Run, app: App) -> None:
    run("diff", app.name, "--write")
    assert "0001_by_hand: 0 steps\n" in run("migration", "new", app.name, "by hand")[1]


def test_migration_without_steps_is_not_run(run: Run, app: App, folder: Path) -> None:
    run("diff", app.name, "--write")
    run("migration", "new", app.name, "by hand")
    address = f"file:{folder / 'shop.db'}"
    run("table", "create", app.name, address)
    assert "There are no migrations to run" in run("migration", "run", app.name, address)[2]
    app.declare(UNIQUE)
    run("migration", "new", app.name, "emails")
    code, out, _ = run("migration", "run", app.name, address)
    assert (code, "0002_emails" in out, "by_hand" in out) == (0, True, False)


def test_migration_new_needs_a_lock(run: Run, app: App) -> None:
    assert "singletable diff" in run.rejected("migration", "new", app.name, "first")


def test_check_schema_raises_with_the_changes(run: Run, app: App) -> None:
    with pytest.raises(MigrationError, match=r"has no schema\.lock"):
        check_schema(load_module(app.name))
    run("diff", app.name, "--write")
    check_schema(load_module(app.name))
    app.declare(UNIQUE)
    run("diff", app.name)
    with pytest.raises(MigrationError, match=r"needs a migration.*\n- User\.one_email: was none"):
        check_schema(load_module(app.name))
    app.declare(REQUIRED)
    run("diff", app.name)
    with pytest.raises(MigrationError, match="Edit the declaration before you draft") as raised:
        check_schema(load_module(app.name))
    assert "\n- User.phone: was no such field" in str(raised.value)
    assert "migration new" not in str(raised.value)
    assert "Steps" not in str(raised.value)


def test_diff_as_json(run: Run, app: App) -> None:
    run("diff", app.name, "--write")
    app.declare(UNIQUE)
    code, out, _ = run("diff", app.name, "--format", "json")
    found = json.loads(out)
    assert (code, found["needs_migration"], found["migration"]) == (1, True, None)
    (change,) = found["changes"]
    assert (change["subject"], change["kind"], change["steps"]) == (
        "User.one_email",
        "backfill",
        ["AddUnique(User, one_email)"],
    )


def test_lock_without_its_migration_is_an_error(run: Run, app: App) -> None:
    run("diff", app.name, "--write")
    run("migration", "new", app.name, "first")
    app.migrations[0].unlink()
    assert "0001_first, but there is no such file" in run.rejected("diff", app.name)


def test_diff_compares_the_real_tables(run: Run, app: App, folder: Path) -> None:
    run("diff", app.name, "--write")
    address = f"file:{folder / 'shop.db'}"
    with Engine.on_file(folder / "shop.db"):
        pass
    code, out, _ = run("diff", app.name, address)
    assert (code, "shop table\n    declared a table, but found none" in out) == (1, True)
    run("table", "create", app.name, address)
    assert run("diff", app.name, address)[0] == 0
    app.declare(KEY)
    declaration = folder / f"{app.name}.py"
    declaration.write_text(declaration.read_text().replace("[gsi1]", "[]"))
    code, out, _ = run("diff", app.name, address)
    assert code == 1
    assert "global index 'GSI1'" in out


def test_status_lists_steps_and_what_was_applied(run: Run, app: App, folder: Path) -> None:
    assert run("migration", "status", app.name)[1] == "There are no migrations in migrations.\n"
    run("diff", app.name, "--write")
    app.declare(UNIQUE)
    run("migration", "new", app.name, "emails")
    run("migration", "new", app.name, "more")
    address = f"file:{folder / 'shop.db'}"
    run("table", "create", app.name, address)
    with Engine.on_file(folder / "shop.db") as engine:
        history = HistoryStore(Table("shop"), "shop")
        run_steps(engine, history.record(Applied("0001_emails", 1_800_000_000.0)))
        run_steps(engine, history.record(Applied("0009_gone", 1_800_000_000.0)))
    code, out, _ = run("migration", "status", app.name)
    expected = ["0001_emails", "  AddUnique(User, one_email)", "0002_more  no steps"]
    assert (code, out.splitlines()) == (0, expected)
    code, out, _ = run("migration", "status", app.name, address)
    assert code == 0
    _, first, gone = out.splitlines()
    assert first.split() == ["0001_emails", "finished", "1", "of", "1", "2027-01-15", "08:00"]
    assert gone == "0009_gone was applied 2027-01-15 08:00, but there is no such file."
