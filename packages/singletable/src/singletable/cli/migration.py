"""`singletable migration`: write, run, verify and undo the migrations of an app."""

from __future__ import annotations

import shlex
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli.options import (
    Address,
    Commands,
    OptionalAddress,
    SchemaApp,
    shared_option,
    table_names,
)
from singletable.errors import MigrationError

if TYPE_CHECKING:
    from dynamodb_engine.operations import Driver
    from singletable.cli.migration_view import MigrationProgress
    from singletable.migration import (
        DryRun,
        Migration,
        MigrationHistory,
        MigrationRunner,
        Status,
    )
    from singletable.schema import Table

SAMPLE_SIZE = 2_000

app = Commands(
    help="Write and run migrations: changes of tables and stored items, step by step.",
    no_args_is_help=True,
)


class Changes(Enum):
    """How changes during a copy are found."""

    STREAM = "stream"
    NONE = "none"


class Format(Enum):
    """How a result is printed."""

    TEXT = "text"
    JSON = "json"


Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]",
        help="The migration, such as 0003_unique_emails or 0003.",
        show_default=False,
    ),
]


@app.callback()
def shared_options(
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="ADDRESS",
            help="Where the new tables of a copy are, if they are at another address.",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            "--rate",
            min=1,
            metavar="UNITS",
            help="Consume at most this many capacity units per second, read and write together.",
        ),
    ] = None,
    format_: Annotated[
        Format, typer.Option("--format", help="How status, plan and verify print the result.")
    ] = Format.TEXT,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before items or tables are deleted.")
    ] = False,
    accept_loss: Annotated[
        bool,
        typer.Option(
            "--accept-loss",
            help="Roll back or finish although changes are lost that cannot be carried over.",
        ),
    ] = False,
) -> None:
    """Accept the options that commands of migrations share."""


def _as_json(ctx: typer.Context) -> bool:
    return shared_option(ctx, "format_") is Format.JSON


# The migrations of an app at an address


@dataclass(frozen=True)
class AppMigrations:
    """The migrations of an app as a command names them, and their history."""

    app: str
    address: str
    # The name of one of them, if the command has it.
    name: str | None
    to: str | None
    rate: float | None
    table_names: Mapping[str, str]
    history: MigrationHistory

    def selected(self) -> list[Migration]:
        """Return the named migration, or those that are pending up to the first copy."""
        history = self.history
        return history.runnable() if self.name is None else [history.named(self.name)]

    def current(self, *, copy: bool = False) -> Migration:
        """Return the named migration, the one that is in progress, or the last one that was run."""
        history = self.history
        if self.name is not None:
            return history.named(self.name)
        if (current := history.current(copy=copy)) is not None:
            return current
        if copy and all(one.copy is None for one in history.migrations):
            raise MigrationError(
                "None of the migrations has a Copy, and only a Copy is cut over, rolled back and "
                f"finished. To undo other steps: {self.command('down')}"
            )
        what = "a Copy" if copy else "steps"
        raise MigrationError(
            f"No migration with {what} is in progress or applied at {self.address}. Run one first: "
            f"{self.command('run')}"
        )

    @contextmanager
    def running(
        self, migration: Migration, **options: Any
    ) -> Generator[tuple[MigrationRunner, MigrationProgress]]:
        """Yield the runner of a migration, and show its progress meanwhile."""
        from singletable.cli.migration_view import MigrationProgress

        progress = MigrationProgress()
        runner = self.history.runner(
            migration, on_progress=progress.show, rate=self.rate, **options
        )
        progress.consumed = lambda: runner.consumed_units
        with progress:
            yield runner, progress

    @contextmanager
    def stopping(self, command: str, migration: Migration) -> Generator[None]:
        """End with the command that continues after Ctrl-C."""
        try:
            yield
        except KeyboardInterrupt:
            limit = () if self.rate is None else ("--rate", f"{self.rate:g}")
            text = self.command(command, *limit, migration=migration)
            typer.echo(f"Stopped at a checkpoint. Continue with: {text}", err=True)
            raise typer.Exit(130) from None

    def command(self, command: str, *options: str, migration: Migration | None = None) -> str:
        """Return a command for the same app and address, as text to copy."""
        words = ["singletable", "migration", command, self.app, self.address]
        words += [] if migration is None else [migration.name]
        words += [] if self.to is None else ["--to", self.to]
        for declared, real in self.table_names.items():
            words += ["--table-name", f"{declared}={real}"]
        return shlex.join([*words, *options])

    def print_status(self, migration: Migration, status: Status) -> None:
        """Print the progress of a migration, and what to do next if it has a copy."""
        from singletable.cli.migration_view import describe_status

        typer.echo(describe_status(status))
        next_steps = {
            "ready": (("Verify it:  ", "verify"), ("Then:       ", "cut-over")),
            "cut-over": (("To go back: ", "rollback"), ("To end it:  ", "finish")),
            "rolled-back": (("To run it again: ", "run"),),
        }
        for title, command in next_steps.get(status.phase or "", ()):
            typer.echo(f"{title}{self.command(command, migration=migration)}")

    def try_on_copies(self, migration: Migration, *, down: bool = False, **options: Any) -> DryRun:
        """Run or undo a migration on a copy of its tables, and show the progress meanwhile."""
        from singletable.cli.migration_view import MigrationProgress
        from singletable.migration.rehearsal import dry_run, dry_run_down

        located = self.history.located(migration)
        if down:
            options["steps"] = self.history.runner(migration).steps_to_undo()
        else:
            options["rate"] = self.rate
        with MigrationProgress() as progress:
            return (dry_run_down if down else dry_run)(
                migration,
                source=located.source,
                target=located.target,
                tables=located.tables,
                on_progress=progress.show,
                **options,
            )


