"""`singletable look`: the items of a table as they lie together."""

from __future__ import annotations

from typing import Annotated

import typer


def look(
    address: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS", help="Where the tables are, such as file:votes.db or dynamodb:."
        ),
    ],
    table: Annotated[
        str | None,
        typer.Argument(metavar="[TABLE]", help="Its name. Without one, the tables are listed."),
    ] = None,
    app: Annotated[
        str | None,
        typer.Option(
            "--app",
            metavar="APP",
            help="The module that declares the table, for the names and fields of its entities. "
            "Without it they are guessed.",
        ),
    ] = None,
    partition: Annotated[
        list[str] | None,
        typer.Option(
            "--partition", "-p", metavar="KEY", help="Only the items with this partition key."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, metavar="N", help="Read at most so many items.")
    ] = 100,
) -> None:
    """Print a table, partition by partition, as DynamoDB sorts it.

    What is printed was just read, and reading is what DynamoDB charges for: it ends after some
    items, says so, and says what it has consumed.
    """
    from rich.console import Console

    from singletable.cli.existing import connect_existing
    from singletable.cli.load import load_tables
    from singletable.cli.looking.kinds import Declared, Guessed
    from singletable.cli.looking.reading import Reading, describe
    from singletable.cli.looking.screen import show_items, show_tables

    declared = None if app is None else load_tables(app)
    console = Console(highlight=False)
    with connect_existing(address) as driver:
        if table is None:
            show_tables(console, driver)
            return
        described = describe(driver, table)
        kinds = Guessed(described) if declared is None else Declared.among(declared, table)
        show_items(console, Reading(driver, described, partition or (), limit), kinds)
