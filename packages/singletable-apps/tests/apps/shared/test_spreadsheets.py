"""Spreadsheets: what programs really write, hostile uploads, and downloads without formulas."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from io import BytesIO, StringIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from singletable.text_table import format_csv
from singletable_apps.shared.spreadsheets import (
    Cell,
    Format,
    SpreadsheetError,
    Table,
    TableLimits,
    TableRow,
    read_table,
    write_table,
)

_SHEET = "xl/worksheets/sheet1.xml"


def xlsx(*rows: list[object], change: Callable[[Workbook], None] | None = None) -> bytes:
    book = Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    if change is not None:
        change(book)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """Return an archive with one of its files replaced."""
    file = BytesIO()
    with ZipFile(BytesIO(data)) as source, ZipFile(file, "w", ZIP_DEFLATED) as target:
        for info in source.infolist():
            target.writestr(info.filename, content if info.filename == name else source.read(info))
    return file.getvalue()


def sheet_xml(rows: str) -> bytes:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{space}"><sheetData>{rows}</sheetData></worksheet>'.encode()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_is_read_in_common_encodings_and_delimiters(encoding: str, delimiter: str) -> None:
    lines = ["Name|Größe", "Zoë|1,5" if delimiter != "," else 'Zoë|"1,5"', "", "Jürgen|"]
    data = "\r\n".join(lines).replace("|", delimiter).encode(encoding)
    rows = (TableRow(2, ("Zoë", "1,5")), TableRow(4, ("Jürgen", "")))
    assert read_table(data) == Table(("Name", "Größe"), rows)


def test_row_numbers_are_those_of_the_spreadsheet() -> None:
    data = b'\n name ,notes\n"a","two\nlines"\n\nb,"x, ""y"""\n'
    table = read_table(data)
    assert table.columns == ("name", "notes")
    assert table.rows == (TableRow(3, ("a", "two\nlines")), TableRow(5, ("b", 'x, "y"')))


def test_xlsx_values_are_text_in_iso_form() -> None:
    def change(book: Workbook) -> None:
        book.create_sheet("People").append(["other"])

    moment = datetime(2026, 3, 1, 9, 30)
    values: list[object] = [date(2026, 3, 1), moment, time(9, 5), 3, 2.0, 2.5, True, " x "]
    headings: list[object] = list("abcdefgh")
    data = xlsx(headings, [], values, change=change)
    table = read_table(data)
    expected = ("2026-03-01", "2026-03-01T09:30:00", "09:05:00", "3", "2", "2.5", "true", "x")
    assert table.rows == (TableRow(3, expected),)


def test_merged_cells_have_a_value_in_their_first_row() -> None:
    def merge(book: Workbook) -> None:
        assert book.active is not None
        book.active.merge_cells("A2:A3")

    table = read_table(xlsx(["who", "what"], ["ada", "Go"], ["", "C"], change=merge))
    assert [row.values for row in table.rows] == [("ada", "Go"), ("", "C")]


def test_formulas_are_not_run() -> None:
    assert read_table(xlsx(["a", "b"], ["=1+1", "x"])).rows[0].values == ("", "x")
    cached = sheet_xml(
        '<row r="1"><c r="A1" t="str"><v>n</v></c></row>'
        '<row r="2"><c r="A2"><f>1+1</f><v>2</v></c></row>'
        '<row r="3"><c r="A3" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>'
    )
    table = read_table(with_part(xlsx(["a"]), _SHEET, cached))
    assert [row.values for row in table.rows] == [("2",), ("#DIV/0!",)]


@pytest.mark.parametrize(
    ("data", "row", "column", "words"),
    [
        (b"", None, "", "empty"),
        (b"\n\n,,\n", None, "", "empty"),
        (b"a,b\n1,2,3\n", 2, "C", "no heading"),
        (b"a,b,A\n", 1, "C", "same heading"),
        (b'a,b\n1,"2\n3,4\n', 2, "", "quotes"),
        (b"a,b\n1,2\n" + b"x" * 10_001, 3, "A", "10,000 characters"),
        (b"a,b\n1,2\n\x81\x8d,3", 3, "", "encoding"),
        (b"\xff\xfea\0b\0\0\xd8", 1, "", "encoding"),
        (b"a\0b,c\n", None, "", "not a text file"),
        (b"x," * 300_000, 1, "", "100 columns"),
        (b"a\n" + b"1\n" * 50_001, 50_002, "", "50,000 rows"),
        (b"x" * 15_000_001, None, "", "15 MB"),
        (b"\xd0\xcf\x11\xe0 old Excel", None, "", "CSV or XLSX"),
        (b"PK\x03\x04 broken", None, "", "damaged"),
    ],
)
def test_unreadable_files_say_where_and_why(
    data: bytes, row: int | None, column: str, words: str
) -> None:
    with pytest.raises(SpreadsheetError, match=words) as rejected:
        read_table(data)
    assert (rejected.value.row, rejected.value.column) == (row, column)


def test_zip_bombs_are_not_unpacked() -> None:
    bomb = with_part(xlsx(["a"]), _SHEET, sheet_xml("<row/>" * 2_000_000))
    assert len(bomb) < 50_000
    with pytest.raises(SpreadsheetError, match="repeats endlessly"):
        read_table(bomb)
    large = with_part(xlsx(["a"]), _SHEET, sheet_xml("<row/>"))
    with pytest.raises(SpreadsheetError, match="larger than 0 MB"):
        read_table(large, limits=TableLimits(unpacked_bytes=100))
    other = BytesIO()
    with ZipFile(other, "w") as archive:
        archive.writestr("readme.txt", "no sheet")
    with pytest.raises(SpreadsheetError, match="another kind of zip"):
        read_table(other.getvalue())


