"""`singletable migration plan`, `run`, `verify`, `cut-over` and so on: change tables in use."""

from __future__ import annotations

import shlex
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli.options import Address, SchemaApp, TableNames, parse_table_names
from singletable.errors import MigrationError

if TYPE_CHECKING:
    from singletable.cli.migration_view import MigrationProgress
    from singletable.migration.estimate import MigrationPlan
    from singletable.migration.runner import MigrationRunner, Status
    from singletable.migration.state import State
    from singletable.migration.steps import Migration
    from singletable.migration.two_addresses import Side
    from singletable.operations import Driver
    from singletable.schema import Table


class Changes(Enum):
    """How changes during a copy are found."""

    AUTO = "auto"
    FEED = "feed"
    DRIVER = "driver"
    NONE = "none"


class Format(Enum):
    """How a result is printed."""

    TEXT = "text"
    JSON = "json"


To = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="ADDRESS",
        help="Where the new tables of a copy are, if they are at another address.",
    ),
]
Name = Annotated[
    str | None,
    typer.Option(
        "--migration",
        metavar="NAME",
        help="The migration, such as 0003_unique_emails or 0003.",
        show_default=False,
    ),
]
Rate = Annotated[
    float | None,
    typer.Option(
        "--rate",
        min=1,
        metavar="UNITS",
        help="Consume at most this many capacity units per second, read and write together.",
    ),
]
Segments = Annotated[
    int, typer.Option("--segments", min=1, max=100, help="Read tables in this many parallel parts.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before deleting.")]
AcceptLoss = Annotated[
    bool,
    typer.Option(
        "--accept-loss", help="Go on although changes are lost that cannot be carried over."
    ),
]
OutputFormat = Annotated[Format, typer.Option("--format", help="How to print the result.")]


# The migrations of an app at an address


