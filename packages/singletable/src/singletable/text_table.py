"""Tables of texts, and CSV that no spreadsheet runs as formulas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

# Text that spreadsheets may run as a formula, even after spaces, quotes or invisible characters.
_SKIPPED = "[\\s\x00-\x1f\u200b-\u200f\u2060\ufeff'\"`]"
_SIGN = "[=+\\-@＝＋－＠]"
_FORMULA = re.compile(f"{_SKIPPED}*{_SIGN}|'*[\t\r\n]")
# Where semicolons separate cells, a cell can start inside another one, even in quotes.
_INNER_FORMULA = re.compile(f"(?<=[;\t\r\n])(?=(?:(?![\t\r\n]){_SKIPPED})*{_SIGN})")


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts; the first cell of a row names it.

    In a narrow terminal, the columns in `optional` are left out, the first one first. With
    `has_total`, the last row is the sum of the others. `notes` are texts below rows, by number.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    optional: tuple[str, ...] = ()
    has_total: bool = False
    notes: dict[int, str] = field(default_factory=dict[int, str])

    def is_number(self, column: int) -> bool:
        """Return whether a column has numbers only, which are aligned on the right."""
        return column > 0 and all(_is_number(row[column]) for row in self.rows)

    def without(self, column: str) -> TextTable:
        """Return the table without a column, if it has it."""
        kept = [number for number, name in enumerate(self.columns) if name != column]
        rows = tuple(tuple(row[number] for number in kept) for row in self.rows)
        columns = tuple(self.columns[number] for number in kept)
        optional = tuple(one for one in self.optional if one != column)
        return replace(self, columns=columns, rows=rows, optional=optional)


def format_csv(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as CSV, with an apostrophe before text that looks like a formula."""
    text = io.StringIO()
    # With this line terminator, csv also quotes carriage returns inside a cell.
    writer = csv.writer(text, lineterminator="\r\n")
    for row in (columns, *rows):
        writer.writerow([_escape(cell) if isinstance(cell, str) else cell for cell in row])
    return text.getvalue().replace("\r\n", "\n")


def _escape(text: str) -> str:
    escaped = _INNER_FORMULA.sub("'", text)
    return f"'{escaped}" if _FORMULA.match(text) else escaped


def _is_number(text: str) -> bool:
    """Return whether a cell is empty, or begins with a number."""
    return not text.strip("–") or text.lstrip("$+-−< ")[:1].isdigit()
