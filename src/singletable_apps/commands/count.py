"""`singletable count`: the ballots of a file, counted and explained."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class MethodName(StrEnum):
    """A way of counting."""

    SCHULZE = "schulze"
    RANKED_PAIRS = "ranked-pairs"
    RUNOFF = "runoff"
    COPELAND = "copeland"
    BORDA = "borda"
    PLURALITY = "plurality"
    ALL = "all"


class EqualRanksName(StrEnum):
    """What becomes of a ballot that names several where one is wanted."""

    SPLIT = "split"
    EXHAUST = "exhaust"
    EXHAUST_AT_ONCE = "exhaust-at-once"
    SKIP = "skip"


def count(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of ranked ballots.")],
    method: Annotated[
        MethodName, typer.Option("--method", "-m", help="How to count; all: one after another.")
    ] = MethodName.SCHULZE,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="The format of the file: cef, abif, preflib, csv, cvr … Without it, it is found "
            "out.",
        ),
    ] = None,
    contest: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which contest, if the file has several."),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Break ties in the order of SHA-256 over this text and the candidate's name. "
            "Without it, ties are reported.",
        ),
    ] = None,
    margins: Annotated[
        bool,
        typer.Option(
            "--margins",
            help="Schulze, Ranked Pairs: a victory is as strong as its lead, not as its votes.",
        ),
    ] = False,
    no_opinion: Annotated[
        bool,
        typer.Option(
            "--no-opinion",
            help="Schulze, Ranked Pairs, Copeland: to leave out a candidate says nothing. Without "
            "it, those left out stand last.",
        ),
    ] = False,
    equal_ranks: Annotated[
        EqualRanksName | None,
        typer.Option(
            help="Runoff, plurality: what becomes of a ballot that names several where one is "
            "wanted. Without it, it is split.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON: one, or a list of all.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FOLDER", help="Draw the count, as SVG files in a folder."),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="No colours and no drawn lines, as when the output is piped."),
    ] = False,
) -> None:
    """Count the ranked ballots of a file, and explain the result.

    Reads CEF, ABIF, PrefLib, CSV and cast vote records in JSON. Shows the places and why they are
    so, every number they came from, the rules that were used, and where each ballot went.
    """
    try:
        from singletable_apps.counting.terminal.run import Asked, run
    except ModuleNotFoundError as missing:
        if missing.name != "numpy":
            raise
        typer.echo("singletable: Counting needs NumPy: pip install 'singletable[apps]'.", err=True)
        raise typer.Exit(2) from None
    every = tuple(name.value for name in MethodName if name is not MethodName.ALL)
    asked = Asked(
        file=file,
        methods=every if method is MethodName.ALL else (method.value,),
        format=format_,
        contest=contest,
        seed=seed,
        margins=margins,
        no_opinion=no_opinion,
        equal_ranks=None if equal_ranks is None else equal_ranks.value,
        json=json,
        svg=svg,
        plain=plain,
    )
    refusal = run(asked)
    if refusal is not None:
        typer.echo(f"singletable: {refusal}", err=True)
        raise typer.Exit(2)
