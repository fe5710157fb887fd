"""`singletable workbench`: models of NoSQL Workbench for DynamoDB, in and out."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from singletable.errors import StorageError

workbench = typer.Typer(
    help="Take models of NoSQL Workbench for DynamoDB in, and give them out.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="PATH", help="Write to this new file."),
]


@workbench.command("export")
def export_(
    app: Annotated[str, typer.Argument(help="The module that declares tables: shop.entities.")],
    name: Annotated[
        str | None, typer.Option("--name", help="What the model is called; the module otherwise.")
    ] = None,
    output: Output = None,
) -> None:
    """Write declared tables as a data model that NoSQL Workbench imports.

    Each entity is a facet, its keys called by their templates, with made-up sample data. Access
    patterns of catalogs in the module are listed in the model's description, and so is what a
    model has no place for.
    """
    from singletable.cli.load import load_module, load_tables
    from singletable.cli.new_file import write_new
    from singletable.patterns import PatternCatalog
    from singletable.workbench import export_model

    tables = load_tables(app)
    names = vars(load_module(app.partition(":")[0])).values()
    catalogs = [value for value in names if isinstance(value, PatternCatalog)]
    patterns = [str(pattern) for catalog in catalogs for pattern in catalog]
    exported = export_model(tables, name or app, datetime.now(), patterns)
    for note in exported.notes:
        typer.echo(f"Note: {note}", err=True)
    write_new(exported.text, output)


@workbench.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="The model, as NoSQL Workbench has exported it.")],
    output: Output = None,
) -> None:
    """Draft Python that declares the tables of a data model.

    Facets become entities. What the keys are made of is told by the sample data; a facet without
    any is drafted if its key aliases are templates, such as ORDER#{order_id}.
    """
    from rich.console import Console

    from singletable.cli.draft import show_found
    from singletable.cli.new_file import write_new
    from singletable.introspection import EntityHint, Sample, introspect
    from singletable.workbench import read_model

    try:
        text = file.read_bytes()
    except OSError as problem:
        raise StorageError(f"'{file}' cannot be read: {problem.strerror}.") from None
    made = introspect(
        [
            Sample(
                one.table,
                one.items,
                hints=[
                    EntityHint(facet.name, facet.items, facet.pk, facet.sk, facet.attributes)
                    for facet in one.facets
                ],
            )
            for one in read_model(text)
        ]
    )
    show_found(made, Console(stderr=True, highlight=False))
    write_new(made.source, output)
