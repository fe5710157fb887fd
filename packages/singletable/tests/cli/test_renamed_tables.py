"""Migrations that were applied stay applied when a later Copy gives their table a new name."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from dynamodb_engine.operations import DescribeTable, ListTables
from singletable import Store, connect
from singletable.migration import MigrationRunner
from tools.testing.commands import Run

ENTITIES = """
from singletable import Attr, Entity, Index, Key, Table, attr

gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
table = Table({name!r}, pk={pk!r}, indexes=[gsi1])


class Courier(Entity, table=table):
    id: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("COURIER", id), sk="COURIER")
    by_email = Key(pk=email, sk=id).on(gsi1)
"""
IN_PLACE = """
from couriers.entities import Courier, table
from singletable.migration import AddIndex, Backfill, Migration

migration = Migration(AddIndex(table, "GSI1"), Backfill(Courier))
"""
COPY = """
from couriers.entities import Courier, table
from singletable import Attr, Entity, Key, Table, attr
from singletable.migration import Copy, CreateTable, Migration, each

old_table = Table({name!r}, pk={pk!r})


class OldCourier(Entity, table=old_table):
    id: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("COURIER", id), sk="COURIER")


def new(old):
    return Courier(id=old.id, email=old.email)


def back(new):
    return OldCourier(id=new.id, email=new.email)


