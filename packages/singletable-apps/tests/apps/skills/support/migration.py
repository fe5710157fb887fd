"""Applications that write while a migration runs, and drivers for both sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeVar

from dynamodb_engine.testing import InterruptedDriver
from singletable import Driver, Store
from singletable.migration import Migration, MigrationRunner, load_migration, verify
from singletable_apps.skills import history
from singletable_apps.skills.history.users import User, UserDirectory, users
from tests.apps.skills.support.world import PASSWORDS

R = TypeVar("R")
HISTORY = Path(history.__file__).parent / "migrations"
DIRECT = HISTORY.parent.parent / "migrations/0001_users.py"
PASSWORD = "secret"


def load_phase(number: int) -> Migration:
    (path,) = HISTORY.glob(f"{number:04d}_*.py")
    return load_migration(path)


def make_runner(
    migration: Migration,
    source: Driver,
    target: Driver | None = None,
    write: Callable[[], object] = lambda: None,
) -> MigrationRunner:
    """Return a runner that works in small pages while `write` is called."""
    # The application writes before each request of the migration.
    busy = InterruptedDriver(source, before=write, times=None)
    other = busy if target is None else target
    return MigrationRunner(migration, busy, other, segments=1, page_size=4, sleep=lambda _: None)


def check_verified(runner: MigrationRunner) -> None:
    """Fail unless every item is as the migration should have left it."""
    reports = verify(runner)
    assert reports
    assert [str(fault) for report in reports for fault in report.faults] == []


@dataclass
class OldTraffic:
    """People who register, sign in and rename themselves in the old system."""

    driver: Driver
    random: Random = field(default_factory=lambda: Random(3))
    names: dict[str, str] = field(default_factory=dict[str, str])
    registered: int = 0

    def __post_init__(self) -> None:
        Store(self.driver).admin.create_table(users, if_missing=True)
        self.directory = UserDirectory(Store(self.driver), bcrypt_cost=4)

    def sign_in(self, username: str) -> User:
        """Return the user of the old system whose password this is."""
        user = self.directory.get(username)
        assert PASSWORDS.matches(user.password_hash, PASSWORD)
        return user

    def __call__(self) -> None:
        number = self.registered
        if number < 8 or (number < 25 and self.random.random() < 0.4):
            self.registered += 1
            username = f"{'User' if number % 2 else 'user'}{number}"
            self.directory.register(username, f"Name {number}", PASSWORD)
            self.names[username] = f"Name {number}"
        else:
            username = self.random.choice([*self.names])
            self.sign_in(username)
            name = f"Name {self.random.random()}"
            Store(self.driver).update(User.key(username), User.name.set(name))
            self.names[username] = name