@dataclass(frozen=True)
class Migrations:
    """The migrations of an app, and where its tables are."""

    app: str
    address: str
    to: str | None
    table_names: list[str] | None
    all: list[Migration]
    names: Mapping[Table, str]
    source: Driver
    target: Driver
    # The table that has the state of a migration, if it is not the one that its steps declare.
    recorded_in: Table | None = None

    def runner(self, migration: Migration, **options: Any) -> MigrationRunner:
        """Return the runner of a migration, at the tables that it is about."""
        return self.located(migration)._runner(migration, **options)

    def _runner(self, migration: Migration, **options: Any) -> MigrationRunner:
        from singletable.migration.runner import MigrationRunner

        return MigrationRunner(
            migration,
            self.source,
            self.target,
            tables=self.names,
            recorded_in=self.recorded_in,
            **options,
        )

    def progress(self, migration: Migration) -> MigrationProgress:
        """Return how the progress of a migration is shown."""
        from singletable.cli.migration_view import MigrationProgress

        located = self.located(migration)
        drivers: dict[Side, Driver] = {"source": located.source, "target": located.target}
        return MigrationProgress(migration, drivers, located.names)

    @contextmanager
    def running(
        self, migration: Migration, **options: Any
    ) -> Generator[tuple[MigrationRunner, MigrationProgress]]:
        """Yield the runner of a migration, and show its progress meanwhile."""
        progress = self.progress(migration)
        runner = self.runner(migration, on_progress=progress.show, **options)
        progress.consumed = lambda: runner.consumed_units
        with progress:
            yield runner, progress

    # Where a migration is recorded

    def located(self, migration: Migration) -> Migrations:
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

    def _places(self, migration: Migration) -> list[Migrations]:
        """Return where a migration may be recorded, beginning with the newest table."""
        from singletable.migration.runner import state_table

        table = state_table(migration)
        names = {self.names[table]}
        places: list[Migrations] = []
        for later in self.all[self.all.index(migration) + 1 :]:
            copy = later.copy
            copied = [] if copy is None else [copy.target, *copy.sources]
            if copy is None or names.isdisjoint(self.names[one] for one in copied):
                continue
            names.update(self.names[one] for one in copied)
            places[:0] = [
                replace(
                    self,
                    names={**self.names, table: self.names[one]},
                    target=self.target if one is copy.target else self.source,
                    recorded_in=one,
                )
                for one in copied
            ]
        return places or [self]

    def _has_table(self, migration: Migration) -> bool:
        from singletable.cli.migration_view import count_items
        from singletable.migration.runner import state_table

        return count_items(self.target, self.names[state_table(migration)]) is not None

    def _state(self, migration: Migration) -> State | None:
        """Return the state of a migration that is recorded here, if there is one."""
        from singletable.errors import ValidationError

        try:
            return self._runner(migration).state()
        except ValidationError:  # the table here has another key: it is an old one
            return None

    def states(self) -> dict[str, State | None]:
        """Return the states of all migrations by name, in order."""
        return {one.name: self.located(one)._state(one) for one in self.all}

    def named(self, name: str) -> Migration:
        """Return the migration with a name, or with a number."""
        for migration in self.all:
            if name in (migration.name, migration.name.partition("_")[0]):
                return migration
        known = ", ".join(one.name for one in self.all)
        raise MigrationError(f"There is no migration {name!r}. The migrations of the app: {known}.")

    def applied(self) -> dict[str, float | None]:
        """Return the finished migrations, and when they ended; None if that is not recorded.

        Migrations run in order. So one that left no trace was run if a later one was begun: its
        table, which had its state, may have been dropped since.
        """
        applied: dict[str, float | None] = {}
        is_begun = False
        for name, state in reversed(self.states().items()):
            if state is None and is_begun:
                applied[name] = None
            elif state is not None:
                is_begun = True
                if state.phase == "finished":
                    applied[name] = state.ended
        return applied

    def pending(self) -> list[Migration]:
        """Return the migrations that are not finished, in order."""
        applied = self.applied()
        return [migration for migration in self.all if migration.name not in applied]

    def status(self, migration: Migration) -> Status:
        """Return how far a migration came."""
        from singletable.errors import ValidationError
        from singletable.migration.runner import Status
        from singletable.migration.steps import step_text

        try:
            return self.runner(migration).status()
        except ValidationError:  # as for the state
            return Status(migration.name, steps=tuple(map(step_text, migration.steps)))

    def selected(self, name: str | None) -> list[Migration]:
        """Return the named migration, or those that are pending up to the first copy."""
        if name is not None:
            return [self.named(name)]
        pending = self.pending()
        for number, migration in enumerate(pending, 1):
            if migration.copy is not None:
                return pending[:number]
        return pending

    def before(self, name: str | None) -> list[Migration]:
        """Return the migrations before the named one that are not finished."""
        if name is None:
            return []
        number = self.all.index(self.named(name))
        return [one for one in self.pending() if self.all.index(one) < number]

    def current(self, name: str | None, *, copy: bool = False) -> Migration:
        """Return the named migration, the one that is in progress, or the last one that was run."""
        if name is not None:
            return self.named(name)
        states = self.states()
        phases = {
            one.name: None if (state := states[one.name]) is None else state.phase
            for one in self.all
            if not copy or one.copy is not None
        }
        done = [one for one in self.all if phases.get(one.name) not in (None, "down")]
        in_progress = [one for one in done if phases[one.name] not in ("finished", "rolled-back")]
        if done:
            return (in_progress or done)[-1]
        if copy and not phases:
            raise MigrationError(
                "None of the migrations has a Copy, and only a Copy is cut over, rolled back and "
                f"finished. To undo other steps: {self.command('down')}"
            )
        what = "a Copy" if copy else "steps"
        raise MigrationError(
            f"No migration with {what} has begun at {self.address}. Run it first: "
            f"{self.command('run')}"
        )

    def command(self, command: str, *options: str, migration: Migration | None = None) -> str:
        """Return a command for the same app and address, as text to copy."""
        words = ["singletable", "migration", command, self.app, self.address]
        words += [] if self.to is None else ["--to", self.to]
        words += [] if migration is None else ["--migration", migration.name]
        for pair in self.table_names or ():
            words += ["--table-name", pair]
        return shlex.join([*words, *options])


@contextmanager
def open_migrations(
    app: str,
    address: str,
    to: str | None,
    table_names: list[str] | None,
    *,
    creates: bool = False,
    may_be_empty: bool = False,
) -> Generator[Migrations]:
    """Load the migrations of an app and connect to its tables.

    A file for the new tables that does not exist is created only if `creates` is set; otherwise
    the new tables are taken to be missing. Raises MigrationError if there is nothing to run.
    """
    from singletable.cli.app_loader import load_schema
    from singletable.cli.existing_tables import connect_existing
    from singletable.cli.output import shown_path
    from singletable.connect import connect, file_path
    from singletable.migration.schema_diff.files import load_migrations, migrations_folder

    module, tables = load_schema(app)
    folder = migrations_folder(module)
    # One without steps records a decision, and there is nothing to run.
    migrations = [one for one in load_migrations(folder) if one.steps]
    if not migrations and not may_be_empty:
        raise MigrationError(
            f"There are no migrations to run in {shown_path(folder)}. Draft one with: singletable "
            f"migration new {app} NAME"
        )
    names = _real_names(migrations, tables, parse_table_names(table_names))
    with connect_existing(address) as source:
        _check_connection(source, next(iter(names.values())))
        if to is None or to == address:
            yield Migrations(app, address, None, table_names, migrations, names, source, source)
            return
        opened = to
        kind, _, path = to.partition(":")
        if kind == "file" and path and not creates and not file_path(path).exists():
            opened = "memory:"
        with connect(opened) as target:
            _check_connection(target, next(iter(names.values())))
            yield Migrations(app, address, to, table_names, migrations, names, source, target)