migration = Migration(
    CreateTable(table), Copy(table, each(OldCourier, new), back=[each(Courier, back)])
)
"""
FIRST, COPIED, SECOND, LAST = "0001_emails", "0002_copy", "0003_emails_again", "0004_copy_again"
ADDRESS = "file:couriers.db"


class App:
    """An app whose declaration changes between its commands."""

    def __init__(self, run: Run) -> None:
        self._run = run
        Path("couriers/migrations").mkdir(parents=True)
        Path("couriers/__init__.py").touch()
        sys.path.insert(0, str(Path.cwd()))

    def fill(self) -> None:
        entities: Any = import_module("couriers.entities")
        with connect(ADDRESS) as driver:
            store = Store(driver)
            store.admin.create_table(entities.table)
            for number in range(5):
                store.create(entities.Courier(id=str(number), email=f"{number}@x.org"))

    def declare(self, name: str, pk: str, migration: str, text: str) -> None:
        Path("couriers/entities.py").write_text(ENTITIES.format(name=name, pk=pk))
        Path(f"couriers/migrations/{migration}.py").write_text(text)
        for module in [one for one in sys.modules if one.partition(".")[0] == "couriers"]:
            del sys.modules[module]

    def __call__(self, *command: str) -> str:
        code, out, err = self._run("migration", command[0], "couriers.entities", *command[1:])
        assert code == 0, err
        return out

    def expect(
        self, applied: str, phases: list[str | None], *to: str, address: str = ADDRESS
    ) -> None:
        """Check status, plan and the selection of run, which must agree."""
        lines = [one for one in self("status", address).splitlines() if one[0] == "0"]
        assert "".join("A" if " finished " in one else "-" for one in lines) == applied
        found = json.loads(self("status", address, *to, "--format", "json"))
        assert [one["phase"] for one in found] == phases
        pending = [
            one.partition(" ")[0]
            for one, is_applied in zip(lines, applied, strict=True)
            if is_applied == "-"
        ]
        plans = json.loads(self("plan", address, *to, "--format", "json"))
        assert [one["migration"] for one in plans] == pending
        tried = self("run", address, *to, "--dry-run")
        assert [one for one in pending if f"{one}: dry run" in tried] == pending


def carry_nothing(*_: object) -> None: ...


@pytest.mark.rest
@pytest.mark.parametrize("records_carried", [True, False])  # earlier releases left them behind
@pytest.mark.parametrize("pks", [("PK", "PK", "PK"), ("PK", "hash", "partition")])
def test_applied_migrations_stay_applied_through_renames(
    folder: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    pks: tuple[str, str, str],
    records_carried: bool,
) -> None:
    if not records_carried:
        monkeypatch.setattr(MigrationRunner, "_carry_records", carry_nothing)
    app = App(run)
    app.declare("couriers1", pks[0], FIRST, IN_PLACE)
    app.fill()
    app.expect("-", [None])
    app("run", ADDRESS)
    app.expect("A", ["finished"])

    app.declare("couriers2", pks[1], COPIED, COPY.format(name="couriers1", pk=pks[0]))
    app.expect("A-", ["finished", None])
    app("run", ADDRESS)
    app.expect("A-", ["finished", "ready"])
    app("verify", ADDRESS)
    app("cut-over", ADDRESS)
    app.expect("A-", ["finished", "cut-over"])
    app("rollback", ADDRESS)
    app.expect("A-", ["finished", "rolled-back"])
    app("run", ADDRESS)
    app("cut-over", ADDRESS)
    app("finish", ADDRESS)
    app.expect("AA", ["finished", "finished"])

    app.declare("couriers2", pks[1], SECOND, IN_PLACE)
    app.expect("AA-", ["finished", "finished", None])
    app("run", ADDRESS)
    app.expect("AAA", ["finished"] * 3)
    app("finish", ADDRESS, "--drop-old", "--yes", COPIED)
    app.expect("AAA", [*(["finished"] if records_carried else [None]), "finished", "finished"])
    if records_carried:
        app("down", ADDRESS, "--yes", FIRST)
        app.expect("-AA", ["down", "finished", "finished"])
        with connect(ADDRESS) as driver:  # it was undone where the app is now
            assert driver.execute(DescribeTable("couriers2")).table.global_secondary_indexes is None
        app("run", ADDRESS, FIRST)

    app.declare("couriers3", pks[2], LAST, COPY.format(name="couriers2", pk=pks[1]))
    app.expect("AAA-", [*(["finished"] if records_carried else [None]), *["finished"] * 2, None])
    app("run", ADDRESS)
    app("cut-over", ADDRESS)
    app("finish", ADDRESS, "--drop-old", "--yes")
    expected = ["finished" if records_carried else None] * 3
    app.expect("AAAA", [*expected, "finished"])
    with connect(ADDRESS) as driver:
        assert driver.execute(ListTables()).table_names == ["couriers3"]


# An environment that lags behind runs every migration on the table that it was written for.
def test_migrations_before_and_after_a_rename_can_be_pending_together(
    folder: Path, run: Run
) -> None:
    app = App(run)
    app.declare("couriers1", "PK", FIRST, IN_PLACE)
    app.fill()
    app.declare("couriers2", "PK", COPIED, COPY.format(name="couriers1", pk="PK"))
    app.expect("--", [None, None])
    app("run", ADDRESS)
    app.expect("A-", ["finished", "ready"])
    with connect(ADDRESS) as driver:
        assert driver.execute(DescribeTable("couriers1")).table.global_secondary_indexes


def test_records_are_taken_along_to_another_address(folder: Path, run: Run) -> None:
    app = App(run)
    app.declare("couriers1", "PK", FIRST, IN_PLACE)
    app.fill()
    app("run", ADDRESS)
    app.declare("couriers1", "hash", COPIED, COPY.format(name="couriers1", pk="PK"))
    app.expect("A-", ["finished", None], "--to", "file:new.db")
    for command in ("run", "cut-over", "finish"):
        app(command, ADDRESS, "--to", "file:new.db")
    app.expect("AA", ["finished", "finished"], address="file:new.db")
    # The old table and the new one have the same name here.
    finish = ("migration", "finish", "couriers.entities", "file:new.db", "--drop-old", "--yes")
    assert "are both the table 'couriers1'" in run.rejected(*finish)
    app.declare("couriers1", "hash", SECOND, IN_PLACE)
    app("run", "file:new.db")
    app.expect("AAA", ["finished"] * 3, address="file:new.db")
