"""`singletable workbench`: import and export models of NoSQL Workbench for DynamoDB."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from singletable.cli.options import TableApp
from singletable.errors import StorageError

app = typer.Typer(
    help="Import and export models of NoSQL Workbench for DynamoDB.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)

Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="PATH", help="Write to this new file.")
]


@app.command("export")
def export_(
    app: TableApp,
    model_name: Annotated[
        str | None,
        typer.Option("--model-name", metavar="NAME", help="The name of the model; by default APP."),
    ] = None,
    output: Output = None,
) -> None:
    """Write declared tables as a data model for NoSQL Workbench.

    Each entity becomes a facet with generated sample data; its key templates are the aliases of
    the keys. The model's description lists the access patterns of the module and what the format
    cannot represent.
    """
    from singletable.cli.app_loader import load_module, load_tables
    from singletable.cli.output import write_output
    from singletable.patterns import PatternCatalog
    from singletable_design.workbench import export_model

    tables = load_tables(app)
    values = vars(load_module(app.partition(":")[0])).values()
    catalogs = [value for value in values if isinstance(value, PatternCatalog)]
    patterns = [str(pattern) for catalog in catalogs for pattern in catalog]
    exported = export_model(tables, model_name or app, datetime.now(), patterns)
    for note in exported.notes:
        typer.echo(f"Note: {note}", err=True)
    write_output(exported.text, output)


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A model exported by NoSQL Workbench.")],
    output: Output = None,
) -> None:
    """Write Python that declares the tables of a data model.

    Facets become entities, and their key templates are inferred from the sample data. A facet
    without sample data is imported if its key aliases are templates, such as ORDER#{order_id}.
    """
    from rich.console import Console

    from singletable.cli.output import write_output
    from singletable_design.cli.introspect import print_entities
    from singletable_design.introspection import EntityHint, TableSample, introspect
    from singletable_design.workbench import read_model

    try:
        text = file.read_bytes()
    except OSError as error:
        raise StorageError(f"'{file}' cannot be read: {error.strerror}.") from None
    result = introspect(
        [
            TableSample(
                table.table,
                table.items,
                hints=[
                    EntityHint(facet.name, facet.items, facet.pk, facet.sk, facet.attributes)
                    for facet in table.facets
                ],
            )
            for table in read_model(text)
        ]
    )
    print_entities(result, Console(stderr=True, highlight=False))
    write_output(result.source, output)
