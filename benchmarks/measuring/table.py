"""A table of figures, for the terminal and for the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under a title; the first cell of a row says what it is about."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def markdown(self) -> str:
        """The table as the documentation has it."""
        header = f"| {' | '.join(self.columns)} |"
        rule = f"|---|{'---:|' * (len(self.columns) - 1)}"
        rows = [f"| {' | '.join(row)} |" for row in self.rows]
        notes = [f"\n{note}" for note in self.notes]
        return "\n".join([f"**{self.title}**", "", header, rule, *rows, *notes])

    def text(self) -> str:
        """The table as the terminal has it, its columns aligned."""
        lines = [self.columns, *self.rows]
        widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
        aligned = [
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for number, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
            for line in lines
        ]
        return "\n".join([self.title, *(f"  {line.rstrip()}" for line in aligned), *self.notes])
