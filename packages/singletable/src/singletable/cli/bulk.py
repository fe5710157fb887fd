"""`singletable bulk-load`: load a file of entities into the tables of an app."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli.options import Address, TableApp, table_names
from singletable.errors import InvalidValue

if TYPE_CHECKING:
    from singletable.schema import Model
    from singletable.store import LoadConflict, Progress


def bulk_load(
    ctx: typer.Context,
    app: TableApp,
    address: Address,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="JSON lines (.jsonl), or CSV (.csv) with the names of the fields in its first "
            "line.",
        ),
    ],
    entity: Annotated[
        str | None,
        typer.Option(
            "--entity",
            metavar="NAME",
            help='The entity of the lines. Without it, each line names its own: {"Issue": {…}}.',
        ),
    ] = None,
    skip_conflicts: Annotated[
        bool,
        typer.Option(
            "--skip-conflicts",
            help="Report items that differ from the stored ones, or whose unique values are taken, "
            "and go on.",
        ),
    ] = False,
) -> None:
    """Load a file of entities, with their unique values and counters.

    Items that are stored already are skipped: after an interruption, run the command again. Items
    that count others come before them. The exit code is 0 if all items are stored, 1 if some were
    left out because of conflicts, 2 after an error.
    """
    from singletable.cli.entity_files import EntityFile
    from singletable.cli.existing_tables import connect_existing, describe_existing
    from singletable.cli.output import progress_bar
    from singletable.cli.table import connect_tables
    from singletable.store import Store

    with connect_tables(app, address, table_names(ctx), connect_existing) as (driver, names):
        items = EntityFile(file, [m for table in names for m in _models(table)], entity)
        for name in names.values():
            describe_existing(driver, name)

        def report(conflict: LoadConflict) -> None:
            line = items.line_of(conflict.item)
            typer.echo(f"{file}, line {line}: {conflict.error}", err=True)
            if not skip_conflicts:
                raise InvalidValue(
                    "The load stopped at this conflict. Correct the line, or pass "
                    "--skip-conflicts; then run the command again: items that are stored already "
                    "are skipped."
                )

        with progress_bar("Loading") as show:

            def on_progress(progress: Progress) -> None:
                items.forget_lines()
                show(progress)

            store = Store(driver, tables=names)
            result = store.bulk_load(items, on_progress=on_progress, on_conflict=report)
    typer.echo(
        f"{result.written:,} written, {result.skipped:,} stored already, "
        f"{result.conflicts:,} in conflict."
    )
    raise typer.Exit(1 if result.conflicts else 0)


def _models(table: Any) -> list[Model]:
    from singletable.schema import model_of

    return [model_of(entity) for entity in table.entities]
