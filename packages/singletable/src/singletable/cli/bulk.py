"""`singletable bulk-load` and `singletable delete-partition`: bulk work on the tables of an app."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli.options import Address, TableApp, TableNames
from singletable.errors import InvalidValue

if TYPE_CHECKING:
    from singletable.schema import Model, Selection
    from singletable.store import LoadConflict, Progress


def bulk_load(
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
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="jsonl|csv", help="The format of the file; by default its suffix."
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
    table_names: TableNames = None,
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

    with connect_tables(app, address, table_names, connect_existing) as (driver, names):
        items = EntityFile(file, format_, [m for table in names for m in _models(table)], entity)
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


def delete_partition(
    app: TableApp,
    address: Address,
    entity: Annotated[
        str, typer.Argument(metavar="ENTITY", help="An entity in the partition, such as Issue.")
    ],
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="VALUES...",
            help="The values of its partition key, and of its sort key to narrow the range.",
        ),
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count the items, and delete nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before deleting.")] = False,
    undeclared: Annotated[
        str,
        typer.Option(
            "--undeclared",
            metavar="raise|keep|delete",
            help="What to do with items of no declared entity.",
        ),
    ] = "raise",
    table_names: TableNames = None,
) -> None:
    """Delete all items of a partition, of all entities, with their unique values and counters.

    After an interruption, run the command again.
    """
    from singletable.cli.existing_tables import connect_existing, describe_existing
    from singletable.cli.output import pluralize, progress_bar
    from singletable.cli.table import connect_tables
    from singletable.store import Store

    with connect_tables(app, address, table_names, connect_existing) as (driver, names):
        models = {model.name: model for table in names for model in _models(table)}
        if entity not in models:
            raise InvalidValue(f"There is no entity {entity!r}. Entities: {', '.join(models)}.")
        selection = _parse_selection(models[entity], values)
        describe_existing(driver, names[models[entity].table])
        store = Store(driver, tables=names)
        choice: Any = undeclared
        if dry_run or not yes:
            with progress_bar("Counting") as show:
                counted = store.delete_partition(
                    selection, undeclared=choice, dry_run=True, on_progress=show
                )
            if dry_run:
                typer.echo(f"{pluralize(counted.deleted, 'item')} would be deleted.")
                return
            if not counted.deleted:
                typer.echo("There are no items to delete.")
                return
            typer.confirm(f"Delete {pluralize(counted.deleted, 'item')}?", abort=True)
        with progress_bar("Deleting") as show:
            result = store.delete_partition(selection, undeclared=choice, on_progress=show)
    kept = f" {pluralize(result.kept, 'item')} of no declared entity kept." if result.kept else ""
    typer.echo(f"{pluralize(result.deleted, 'item')} deleted.{kept}")


def _models(table: Any) -> list[Model]:
    from singletable.schema import model_of

    return [model_of(entity) for entity in table.entities]


def _parse_selection(model: Model, texts: list[str]) -> Selection[Any]:
    """Return the partition with these values, narrowed by those of the sort key."""
    from singletable.cli.explain_run import parse_argument
    from singletable.cli.output import pluralize
    from singletable.patterns.pattern import Parameter
    from singletable.schema import Partition

    names = [*model.key.pk_fields, *model.key.sk_fields]
    least = len(model.key.pk_fields)
    if not least <= len(texts) <= len(names):
        most = pluralize(len(names), "value")
        expected = most if least == len(names) else f"{least} to {most}"
        raise InvalidValue(
            f"{model.key} expects {expected} ({', '.join(names)}), but got {len(texts)}."
        )
    values = [
        parse_argument(Parameter(name, model.fields[name].annotation, None), text)
        for name, text in zip(names, texts, strict=False)
    ]
    partition: Any = Partition[Any, Any].of(model.entity, model.key, tuple(values[:least]))
    for value in values[least:]:
        partition = partition.eq(value)
    return partition  # type: ignore[no-any-return]
