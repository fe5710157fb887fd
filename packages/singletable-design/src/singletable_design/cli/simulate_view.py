"""Print the report of a simulation."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from singletable.cli.output import print_text_table
from singletable_design.planning.simulation.report import SimulationReport


def print_simulation(console: Console, report: SimulationReport) -> None:
    """Print the summary and all tables."""
    style = "bold red" if report.result.throttled else "bold green"
    console.print(Text(report.summary, style=style))
    for table in report.tables():
        print_text_table(console, table)
    if report.notes:
        console.print()
    for note in report.notes:
        console.print(Text(note, style="dim"))
