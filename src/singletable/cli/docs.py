"""`singletable docs`: the catalog of an app as documents that a person reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable.errors import StaleDocs


def docs(
    app: Annotated[
        str,
        typer.Argument(
            metavar="APP", help="The module that declares access patterns, such as shop.patterns."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="A folder, in which README.md is written, or a file that ends in .md; pictures "
            "lie beside it. Without it the text is printed.",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing: exit code 1 if what is there is stale."),
    ] = False,
) -> None:
    """Write the entities, access patterns and item collections of an app as Markdown.

    The text is the same for the same code, so that it can be committed and reviewed, and a test can
    tell when it is stale: check_docs() says the same as --check.
    """
    from singletable.cli.load import load_catalogues
    from singletable.docs_generator import check_docs, render_text, write_docs

    module, _ = load_catalogues(app)
    if check and out is None:
        raise typer.BadParameter(
            "--check compares documents that are there with the code. Say where they are: --output "
            "PATH.",
            param_hint="'--check'",
        )
    if out is None:
        typer.echo(render_text(module), nl=False)
        typer.echo("The pictures are left out; they are written with --output PATH.", err=True)
    elif check:
        try:
            check_docs(module, out)
        except StaleDocs as stale:
            typer.echo(f"singletable: {stale}", err=True)
            raise typer.Exit(1) from None
        typer.echo(f"{out}: up to date")
    else:
        for file in (changed := write_docs(module, out)):
            typer.echo(f"{file}: {'written' if file.exists() else 'removed'}")
        if not changed:
            typer.echo(f"{out}: up to date")