@contextmanager
def open_migrations(
    ctx: typer.Context,
    app: str,
    address: str,
    name: str | None = None,
    *,
    creates: bool = False,
) -> Generator[AppMigrations]:
    """Load the migrations of an app and connect to its tables.

    A file for the new tables that does not exist is created only if `creates` is set; otherwise
    the new tables are taken to be missing. Raises MigrationError if there is nothing to run.
    """
    from dynamodb_engine.addresses import file_path
    from singletable.cli.app_loader import load_schema
    from singletable.cli.existing_tables import connect_existing
    from singletable.cli.output import shown_path
    from singletable.connect import connect
    from singletable.migration.history import MigrationHistory
    from singletable.migration.migrations import load_migrations, migrations_folder

    module, tables = load_schema(app)
    folder = migrations_folder(module)
    # One without steps records a decision, and there is nothing to run.
    migrations = [one for one in load_migrations(folder) if one.steps]
    if not migrations:
        raise MigrationError(
            f"There are no migrations to run in {shown_path(folder)}. Draft one with: singletable "
            f"migration new {app} NAME"
        )
    renamed = table_names(ctx)
    names = _real_names(migrations, tables, renamed)
    to, rate = shared_option(ctx, "to"), shared_option(ctx, "rate")
    to = None if to == address else to
    with connect_existing(address) as source:
        _check_connection(source, next(iter(names.values())))
        if to is None:
            history = MigrationHistory(migrations, source, source, names)
            yield AppMigrations(app, address, name, to, rate, renamed, history)
            return
        kind, _, path = to.partition(":")
        is_missing = kind == "file" and path and not file_path(path).exists()
        with connect("memory:" if is_missing and not creates else to) as target:
            _check_connection(target, next(iter(names.values())))
            history = MigrationHistory(migrations, source, target, names)
            yield AppMigrations(app, address, name, to, rate, renamed, history)


def _check_connection(driver: Driver, table: str) -> None:
    """Raise ConnectionFailed at once if no server answers; a run would wait much longer."""
    from dynamodb_engine.operations import DescribeTable
    from singletable.errors import OperationError

    with suppress(OperationError):
        driver.execute(DescribeTable(table))


