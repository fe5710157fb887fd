"""`singletable docs`: generate documentation of an app's entities and access patterns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable.cli.options import PatternApp
from singletable.errors import StaleDocs


def docs(
    app: PatternApp,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="A folder, in which README.md is written, or a file that ends in .md; diagrams "
            "are written beside it. Without it the text is printed.",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; exit with code 1 if the files are stale."),
    ] = False,
) -> None:
    """Write the entities, access patterns and item collections of an app as Markdown.

    The output depends only on the code, so you can commit and review it. --check, or check_docs()
    in a test, fails when it is stale.
    """
    from singletable.cli.app_loader import load_catalogs
    from singletable_design.docs_generator import check_docs, render_text, write_docs

    module, _ = load_catalogs(app)
    if check and output is None:
        raise typer.BadParameter(
            "--check compares existing files with the code. Add --output PATH.",
            param_hint="'--check'",
        )
    if output is None:
        typer.echo(render_text(module), nl=False)
        typer.echo("Diagrams are omitted; use --output PATH to write them.", err=True)
    elif check:
        try:
            check_docs(module, output)
        except StaleDocs as stale:
            typer.echo(f"singletable: {stale}", err=True)
            raise typer.Exit(1) from None
        typer.echo(f"{output}: up to date")
    else:
        for file in (changed := write_docs(module, output)):
            typer.echo(f"{file}: {'written' if file.exists() else 'removed'}")
        if not changed:
            typer.echo(f"{output}: up to date")
