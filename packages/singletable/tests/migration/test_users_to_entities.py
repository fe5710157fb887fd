"""The migration of the guide: a table of users becomes a single-table design while it is in use.

The application writes fifty times a second, from the first request of the migration to the last.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, TypeVar

import pytest

from singletable import Driver, Engine, Operation, Store, Table
from singletable.migration import Migration
from singletable.migration.migrations import load_migration
from singletable.migration.runner import MigrationRunner
from tests.migration.doubles import Clock
from tools.testing.sources import ROOT

R = TypeVar("R")
EXAMPLE = ROOT / "docs/guide/skills_directory"
WRITES_PER_SECOND = 50
NAMES = [f"user{number:03d}" for number in range(120)]


def load(name: str, path: Path) -> ModuleType:
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass
class Application:
    """Registers, renames and removes users at random, and remembers who there should be."""

    user: Any
    driver: Driver
    random: Random
    expected: dict[str, str] = field(default_factory=dict[str, str])
    writes: int = 0

    def write(self) -> None:
        store = Store(self.driver)
        name = self.random.choice(NAMES)
        self.writes += 1
        if name not in self.expected:
            full = f"{name} {self.writes}"
            store.create(self.user(username=name, name=full, password_hash="$argon2$"))
            self.expected[name] = full
        elif self.random.random() < 0.3:
            store.delete(self.user.key(name))
            del self.expected[name]
        else:
            full = f"{name} {self.writes}"
            store.update(self.user.key(name), self.user.name.set(full))
            self.expected[name] = full


@dataclass
class Busy:
    """Executes a request of the migration in a fiftieth of a second, while the application writes.

    So an application that writes to the old table is always ahead of the migration by one write.
    """

    driver: Driver
    clock: Clock
    write: Callable[[], object]

    def execute(self, operation: Operation[R], /) -> R:
        self.clock.sleep(1 / WRITES_PER_SECOND)
        self.write()
        return self.driver.execute(operation)


@pytest.fixture
def directory(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = load("directory", EXAMPLE / "directory.py")
    # The migration imports it by this name.
    monkeypatch.setitem(sys.modules, "directory", module)
    return module


@pytest.fixture
def migration(directory: ModuleType) -> Migration:
    return load_migration(EXAMPLE / "migrations/0001_glad_entities.py")


def stored(engine: Engine, user: Any) -> dict[str, str]:
    return {one.username: one.name for one in Store(engine).admin.scan(user)}


def test_no_write_is_lost_from_the_first_copy_to_the_end(
    engine: Engine, directory: ModuleType, migration: Migration
) -> None:
    before = load("directory_before", EXAMPLE / "before/directory.py")
    old_table: Table = before.users
    Store(engine).admin.create_table(old_table)
    old = Application(before.User, engine, Random(7))
    while len(old.expected) < 70:
        old.write()
    clock = Clock()

    def runner(write: Callable[[], object]) -> MigrationRunner:
        return MigrationRunner(
            migration,
            Busy(engine, clock, write),
            segments=1,
            page_size=10,
            clock=clock,
            sleep=clock.sleep,
        )

    # Copy and follow, while the application writes to the old table.
    began = old.writes
    assert runner(old.write).run().phase == "ready"
    copied_during = old.writes - began
    assert copied_during > 30
    runner(old.write).follow(lambda: old.writes > began + copied_during + 100)

    # The application stops for the cut-over and starts again with the new declaration.
    assert runner(lambda: None).cut_over().phase == "cut-over"
    assert stored(engine, directory.User) == old.expected
    new = Application(directory.User, engine, Random(8), old.expected, old.writes)
    skill = directory.UserSkill(
        username=next(iter(new.expected)),
        skill="Python",
        level="Expert",
        years=9,
        last_used=date(2026, 11, 2),
    )
    Store(engine).create(skill)
    runner(new.write).follow(lambda: new.writes > began + copied_during + 300)

    # Back to the old table: nothing is lost but skills, which it cannot have.
    status = runner(lambda: None).status()
    assert not status.stray_writes
    assert runner(lambda: None).rollback().phase == "rolled-back"
    assert stored(engine, before.User) == new.expected
    back = Application(before.User, engine, Random(9), new.expected, new.writes)
    for _ in range(50):
        back.write()

    # The second attempt succeeds, and ends with the new table alone.
    assert runner(back.write).run().phase == "ready"
    runner(lambda: None).cut_over()
    assert stored(engine, directory.User) == back.expected
    last = Application(directory.User, engine, Random(10), back.expected, back.writes)
    for _ in range(50):
        last.write()
    assert runner(lambda: None).finish(drop_old=True).phase == "finished"
    assert stored(engine, directory.User) == last.expected
    # The second copy has replaced the first one, but not what the application has added.
    experts = directory.UserSkill.by_experience("Python", "Expert")
    assert list(Store(engine).query(experts)) == [skill]