def _real_names(
    migrations: Sequence[Migration], tables: Sequence[Table], renamed: Mapping[str, str]
) -> dict[Table, str]:
    """Return the real names of the tables of the app and of its migrations."""
    known = [*tables, *(table for one in migrations for table in one.tables)]
    declared = sorted({table.name for table in known})
    for name in renamed:
        if name not in declared:
            raise MigrationError(
                f"--table-name {name}={renamed[name]}: neither the app nor its migrations declare "
                f"a table {name!r}. Their tables: {', '.join(declared)}."
            )
    return {table: renamed.get(table.name, table.name) for table in known}


# Commands


@app.command()
def new(
    app: SchemaApp,
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="What it changes, in a few words: unique_emails."),
    ],
) -> None:
    """Draft the next migration from what has changed since schema.lock, and update schema.lock.

    The file is migrations/NNNN_name.py beside the module. Read it, and decide what it marks with
    undecided(…). If nothing has changed, it has no steps: add your own.
    """
    from singletable.cli.app_loader import load_schema
    from singletable.cli.output import pluralize, shown_path, write_output
    from singletable.migration.migrations import load_migration, migrations_folder, next_name
    from singletable.migration.schema_diff.draft import draft_migration
    from singletable.migration.schema_diff.lock_file import lock_path, write_lock
    from singletable.migration.schema_diff.schema_changes import compare_schemas
    from singletable.migration.schema_diff.snapshot import read_lock, snapshot

    module, tables = load_schema(app)
    lock = read_lock(lock_path(module))
    if lock is None:
        raise MigrationError(
            f"There is no '{shown_path(lock_path(module))}' to compare with. Check out the "
            "declaration that the stored items have, and record it: "
            f"singletable diff {app} --write"
        )
    folder = migrations_folder(module)
    full_name = next_name(folder, name)
    schema = snapshot(tables)
    changes = compare_schemas(lock.schema, schema)
    text = draft_migration(full_name, module, tables, lock.schema, changes)
    folder.mkdir(exist_ok=True)
    path = folder / f"{full_name}.py"
    write_output(text, shown_path(path))
    write_lock(lock_path(module), schema, full_name)
    try:
        migration = load_migration(path)
    except MigrationError as error:
        typer.echo(f"It cannot be run yet: {error}", err=True)
        return
    typer.echo(f"{full_name}: {pluralize(len(migration.steps), 'step')}")
    for step in migration.steps:
        typer.echo(f"  {step.describe()}")
    if not migration.steps:
        typer.echo("  There is nothing to run. Add your own steps, or keep it as a decision.")


@app.command()
def status(
    ctx: typer.Context,
    app: SchemaApp,
    address: OptionalAddress = None,
    name: Name = None,
) -> None:
    """List the migrations of an app with their steps; with an address, with their progress.

    They are in the folder migrations beside the module, as 0001_name.py. The exit code is 0, or 2
    after an error.
    """
    from singletable.cli.migration_view import print_status, to_json

    if address is None:
        _list_files(app)
        return
    with open_migrations(ctx, app, address, name) as migrations:
        history = migrations.history
        chosen = history.migrations if name is None else [history.named(name)]
        found = [history.status(one) for one in chosen]
        if _as_json(ctx):
            typer.echo(to_json(found))
        else:
            print_status(found, history.finished(), history.recorded())


def _list_files(app: str) -> None:
    from singletable.cli.app_loader import load_schema
    from singletable.cli.output import shown_path
    from singletable.migration.migrations import load_migrations, migrations_folder

    folder = migrations_folder(load_schema(app)[0])
    migrations = load_migrations(folder)
    if not migrations:
        typer.echo(f"There are no migrations in {shown_path(folder)}.")
    for migration in migrations:
        typer.echo(migration.name if migration.steps else f"{migration.name}  no steps")
        for step in migration.steps:
            typer.echo(f"  {step.describe()}")


@app.command()
def plan(
    ctx: typer.Context,
    app: SchemaApp,
    address: Address,
    name: Name = None,
) -> None:
    """Estimate what a migration reads, writes, costs and takes: a dry run on a sample.

    Runs the steps on a sample of the items in memory, and nothing on the tables. Without NAME, all
    pending migrations up to the first copy. The exit code is 0, 1 if items of the sample would
    fail, or 2 after an error.
    """
    with open_migrations(ctx, app, address, name) as migrations:
        found = [migrations.try_on_copies(one, sample=SAMPLE_SIZE) for one in migrations.selected()]
        if not found and not _as_json(ctx):
            typer.echo("All migrations are finished.")
        _print_dry_runs(found, as_json=_as_json(ctx))


