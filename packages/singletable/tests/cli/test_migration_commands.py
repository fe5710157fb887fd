"""The whole life of migrations on the command line, and wrong inputs."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from singletable import Store, connect
from singletable.cli.migration_view import MigrationProgress, duration
from singletable.migration.environment import StepProgress
from singletable.migration.migrations import load_migration
from tools.testing.commands import Run

ENTITIES = """
from singletable import Attr, Entity, Key, Table, Unique, attr

entities = Table("entities")


class User(Entity, table=entities):
    username: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("USER", username), sk="PROFILE")
    by_email = Unique(email)


class Name(Entity, table=entities):
    username: Attr[str] = attr()
    name: Attr[str] = attr()
    key = Key(pk=("USER", username), sk="NAME")
"""

COPY = """
from pathlib import Path

from singletable import Attr, Entity, Key, Table, attr
from singletable.migration import Copy, Migration, Part, each, merge

from migrating_shop.entities import Name, User, entities

users = Table("users", pk="username", sk=None)


class OldUser(Entity, table=users):
    username: Attr[str] = attr()
    name: Attr[str] = attr()
    email: Attr[str] = attr(default="")
    key = Key(pk=username)


def split(old):
    if not old.email:
        raise ValueError("has no e-mail address")
    if old.email == "interrupt" and not Path("interrupted").exists():
        Path("interrupted").touch()
        raise KeyboardInterrupt
    yield User(username=old.username, email=old.email)
    yield Name(username=old.username, name=old.name)


def join(parts):
    user = next(one for one in parts if isinstance(one, User))
    name = next(one for one in parts if isinstance(one, Name))
    return OldUser(username=user.username, name=name.name, email=user.email)