# Each row has a cell in the last column, and took a millisecond.
def test_blank_cells_are_limited() -> None:
    wide = with_part(xlsx(["a"]), _SHEET, sheet_xml('<row><c r="XFD1"/></row>' * 100))
    for data in (wide, b"a\n" + b"," * 200_000):
        with pytest.raises(SpreadsheetError, match="blank ones included"):
            read_table(data, limits=TableLimits(cells=100_000))


@pytest.mark.parametrize(
    ("position", "value"),
    [(6, b"\x63"), (8, b"\1"), (9, b"\x08"), (10, b"\x0e")],
    ids=["version", "password", "name", "lzma"],
)
def test_unusual_zip_files_are_rejected(position: int, value: bytes) -> None:
    data = xlsx(["a"])
    entry = data.index(b"PK\x01\x02")
    name = entry + 46
    changed = data[: entry + position] + value + data[entry + position + 1 : name]
    with pytest.raises(SpreadsheetError, match="damaged"):
        read_table(changed + b"\xff" + data[name + 1 :])


def test_zip_files_with_very_many_entries_are_rejected() -> None:
    with pytest.raises(SpreadsheetError, match="damaged"):
        read_table(xlsx(["a"]) + b"PK\x01\x02" * 20_001)


@pytest.mark.parametrize(
    "xml",
    [
        sheet_xml('<row r="99999999999"><c r="A99999999999" t="str"><v>x</v></c></row>'),
        sheet_xml(
            '<row r="1"><c r="A1" t="str"><v>x</v></c><c r="XFD1" t="str"><v>x</v></c></row>'
        ),
        sheet_xml('<row r="-5"><c r="ZZZZZ1" t="s"><v>77</v></c></row>'),
        sheet_xml('<row r="1"><c r="A1"><v>abc</v></c></row>'),
        b'<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>' + sheet_xml("<row>&c;</row>"),
        b"<worksheet",
        b"\xff\xff",
    ],
)
def test_hostile_spreadsheets_are_rejected(xml: bytes) -> None:
    with pytest.raises(SpreadsheetError):
        read_table(with_part(xlsx(["a"]), _SHEET, xml))


# Spreadsheets skip spaces and invisible characters, some read full-width signs as plain ones, and
# some start a new cell at a semicolon.
FORMULAS = {
    "=1": "'=1",
    " =1": "' =1",
    "\t=1": "'\t'=1",
    "\n=1": "'\n'=1",
    '"=1': "'\"=1",
    "'=1": "''=1",
    "''=1": "'''=1",
    "＝1": "'＝1",
    "＋1": "'＋1",
    "\ufeff@a": "'\ufeff@a",
    "-x": "'-x",
    "\tx": "'\tx",
    "\rx": "'\rx",
    "b;=1": "b;'=1",
    "b;'=1": "b;''=1",
    "b; \t=1": "b; \t'=1",
}
SIGNS = [text for text in FORMULAS if text == text.strip()]
_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20).map(str.strip)


@given(st.lists(st.tuples(st.just("x"), _TEXT | st.sampled_from(SIGNS))))
def test_written_csv_is_read_back_without_formulas(rows: list[tuple[str, str]]) -> None:
    data = b"".join(write_table(["a", "b"], rows, "csv"))
    table = read_table(data)
    assert [row.values for row in table.rows] == rows
    # Spreadsheets in many countries separate cells by semicolons, and ignore quotes inside a cell.
    cells = re.split("[,;\n]", data.decode("utf-8-sig"))
    assert not any(cell.strip(' \t"').startswith(("=", "@")) for cell in cells)


@pytest.mark.parametrize(("text", "escaped"), FORMULAS.items())
def test_formulas_are_escaped_in_cells_and_headings(text: str, escaped: str) -> None:
    data = b"".join(write_table(["n", text], [[-1, f"a{text}"], [-1, text]], "csv"))
    rows = list(csv.reader(StringIO(data.decode("utf-8-sig"), newline="")))
    # Spaces around the text of a cell are not written.
    shown = text.strip()
    inner = escaped.removeprefix("'")
    assert rows == [["n", escaped], ["-1", f"a{inner}"], ["-1", FORMULAS.get(shown, shown)]]
    assert read_table(data).rows[1].values == ("-1", shown)
    # The library's own tables follow the same rule.
    library = list(csv.reader(StringIO(format_csv([text], [[text], [-1]]), newline="")))
    assert library == [[escaped], [escaped], ["-1"]]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_any_value_can_be_written(kind: Format) -> None:
    at = datetime(2026, 3, 1, 9, tzinfo=UTC)
    row: list[Cell] = [
        "=1+1",
        "\x00\x07\ud800",
        -3,
        2.5,
        True,
        None,
        date(2026, 3, 1),
        at,
        date(1, 1, 1),
    ]
    data = b"".join(write_table([f"column {n}" for n in range(9)], [row], kind))
    if kind == "csv":
        assert b"\r\n'=1+1," in data
        return
    [_, found] = load_workbook(BytesIO(data)).worksheets[0].iter_rows()
    assert [cell.data_type for cell in found] == ["s", "s", "n", "n", "b", "n", "d", "d", "s"]
    assert found[6].value == datetime(2026, 3, 1)
    assert found[7].value == datetime(2026, 3, 1, 9)


def test_csv_is_written_while_rows_arrive() -> None:
    parts = write_table(["n"], ([number] for number in range(10**9)), "csv")
    assert len(next(parts)) >= 1 << 16
