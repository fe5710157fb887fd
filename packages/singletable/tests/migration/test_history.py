"""A program finds out at its start which of its migrations are pending, and runs them."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from singletable import Attr, Engine, Entity, Key, MigrationError, Store, Table, attr
from singletable.migration import Backfill, Copy, Migration, MigrationHistory, unchanged

old, new = Table("old"), Table("new")


class User(Entity, table=old):
    name: Attr[str] = attr()
    city: Attr[str] = attr(default="Bern")
    key = Key(pk=("USER", name), sk="USER")


MIGRATIONS = [
    Migration(Backfill(User), name="0001_cities"),
    Migration(Copy(new, unchanged(old)), name="0002_new"),
    Migration(Backfill(User), name="0003_again"),
]


def names(migrations: list[Migration]) -> list[str]:
    return [migration.name for migration in migrations]


def test_pending_migrations_run_up_to_the_first_copy() -> None:
    with Engine.in_memory() as engine:
        for table in (old, new):
            Store(engine).admin.create_table(table)
        history = MigrationHistory(MIGRATIONS, engine, engine)
        assert history.current() is None
        assert names(history.runnable()) == ["0001_cities", "0002_new"]
        for migration in history.runnable():
            history.runner(migration).run()
        assert names(history.pending()) == ["0002_new", "0003_again"]
        assert history.current() is MIGRATIONS[1]
        assert names(history.pending_before(MIGRATIONS[2])) == ["0002_new"]
        assert [history.status(one).phase for one in MIGRATIONS] == ["finished", "ready", None]
        runner = history.runner(history.named("0002"))
        runner.cut_over()
        runner.finish()
        assert names(history.runnable()) == ["0003_again"]
        assert list(history.recorded()) == ["0001_cities", "0002_new"]
        with pytest.raises(MigrationError, match="no migration '0007'"):
            history.named("0007")


def test_migrations_are_loaded_beside_a_module(tmp_path: Path) -> None:
    (tmp_path / "migrations").mkdir()
    file = tmp_path / "migrations" / "0001_decision.py"
    file.write_text("from singletable.migration import Migration\n\nmigration = Migration()\n")
    (tmp_path / "migrations" / "0002_cities.py").write_text(
        "from singletable.migration import Backfill, Migration\n"
        "from started_shop import User\n\nmigration = Migration(Backfill(User))\n"
    )
    shop = ModuleType("started_shop")
    shop.__file__ = str(tmp_path / "started_shop.py")
    shop.User, shop.old = User, old  # type: ignore[attr-defined]
    sys.modules["started_shop"] = shop
    with Engine.in_memory() as engine:
        Store(engine).admin.create_table(old)
        history = MigrationHistory.of(shop, engine)
        # One without steps records a decision.
        assert names(history.pending()) == ["0002_cities"]
        history.runner(history.pending()[0]).run()
        assert history.pending() == []