def _check_connection(driver: Driver, table: str) -> None:
    """Raise ConnectionFailed at once if no server answers; a run would wait much longer."""
    from singletable.errors import OperationError
    from singletable.operations import DescribeTable

    with suppress(OperationError):
        driver.execute(DescribeTable(table))


def _real_names(
    migrations: list[Migration], tables: list[Table], renamed: Mapping[str, str]
) -> dict[Table, str]:
    """Return the real names of the tables of the app and of its migrations."""
    from singletable.migration.steps import step_tables

    known = dict.fromkeys(tables)
    for migration in migrations:
        for step in migration.steps:
            known |= dict.fromkeys(step_tables(step))
    declared = sorted({table.name for table in known})
    for name in renamed:
        if name not in declared:
            raise MigrationError(
                f"--table-name {name}={renamed[name]}: neither the app nor its migrations declare "
                f"a table {name!r}. Their tables: {', '.join(declared)}."
            )
    return {table: renamed.get(table.name, table.name) for table in known}


# Commands


def plan(
    app: SchemaApp,
    address: Address,
    to: To = None,
    migration: Name = None,
    rate: Rate = None,
    segments: Segments = 4,
    sample: Annotated[
        int, typer.Option("--sample", min=1, help="How many items to try the steps on.")
    ] = 2000,
    price_read: Annotated[
        float | None,
        typer.Option("--price-read", min=0, help="Dollars per million read units."),
    ] = None,
    price_write: Annotated[
        float | None,
        typer.Option("--price-write", min=0, help="Dollars per million write units."),
    ] = None,
    format_: OutputFormat = Format.TEXT,
    table_names: TableNames = None,
) -> None:
    """Estimate what a migration reads, writes, costs and takes, before it is run.

    Runs the steps on a sample of the items in memory, and nothing on the tables. Without
    --migration, all pending migrations up to the first copy. The exit code is 0, or 2 after an
    error.
    """
    from singletable.cli.migration_view import print_plan, to_json
    from singletable.migration.estimate import estimate
    from singletable.planning.prices import region_prices

    prices = region_prices()
    if price_read is not None or price_write is not None:
        usual_read, usual_write = prices.amount("on_demand_read"), prices.amount("on_demand_write")
        prices = prices.with_amounts(
            {
                "on_demand_read": usual_read if price_read is None else price_read,
                "on_demand_write": usual_write if price_write is None else price_write,
            }
        )
    with open_migrations(app, address, to, table_names) as migrations:
        plans: list[MigrationPlan] = []
        for one in migrations.selected(migration):
            located = migrations.located(one)
            with migrations.progress(one) as progress:
                plans.append(
                    estimate(
                        one,
                        located.source,
                        located.target,
                        tables=located.names,
                        rate=rate,
                        prices=prices,
                        sample_size=sample,
                        segments=segments,
                        on_progress=progress.show,
                    )
                )
    if format_ is Format.JSON:
        typer.echo(to_json(plans))
    elif not plans:
        typer.echo("All migrations are finished.")
    for planned in plans if format_ is Format.TEXT else ():
        print_plan(planned, rate)


