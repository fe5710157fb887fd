"""A drafted migration is Python that linters and type checkers accept, and it can be loaded.

The drafts in `drafted/migrations` are checked in, so that mypy checks them with everything else.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from singletable import Engine, Item, MigrationError, Store, Table
from singletable.migration import (
    AddCount,
    AddIndex,
    AddUnique,
    Backfill,
    Copy,
    CreateTable,
    Migration,
    Rewrite,
)
from singletable.migration.migrations import load_migration
from singletable.migration.rules import EachRule
from singletable.migration.runner import MigrationRunner
from singletable.migration.schema_diff.draft import draft_migration
from singletable.migration.schema_diff.schema_changes import compare_schemas
from singletable.migration.schema_diff.snapshot import lock_text, read_lock, snapshot
from singletable.schema import model_of
from tests.migration.drafted import shop_before, shop_copy, shop_key

FOLDER = Path(shop_before.__file__).parent
DRAFTED = FOLDER / "migrations"
TEXT = Path(shop_before.__file__).read_text()


def tables_of(module: ModuleType) -> list[Table]:
    return [value for value in vars(module).values() if isinstance(value, Table)]


class Drafts:
    """Drafts migrations between two modules, or two texts of a module."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def draft(self, before: ModuleType, after: ModuleType, name: str) -> str:
        """Return the text of the migration, which is also written to a file."""
        path = self.folder / "schema.lock"
        # As it comes from a file, where everything is sorted.
        path.write_text(lock_text(snapshot(tables_of(before)), None))
        lock = read_lock(path)
        assert lock is not None
        tables = tables_of(after)
        changes = compare_schemas(lock.schema, snapshot(tables))
        text = draft_migration(name, after, tables, lock.schema, changes)
        (self.folder / f"{name}.py").write_text(text)
        return text

    def draft_texts(self, before: str, after: str, name: str = "0001_change") -> str:
        """Return the text of the migration from one declaration to another."""
        return self.draft(
            self._module("app_before", before), self._module("app_after", after), name
        )

    def load(self, name: str = "0001_change") -> Migration:
        return load_migration(self.folder / f"{name}.py")

    def _module(self, name: str, text: str) -> ModuleType:
        (self.folder / f"{name}.py").write_text(text)
        importlib.invalidate_caches()
        return importlib.import_module(name)


@pytest.fixture
def drafts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Drafts]:
    monkeypatch.syspath_prepend(tmp_path)
    yield Drafts(tmp_path)
    for name in ("app_before", "app_after"):
        sys.modules.pop(name, None)


def replaced(*pairs: tuple[str, str]) -> str:
    text = TEXT
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("after", "name"), [(shop_key, "0001_member_keys"), (shop_copy, "0002_new_table")]
)
def test_drafts_are_as_checked_in(drafts: Drafts, after: ModuleType, name: str) -> None:
    text = drafts.draft(shop_before, after, name)
    assert text == (DRAFTED / f"{name}.py").read_text(), "write the new text to the file"


