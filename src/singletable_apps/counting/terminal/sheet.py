"""Headings, sentences and tables on a terminal; plain lines where there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from singletable_apps.counting.visible import visible

_WIDEST_NAME = 28
_PADDING = 3


class Sheet:
    """What is written on. Whatever is written is text, and never markup."""

    def __init__(self, console: Console, *, plain: bool) -> None:
        self._console = console
        self._plain = plain or not console.is_terminal

    def heading(self, words: str) -> None:
        """A line that begins something."""
        self._console.print()
        self._print(Text(visible(words), style="bold"))

    def say(self, words: str) -> None:
        """A sentence."""
        self._print(Text(visible(words)))

    def point(self, words: str) -> None:
        """A sentence in a list."""
        line = Text(f"- {visible(words)}")
        if self._plain:
            self._print(line)
            return
        grid = Table.grid(padding=(0, 1, 0, 0))
        grid.add_row("•", line[2:])
        self._console.print(grid)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Names in the first column, numbers in the others; one that wins (*, ✓) stands out."""
        shown = [[visible(cell) for cell in row] for row in (head, *rows)]
        if self._plain:
            for row in _padded(shown):
                self._print(Text("  ".join(row).rstrip()))
            return
        for part in _parts(shown, self._console.width):
            head, *body = _padded(part)
            table = Table(box=SIMPLE_HEAD, pad_edge=False)
            for name in head:
                table.add_column(Text(name, no_wrap=True))
            for row in body:
                table.add_row(*map(_cell, row))
            self._console.print(table)

    def _print(self, words: Text) -> None:
        self._console.print(words, soft_wrap=self._plain)


def _cell(words: str) -> Text:
    return Text(words, style="bold cyan" if words.endswith(("*", "✓")) else "", no_wrap=True)


def _padded(rows: list[list[str]]) -> list[list[str]]:
    """The rows with spaces that make columns: after names, before numbers."""
    wide = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        [
            cell + " " * (room - cell_len(cell))
            if at == 0
            else " " * (room - cell_len(cell)) + cell
            for at, (cell, room) in enumerate(zip(row, wide, strict=True))
        ]
        for row in rows
    ]


def _parts(rows: list[list[str]], room: int) -> Iterator[list[list[str]]]:
    """The table cut into tables that have room; each begins with the names."""
    names = [_short(row[0]) for row in rows]
    free = room - max(map(cell_len, names)) - _PADDING
    columns = list(zip(*(row[1:] for row in rows), strict=True))
    while columns:
        used = 0
        fitting = 0
        for column in columns:
            used += max(map(cell_len, column)) + _PADDING
            if used > free and fitting:
                break
            fitting += 1
        taken, columns = columns[:fitting], columns[fitting:]
        yield [[name, *cells] for name, *cells in zip(names, *taken, strict=True)]


def _short(name: str) -> str:
    text = Text(name)
    text.truncate(_WIDEST_NAME, overflow="ellipsis")
    return text.plain
