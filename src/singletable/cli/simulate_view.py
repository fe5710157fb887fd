"""Print the report of a simulation."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from singletable.cli.output import escape_controls, print_trimmed
from singletable.planning.simulation.report import (
    SimulationReport,
    TextTable,
)

# Narrower terminals get each row as a paragraph.
_NARROW = 72


def print_simulation(console: Console, report: SimulationReport) -> None:
    """Print the summary and all tables."""
    style = "bold red" if report.result.throttled else "bold green"
    console.print(Text(report.summary, style=style))
    for table in report.tables():
        console.print()
        console.print(Text(table.title, style="bold"))
        if console.width < _NARROW:
            _print_paragraphs(console, table)
        else:
            _print_table(console, table)
    if report.notes:
        console.print()
    for note in report.notes:
        console.print(Text(note, style="dim"))


def _print_table(console: Console, table: TextTable) -> None:
    printed = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for number, column in enumerate(table.columns):
        is_number = number > 0 and all(row[number][:1] in "0123456789<–" for row in table.rows)
        printed.add_column(
            column,
            justify="right" if is_number else "left",
            overflow="fold",
            no_wrap=is_number,
            header_style="dim",
            style="" if number else "cyan",
        )
    for row in table.rows:
        printed.add_row(*(Text(escape_controls(cell)) for cell in row))
    print_trimmed(console, printed, indent=2)


def _print_paragraphs(console: Console, table: TextTable) -> None:
    for name, *cells in table.rows:
        line = Text(escape_controls(name), style="cyan")
        for column, cell in zip(table.columns[1:], cells, strict=True):
            line.append(" · ", style="dim").append(f"{column} ", style="dim")
            line.append(escape_controls(cell), style="default")
        print_trimmed(console, line, indent=2)