@pytest.mark.parametrize("arguments", [["check"], ["format", "--check"]])
def test_drafts_are_accepted_by_ruff(arguments: Sequence[str], tmp_path: Path) -> None:
    ruff = str(Path(sys.executable).parent / "ruff")
    files = [str(path) for path in sorted(DRAFTED.glob("*.py"))]
    own = ["--config", 'lint.isort.known-first-party=["tests"]']
    command = [ruff, *arguments, "--isolated", "--no-cache", *own, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_new_key_is_a_rewrite_with_functions_both_ways() -> None:
    (rewrite,) = load_migration(DRAFTED / "0001_member_keys.py").steps
    assert isinstance(rewrite, Rewrite)
    (forward,), (back,) = rewrite.rules, rewrite.back
    assert isinstance(forward, EachRule)
    assert isinstance(back, EachRule)
    new = shop_key.User(org="acme", email="A@b", address=shop_key.Address("Bern", ["x"]))
    new.number, new.since, new.version = 7, datetime(2026, 3, 1, tzinfo=UTC), 3
    old = back.function(new)
    assert forward.function(old) == new
    # The old class stores what the app stored before, with the same markers.
    before = shop_before.User(org="acme", email="A@b", address=shop_before.Address("Bern", ["x"]))
    before.number, before.since, before.version = new.number, new.since, new.version
    was, model = model_of(shop_before.User), model_of(forward.entity)
    assert model.item(vars(old)) == was.item(vars(before))
    assert model.uniques["one_email"].key(vars(old)) == was.uniques["one_email"].key(vars(before))


def fill(store: Store) -> list[shop_before.User]:
    """Create the old table with some users, and return them."""
    store.admin.create_table(shop_before.table)
    store.create(shop_before.Org(org="acme"))
    users = [
        shop_before.User(
            org="acme", email=f"{number}@b", status=list(shop_before.Status)[number % 2]
        )
        for number in range(5)
    ]
    for user in users:
        store.create(user)
    return users


def old_items(store: Store) -> list[Item]:
    found = store.admin.items(shop_before.table, 100).items
    items = [item for item in found if "singletable_migration" not in item]
    return sorted(items, key=lambda item: str((item["PK"], item["SK"])))


# Items of both classes have the same type tag, so their keys tell them apart.
def test_drafted_rewrite_runs_and_is_undone() -> None:
    migration = load_migration(DRAFTED / "0001_member_keys.py")
    with Engine.in_memory() as engine:
        store = Store(engine)
        users = fill(store)
        before = old_items(store)
        runner = MigrationRunner(migration, engine)
        runner.run()
        moved = list(store.query(shop_key.User.key.partition("acme")))
        assert [vars(user)["email"] for user in moved] == [user.email for user in users]
        active = store.query(shop_key.User.board("acme"))
        assert {user.email for user in active} == {"1@b", "3@b"}
        runner.down()
        assert old_items(store) == before


def test_drafted_copy_runs_and_is_rolled_back(drafts: Drafts) -> None:
    drafts.draft_texts(TEXT, replaced(('"shop", ', '"store", sk="sort", ')))
    with Engine.in_memory() as engine:
        store = Store(engine)
        users = fill(store)
        before = old_items(store)
        runner = MigrationRunner(drafts.load(), engine)
        runner.run()
        runner.cut_over()
        user = sys.modules["app_after"].User
        copied = list(store.query(user.key.partition("acme")))
        assert [one.email for one in copied] == [one.email for one in users]
        store.delete(user.key("acme", copied[0].number))
        runner.rollback()
        assert len(old_items(store)) == len(before) - 2  # the user, and the marker of the address


def test_undecided_value_keeps_the_file_from_being_loaded(drafts: Drafts) -> None:
    text = drafts.draft(shop_before, shop_copy, "0001_change")
    lines = text.splitlines()
    decisions = [number for number, one in enumerate(lines, 1) if "= undecided(" in one]
    # Status has another value, which code can convert; Address has another member.
    assert len(decisions) == 2
    with pytest.raises(MigrationError, match=rf"0001_change.py', line {decisions[0]} is undecided"):
        drafts.load()
    decided = [
        "to_user_address = to_old_user_address = None"
        if number in decisions
        else line
        for number, line in enumerate(lines, 1)
        if number - 1 not in decisions and number - 2 not in decisions
    ]  # fmt: skip
    (drafts.folder / "0001_change.py").write_text("\n".join(decided))
    create, copy = drafts.load().steps
    assert isinstance(create, CreateTable)
    assert isinstance(copy, Copy)
    assert (copy.target.name, [table.name for table in copy.sources]) == ("store", ["shop"])
    assert len(copy.rules) == len(copy.back) == 2


def test_renamed_table_is_copied_as_it_is(drafts: Drafts) -> None:
    drafts.draft_texts(TEXT, replaced(('"shop"', '"store"')))
    _, copy = drafts.load().steps
    assert isinstance(copy, Copy)
    assert len(copy.rules) == len(copy.back) == 1


USER_KEY = '    key = Key(pk=("ORG", org), sk=("USER"'


def test_steps_are_in_a_sensible_order(drafts: Drafts) -> None:
    more = (
        "    counted = Count(Org, Org.users, key=(org,))\n"
        "    one = Unique(email)\n"
        "    at_age = Key(pk=org, sk=age).on(gsi2)\n"
    )
    gsi2 = 'gsi2 = Index("GSI2", pk="G2PK", sk="G2SK")\ntable ='
    until = "    until: Attr[datetime | None] = expires(default=None)\n"
    after = replaced(
        (until, ""),
        ("    Compressed,\n", "    Compressed,\n    Count,\n"),
        ("indexes=[gsi1]", "indexes=[gsi1, gsi2]"),
        ("table =", gsi2),
        (USER_KEY, more + USER_KEY),
    )
    drafts.draft_texts(replaced((until, "")), after)
    migration = drafts.load()
    assert [type(step) for step in migration.steps] == [AddIndex, Backfill, AddUnique, AddCount]
    assert migration.schema == snapshot(tables_of(sys.modules["app_after"])).digest


def test_declaration_that_must_be_edited_is_not_drafted(drafts: Drafts) -> None:
    title = "    title: Attr[str] = attr()\n    last: Attr[int]"
    with pytest.raises(MigrationError, match=r"Edit the declaration:\n- Org\.title"):
        drafts.draft_texts(TEXT, replaced(("    last: Attr[int]", title)))


def test_nothing_changed_is_a_migration_without_steps(drafts: Drafts) -> None:
    drafts.draft_texts(TEXT, TEXT)
    assert drafts.load().steps == ()
