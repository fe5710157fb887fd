"""`singletable explain`: what an access pattern sends, what comes back, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.written import pairs

if TYPE_CHECKING:
    from singletable.patterns import Pattern


def explain(
    app: Annotated[
        str,
        typer.Argument(
            metavar="APP", help="The module that declares access patterns, such as shop.patterns."
        ),
    ],
    pattern: Annotated[
        str,
        typer.Argument(metavar="PATTERN", help="Its code in the catalog, or its name in APP."),
    ],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ARGS]...",
            help="The values to call it with, each as its type is written; times as in ISO 8601. "
            "Write -- before one that begins with a dash.",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="ADDRESS",
            help="Where to ask, such as file:shop.db or dynamodb:. Without it, empty tables are "
            "made in memory.",
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="DECLARED=REAL", help="The real name of a declared table."),
    ] = None,
    consistent: Annotated[
        bool, typer.Option("--consistent", help="Read what stands there at the moment.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, metavar="N", help="Ask for at most so many items."),
    ] = None,
    scan: Annotated[
        bool, typer.Option("--scan", help="Run the pattern though it reads the whole table.")
    ] = False,
) -> None:
    """Show the exact requests of an access pattern, run it, and show what it found and consumed.

    Patterns that read are run. Those that write are explained only, and so are those that read a
    whole table, unless --scan says that it may be paid for.
    """
    from rich.console import Console

    from singletable.cli.explaining.asking import Asked, ask
    from singletable.cli.explaining.plan import show_plan
    from singletable.cli.explaining.screen import show_answer
    from singletable.cli.load import load_catalogues, load_pattern

    found = load_pattern(app, pattern)
    _, catalogs = load_catalogues(app)
    console = Console(highlight=False)
    asked = Asked.of(found, arguments or (), consistent=consistent, limit=limit)
    sizes = [one.sizes for one in catalogs if one.name == found.catalog]
    show_plan(console, found, sizes[0] if sizes else {})
    if why_not := _why_not(found, scan=scan):
        console.print(why_not)
        return
    answer = ask(asked, at, pairs("--name", name or ()))
    show_answer(console, answer, where=at)


def _why_not(pattern: Pattern, *, scan: bool) -> str | None:
    """Why a pattern is not run; None if it is."""
    from singletable.patterns import FeedPattern, ScanPattern, WritePattern

    if isinstance(pattern, WritePattern):
        return "Not run: explain changes nothing."
    if isinstance(pattern, FeedPattern):
        return "Not run: a feed is followed, not asked."
    if isinstance(pattern, ScanPattern) and not scan:
        return "Not run: it reads the whole table. Run it with --scan."
    return None
