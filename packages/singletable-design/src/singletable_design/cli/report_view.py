"""Print a report on a terminal of any width."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from singletable.cli.output import escape_controls, pluralize, print_table, print_trimmed
from singletable.text_table import TextTable
from singletable_design.planning.report import Report, Sentences

_STYLES = {None: "bold", True: "bold green", False: "bold red"}


def print_report(console: Console, report: Report) -> None:
    """Print the summary, tables and sentences; pages also have charts and details."""
    first, *others = report.summary
    print_trimmed(console, Text(escape_controls(first), style=_STYLES[report.is_good]))
    for text in others:
        print_trimmed(console, Text(escape_controls(text)))
    for section in report.sections:
        shown = [one for one in section.parts if isinstance(one, TextTable | Sentences)]
        if shown:
            console.print()
            console.print(Text(section.title, style="bold"))
        for part in shown:
            if isinstance(part, TextTable):
                print_table(console, part)
            else:
                _print_sentences(console, part)


def _print_sentences(console: Console, sentences: Sentences) -> None:
    shown = sentences.texts[: sentences.most]
    for number, text in enumerate(shown, 1):
        _print_sentence(console, text, sentences.kind, number)
    if len(shown) < len(sentences.texts):
        more = pluralize(len(sentences.texts) - len(shown), "more suggestion")
        console.print(Text(f"{more}: --html and --json have all.", style="dim"))


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