migration = Migration(
    Copy(
        entities,
        each(OldUser, split),
        back=[
            merge(
                Part(User, group=lambda user: user.username, read=lambda name: User.key(name)),
                Part(Name, group=lambda name: name.username, read=lambda name: Name.key(name)),
                into=join,
            )
        ],
    )
)
"""
APP, ADDRESS, COPY_NAME = "migrating_shop.entities", "file:shop.db", "0001_to_entities"


class Shop:
    """The app in a folder, with users in the old table."""

    def __init__(self, run: Run) -> None:
        self._run = run
        Path("migrating_shop/migrations").mkdir(parents=True)
        Path("migrating_shop/__init__.py").touch()
        Path("migrating_shop/entities.py").write_text(ENTITIES)
        self.write(COPY_NAME, COPY)
        sys.path.insert(0, str(Path.cwd()))
        load_migration(Path(f"migrating_shop/migrations/{COPY_NAME}.py"))
        self.old: Any = sys.modules[f"singletable_migrations.{COPY_NAME}"]
        self.change(self._fill)

    def _fill(self, store: Store) -> None:
        for table in (self.old.users, self.old.entities):
            store.admin.create_table(table)
        names = [f"u{number}" for number in range(12)]
        store.put_many(
            [self.old.OldUser(username=one, name=one.title(), email=one) for one in names]
        )

    def write(self, name: str, text: str) -> None:
        Path(f"migrating_shop/migrations/{name}.py").write_text(text)

    def put(self, username: str, email: str) -> None:
        user = self.old.OldUser(username=username, name=username.title(), email=email)
        self.change(lambda store: store.put(user))

    def change(self, change: Callable[[Store], object]) -> Any:
        with connect(ADDRESS) as driver:
            return change(Store(driver))

    def __call__(self, command: str, *options: str) -> tuple[int, str, str]:
        return self._run("migration", command, APP, ADDRESS, *options)

    def done(self, command: str, *options: str) -> str:
        code, out, err = self(command, *options)
        assert code == 0, err
        return out

    def phase(self) -> str | None:
        (status,) = json.loads(self.done("status", "--format", "json"))
        phase: str | None = status["phase"]
        return phase


@pytest.fixture
def shop(folder: Path, run: Run, wide_terminal: None) -> Shop:
    return Shop(run)


def test_the_whole_life_of_a_copy(shop: Shop) -> None:
    out = shop.done("plan", "--rate", "10")
    assert "Copy(users -> entities)" in out
    assert "Write units" in out
    out = shop.done("run", "--dry-run")
    assert "each(OldUser): 12 items read" in out
    assert "Roll back Copy(users -> entities)" in out
    assert "All would be as before" in out
    assert shop.phase() is None
    out = shop.done("run")
    assert f"singletable migration verify {APP} {ADDRESS} {COPY_NAME}" in out
    assert shop.phase() == "ready"
    assert "Name: 12 stored, 12 expected" in shop.done("verify")
    assert "cut over" in shop.done("cut-over")
    entities = shop.old.entities
    name = sys.modules["migrating_shop.entities"].Name
    shop.change(lambda store: store.put(name(username="u1", name="New")))
    assert "rolled back" in shop.done("rollback")
    assert shop.change(lambda store: store.get(shop.old.OldUser.key("u1"))).name == "New"
    shop.put("late", "late@x.org")
    shop.done("run")
    shop.done("cut-over")
    assert "finished" in shop.done("finish", "--drop-old", "--yes")
    assert shop.phase() == "finished"
    assert shop.change(lambda store: store.get(name.key("late"))).name == "Late"
    with connect(ADDRESS) as driver:
        from dynamodb_engine.operations import ListTables

        assert driver.execute(ListTables()).table_names == [entities.name]
    assert "All migrations are finished." in shop.done("run")
    assert "not verified" in shop.done("verify")


# A command that reads a table shows its progress, so that nobody kills it.
def test_every_command_shows_its_progress(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SECONDS_BEFORE_LINES", "SECONDS_BETWEEN_LINES"):
        monkeypatch.setattr(f"singletable.cli.migration_view.{name}", 0.0)
    name = shop.old.Name
    changed = [name(username=user, name="New") for user in ("u1", "u2")]
    commands = [
        ("plan", "Reading users: 12 of about "),
        ("run --dry-run", "Reading users: 12 of about 12 items"),
        ("run", "Copy(users -> entities): 12 of about 12 items"),
        ("verify", "Reading entities: "),
        ("cut-over", "carried over: 1 items"),
        ("rollback", "carried back: 2 items"),
        ("run", "Deleting the earlier copy in entities: "),
    ]
    for command, expected in commands:
        if command == "cut-over":
            shop.put("late", "late@x.org")
        if command == "rollback":
            shop.change(lambda store: store.put_many(changed))
        code, _, err = shop(*command.split())
        assert (code, expected in err) == (0, True), (command, err)


def test_messages_are_printed_at_once_and_once(capsys: pytest.CaptureFixture[str]) -> None:
    progress = MigrationProgress()
    for _ in range(2):
        progress.show(StepProgress("Copy", 0, None, "starting over, because changes are missing"))
        progress.show(StepProgress("Copy", 5, None, "nothing new within two seconds"))
    assert capsys.readouterr().err == "Copy: starting over, because changes are missing\n"


def test_a_dry_run_ends_with_1_if_items_would_fail(shop: Shop) -> None:
    shop.put("eve", "")
    shop.put("evil\x1b[31m", "")
    code, out, err = shop("run", "--dry-run")
    assert (code, "2 items would fail" in out) == (1, True)
    assert "has no e-mail address" in err
    assert "username=eve" in err
    assert "\x1b" not in out + err
    assert shop.phase() is None
    assert shop("plan")[0] == 1


def test_verify_ends_with_1_and_repairs(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.done("run")
    name = sys.modules["migrating_shop.entities"].Name
    shop.change(lambda store: store.delete(name.key("u1")))
    shop.change(lambda store: store.put(name(username="ghost", name="Ghost")))
    monkeypatch.setattr("singletable.migration.copy_comparison.LOOKS", (0.0,))
    code, out, err = shop("verify")
    assert (code, "2 faults" in out) == (1, True)
    assert "missing: PK=USER#u1 SK=NAME" in err
    assert "extra: PK=USER#ghost SK=NAME" in err
    assert shop("verify", "--sample", "100", "--format", "json")[0] == 1
    asked: list[str] = []

    def decline(text: str, **_: object) -> bool:
        asked.append(text)
        return False

    with monkeypatch.context() as patch:
        patch.setattr("typer.confirm", decline)
        assert shop("verify", "--repair")[0] == 1
    assert asked == ["Delete 1 item that should not be in the table?"]
    assert "1 fault, repaired" in shop.done("verify", "--repair", "--yes")
    assert "as it should be" in shop.done("verify")


def test_an_interrupted_run_says_how_to_continue(shop: Shop) -> None:
    shop.put("stop", "interrupt")
    code, _, err = shop("run", "--rate", "5000")
    assert code == 130
    assert f"Continue with: singletable migration run {APP} {ADDRESS}" in err
    assert "--rate 5000" in err
    assert shop.phase() == "copying"
    shop.done("run")
    assert shop.phase() == "ready"


def test_a_target_at_another_address(shop: Shop) -> None:
    options = ("--to", "file:new.db", "--table-name", "entities=things")
    with connect("file:new.db") as driver:
        Store(driver, tables={shop.old.entities: "things"}).admin.create_table(shop.old.entities)
    out = shop.done("run", *options)
    assert "--to file:new.db" in out
    assert "as it should be" in shop.done("verify", *options)
    name = sys.modules["migrating_shop.entities"].Name
    with connect("file:new.db") as driver:
        store = Store(driver, tables={shop.old.entities: "things"})
        assert store.get(name.key("u1")) is not None


def test_a_dry_run_creates_no_file(shop: Shop) -> None:
    assert "Nothing would fail" in shop.done("run", "--dry-run", "--to", "file:new.db")
    assert not Path("new.db").exists()


STEPS_IN_PLACE = """
from singletable.migration import AddUnique, Backfill, Migration