def run(
    app: SchemaApp,
    address: Address,
    to: To = None,
    migration: Name = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Try the steps on all items, and write nothing.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Try only this many items of each table in a dry run."),
    ] = None,
    rate: Rate = None,
    segments: Segments = 4,
    changes: Annotated[
        Changes,
        typer.Option(
            "--changes",
            help="How changes during a copy are found: in the change feed of our engine, by the "
            "application's MigratingDriver, or not at all, because nothing writes.",
        ),
    ] = Changes.AUTO,
    follow: Annotated[
        bool,
        typer.Option("--follow", help="After a copy, carry changes over until you press Ctrl-C."),
    ] = False,
    table_names: TableNames = None,
) -> None:
    """Run the pending migrations in order, up to the first copy, or one migration.

    A copy is run until the new table is up to date; then verify it and cut over. Ctrl-C ends at a
    checkpoint: run the command again to continue. The exit code is 0 if all is done, 1 if a dry
    run found items that would fail, 2 after an error, 130 after Ctrl-C.
    """
    if limit is not None and not dry_run:
        raise typer.BadParameter("Use it with --dry-run.", param_hint="'--limit'")
    with open_migrations(app, address, to, table_names, creates=not dry_run) as migrations:
        selected = migrations.selected(migration)
        if not selected:
            typer.echo("All migrations are finished.")
        for earlier in migrations.before(migration):
            typer.echo(f"singletable: {earlier.name} comes first, and is not finished.", err=True)
        for one in selected:
            if dry_run:
                _try(migrations, one, limit, segments)
            else:
                _run(migrations, one, rate, segments, changes, follow=follow)


def _try(migrations: Migrations, migration: Migration, limit: int | None, segments: int) -> None:
    from singletable.cli.migration_view import print_dry_run
    from singletable.migration.dry_run import dry_run

    located = migrations.located(migration)
    with migrations.progress(migration) as progress:
        result = dry_run(
            migration,
            located.source,
            located.target,
            tables=located.names,
            limit=limit,
            segments=segments,
            on_progress=progress.show,
        )
    print_dry_run(result)
    if not result.ok:
        raise typer.Exit(1)


def _run(
    migrations: Migrations,
    migration: Migration,
    rate: float | None,
    segments: int,
    changes: Changes,
    *,
    follow: bool,
) -> None:
    from singletable.cli.migration_view import describe_status

    options: dict[str, Any] = {"rate": rate, "segments": segments, "changes": changes.value}
    try:
        with migrations.running(migration, **options) as (runner, _):
            status = runner.run()
        typer.echo(describe_status(status))
        if migration.copy is None:
            return
        typer.echo(_next_step(migrations, migration, status))
        if follow:
            typer.echo("Carrying changes over. Press Ctrl-C to stop.", err=True)
            with migrations.running(migration, **options) as (runner, progress):
                runner.follow(lambda: progress.is_stopping)
            typer.echo(describe_status(runner.status()))
    except KeyboardInterrupt:
        limit = () if rate is None else ("--rate", f"{rate:g}")
        command = migrations.command("run", *limit, migration=migration)
        typer.echo(f"Stopped at a checkpoint. Continue with: {command}", err=True)
        raise typer.Exit(130) from None


def _next_step(migrations: Migrations, migration: Migration, status: Status) -> str:
    """Return what to do next with a migration that has a copy."""
    match status.phase:
        case "ready":
            return (
                f"Verify it:  {migrations.command('verify', migration=migration)}\n"
                f"Then:       {migrations.command('cut-over', migration=migration)}"
            )
        case "cut-over":
            return (
                f"To go back: {migrations.command('rollback', migration=migration)}\n"
                f"To end it:  {migrations.command('finish', migration=migration)}"
            )
        case "rolled-back":
            return f"To run it again: {migrations.command('run', migration=migration)}"
        case _:
            return ""


def verify(
    app: SchemaApp,
    address: Address,
    to: To = None,
    migration: Name = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            min=1,
            help="Compare this many items of a copy instead of all. Does not find items that "
            "should not be in the new table.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Choose the sample by this number.")] = 0,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Write wrong items again, and delete items that should not exist."
        ),
    ] = False,
    yes: Yes = False,
    rate: Rate = None,
    segments: Segments = 4,
    format_: OutputFormat = Format.TEXT,
    table_names: TableNames = None,
) -> None:
    """Verify that all items are as a migration should have left them.

    Until the cut-over the new table is compared with the old ones, then the other way round. The
    application may write meanwhile: differences are looked at again before they are reported.
    Without --migration, the one that is in progress, or the last one. The exit code is 0 if all
    is well or repaired, 1 if there are differences, 2 after an error.
    """
    from singletable.cli.migration_view import print_verification, to_json
    from singletable.cli.output import pluralize
    from singletable.migration.verification import verify as verify_migration

    def confirm(count: int) -> bool:
        progress.hide()
        return yes or typer.confirm(
            f"Delete {pluralize(count, 'item')} that should not be in the table?", err=True
        )

    with open_migrations(app, address, to, table_names) as migrations:
        one = migrations.current(migration)
        with migrations.running(one, rate=rate, segments=segments) as (runner, progress):
            reports = verify_migration(
                runner, sample=sample, seed=seed, repair=repair, confirm_deletion=confirm
            )
    if format_ is Format.JSON:
        typer.echo(to_json(reports))
    else:
        print_verification(one.name, reports)
    if not all(report.ok for report in reports):
        raise typer.Exit(1)


