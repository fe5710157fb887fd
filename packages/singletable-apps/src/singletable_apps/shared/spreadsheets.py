"""Spreadsheets that people upload and download: CSV and XLSX, read and written as text tables.

Uploads are read with limits. Downloads contain no formulas, whatever text people have entered: a
spreadsheet would run `=HYPERLINK(…)` in a CSV file.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from io import BytesIO, StringIO
from itertools import chain, islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from ranked_ballots.text import escape_formula, unescape_formula
from singletable_apps.shared.archives import ArchiveError, open_zip
from singletable_apps.shared.errors import AppError

# openpyxl takes a tenth of the start of an app, so it is imported with the first XLSX file.
if TYPE_CHECKING:
    from openpyxl.styles import Font

Format = Literal["csv", "xlsx"]
Cell = str | int | float | bool | date | datetime | None
MEDIA_TYPES: dict[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
# What a cell contains if its formula failed.
FORMULA_ERRORS = frozenset(
    ["#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#SPILL!", "#CALC!"]
)
_DELIMITERS = ",;\t"
# Blank rows count, too.
_MAX_ROW_NUMBER = 200_000
# Packed XML of a real sheet is rarely a fiftieth of its size.
_MAX_RATIO = 250
_CHUNK = 1 << 16
# XML 1.0 cannot contain these, not even escaped; openpyxl rejects only some of them.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class SpreadsheetError(AppError):
    """The file cannot be read as a table. `row` and `column` say where, if it is one place."""

    def __init__(self, message: str, row: int | None = None, column: str = "") -> None:
        super().__init__(message)
        self.row = row
        self.column = column


@dataclass(frozen=True, slots=True)
class TableLimits:
    """The largest table that is read."""

    rows: int = 50_000
    columns: int = 100
    cell: int = 10_000
    # With the blank ones, which may reach to column XFD in every row.
    cells: int = 10_000_000
    file_bytes: int = 15_000_000
    unpacked_bytes: int = 100_000_000


class TableRow(NamedTuple):
    """A row with its number in the spreadsheet, and as many values as the table has columns."""

    number: int
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The headings and the rows that are not blank. Dates, numbers and booleans are text.

    Dates are written as in ISO 8601, numbers with a point, booleans as `true` and `false`.
    """

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    heading_row: int = 1


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of a workbook: its rows that are not blank, as text, with their numbers."""

    name: str
    rows: tuple[tuple[int, Sequence[str]], ...]


# ------------------------------------------------------------------------------ read


def read_table(
    data: bytes,
    *,
    limits: TableLimits | None = None,
    is_heading: Callable[[Sequence[str]], bool] = any,
) -> Table:
    """Read the table in a CSV or XLSX file; the content says which of the two it is.

    The first row that is not blank has the headings; with `is_heading`, the first one for which it
    returns True, and the rows above are skipped. Of an XLSX file, the first sheet is read, and of a
    formula the result that was saved with it.
    """
    limits = limits or TableLimits()
    if len(data) > limits.file_bytes:
        raise SpreadsheetError(f"The file is larger than {_megabytes(limits.file_bytes)}.")
    if data.startswith(b"PK\x03\x04"):
        rows = ((number, values) for _, number, values in _xlsx_rows(data, limits, sheets=1))
        return _make_table(rows, limits, is_heading)
    if data.startswith((b"\xd0\xcf\x11\xe0", b"%PDF", b"PK")):
        raise SpreadsheetError("This is not a CSV or XLSX file. Save it as one of these.")
    return _make_table(_csv_rows(decode_text(data), limits), limits, is_heading)


def read_sheets(data: bytes, *, limits: TableLimits | None = None) -> list[Sheet]:
    """Read the visible sheets of an XLSX file, wherever the table is."""
    limits = limits or TableLimits()
    if len(data) > limits.file_bytes:
        raise SpreadsheetError(f"The file is larger than {_megabytes(limits.file_bytes)}.")
    found: dict[str, list[tuple[int, Sequence[str]]]] = {}
    for name, number, values in _xlsx_rows(data, limits):
        rows = found.setdefault(name, [])
        if any(values):
            rows.append((number, values))
        if len(rows) > limits.rows:
            text = f"Use at most {limits.rows:,} rows. Split the file, and upload the parts."
            raise SpreadsheetError(text, number)
    return [Sheet(name, tuple(rows)) for name, rows in found.items()]


def _make_table(
    rows: Iterable[tuple[int, Sequence[str]]],
    limits: TableLimits,
    is_heading: Callable[[Sequence[str]], bool],
) -> Table:
    columns: tuple[str, ...] = ()
    heading_row = 1
    found: list[TableRow] = []
    for number, values in rows:
        if number > _MAX_ROW_NUMBER:
            text = f"Move the table up: nothing is read below row {_MAX_ROW_NUMBER:,}."
            raise SpreadsheetError(text, number)
        if not any(values):
            continue
        width = len(values)
        while not values[width - 1]:
            width -= 1
        if width > limits.columns:
            raise SpreadsheetError(f"Use at most {limits.columns} columns.", number)
        if len(max(values, key=len)) > limits.cell:
            _reject_long_cell(number, values, limits)
        if not columns:
            if is_heading(values):
                columns, heading_row = _check_headings(number, values[:width]), number
            continue
        if width > len(columns):
            letter = _column_letter(width)
            raise SpreadsheetError(
                f"Row {number} has a value in column {letter}, which has no heading. Put text that "
                "contains the separator in quotes, or add a heading.",
                number,
                letter,
            )
        if len(found) == limits.rows:
            raise SpreadsheetError(
                f"Use at most {limits.rows:,} rows. Split the file, and upload the parts.", number
            )
        padding = ("",) * (len(columns) - len(values))
        found.append(TableRow(number, (*values[: len(columns)], *padding)))
    if not columns:
        raise SpreadsheetError(
            "The file is empty. The first row must have the headings."
            if is_heading is any
            else "No row has the headings of this table."
        )
    return Table(columns, tuple(found), heading_row)


def _check_headings(number: int, values: Sequence[str]) -> tuple[str, ...]:
    headings = tuple(" ".join(value.split()) for value in values)
    seen: dict[str, int] = {}
    for place, heading in enumerate(headings, 1):
        first = seen.setdefault(heading.casefold(), place)
        if heading and first != place:
            raise SpreadsheetError(
                f"Columns {_column_letter(first)} and {_column_letter(place)} have the same "
                f"heading, “{heading[:50]}”. Rename one of them.",
                number,
                _column_letter(place),
            )
    return headings


def _reject_long_cell(number: int, values: Sequence[str], limits: TableLimits) -> None:
    [place, *_] = [place for place, value in enumerate(values, 1) if len(value) > limits.cell]
    letter = _column_letter(place)
    raise SpreadsheetError(
        f"Row {number}, column {letter}: use at most {limits.cell:,} characters in a cell.",
        number,
        letter,
    )


def decode_text(data: bytes) -> str:
    """Return the text of a file in UTF-8, UTF-16 with a byte order mark, or Windows-1252."""
    encodings = ["utf-8-sig", "cp1252"]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif b"\0" in data:
        raise SpreadsheetError("This is not a text file. Save it as CSV with UTF-8, or as XLSX.")
    broken: UnicodeDecodeError | None = None
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            broken = broken or error
    assert broken is not None
    row = data.count(b"\n", 0, broken.start) + 1
    raise SpreadsheetError(
        f"Line {row} has characters in an unknown encoding. Save the file as CSV with UTF-8.", row
    ) from broken


def _csv_rows(text: str, limits: TableLimits) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=_detect_delimiter(text), strict=True)
    number = cells = 0
    while True:
        number += 1
        try:
            values = next(reader, None)
        except csv.Error as error:
            raise SpreadsheetError(
                f"Row {number} is not valid CSV. Check its quotes: one may be missing, or must be "
                "doubled.",
                number,
            ) from error
        if values is None:
            return
        cells += len(values)
        _check_cells(cells, number, limits)
        yield number, [unescape_formula(value.strip()).strip() for value in values]


def _detect_delimiter(text: str) -> str:
    """Return the delimiter that splits most of the first rows into the same number of columns.

    The first of them may be a title.
    """

    def quality(delimiter: str) -> tuple[int, int]:
        reader = csv.reader(text[:_CHUNK].splitlines()[:20], delimiter=delimiter)
        try:
            widths = [len(row) for row in reader if row]
        except csv.Error:
            return 0, 0
        counts = Counter(width for width in widths if width > 1)
        return max(((count, width) for width, count in counts.items()), default=(0, 0))

    return max(_DELIMITERS, key=quality)


def _xlsx_rows(
    data: bytes, limits: TableLimits, *, sheets: int | None = None
) -> Iterator[tuple[str, int, Sequence[str]]]:
    """Yield the rows of the first `sheets`, or of all that are visible, with the name of each."""
    from openpyxl import load_workbook

    _check_archive(data, limits)
    try:
        book = load_workbook(BytesIO(data), read_only=True, data_only=True, keep_links=False)
        if not book.worksheets:
            raise SpreadsheetError("The file has no sheet.")
        visible = [each for each in book.worksheets if each.sheet_state == "visible"]
        cells = 0
        for chosen in book.worksheets[:sheets] if sheets else visible or book.worksheets:
            # The file may declare another size than it has.
            chosen.reset_dimensions()
            for number, values in enumerate(chosen.iter_rows(values_only=True), 1):
                cells += len(values)
                _check_cells(cells, number, limits)
                # Formatted but blank cells may reach to column XFD.
                is_wide = any(value is not None for value in values[limits.columns :])
                shown = values if is_wide else values[: limits.columns]
                yield str(chosen.title), number, [_to_text(value) for value in shown]
    except SpreadsheetError:
        raise
    # openpyxl trusts the file: a broken one fails with any error.
    except Exception as error:
        raise SpreadsheetError(
            "This XLSX file is damaged. Open it in a spreadsheet, and save it again."
        ) from error


def _check_cells(cells: int, number: int, limits: TableLimits) -> None:
    if cells > limits.cells:
        text = f"There are more than {limits.cells:,} cells, blank ones included."
        raise SpreadsheetError(f"{text} Copy the table to a new file.", number)


def _check_archive(data: bytes, limits: TableLimits) -> None:
    """Raise SpreadsheetError unless the file unpacks to a reasonable size.

    Python stops unpacking at the size that the archive declares, so this size is the limit.
    """
    try:
        with open_zip(data) as archive:
            members = archive.infolist()
    except ArchiveError as error:
        raise SpreadsheetError("This XLSX file is damaged. Save it again.") from error
    if "[Content_Types].xml" not in {each.filename for each in members}:
        raise SpreadsheetError("This is not a spreadsheet but another kind of zip file.")
    is_bomb = any(
        each.file_size > 1_000_000 and each.file_size > _MAX_RATIO * each.compress_size
        for each in members
    )
    if is_bomb or sum(each.file_size for each in members) > limits.unpacked_bytes:
        raise SpreadsheetError(
            f"Unpacked, the file is larger than {_megabytes(limits.unpacked_bytes)}, or its "
            "content repeats endlessly. Copy the table to a new file."
        )


def _to_text(value: object) -> str:
    match value:
        case None:
            return ""
        case str():
            return value.strip()
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case date() | time():
            return value.isoformat()
        case _:
            return str(value)


def _column_letter(number: int) -> str:
    """Return the name of a column: A for 1, Z for 26, AA for 27."""
    letters = ""
    while number:
        number, last = divmod(number - 1, 26)
        letters = chr(ord("A") + last) + letters
    return letters


def _megabytes(size: int) -> str:
    return f"{size // 1_000_000} MB"


# ------------------------------------------------------------------------------ write


def write_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    format: Format,  # noqa: A002
) -> Iterator[bytes]:
    """Yield a CSV or XLSX file in parts; of CSV, each part as soon as its rows are there.

    Numbers and dates are typed in XLSX. Times are in UTC.
    """
    return _write_csv(columns, rows) if format == "csv" else _write_xlsx(columns, rows)


def _write_csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[bytes]:
    buffer = StringIO()
    writer = csv.writer(buffer)
    # Without the byte order mark, Excel reads another encoding.
    buffer.write("\ufeff")
    writer.writerow([escape_formula(each) for each in columns])
    for row in rows:
        writer.writerow(
            [escape_formula(_to_text(each)) if _is_text(each) else each for each in row]
        )
        if buffer.tell() >= _CHUNK:
            yield buffer.getvalue().encode(errors="replace")
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode(errors="replace")


def _is_text(value: Cell) -> bool:
    return isinstance(value, bool) or not isinstance(value, (int, float))


def _write_xlsx(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[bytes]:
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Table")
    sheet.freeze_panes = "A2"
    rows = iter(rows)
    first = list(islice(rows, 100))
    for place, heading in enumerate(columns):
        lengths = [len(str(row[place])) + 2 for row in first if place < len(row)]
        width = min(60, max(12, len(heading) + 4, *lengths))
        sheet.column_dimensions[_column_letter(place + 1)].width = width

    def cell(value: Cell, font: Font | None = None) -> object:
        if isinstance(value, datetime) and value.tzinfo:
            return value.astimezone(UTC).replace(tzinfo=None)
        if isinstance(value, date) and value.year < 1900:
            value = value.isoformat()
        if not isinstance(value, str):
            return value
        made = WriteOnlyCell(sheet, _NOT_XML.sub("\ufffd", value))
        # Text that starts with an equals sign would be a formula.
        made.data_type = "s"
        if font is not None:
            made.font = font
        return made

    bold = Font(bold=True)
    sheet.append([cell(heading, bold) for heading in columns])
    try:
        for row in chain(first, rows):
            sheet.append([cell(value) for value in row])
    except BaseException:
        # An open sheet would complain about itself later, in another request.
        sheet.close()
        raise
    file = BytesIO()
    book.save(file)
    yield file.getvalue()