from migrating_shop.entities import Name, User

migration = Migration(Backfill(Name), AddUnique(User, "by_email"))
"""


def test_migrations_run_in_order_and_a_copy_stops_the_sequence(shop: Shop) -> None:
    shop.write("0002_unique", STEPS_IN_PLACE)
    assert "0002" not in shop.done("run")
    code, out, err = shop("run", "0002")
    assert (code, f"{COPY_NAME} comes first" in err) == (0, True)
    assert "0002_unique: finished" in out
    assert "12 stored, 12 expected" in shop.done("verify")
    shop.done("cut-over")
    shop.done("finish", "--drop-old", "--yes")
    assert "AddUnique(User, by_email): as it should be" in shop.done("verify")
    out = shop.done("down", "--yes")
    assert "  AddUnique" not in out
    assert "Undo AddUnique User.by_email: 12 items written" in out
    out = shop.done("run")
    assert ("0002_unique: finished" in out, "Undo" in out) == (True, False)


def test_down_says_which_later_migrations_are_not_undone(shop: Shop) -> None:
    Path(f"migrating_shop/migrations/{COPY_NAME}.py").unlink()
    for name in ("0001_unique", "0002_names", "0003_late"):
        shop.write(name, STEPS_IN_PLACE)
    shop.done("run", "0002")
    for options in (("--dry-run",), ("--yes",)):
        assert "comes later" not in shop("down", *options, "0002")[2]
    shop.done("run", "0001")
    shop.done("run", "0002")
    for options in (("--dry-run",), ("--yes",)):
        err = shop("down", *options, "0001")[2]
        assert "singletable: 0002_names comes later, and is not undone." in err
        assert "0003_late comes later" not in err


def test_verify_tells_lag_from_faults_after_the_cut_over(shop: Shop) -> None:
    shop.done("run")
    shop.done("cut-over")
    assert "as it should be" in shop.done("verify")
    entities = sys.modules["migrating_shop.entities"]
    name = entities.Name(username="u1", name="Changed")
    shop.change(lambda store: store.put(name))
    code, out, err = shop("verify")
    assert (code, "not carried back yet: 1. They" in out) == (1, True)
    assert "different: username=u1" in err


LOUDER = """
import os

from singletable.migration import Backfill, Migration

from migrating_shop.entities import Name


def louder(name):
    name.name = name.name.upper()


def quieter(name):
    if os.environ.get("QUIETER") == "interrupted":
        raise KeyboardInterrupt
    if os.environ.get("QUIETER") == "fails" and name.username == "u1":
        raise ValueError("stays")
    name.name = name.name.title()


