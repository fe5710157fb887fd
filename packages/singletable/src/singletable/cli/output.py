"""Write the output of commands: to files, and as text that is safe and easy to read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from singletable.errors import StorageError
from singletable.values.text import escape_controls as escape_controls
from singletable.values.text import format_key as format_key
from singletable.values.text import format_value as format_value
from singletable.values.text import pluralize as pluralize

if TYPE_CHECKING:
    from singletable.store import Progress
    from singletable.text_table import TextTable

# Narrower terminals get each row of a table as a paragraph.
_NARROW = 72
_INDENT = 2
_TEXT_WIDTH = 24  # longer texts are wrapped


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


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write the files of a report into a folder, which is created if it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"'{folder}' cannot be created: {error.strerror}.") from None
    for name, text in files.items():
        write_report(folder / name, text)


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
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda progress: None
        return
    from rich import progress as bars

    columns = (bars.TextColumn("{task.description}"), bars.BarColumn(), bars.MofNCompleteColumn())
    with bars.Progress(*columns, bars.TimeElapsedColumn(), console=console, transient=True) as bar:
        task = bar.add_task(description, total=None)
        yield lambda progress: bar.update(task, completed=progress.done, total=progress.total)


def print_text_table(console: Console, table: TextTable) -> None:
    """Print a table after an empty line and its title; on a narrow terminal, as paragraphs."""
    console.print()
    console.print(Text(table.title, style="bold"))
    # Columns are moved together before names are broken into letters.
    gap = next((gap for gap in (2, 1) if _least_width(table, gap) <= console.width), None)
    if console.width < _NARROW or gap is None:
        _print_paragraphs(console, table)
    else:
        _print_table(console, table, gap)


def _is_number(table: TextTable, column: int) -> bool:
    return column > 0 and all(row[column][:1] in "0123456789<–" for row in table.rows)


def _least_width(table: TextTable, gap: int) -> int:
    """Return the width that a table needs if long texts are wrapped."""
    width = _INDENT - gap
    for number, column in enumerate(table.columns):
        widest = max([len(column), *(len(row[number]) for row in table.rows)])
        width += gap + (widest if _is_number(table, number) else min(widest, _TEXT_WIDTH))
    return width


def _print_table(console: Console, table: TextTable, gap: int) -> None:
    printed = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0))
    for number, column in enumerate(table.columns):
        is_number = _is_number(table, number)
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
    print_trimmed(console, printed, indent=_INDENT)


def _print_paragraphs(console: Console, table: TextTable) -> None:
    for name, *cells in table.rows:
        line = Text(escape_controls(name), style="cyan")
        for column, cell in zip(table.columns[1:], cells, strict=True):
            line.append(" · ", style="dim").append(f"{column} ", style="dim")
            line.append(escape_controls(cell), style="default")
        print_trimmed(console, line, indent=_INDENT)
