"""`dynamodb-engine check`: find damage in a database file, and repair it into a new file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dynamodb_engine.engine.file_check import FileReport

_SHOWN = 100


def check(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The database file, such as votes.db.")
    ],
    repair: Annotated[
        Path | None,
        typer.Option(
            "--repair",
            metavar="NEW_FILE",
            help="Copy everything intact to a new file, rebuild its indexes, and write damaged "
            "items to NEW_FILE.lost.jsonl.",
        ),
    ] = None,
    accept_items: Annotated[
        bool,
        typer.Option(
            "--accept-items",
            help="With --repair: also keep damaged items if they can be decoded and "
            "have the right key.",
        ),
    ] = False,
) -> None:
    """Check a database file: its structure, and every item, index entry and change.

    The file is never changed, so you can check it while an engine uses it; --repair writes a new
    file. The exit code is 0 if everything is intact, 1 if there are problems, and 2 if the file
    cannot be checked.
    """
    from dynamodb_engine.addresses import local_file
    from dynamodb_engine.cli.progress import progress_bar
    from dynamodb_engine.engine.file_check import check_file
    from dynamodb_engine.errors import AddressError, StorageError
    from dynamodb_engine.values.text import pluralize

    if accept_items and repair is None:
        raise AddressError("--accept-items requires --repair.")
    path = local_file(file)
    if not path.exists():
        raise StorageError(f"There is no file '{path}'. Check the path.")
    if repair is None:
        with progress_bar("Checking") as show:
            report = check_file(path, show)
        _print_report(path, report)
        raise typer.Exit(1 if report.problems else 0)
    from dynamodb_engine.engine.file_repair import repair_file

    lost = Path(f"{repair}.lost.jsonl")
    with progress_bar("Repairing") as show:
        repaired = repair_file(
            path,
            repair,
            lost,
            accept_items=accept_items,
            on_progress=show,
        )
    typer.echo(
        f"Wrote {pluralize(repaired.kept, 'item')} and {pluralize(repaired.changes, 'change')} to "
        f"{repair}."
    )
    if repaired.accepted:
        typer.echo(f"{pluralize(repaired.accepted, 'item')} may be damaged.")
    if not repaired.lost:
        raise typer.Exit(0)
    where = f"; everything still readable is in {lost}" if lost.exists() else ""
    typer.echo(f"Not copied ({len(repaired.lost):,}){where}:")
    _print_lines(repaired.lost)
    raise typer.Exit(1)


def _print_report(path: Path, report: FileReport) -> None:
    from dynamodb_engine.values.text import escape_controls, pluralize

    for name, (count, size) in sorted(report.tables.items()):
        typer.echo(
            f"{escape_controls(name)}: {pluralize(count, 'item')}, {pluralize(size, 'byte')}"
        )
    typer.echo(f"change feed: {pluralize(report.changes, 'change')}")
    if report.in_use:
        typer.echo("The file is in use; this is its state at the start of the check.")
    if not report.problems:
        typer.echo(f"{typer.style('No problems', fg='green')} in {path}.")
        return
    heading = typer.style(pluralize(len(report.problems), "problem"), fg="red", bold=True)
    typer.echo(f"\n{heading} in {path}:")
    _print_lines([f"{problem.place}: {problem.what}" for problem in report.problems])
    typer.echo(
        "\nRestore the file from a backup, or copy everything intact to a new file:\n"
        f"  dynamodb-engine check {path} --repair repaired.db"
    )


def _print_lines(lines: list[str]) -> None:
    from dynamodb_engine.values.text import escape_controls

    for line in lines[:_SHOWN]:
        typer.echo(f"  {escape_controls(line)}")
    if len(lines) > _SHOWN:
        typer.echo(f"  and {len(lines) - _SHOWN:,} more")
