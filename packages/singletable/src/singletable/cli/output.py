"""Write the output of commands: to files, and as text that is safe and easy to read."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from dynamodb_engine.values.text import escape_controls as escape_controls
from dynamodb_engine.values.text import format_key as format_key
from dynamodb_engine.values.text import format_value as format_value
from dynamodb_engine.values.text import pluralize as pluralize
from singletable.errors import StorageError

if TYPE_CHECKING:
    from singletable.store import Progress
    from singletable.text_table import TextTable

# Narrower terminals get each row of a table as a paragraph.
_NARROW = 72
_INDENT = 2
# Longer names of rows, and other texts, are wrapped.
_NAME_WIDTH = 18
_TEXT_WIDTH = 24


def write_output(text: str, path: Path | None, *, overwrite: bool = False) -> None:
    """Print the text, or write it to a file, which must be new unless `overwrite` is set."""
    if path is None:
        typer.echo(text, nl=not text.endswith("\n"))
        return
    try:
        with path.open("w" if overwrite else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise StorageError(
            f"'{path}' already exists and is not overwritten. Choose a new file."
        ) from None
    except OSError as error:
        raise StorageError(f"'{path}' cannot be written: {error.strerror}.") from None
    if not overwrite:
        typer.echo(f"Written to {path}.", err=True)


def write_report(path: Path, text: str) -> None:
    """Write a file, or replace it, and print its name."""
    write_output(text, path, overwrite=True)
    typer.echo(f"Written to {path}.", err=True)


def check_writable(*paths: Path | None) -> None:
    """Raise before a long run if a file could not be written at its end."""
    for path in paths:
        if path is None:
            continue
        if path.is_dir():
            raise StorageError(f"'{path}' cannot be written: it is a folder.")
        if not path.parent.is_dir():
            raise StorageError(f"'{path}' cannot be written: there is no folder '{path.parent}'.")


def shown_path(path: Path) -> Path:
    """Return the path relative to the current directory if it is inside, as people write it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def print_trimmed(console: Console, content: RenderableType, *, indent: int = 0) -> None:
    """Print without trailing blanks, which are in the way when lines are copied."""
    for line in console.render_lines(Padding(content, (0, 0, 0, indent)), pad=False):
        text = Text.assemble(*((part.text, part.style or "") for part in line))
        text.rstrip()
        console.print(text, soft_wrap=True)


@contextmanager
def progress_bar(description: str) -> Generator[Callable[[Progress], None]]:
    """Show a progress bar on standard error within the block, unless it is not a terminal."""
    from dynamodb_engine.cli.progress import progress_bar as bar

    with bar(description) as show:
        yield lambda progress: show(progress.done, progress.total)


def print_text_table(console: Console, table: TextTable) -> None:
    """Print a table after an empty line and its title."""
    console.print()
    console.print(Text(table.title, style="bold"))
    print_table(console, table, indent=_INDENT)


def print_table(console: Console, table: TextTable, *, indent: int = 0) -> None:
    """Print a table, without some of its optional columns or as paragraphs if it is too wide."""
    is_narrow = console.width < _NARROW and not table.optional
    # Columns are moved together before they are left out, and before names are broken.
    while (gap := _widest_gap(table, console.width - indent)) is None and table.optional:
        table = table.without(table.optional[0])
    if gap is None or is_narrow:
        _print_paragraphs(console, table, indent)
        return
    printed = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0))
    for number, column in enumerate(table.columns):
        is_number = table.is_number(number)
        printed.add_column(
            column,
            justify="right" if is_number else "left",
            overflow="fold",
            no_wrap=is_number,
            header_style="dim",
            style="" if number else "cyan",
        )
    for number, row in enumerate(table.rows):
        is_total = table.has_total and number == len(table.rows) - 1
        cells = (Text(escape_controls(cell)) for cell in row)
        printed.add_row(*cells, style="bold" if is_total else "")
        if note := table.notes.get(number):
            printed.add_row(Text(f"  {escape_controls(note)}", style="dim"))
    print_trimmed(console, printed, indent=indent)


def _widest_gap(table: TextTable, width: int) -> int | None:
    """Return the gap between columns with which a table fits, if long texts are wrapped."""
    needed = 0
    for number, column in enumerate(table.columns):
        widest = max([len(column), *(len(row[number]) for row in table.rows)])
        most = widest if table.is_number(number) else _TEXT_WIDTH if number else _NAME_WIDTH
        needed += min(widest, most)
    gaps = len(table.columns) - 1
    return next((gap for gap in (2, 1) if needed + gap * gaps <= width), None)


def _print_paragraphs(console: Console, table: TextTable, indent: int) -> None:
    for name, *cells in table.rows:
        line = Text(escape_controls(name), style="cyan")
        for column, cell in zip(table.columns[1:], cells, strict=True):
            if cell:
                line.append(" · ", style="dim").append(f"{column} ", style="dim")
                line.append(escape_controls(cell), style="default")
        print_trimmed(console, line, indent=indent)