def cut_over(
    app: SchemaApp,
    address: Address,
    to: To = None,
    migration: Name = None,
    table_names: TableNames = None,
) -> None:
    """Make the new table of a copy the one that counts.

    Carries the last changes over first. Applications on MigratingDriver follow within seconds;
    stop others before, and start them with the new table. The old tables are kept up to date, if
    the copy has back=…, until you finish. The exit code is 0, or 2 after an error.
    """
    from singletable.cli.migration_view import describe_status

    with open_migrations(app, address, to, table_names) as migrations:
        one = migrations.current(migration, copy=True)
        with migrations.running(one) as (runner, _):
            status = runner.cut_over()
        typer.echo(describe_status(status))
        typer.echo(_next_step(migrations, one, status))


def rollback(
    app: SchemaApp,
    address: Address,
    to: To = None,
    migration: Name = None,
    accept_loss: AcceptLoss = False,
    table_names: TableNames = None,
) -> None:
    """Make the old tables of a copy the ones that count again.

    Carries changes since the cut-over back first. The migration can be run again later. The exit
    code is 0, or 2 after an error.
    """
    from singletable.cli.migration_view import describe_status

    with open_migrations(app, address, to, table_names) as migrations:
        one = migrations.current(migration, copy=True)
        with migrations.running(one) as (runner, _):
            status = runner.rollback(accept_loss=accept_loss)
        typer.echo(describe_status(status))
        typer.echo(_next_step(migrations, one, status))


def finish(
    app: SchemaApp,
    address: Address,
    to: To = None,
    migration: Name = None,
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Delete the old tables with all their items.")
    ] = False,
    accept_loss: AcceptLoss = False,
    yes: Yes = False,
    table_names: TableNames = None,
) -> None:
    """End a copy after the cut-over, and stop updating the old tables.

    After this there is no rollback. The exit code is 0, 1 if you did not confirm, 2 after an
    error.
    """
    from singletable.cli.migration_view import count_items, describe_status

    with open_migrations(app, address, to, table_names) as migrations:
        one = migrations.current(migration, copy=True)
        copy = one.copy
        phase = migrations.runner(one).phase()
        if drop_old and not yes and copy is not None and phase in ("cut-over", "finished"):
            counts = [count_items(migrations.source, migrations.names[t]) for t in copy.sources]
            tables = ", ".join(text for text in counts if text)
            if tables:
                typer.confirm(f"Delete {tables} with all items?", abort=True, err=True)
        with migrations.running(one) as (runner, _):
            status = runner.finish(drop_old=drop_old, accept_loss=accept_loss)
        typer.echo(describe_status(status))


def down(
    app: SchemaApp,
    address: Address,
    to: To = None,
    migration: Name = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
    rate: Rate = None,
    segments: Segments = 4,
    table_names: TableNames = None,
) -> None:
    """Undo the steps of the last migration, in reverse order.

    Nothing is changed if one of them cannot be undone; a copy is undone with rollback. The exit
    code is 0, 1 if you did not confirm, 2 after an error.
    """
    from singletable.cli.migration_view import describe_status

    with open_migrations(app, address, to, table_names) as migrations:
        one = migrations.current(migration)
        if not yes:
            typer.confirm(f"Undo the steps of {one.name}?", abort=True, err=True)
        with migrations.running(one, rate=rate, segments=segments) as (runner, _):
            status = runner.down()
        typer.echo(describe_status(status))


def status(
    app: SchemaApp,
    address: Address,
    to: To = None,
    migration: Name = None,
    format_: OutputFormat = Format.TEXT,
    table_names: TableNames = None,
) -> None:
    """Show how far the migrations of an app came. The exit code is 0, or 2 after an error."""
    from singletable.cli.migration_view import print_status, to_json

    with open_migrations(app, address, to, table_names) as migrations:
        chosen = migrations.all if migration is None else [migrations.named(migration)]
        found = [migrations.status(one) for one in chosen]
    if format_ is Format.JSON:
        typer.echo(to_json(found))
    else:
        print_status(found)