def _print_dry_runs(found: Sequence[DryRun], *, as_json: bool = False) -> None:
    from singletable.cli.migration_view import dry_run_lines, print_results

    print_results(found, dry_run_lines, as_json=as_json)
    if not all(one.ok for one in found):
        raise typer.Exit(1)


@app.command()
def run(
    ctx: typer.Context,
    app: SchemaApp,
    address: Address,
    name: Name = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Try the steps on all items, and write nothing.")
    ] = False,
    changes: Annotated[
        Changes,
        typer.Option(
            "--changes",
            help="How changes during a copy are found: in the streams of the old tables, which "
            "are enabled for that time, or not at all, because nothing writes.",
        ),
    ] = Changes.STREAM,
    follow: Annotated[
        bool,
        typer.Option("--follow", help="After a copy, carry changes over until you press Ctrl-C."),
    ] = False,
) -> None:
    """Run the pending migrations in order, up to the first copy, or one migration.

    A copy is run until the new table is up to date; then verify it and cut over. Ctrl-C ends at a
    checkpoint: run the command again to continue. The exit code is 0 if all is done, 1 if a dry
    run found items that would fail, 2 after an error, 130 after Ctrl-C.
    """
    with open_migrations(ctx, app, address, name, creates=not dry_run) as migrations:
        run_selected(migrations, changes, dry_run=dry_run, follow=follow)


def run_selected(
    migrations: AppMigrations,
    changes: Changes = Changes.STREAM,
    *,
    dry_run: bool = False,
    follow: bool = False,
) -> None:
    """Run the selected migrations, or try them, one after the other."""
    selected = migrations.selected()
    if not selected:
        typer.echo("All migrations are finished.")
    for earlier in migrations.history.pending_before(selected[0]) if migrations.name else ():
        typer.echo(f"singletable: {earlier.name} comes first, and is not finished.", err=True)
    for place, one in enumerate(selected):
        if not dry_run:
            _run(migrations, one, changes, follow=follow)
            continue
        if place:
            text = "is tried on the items as they are now, without what comes before it"
            typer.echo(f"singletable: {one.name} {text}.", err=True)
        _print_dry_runs([migrations.try_on_copies(one)])


def _run(
    migrations: AppMigrations, migration: Migration, changes: Changes, *, follow: bool
) -> None:
    with migrations.stopping("run", migration):
        with migrations.running(migration, changes=changes.value) as (runner, _):
            status = runner.run()
        migrations.print_status(migration, status)
        if follow and migration.copy is not None:
            typer.echo("Carrying changes over. Press Ctrl-C to stop.", err=True)
            with migrations.running(migration, changes=changes.value) as (runner, progress):
                runner.follow(lambda: progress.is_stopping)
            migrations.print_status(migration, runner.status())


@app.command()
def verify(
    ctx: typer.Context,
    app: SchemaApp,
    address: Address,
    name: Name = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            min=1,
            help="Compare this many items of a copy instead of all. Does not find items that "
            "should not be in the new table.",
        ),
    ] = None,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Write wrong items again, and delete items that should not exist."
        ),
    ] = False,
) -> None:
    """Verify that all items are as a migration should have left them.

    Until the cut-over the new table is compared with the old ones, then the other way round. The
    application may write meanwhile: differences are looked at again before they are reported.
    Without NAME, the one that is in progress, or the last one. The exit code is 0 if all is well
    or repaired, 1 if there are differences, 2 after an error.
    """
    from singletable.cli.migration_view import print_results, verification_lines
    from singletable.cli.output import pluralize
    from singletable.migration.runner import verify as verify_migration

    def confirm(count: int) -> bool:
        progress.hide()
        return shared_option(ctx, "yes") or typer.confirm(
            f"Delete {pluralize(count, 'item')} that should not be in the table?", err=True
        )

    with open_migrations(ctx, app, address, name) as migrations:
        one = migrations.current()
        with migrations.running(one) as (runner, progress):
            reports = verify_migration(
                runner, sample=sample, repair=repair, confirm_deletion=confirm
            )
    if not _as_json(ctx):
        typer.echo(one.name)
        if not reports:
            typer.echo("  No step is done yet, so there is nothing to verify.")
    print_results(reports, verification_lines, as_json=_as_json(ctx))
    if not all(report.ok for report in reports):
        raise typer.Exit(1)


