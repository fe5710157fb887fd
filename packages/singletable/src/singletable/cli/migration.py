"""`singletable migration`: write, list and run the migrations of an app."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli import migration_commands as commands
from singletable.cli.options import Commands, OptionalAddress, SchemaApp, TableNames
from singletable.errors import MigrationError

if TYPE_CHECKING:
    from singletable.migration.applied import Applied

app = Commands(
    help="Write and run migrations: changes of tables and stored items, step by step.",
    no_args_is_help=True,
)


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


@app.command("list")
def list_migrations(
    app: SchemaApp, address: OptionalAddress = None, table_names: TableNames = None
) -> None:
    """List the migrations of an app with their steps, and whether they were applied.

    They are in the folder migrations beside the module, as 0001_name.py.
    """
    from singletable.cli.app_loader import load_schema
    from singletable.cli.output import shown_path
    from singletable.migration.migrations import load_migrations, migrations_folder

    module, _ = load_schema(app)
    folder = migrations_folder(module)
    migrations = load_migrations(folder)
    states, unknown = ({}, []) if address is None else _states(app, address, table_names)
    if not migrations:
        typer.echo(f"There are no migrations in {shown_path(folder)}.")
    for migration in migrations:
        state = states.get(migration.name, "") if migration.steps else "  no steps"
        typer.echo(f"{migration.name}{state}")
        for step in migration.steps:
            typer.echo(f"  {step.describe()}")
    for one in unknown:
        typer.echo(f"{one.name}  applied{_time(one.when)}, but there is no such file")


COMMANDS: Mapping[str, Callable[..., None]] = {
    "plan": commands.plan,
    "run": commands.run,
    "verify": commands.verify,
    "cut-over": commands.cut_over,
    "rollback": commands.rollback,
    "finish": commands.finish,
    "down": commands.down,
    "status": commands.status,
}
for command_name, command in COMMANDS.items():
    app.command(command_name)(commands.with_migrations(command))


def commands_of_app(module: str, about: str) -> typer.Typer:
    """Return the commands that run the migrations of one app, to add to its own command line.

    They take the addresses of the old and the new tables, SOURCE and TARGET, instead of the name
    of the module: `migrate run file:old.db file:new.db --dry-run`.
    """
    typed = typer.Typer(help=about, no_args_is_help=True)
    for name, function in COMMANDS.items():
        typed.command(name)(commands.with_migrations(function, module))
    return typed


def _states(
    app: str, address: str, table_names: list[str] | None
) -> tuple[dict[str, str], list[Applied]]:
    """Return the states of migrations as text, and migrations that are recorded without a file."""
    from singletable.cli.migration_view import PHASES

    with commands.open_migrations(
        app, address, table_names=table_names, may_be_empty=True
    ) as migrations:
        states, recorded = migrations.history.states(), migrations.history.recorded()
        applied = migrations.history.finished()
        texts: dict[str, str] = {}
        for name, state in states.items():
            if name in applied:
                texts[name] = f"  applied{_time(applied[name])}"
            elif state is not None and state.phase != "down":
                texts[name] = f"  {PHASES[state.phase]}"
            elif state is None and name in recorded:
                texts[name] = f"  applied{_time(recorded[name].when)}"
            else:
                texts[name] = "  not applied"
        return texts, [one for name, one in recorded.items() if name not in states]


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ", and its record was deleted"
    return datetime.fromtimestamp(seconds, UTC).strftime(" %Y-%m-%d %H:%M UTC")