migration = Migration(Backfill(Name, louder, down=quieter))
"""


def test_an_undo_that_fails_or_is_interrupted_is_continued(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"000{number}_louder" for number in (1, 2)]
    Path(f"migrating_shop/migrations/{COPY_NAME}.py").unlink()
    for name in names:
        shop.write(name, LOUDER)
    entities = sys.modules["migrating_shop.entities"]
    shop.change(lambda store: store.put(entities.Name(username="u1", name="Ada")))
    code, out, err = shop("run", "--dry-run")
    assert (code, "Undo Backfill(Name)" in out, "All would be as before" in out) == (0, True, True)
    assert f"{names[1]} is tried on the items as they are now" in err
    assert f"{names[0]} is tried" not in err
    monkeypatch.setenv("QUIETER", "fails")
    code, out, err = shop("run", "--dry-run")
    assert (code, "1 item would fail." in out) == (1, True)
    assert "1 item would fail: ValueError: stays" in err
    shop.done("run")
    code, out, err = shop("down", "--dry-run", "--to", "file:new.db")
    assert (code, "1 item would fail." in out, Path("new.db").exists()) == (1, True, False)
    assert shop.done("status").count(" finished ") == 2
    code, _, err = shop("down", "--yes")
    assert (code, "repeat the same command" in err) == (2, True)
    monkeypatch.setenv("QUIETER", "interrupted")
    code, _, err = shop("down", "--yes", "--rate", "500")
    assert code == 130
    assert f"down {APP} {ADDRESS} {names[1]} --rate 500" in err
    _, first, second = shop.done("status").splitlines()
    assert first.split()[:2] == [names[0], "finished"]
    assert second.split()[:2] == [names[1], "undoing"]
    assert "No step is done" in shop.done("verify")
    for command in (("run",), ("run", "--dry-run"), ("plan",)):
        code, _, err = shop(*command)
        assert (code, f"`migration run APP ADDRESS {names[1]}`" in err) == (2, True)
    monkeypatch.delenv("QUIETER")
    out = shop.done("down", "--dry-run")
    assert "Undo Backfill(Name)" in out
    assert "- name=ADA PK=USER#u1 SK=NAME" in out
    assert "Nothing would fail." in out
    assert f"{names[1]}: undone" in shop.done("down", "--yes")
    assert f"{names[1]}  down" in shop.done("status")


def test_a_dry_run_shows_the_first_reasons_only(shop: Shop) -> None:
    shop.write(
        COPY_NAME,
        COPY.replace("if not old.email:", "if old:").replace(
            '"has no e-mail address"', "old.username"
        ),
    )
    for number in range(12, 25):
        shop.put(f"u{number}", "x")
    code, out, err = shop("run", "--dry-run")
    assert (code, "25 items would fail." in out) == (1, True)
    assert (err.count("1 item would fail"), "5 more items would fail" in err) == (20, True)


def test_commands_of_a_copy_need_one(shop: Shop) -> None:
    Path(f"migrating_shop/migrations/{COPY_NAME}.py").unlink()
    shop.write("0001_unique", STEPS_IN_PLACE)
    code, _, err = shop("cut-over")
    assert (code, "None of the migrations has a Copy" in err) == (2, True)


def test_deletions_are_confirmed(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.done("run")
    shop.done("cut-over")
    asked: list[str] = []

    def decline(text: str, **_: object) -> None:
        asked.append(text)
        raise SystemExit(1)

    monkeypatch.setattr("typer.confirm", decline)
    assert shop("finish", "--drop-old")[0] == 1
    assert shop("down")[0] == 1
    assert asked == [
        "Delete users (12 items) with all items?",
        f"Undo the steps of {COPY_NAME}?",
    ]
    assert shop.phase() == "cut-over"


WRONG: dict[str, tuple[tuple[str, ...], str]] = {
    "unknown migration": (("plan", "0007"), "There is no migration '0007'"),
    "unknown table": (("plan", "--table-name", "usrs=x"), "declare a table 'usrs'"),
    "no pair": (("plan", "--table-name", "users"), "Expected DECLARED=REAL"),
    "rate": (("run", "--rate", "0"), "--rate"),
    "changes": (("run", "--changes", "magic"), "--changes"),
    "cut-over first": (("cut-over",), "No migration with a Copy is in progress or applied"),
    "rollback first": (("rollback",), "No migration with a Copy is in progress or applied"),
    "verify first": (("verify",), "No migration with steps is in progress or applied"),
    "down first": (("down", "--yes"), "No migration with steps is in progress or applied"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_inputs_are_explained(shop: Shop, name: str) -> None:
    options, expected = WRONG[name]
    code, _, err = shop(*options)
    assert code == 2
    assert expected in err
    assert shop.phase() is None


def test_missing_files_are_explained(folder: Path, run: Run) -> None:
    assert "There is no module no_such_shop" in run.rejected(
        "migration", "run", "no_such_shop", ADDRESS
    )
    Path("plain_shop.py").write_text("from singletable import Table\ntable = Table('plain')\n")
    assert "singletable migration new plain_shop NAME" in run.rejected(
        "migration", "run", "plain_shop", ADDRESS
    )


def test_ctrl_c_ends_after_the_pages_that_are_being_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = MigrationProgress()
    with progress:
        progress.show(StepProgress("copy", 1, None))
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            progress.show(StepProgress("copy", 2, None))
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert "Stopping" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "less than a second"), (59, "59 s"), (125, "2 min 5 s"), (90_000, "1 d 1 h")],
)
def test_durations_are_readable(seconds: float, text: str) -> None:
    assert duration(seconds) == text
