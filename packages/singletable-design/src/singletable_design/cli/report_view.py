"""Print a report on a terminal of any width."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from singletable.cli.output import escape_controls, pluralize, print_table, print_trimmed
from singletable.text_table import TextTable
from singletable_design.planning.report import Chart, Details, Part, Report, Sentences

_STYLES = {None: "bold", True: "bold green", False: "bold red"}


def print_report(console: Console, report: Report, *, show_how: bool = False) -> None:
    """Print the summary, tables and sentences; `show_how` adds how figures were computed."""
    first, *others = report.summary
    print_trimmed(console, Text(escape_controls(first), style=_STYLES[report.is_good]))
    for text in others:
        print_trimmed(console, Text(escape_controls(text)))
    for section in report.sections:
        shown = [one for one in section.parts if not isinstance(one, Chart)]
        shown = [one for one in shown if show_how or not isinstance(one, Details)]
        if shown:
            console.print()
            console.print(Text(section.title, style="bold"))
        for part in shown:
            _print_part(console, part, show_how=show_how)


def _print_part(console: Console, part: Part, *, show_how: bool) -> None:
    match part:
        case TextTable():
            print_table(console, part)
        case Sentences(texts, kind, most):
            shown = texts if show_how else texts[:most]
            for number, text in enumerate(shown, 1):
                _print_sentence(console, text, kind, number)
            if len(shown) < len(texts):
                more = pluralize(len(texts) - len(shown), "more suggestion")
                console.print(Text(f"{more}: --how, --html and --json have all.", style="dim"))
        case Details(title, texts):
            console.print(Text(escape_controls(title), style="bold dim"))
            for text in texts:
                print_trimmed(console, Padding(Text(escape_controls(text)), (0, 0, 0, 2)))
        case Chart():
            pass


def _print_sentence(console: Console, text: str, kind: str, number: int) -> None:
    if kind == "note":
        print_trimmed(console, Text(escape_controls(text), style="dim"))
        return
    mark = {"numbered": f"{number}.", "warning": "!"}.get(kind, "-")
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(mark, Text(escape_controls(text), style="red" if kind == "warning" else ""))
    print_trimmed(console, grid)
