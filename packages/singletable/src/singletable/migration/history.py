"""Which migrations of an app exist, which are finished, pending or in progress.

A program can run its pending migrations when it starts:

    history = MigrationHistory.of(shop.entities, driver)
    for migration in history.pending():
        history.runner(migration).run()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from dynamodb_engine.operations import DescribeTable, Driver
from dynamodb_engine.steps import run
from singletable.errors import MigrationError, ResourceNotFound, ValidationError
from singletable.migration.applied import Applied, HistoryStore
from singletable.migration.migrations import Migration, load_migrations, migrations_folder
from singletable.migration.runner import MigrationRunner, Status
from singletable.migration.state import State
from singletable.schema import Table, find_tables


@dataclass(frozen=True)
class MigrationHistory:
    """The migrations of an app in order, and where its tables are.

    `source` and `target` are the addresses of the old and the new tables of a Copy; all other
    tables are at the target. `tables` maps tables to their real names, if these differ.
    """

    migrations: Sequence[Migration]
    source: Driver
    target: Driver
    tables: Mapping[Table, str] = field(default_factory=dict[Table, str])
    # The table that has the state of a migration, if it is not the one that its steps declare.
    recorded_in: Table | None = None

    @classmethod
    def of(
        cls,
        module: ModuleType,
        source: Driver,
        target: Driver | None = None,
        *,
        tables: Mapping[Table, str] | None = None,
    ) -> MigrationHistory:
        """Load the migrations beside a module that declares tables."""
        migrations = [one for one in load_migrations(migrations_folder(module)) if one.steps]
        names = {table: table.name for table in find_tables(module)} | dict(tables or {})
        return cls(migrations, source, target or source, names)

    def name_of(self, table: Table) -> str:
        """Return the real name of a table."""
        return self.tables.get(table, table.name)

    def runner(self, migration: Migration, **options: Any) -> MigrationRunner:
        """Return the runner of a migration, at the tables that it is about."""
        return self.located(migration)._runner(migration, **options)

    def _runner(self, migration: Migration, **options: Any) -> MigrationRunner:
        return MigrationRunner(
            migration,
            self.source,
            self.target,
            tables=self.tables,
            recorded_in=self.recorded_in,
            **options,
        )

    def named(self, name: str) -> Migration:
        """Return the migration with a name, or with a number."""
        for migration in self.migrations:
            if name in (migration.name, migration.name.partition("_")[0]):
                return migration
        known = ", ".join(one.name for one in self.migrations)
        raise MigrationError(f"There is no migration {name!r}. The migrations of the app: {known}.")

    # What was run

    def states(self) -> dict[str, State | None]:
        """Return the states of all migrations by name, in order."""
        return {one.name: self.located(one)._state(one) for one in self.migrations}

    def recorded(self) -> dict[str, Applied]:
        """Return what the tables record about migrations that were run, by name."""
        recorded: dict[str, Applied] = {}
        known = dict.fromkeys(self.tables)
        known |= dict.fromkeys(table for one in self.migrations for table in one.tables)
        for table in known:
            # A table that a migration will create, or has created at another address.
            with suppress(ResourceNotFound, ValidationError):
                for one in run(self.source, HistoryStore(table, self.name_of(table)).read()):
                    recorded[one.name] = one
        return recorded

    def finished(self) -> dict[str, float | None]:
        """Return the finished migrations, and when they ended; None if that is not recorded.

        Migrations run in order. So one that left no trace was run if a later one was begun: its
        table, which had its state, may have been dropped since.
        """
        finished: dict[str, float | None] = {}
        is_begun = False
        for name, state in reversed(self.states().items()):
            if state is None and is_begun:
                finished[name] = None
            elif state is not None:
                is_begun = True
                if state.phase == "finished":
                    finished[name] = state.ended
        return finished

    def pending(self) -> list[Migration]:
        """Return the migrations that are not finished, in order."""
        finished = self.finished()
        return [migration for migration in self.migrations if migration.name not in finished]

    def runnable(self) -> list[Migration]:
        """Return the pending migrations that can be run now: up to the first one with a Copy.

        Raises MigrationError if one of them is being undone, or that was interrupted: it can be
        undone further or run again, which this cannot decide.
        """
        for name, state in self.states().items():
            if state is not None and state.phase == "undoing":
                raise MigrationError(
                    f"Migration {name} is being undone, or that was interrupted, so nothing is "
                    "run. To end the undo: `migration down`. To run it again instead: `migration "
                    f"run APP ADDRESS {name}`. In Python, call down() or run() of its runner."
                )
        pending = self.pending()
        for number, migration in enumerate(pending, 1):
            if migration.copy is not None:
                return pending[:number]
        return pending

    def pending_before(self, migration: Migration) -> list[Migration]:
        """Return the migrations before another one that are not finished."""
        earlier = self.migrations[: self.migrations.index(migration)]
        return [one for one in self.pending() if one in earlier]

    def applied_after(self, migration: Migration) -> list[Migration]:
        """Return the migrations after another one that are finished, or in progress."""
        later = self.migrations[self.migrations.index(migration) + 1 :]
        applied = {
            *self.finished(),
            *(
                name
                for name, state in self.states().items()
                if state is not None and state.phase not in ("rolled-back", "down")
            ),
        }
        return [one for one in later if one.name in applied]

    def current(self, *, copy: bool = False) -> Migration | None:
        """Return the migration that is in progress, or the last one that was run.

        One that is being undone is in progress until it is undone, or run again. With `copy`, only
        migrations with a Copy are considered.
        """
        states = self.states()
        phases = {
            one: state.phase
            for one in self.migrations
            if (state := states[one.name]) is not None
            and state.phase != "down"
            and (not copy or one.copy is not None)
        }
        in_progress = [
            one for one, phase in phases.items() if phase not in ("finished", "rolled-back")
        ]
        return next(reversed(in_progress or list(phases)), None)

    def status(self, migration: Migration) -> Status:
        """Return the progress of a migration."""
        try:
            return self.runner(migration).status()
        except ValidationError:  # the table has another key: it is an old one
            steps = tuple(step.describe() for step in migration.steps)
            return Status(migration.name, steps=steps)

    # Where a migration is recorded

    def located(self, migration: Migration) -> MigrationHistory:
        """Return the addresses and names of the tables that a migration is about.

        A migration imports the table of the app, and a later Copy may have given that another name
        since. So its state is where it was recorded: in the table of the app, or in one that a
        later Copy reads. A migration that has not begun is run where its table is now.
        """
        places = self._places(migration)
        for place in places:
            if place._state(migration) is not None:
                return place
        moved = replace(self, target=self.source)
        state = moved._state(migration) if self.target is not self.source else None
        if state is not None and state.phase == "finished":
            return moved  # before its tables were copied to another address
        existing = (one for one in (self, *places) if one._has_table(migration))
        return next(existing, places[-1])

    def _places(self, migration: Migration) -> list[MigrationHistory]:
        """Return where a migration may be recorded, beginning with the newest table."""
        table = migration.state_table
        names = {self.name_of(table)}
        places: list[MigrationHistory] = []
        for later in self.migrations[self.migrations.index(migration) + 1 :]:
            copy = later.copy
            copied = [] if copy is None else [copy.target, *copy.sources]
            if copy is None or names.isdisjoint(map(self.name_of, copied)):
                continue
            names.update(map(self.name_of, copied))
            places[:0] = [
                replace(
                    self,
                    tables={**self.tables, table: self.name_of(one)},
                    target=self.target if one is copy.target else self.source,
                    recorded_in=one,
                )
                for one in copied
            ]
        return places or [self]

    def _has_table(self, migration: Migration) -> bool:
        try:
            self.target.execute(DescribeTable(self.name_of(migration.state_table)))
        except ResourceNotFound:
            return False
        return True

    def _state(self, migration: Migration) -> State | None:
        """Return the state of a migration that is recorded here, if there is one."""
        try:
            return self._runner(migration).state()
        except ValidationError:  # the table here has another key: it is an old one
            return None
