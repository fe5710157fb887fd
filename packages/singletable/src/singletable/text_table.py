"""Tables of texts, and CSV that no spreadsheet runs as formulas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Text that spreadsheets may run as a formula, even after spaces, quotes or invisible characters.
_SKIPPED = "[\\s\x00-\x1f\u200b-\u200f\u2060\ufeff'\"`]"
_SIGN = "[=+\\-@＝＋－＠]"
_FORMULA = re.compile(f"{_SKIPPED}*{_SIGN}|'*[\t\r\n]")
# Where semicolons separate cells, a cell can start inside another one, even in quotes.
_INNER_FORMULA = re.compile(f"(?<=[;\t\r\n])(?=(?:(?![\t\r\n]){_SKIPPED})*{_SIGN})")


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts; the first cell of a row names it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


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
