"""`singletable show`: print the items of a table by partition."""

from __future__ import annotations

from typing import Annotated

import typer

from singletable.cli.options import Address


def show(
    address: Address,
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]", help="The name of a table. Without it, the tables are listed."
        ),
    ] = None,
    app: Annotated[
        str | None,
        typer.Option(
            "--app",
            metavar="APP",
            help="The module that declares the table, to decode entities and fields. Without it "
            "they are guessed.",
        ),
    ] = None,
    partition: Annotated[
        list[str] | None,
        typer.Option(
            "--partition",
            "-p",
            metavar="KEY",
            help="Show only the items with this partition key. Repeat it for several.",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, metavar="N", help="Read at most N items.")
    ] = 100,
) -> None:
    """Print the items of a table, partition by partition in sort order.

    DynamoDB charges for what is read: the command stops at the limit, says so, and shows the read
    units it consumed.
    """
    from rich.console import Console

    from singletable.cli.app_loader import load_tables
    from singletable.cli.existing_tables import connect_existing, describe_existing
    from singletable.cli.show_items import DeclaredClassifier, GuessingClassifier, TableReader
    from singletable.cli.show_view import print_items, print_tables

    if app is not None:
        load_tables(app)  # before connecting
    console = Console(highlight=False)
    with connect_existing(address) as driver:
        if table is None:
            print_tables(console, driver)
            return
        described = describe_existing(driver, table)
        classifier = (
            GuessingClassifier(described)
            if app is None
            else DeclaredClassifier.from_app(app, table)
        )
        print_items(console, TableReader(driver, described, partition or (), limit), classifier)
