"""Rows of a table become ballots: by columns, or one by one where a closer look is needed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from singletable_apps.counting.errors import CountingError, FormatError
from singletable_apps.counting.formats.collecting import Asked, Collector
from singletable_apps.counting.formats.csv.cells import (
    TOO_MANY,
    Numbers,
    is_nobody,
    rank_of,
)
from singletable_apps.counting.formats.csv.fast import Piece, names_piece, ranks_piece
from singletable_apps.counting.formats.csv.header import Header, header_of
from singletable_apps.counting.formats.digits import whole_number
from singletable_apps.counting.formats.marks import SKIP_IGNORED, Mark
from singletable_apps.counting.formats.reading import BallotFile
from singletable_apps.counting.formats.source import Source
from singletable_apps.counting.formats.tokens import chunks


@dataclass(frozen=True, slots=True)
class _Table:
    header: Header
    collector: Collector
    numbers: Numbers


def read_csv(source: Source, asked: Asked) -> BallotFile:
    """The ballots of a table; which kind it is, its first line says."""
    header = header_of(source.data)
    collector = Collector(asked, list(header.candidates))
    table = _Table(header, collector, Numbers(collector))
    if header.left_out:
        collector.notes.append(f"columns left out: {', '.join(header.left_out)}")
    if source.data.find(b'"', header.start) >= 0:
        # A name in quotes may hold a line feed, so that the rows cannot be cut at line feeds.
        rest = source.data[header.start :].decode()
        _take_rows(io.StringIO(rest, newline=""), header.line, table)
    else:
        _take_chunks(source, table)
    asked.told(len(source.data), len(source.data))
    return collector.reading("csv-ranks" if header.ranks else "csv")


def _take_chunks(source: Source, table: _Table) -> None:
    line = table.header.line
    for start, chunk in chunks(source.data, table.header.start):
        piece = _piece(chunk, table)
        if piece is None:
            _take_rows(io.StringIO(chunk.decode(), newline=""), line, table)
        else:
            _take_piece(piece, line, table)
        line += chunk.count(b"\n")
        table.collector.asked.told(min(start + len(chunk), len(source.data)), len(source.data))


def _piece(chunk: bytes, table: _Table) -> Piece | None:
    rules = table.collector.asked.rules
    gaps = rules.skipped is None
    if not table.header.ranks:
        return ranks_piece(chunk, table.header, rules.overvotes == "keep", gaps)
    if rules.delimiter is not None:
        return None
    return names_piece(chunk, table.header, table.numbers, gaps)


def _take_piece(piece: Piece, line: int, table: _Table) -> None:
    table.collector.add_piece(piece.ballots)
    table.collector.change(SKIP_IGNORED, piece.skipped, line + piece.first_skipped)
    _take_each(((line + row, cells) for row, cells in piece.odd), table)


def _take_rows(text: Iterable[str], line: int, table: _Table) -> None:
    _take_each(_rows(text, line, table.header.delimiter), table)


def _take_each(rows: Iterable[tuple[int, list[str]]], table: _Table) -> None:
    for number, row in rows:
        try:
            _take_row(row, number, table)
        except CountingError as error:
            table.collector.malformed(error, number)


def _rows(text: Iterable[str], line: int, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    while True:
        number = line + reader.line_num
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(f"this is no row of cells: {error}.", number) from error
        if row:
            yield number, row


def _take_row(row: list[str], line: int, table: _Table) -> None:
    header = table.header
    if len(row) != header.width:
        raise FormatError(
            f"there are {len(row)} cells, and the first line has {header.width}. A name that "
            f"holds a {header.delimiter!r} stands in quotes.",
            line,
        )
    count = 1
    if header.count is not None:
        count = whole_number(row[header.count], line, "The count of a row")
    marks, unnamed = _marks(row, line, table)
    table.collector.add_marks(marks, count, line, unnamed)


def _marks(row: list[str], line: int, table: _Table) -> tuple[list[Mark], frozenset[int]]:
    header = table.header
    by_rank: dict[int, list[str]] = {}
    unnamed: set[int] = set()
    for name, column in header.candidates.items():
        rank = rank_of(row[column], line, name)
        if rank is not None:
            by_rank.setdefault(rank, []).append(name)
    for rank, column in enumerate(header.ranks, start=1):
        for name in _names(row[column].strip(), table.collector.asked.rules.delimiter):
            if name.lower() in TOO_MANY:
                unnamed.add(rank)
                by_rank.setdefault(rank, [])
            elif not is_nobody(name):
                table.collector.number(name)
                by_rank.setdefault(rank, []).append(name)
    return list(by_rank.items()), frozenset(unnamed)


def _names(cell: str, delimiter: str | None) -> list[str]:
    return [cell] if not delimiter else [name.strip() for name in cell.split(delimiter)]
