"""`singletable migration plan`, `run`, `verify`, `cut-over` and so on: change tables in use."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from singletable.cli.options import Address, SchemaApp, TableNames, parse_table_names
from singletable.errors import MigrationError

if TYPE_CHECKING:
    from dynamodb_engine.operations import Driver
    from singletable.cli.migration_view import MigrationProgress
    from singletable.migration.history import MigrationHistory
    from singletable.migration.migrations import Migration
    from singletable.migration.rehearsal import DryRun
    from singletable.migration.runner import MigrationRunner, Status
    from singletable.schema import Table


class Changes(Enum):
    """How changes during a copy are found."""

    STREAM = "stream"
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
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")]
AcceptLoss = Annotated[
    bool,
    typer.Option(
        "--accept-loss", help="Go on although changes are lost that cannot be carried over."
    ),
]
OutputFormat = Annotated[Format, typer.Option("--format", help="How to print the result.")]


# The migrations of an app at an address


@dataclass(frozen=True)
class AppMigrations:
    """The migrations of an app as a command names them, and their history."""

    app: str
    address: str
    to: str | None
    # The option --migration.
    name: str | None
    table_names: list[str] | None
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
    def trying(self, migration: Migration, segments: int) -> Generator[dict[str, Any]]:
        """Yield the arguments of a dry run or an estimate, and show its progress meanwhile."""
        from singletable.cli.migration_view import MigrationProgress

        located = self.history.located(migration)
        with MigrationProgress() as progress:
            yield {
                "migration": migration,
                "source": located.source,
                "target": located.target,
                "tables": located.tables,
                "segments": segments,
                "on_progress": progress.show,
            }

    @contextmanager
    def running(
        self, migration: Migration, **options: Any
    ) -> Generator[tuple[MigrationRunner, MigrationProgress]]:
        """Yield the runner of a migration, and show its progress meanwhile."""
        from singletable.cli.migration_view import MigrationProgress

        progress = MigrationProgress()
        runner = self.history.runner(migration, on_progress=progress.show, **options)
        progress.consumed = lambda: runner.consumed_units
        with progress:
            yield runner, progress

    @contextmanager
    def stopping(self, command: str, migration: Migration, rate: float | None) -> Generator[None]:
        """End with the command that continues after Ctrl-C."""
        try:
            yield
        except KeyboardInterrupt:
            limit = () if rate is None else ("--rate", f"{rate:g}")
            text = self.command(command, *limit, migration=migration)
            typer.echo(f"Stopped at a checkpoint. Continue with: {text}", err=True)
            raise typer.Exit(130) from None

    def command(self, command: str, *options: str, migration: Migration | None = None) -> str:
        """Return a command for the same app and address, as text to copy."""
        words = ["singletable", "migration", command, self.app, self.address]
        words += [] if self.to is None else ["--to", self.to]
        words += [] if migration is None else ["--migration", migration.name]
        for pair in self.table_names or ():
            words += ["--table-name", pair]
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


@contextmanager
def open_migrations(
    app: str,
    address: str,
    to: str | None = None,
    name: str | None = None,
    table_names: list[str] | None = None,
    *,
    creates: bool = False,
    may_be_empty: bool = False,
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
    if not migrations and not may_be_empty:
        raise MigrationError(
            f"There are no migrations to run in {shown_path(folder)}. Draft one with: singletable "
            f"migration new {app} NAME"
        )
    names = _real_names(migrations, tables, parse_table_names(table_names))
    to = None if to == address else to
    with connect_existing(address) as source:
        _check_connection(source, next(iter(names.values())))
        if to is None:
            history = MigrationHistory(migrations, source, source, names)
            yield AppMigrations(app, address, to, name, table_names, history)
            return
        kind, _, path = to.partition(":")
        is_missing = kind == "file" and path and not file_path(path).exists()
        with connect("memory:" if is_missing and not creates else to) as target:
            _check_connection(target, next(iter(names.values())))
            history = MigrationHistory(migrations, source, target, names)
            yield AppMigrations(app, address, to, name, table_names, history)


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


_Source = Annotated[
    str,
    typer.Argument(metavar="SOURCE", help="Where the old tables are, such as file:old.db."),
]
_Target = Annotated[
    str,
    typer.Argument(metavar="TARGET", help="Where the new tables are; it may be the same address."),
]


def with_migrations(
    function: Callable[..., None], module: str | None = None
) -> Callable[..., None]:
    """Return a command with the arguments that all commands of migrations share.

    The function gets AppMigrations instead. With `module` the command is for that app, and takes
    the addresses of the old and the new tables as arguments.
    """

    @wraps(function)
    def command(*, migration: str | None, table_names: list[str] | None, **options: Any) -> None:
        app = module or options.pop("app")
        address = options.pop("address" if module is None else "source")
        to = options.pop("to" if module is None else "target")
        # Only `run` writes to new tables; with --limit, it needs --dry-run.
        creates = function is run and not options["dry_run"] and options["limit"] is None
        with open_migrations(
            app, address, to, migration, table_names, creates=creates
        ) as migrations:
            function(migrations, **options)

    first: dict[str, Any] = {"source": _Source, "target": _Target}
    if module is None:
        first = {"app": SchemaApp, "address": Address}
    hints = get_type_hints(function, include_extras=True)
    _, *own = signature(function).parameters.values()
    parameters = [
        *(_parameter(name, hint) for name, hint in first.items()),
        *([] if module is not None else [_parameter("to", To, None)]),
        _parameter("migration", Name, None),
        *(one.replace(annotation=hints[one.name]) for one in own),
        _parameter("table_names", TableNames, None),
    ]
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _parameter(name: str, hint: object, default: object = Parameter.empty) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=hint, default=default)


# Commands


def plan(
    migrations: AppMigrations,
    *,
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
) -> None:
    """Estimate what a migration reads, writes, costs and takes, before it is run.

    Runs the steps on a sample of the items in memory, and nothing on the tables. Without
    --migration, all pending migrations up to the first copy. The exit code is 0, or 2 after an
    error.
    """
    from singletable.cli.migration_view import plan_lines, print_results
    from singletable.migration.rehearsal import MigrationPlan, estimate
    from singletable.prices import region_prices

    prices = region_prices()
    if price_read is not None:
        prices = prices.with_amounts({"on_demand_read": price_read})
    if price_write is not None:
        prices = prices.with_amounts({"on_demand_write": price_write})
    plans: list[MigrationPlan] = []
    for one in migrations.selected():
        with migrations.trying(one, segments) as options:
            plans.append(estimate(**options, rate=rate, prices=prices, sample_size=sample))
    if not plans and format_ is Format.TEXT:
        typer.echo("All migrations are finished.")
    print_results(plans, plan_lines, as_json=format_ is Format.JSON)


def run(
    migrations: AppMigrations,
    *,
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
    if limit is not None and not dry_run:
        raise typer.BadParameter("Use it with --dry-run.", param_hint="'--limit'")
    selected = migrations.selected()
    if not selected:
        typer.echo("All migrations are finished.")
    for earlier in migrations.history.pending_before(selected[0]) if migrations.name else ():
        typer.echo(f"singletable: {earlier.name} comes first, and is not finished.", err=True)
    for place, one in enumerate(selected):
        if dry_run and place:
            text = "is tried on the items as they are now, without what comes before it"
            typer.echo(f"singletable: {one.name} {text}.", err=True)
        if dry_run:
            _try(migrations, one, limit, segments)
        else:
            _run(migrations, one, rate, segments, changes, follow=follow)


def _try(migrations: AppMigrations, migration: Migration, limit: int | None, segments: int) -> None:
    from singletable.migration.rehearsal import dry_run

    with migrations.trying(migration, segments) as options:
        result = dry_run(**options, limit=limit)
    _print_dry_run(result)


def _print_dry_run(result: DryRun) -> None:
    from singletable.cli.migration_view import dry_run_lines, print_results

    print_results([result], dry_run_lines)
    if not result.ok:
        raise typer.Exit(1)


def _run(
    migrations: AppMigrations,
    migration: Migration,
    rate: float | None,
    segments: int,
    changes: Changes,
    *,
    follow: bool,
) -> None:
    options: dict[str, Any] = {"rate": rate, "segments": segments, "changes": changes.value}
    with migrations.stopping("run", migration, rate):
        with migrations.running(migration, **options) as (runner, _):
            status = runner.run()
        migrations.print_status(migration, status)
        if follow and migration.copy is not None:
            typer.echo("Carrying changes over. Press Ctrl-C to stop.", err=True)
            with migrations.running(migration, **options) as (runner, progress):
                runner.follow(lambda: progress.is_stopping)
            migrations.print_status(migration, runner.status())


def verify(
    migrations: AppMigrations,
    *,
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
) -> None:
    """Verify that all items are as a migration should have left them.

    Until the cut-over the new table is compared with the old ones, then the other way round. The
    application may write meanwhile: differences are looked at again before they are reported.
    Without --migration, the one that is in progress, or the last one. The exit code is 0 if all
    is well or repaired, 1 if there are differences, 2 after an error.
    """
    from singletable.cli.migration_view import print_results, verification_lines
    from singletable.cli.output import pluralize
    from singletable.migration.runner import verify as verify_migration

    def confirm(count: int) -> bool:
        progress.hide()
        return yes or typer.confirm(
            f"Delete {pluralize(count, 'item')} that should not be in the table?", err=True
        )

    one = migrations.current()
    with migrations.running(one, rate=rate, segments=segments) as (runner, progress):
        reports = verify_migration(
            runner, sample=sample, seed=seed, repair=repair, confirm_deletion=confirm
        )
    if format_ is Format.TEXT:
        typer.echo(one.name)
        if not reports:
            typer.echo("  No step is done yet, so there is nothing to verify.")
    print_results(reports, verification_lines, as_json=format_ is Format.JSON)
    if not all(report.ok for report in reports):
        raise typer.Exit(1)


def cut_over(migrations: AppMigrations) -> None:
    """Switch to the new table.

    Carries the last changes over first. Writes of applications on SwitchingDriver wait meanwhile;
    stop others before, and start them with the new table. The old tables are kept up to date, if
    the copy has back=…, until you finish. The exit code is 0, or 2 after an error.
    """
    one = migrations.current(copy=True)
    with migrations.running(one) as (runner, _):
        status = runner.cut_over()
    migrations.print_status(one, status)


def rollback(migrations: AppMigrations, *, accept_loss: AcceptLoss = False) -> None:
    """Switch back to the old tables.

    Carries changes since the cut-over back first. The migration can be run again later. The exit
    code is 0, or 2 after an error.
    """
    one = migrations.current(copy=True)
    with migrations.running(one) as (runner, _):
        status = runner.rollback(accept_loss=accept_loss)
    migrations.print_status(one, status)


def finish(
    migrations: AppMigrations,
    *,
    drop_old: Annotated[
        bool, typer.Option("--drop-old", help="Delete the old tables with all their items.")
    ] = False,
    accept_loss: AcceptLoss = False,
    yes: Yes = False,
) -> None:
    """End a copy after the cut-over, and stop updating the old tables.

    After this there is no rollback. The exit code is 0, 1 if you did not confirm, 2 after an
    error.
    """
    from singletable.cli.migration_view import count_items

    one, history = migrations.current(copy=True), migrations.history
    phase = history.runner(one).phase()
    if drop_old and not yes and one.copy is not None and phase in ("cut-over", "finished"):
        counts = [count_items(history.source, history.name_of(table)) for table in one.copy.sources]
        if tables := ", ".join(text for text in counts if text):
            typer.confirm(f"Delete {tables} with all items?", abort=True, err=True)
    with migrations.running(one) as (runner, _):
        status = runner.finish(drop_old=drop_old, accept_loss=accept_loss)
    migrations.print_status(one, status)


def down(
    migrations: AppMigrations,
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Try it on all items, and write nothing.")
    ] = False,
    yes: Yes = False,
    rate: Rate = None,
    segments: Segments = 4,
) -> None:
    """Undo the steps of the last migration, in reverse order.

    Nothing is changed if one of them cannot be undone; a copy is undone with rollback. If the
    command fails or is interrupted, the next one continues with the same migration. The exit code
    is 0, 1 if you did not confirm or a dry run found items that would fail, 2 after an error, 130
    after Ctrl-C.
    """
    one = migrations.current()
    for later in migrations.history.applied_after(one):
        typer.echo(f"singletable: {later.name} comes later, and is not undone.", err=True)
    if dry_run:
        _try_down(migrations, one, segments)
        return
    if not yes:
        typer.confirm(f"Undo the steps of {one.name}?", abort=True, err=True)
    with (
        migrations.stopping("down", one, rate),
        migrations.running(one, rate=rate, segments=segments) as (runner, _),
    ):
        status = runner.down()
    migrations.print_status(one, status)


def _try_down(migrations: AppMigrations, migration: Migration, segments: int) -> None:
    from singletable.migration.rehearsal import dry_run_down

    steps = migrations.history.runner(migration).steps_to_undo()
    with migrations.trying(migration, segments) as options:
        result = dry_run_down(steps=steps, **options)
    _print_dry_run(result)


def status(migrations: AppMigrations, *, format_: OutputFormat = Format.TEXT) -> None:
    """Show the progress of an app's migrations. The exit code is 0, or 2 after an error."""
    from singletable.cli.migration_view import print_status, to_json

    history = migrations.history
    chosen = history.migrations if migrations.name is None else [history.named(migrations.name)]
    found = [history.status(one) for one in chosen]
    if format_ is Format.JSON:
        typer.echo(to_json(found))
    else:
        print_status(found)
