"""`singletable explain`: show the requests, the items and the cost of an access pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.options import PatternApp, table_names

if TYPE_CHECKING:
    from singletable.patterns import Pattern


def explain(
    ctx: typer.Context,
    app: PatternApp,
    pattern: Annotated[
        str,
        typer.Argument(
            metavar="PATTERN", help="The code of the pattern, or its variable name in APP."
        ),
    ],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ARGS]...",
            help="The values to call the pattern with; times are in ISO 8601. Put -- before a "
            "value that begins with a dash.",
            show_default=False,
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="ADDRESS",
            help="Where the tables are, such as file:shop.db or dynamodb:. Without it, the pattern "
            "runs on empty tables in memory.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            metavar="N",
            help="Read at most N items; a pattern that reads a whole table is not run without it.",
        ),
    ] = None,
) -> None:
    """Run an access pattern and show its exact requests, its items and the consumed units.

    Patterns that write are explained but not run. Patterns that read a whole table are run only
    with --limit.
    """
    from rich.console import Console

    from singletable.cli.app_loader import load_catalogs, load_pattern
    from singletable.cli.explain_run import PatternCall, run_pattern
    from singletable.cli.explain_view import print_plan, print_result

    loaded = load_pattern(app, pattern)
    _, catalogs = load_catalogs(app)
    console = Console(highlight=False)
    call = PatternCall.parse(loaded, arguments or (), limit=limit)
    own = [catalog for catalog in catalogs if catalog.name == loaded.catalog]
    print_plan(console, loaded, own[0] if own else None)
    if reason := _why_not_run(loaded, has_limit=limit is not None):
        console.print(reason)
        return
    result = run_pattern(call, address, table_names(ctx))
    print_result(console, result, in_memory=address is None)


def _why_not_run(pattern: Pattern, *, has_limit: bool) -> str | None:
    """Return why a pattern is not run, or None if it is."""
    from singletable.patterns import FeedPattern, ScanPattern, WritePattern

    if isinstance(pattern, WritePattern):
        return "Not run: explain does not write."
    if isinstance(pattern, FeedPattern):
        return "Not run: explain does not read streams."
    if isinstance(pattern, ScanPattern) and not has_limit:
        return "Not run: it reads the whole table. Run it with --limit N."
    return None