@app.command("cut-over")
def cut_over(ctx: typer.Context, app: SchemaApp, address: Address, name: Name = None) -> None:
    """Switch to the new table.

    Carries the last changes over first. Writes of applications on SwitchingDriver wait meanwhile;
    stop others before, and start them with the new table. The old tables are kept up to date, if
    the copy has back=…, until you finish. The exit code is 0, or 2 after an error.
    """
    with open_migrations(ctx, app, address, name) as migrations:
        one = migrations.current(copy=True)
        with migrations.running(one) as (runner, _):
            status = runner.cut_over()
        migrations.print_status(one, status)


@app.command()
def rollback(
    ctx: typer.Context,
    app: SchemaApp,
    address: Address,
    name: Name = None,
) -> None:
    """Switch back to the old tables.

    Carries changes since the cut-over back first. The migration can be run again later. The exit
    code is 0, or 2 after an error.
    """
    with open_migrations(ctx, app, address, name) as migrations:
        one = migrations.current(copy=True)
        with migrations.running(one) as (runner, _):
            status = runner.rollback(accept_loss=shared_option(ctx, "accept_loss"))
        migrations.print_status(one, status)


@app.command()
def finish(
    ctx: typer.Context,
    app: SchemaApp,
    address: Address,
    name: Name = None,
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Delete the old tables with all their items.")
    ] = False,
) -> None:
    """End a copy after the cut-over, and stop updating the old tables.

    After this there is no rollback. The exit code is 0, 1 if you did not confirm, 2 after an
    error.
    """
    from singletable.cli.migration_view import count_items

    with open_migrations(ctx, app, address, name) as migrations:
        one, history = migrations.current(copy=True), migrations.history
        phase = history.runner(one).phase()
        if (
            drop_old
            and not shared_option(ctx, "yes")
            and one.copy is not None
            and phase in ("cut-over", "finished")
        ):
            sources = [history.name_of(table) for table in one.copy.sources]
            counts = [count_items(history.source, source) for source in sources]
            if tables := ", ".join(text for text in counts if text):
                typer.confirm(f"Delete {tables} with all items?", abort=True, err=True)
        with migrations.running(one) as (runner, _):
            status = runner.finish(drop_old=drop_old, accept_loss=shared_option(ctx, "accept_loss"))
        migrations.print_status(one, status)


@app.command()
def down(
    ctx: typer.Context,
    app: SchemaApp,
    address: Address,
    name: Name = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Try it on all items, and write nothing.")
    ] = False,
) -> None:
    """Undo the steps of the last migration, in reverse order.

    Nothing is changed if one of them cannot be undone; a copy is undone with rollback. If the
    command fails or is interrupted, the next one continues with the same migration. The exit code
    is 0, 1 if you did not confirm or a dry run found items that would fail, 2 after an error, 130
    after Ctrl-C.
    """
    with open_migrations(ctx, app, address, name) as migrations:
        undo_current(migrations, dry_run=dry_run, yes=shared_option(ctx, "yes"))


def undo_current(migrations: AppMigrations, *, dry_run: bool = False, yes: bool = False) -> None:
    """Undo the named migration, the one that is in progress, or the last one; or try that."""
    one = migrations.current()
    for later in migrations.history.applied_after(one):
        typer.echo(f"singletable: {later.name} comes later, and is not undone.", err=True)
    if dry_run:
        _print_dry_runs([migrations.try_on_copies(one, down=True)])
        return
    if not yes:
        typer.confirm(f"Undo the steps of {one.name}?", abort=True, err=True)
    with migrations.stopping("down", one), migrations.running(one) as (runner, _):
        status = runner.down()
    migrations.print_status(one, status)
