"""`singletable migration`: write, list and run the migrations of an app."""

from __future__ import annotations

import typer

from singletable.cli.options import TableApp

app = typer.Typer(
    help="Write and run migrations: changes of tables and stored items, step by step.",
    no_args_is_help=True,
)


@app.command("list")
def list_migrations(app: TableApp) -> None:
    """List the migrations of an app with their steps.

    They are in the folder migrations beside the module, as 0001_name.py.
    """
    from singletable.cli.app_loader import load_module
    from singletable.migration.files import load_migrations, migrations_folder

    folder = migrations_folder(load_module(app))
    migrations = load_migrations(folder)
    if not migrations:
        typer.echo(f"There are no migrations in {folder}.")
    for migration in migrations:
        typer.echo(migration.name)
        for step in migration.steps:
            typer.echo(f"  {step!r}")
