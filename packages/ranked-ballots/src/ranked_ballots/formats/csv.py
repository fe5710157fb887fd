"""CSV tables: a column for each candidate with rank numbers, or a column for each rank with names.

The first line decides. Columns of ranks are titled "rank 1", "choice 2 of 5", "3rd choice" or just
the number. A column of counts has one of a few well-known titles, and so do columns about the
ballot that do not affect its ranking. A candidate's name that looks like one of these titles, or
like a spreadsheet formula, is written with an apostrophe before it, in columns of names too.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ranked_ballots.ballots import Ballots
from ranked_ballots.errors import CountingError, FormatError, WriteError
from ranked_ballots.formats.collector import BallotCollector, BallotFile, ReadOptions
from ranked_ballots.formats.numbers import (
    MAX_INT64_DIGITS,
    find_separators,
    normalize_line_ends,
    parse_number,
    parse_numbers,
    quote,
    split_chunks,
)
from ranked_ballots.formats.registry import CSV, CSV_RANKS, check_writable
from ranked_ballots.formats.rules import SKIP_IGNORED, Mark
from ranked_ballots.formats.source import Source
from ranked_ballots.text import escape_formula, is_formula, unescape_formula

ColumnKind: TypeAlias = Literal["count", "metadata", "rank", "candidate"]
T = TypeVar("T", bound=np.generic)

# ruff: noqa: SIM905 (a line of words is easier to read than a list of quoted strings)
COUNT_TITLES = frozenset(
    """count counts weight weights votes ballots voters quantity multiplicity frequency
    numberofballots numberofvotes ballotcount""".split()
)
# Words that are not names: a column "Ward" may be Ms Ward's.
METADATA_TITLES = frozenset(
    """id ballotid ballotnumber ballotstyle ballottype castvoterecord cvr cvrid cvrnumber recordid
    voterid precinct precinctid batchid tabulatorid timestamp email imprintedid
    countinggroup""".split()
)
_RANK_TITLE = re.compile(
    r".*?(?<![^\W\d_])(?:rank|ranking|choice|preference|pref)[ _.#-]*([0-9]{1,5})"
    r"(?: of [0-9]+)?\b.*"
    r"|([0-9]{1,5})(?:st|nd|rd|th)?(?:[ _-]*(?:rank|choice|preference|pref))?",
    re.IGNORECASE | re.DOTALL,
)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_DELIMITERS = ",;\t"
_APOSTROPHE = "'"
_RANK_CELL = re.compile("([0-9]+)(?:st|nd|rd|th)?", re.IGNORECASE)
# Words that election offices write where no candidate is marked, or too many are.
_NO_CANDIDATE = frozenset(("skipped", "undervote", "-"))
_TOO_MANY = frozenset(("overvote",))
_UNCLEAR = -2
# The ranks of a row are put into the bits of one integer to see which are used.
_MAX_BIT_RANKS = 62
_MAX_POSITIONS = 126
_LINE_FEED = ord("\n")


@dataclass(frozen=True, slots=True)
class CsvHeader:
    """The columns, and where the rows start: byte `start`, line `line`.

    `ranks` has the column of each rank, best first; if it is empty, `candidates` has columns.
    """

    delimiter: str
    width: int
    count: int | None
    ranks: tuple[int, ...]
    candidates: dict[str, int]
    ignored: tuple[str, ...]
    start: int
    line: int


def parse_header(data: bytes) -> CsvHeader:
    """Parse the first line."""
    text, lines = _first_row(data)
    start = min(len(text), len(data))
    second = data[start : data.find(b"\n", start) % (len(data) + 1)].decode()
    delimiter = _detect_delimiter(text.decode(), second)
    titles = [title.strip() for title in _split_line(text.decode(), delimiter)]
    return _classify_columns(titles, delimiter, start, lines + 1)


def _first_row(data: bytes) -> tuple[bytes, int]:
    """Return the first row and its number of lines; a name in quotes may have several."""
    end, lines = 0, 0
    while True:
        end = data.find(b"\n", end) + 1 or len(data)
        lines += 1
        if data.count(b'"', 0, end) % 2 == 0 or end == len(data) or lines == 100:
            return data[:end], lines


def _detect_delimiter(first: str, second: str) -> str:
    """Return the delimiter that splits both lines into equally many cells."""
    for delimiter in _DELIMITERS:
        width = len(_split_line(first, delimiter))
        if width > 1 and (not second.strip() or len(_split_line(second, delimiter, 2)) == width):
            return delimiter
    return max(_DELIMITERS, key=lambda delimiter: len(_split_line(first, delimiter)))


def _split_line(text: str, delimiter: str, line: int = 1) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=delimiter), list[str]())
    except csv.Error as error:
        raise FormatError(f"invalid row: {error}.", line) from error


def _classify_columns(titles: list[str], delimiter: str, start: int, line: int) -> CsvHeader:
    kinds = [_column_kind(title) for title in titles]
    counts = [at for at, kind in enumerate(kinds) if kind == "count"]
    if len(counts) > 1:
        both = " and ".join(quote(titles[at]) for at in counts)
        raise FormatError(f"{both} both look like counts; rename all but one.", 1)
    ranks = {
        _parse_rank_title(title) or 0: at for at, title in enumerate(titles) if kinds[at] == "rank"
    }
    names = [at for at, kind in enumerate(kinds) if kind == "candidate"]
    ignored = tuple(title for title, kind in zip(titles, kinds, strict=True) if kind == "metadata")
    if ranks:
        if len(ranks) < kinds.count("rank"):
            raise FormatError("two columns are for the same rank; number them 1, 2, 3 …", 1)
        ignored += tuple(titles[at] for at in names)
        names = []
    elif not names:
        raise FormatError(
            "the first line names neither candidates nor ranks. Put a name above each column of "
            "rank numbers, or 'rank 1', 'rank 2' … above columns of names.",
            1,
        )
    candidates: dict[str, int] = {}
    for at in names:
        name = _unescape_title(titles[at])
        if not name or name in candidates:
            raise FormatError(
                f"column {at + 1} has the title {quote(titles[at])}; each column needs a unique "
                "title.",
                1,
            )
        candidates[name] = at
    in_order = tuple(ranks[rank] for rank in sorted(ranks))
    count = counts[0] if counts else None
    return CsvHeader(delimiter, len(titles), count, in_order, candidates, ignored, start, line)


def _column_kind(title: str) -> ColumnKind:
    if _is_escaped(title):
        return "candidate"
    letters = re.sub("[^a-z]", "", title.lower())
    is_word = letters == re.sub("[^a-z0-9]", "", title.lower())
    if letters in COUNT_TITLES and is_word:
        return "count"
    if letters in METADATA_TITLES and is_word:
        return "metadata"
    return "candidate" if _parse_rank_title(title) is None else "rank"


def _parse_rank_title(title: str) -> int | None:
    """Return the rank that a column is for, or None."""
    words = title.strip().lower().split(maxsplit=1)
    if words and words[0] in _ORDINALS and words[1:] in ([], ["choice"], ["preference"], ["rank"]):
        return _ORDINALS.index(words[0]) + 1
    match = _RANK_TITLE.fullmatch(title.strip())
    return None if match is None else int(match[1] or match[2])


def _needs_escape(name: str) -> bool:
    return name.startswith(_APOSTROPHE) or is_formula(name) or _column_kind(name) != "candidate"


def _escape_title(name: str) -> str:
    mark = _APOSTROPHE if _needs_escape(name) and not is_formula(name) else ""
    return f"{mark}{escape_formula(name)}"


def _unescape_title(title: str) -> str:
    is_marked = _is_escaped(title) and not is_formula(title)
    return unescape_formula(title.removeprefix(_APOSTROPHE) if is_marked else title)


def _is_escaped(title: str) -> bool:
    return title.startswith(_APOSTROPHE) and _needs_escape(title[1:])


@dataclass(frozen=True, slots=True)
class _Table:
    header: CsvHeader
    collector: BallotCollector
    numbers: _CandidateNumbers


class _CandidateNumbers(dict[bytes, int]):
    """The candidate's number for each cell; -1 for no candidate, _UNCLEAR for several."""

    def __init__(self, collector: BallotCollector) -> None:
        super().__init__()
        self._collector = collector

    def __missing__(self, cell: bytes) -> int:
        name = unescape_formula(cell.decode().strip())
        if _is_no_candidate(name):
            number = -1
        elif name.lower() in _TOO_MANY:
            number = _UNCLEAR
        else:
            number = self._collector.number(name)
        self[cell] = number
        return number

    def names(self) -> tuple[str, ...]:
        """Return all candidates so far, by number."""
        return tuple(self._collector.candidates)


def _is_no_candidate(name: str) -> bool:
    return not name or name.lower() in _NO_CANDIDATE


def read_csv(source: Source, options: ReadOptions) -> BallotFile:
    """Read the ballots of a table of either kind."""
    header = parse_header(source.data)
    collector = BallotCollector(options, list(header.candidates))
    table = _Table(header, collector, _CandidateNumbers(collector))
    if header.ignored:
        collector.notes.append(f"columns ignored: {', '.join(header.ignored)}")
    if source.data.find(b'"', header.start) >= 0:
        # A name in quotes may contain line feeds, so the rows cannot be split at them.
        rest = source.data[header.start :].decode()
        _read_rows(io.StringIO(rest, newline=""), header.line, table)
    else:
        _read_chunks(source, table)
    options.on_progress(len(source.data), len(source.data))
    return collector.finish("csv-ranks" if header.ranks else "csv")


def _read_chunks(source: Source, table: _Table) -> None:
    line = table.header.line
    on_progress = table.collector.options.on_progress
    for start, chunk in split_chunks(source.data, table.header.start):
        piece = _parse_chunk(chunk, table)
        if piece is None:
            _read_rows(io.StringIO(chunk.decode(), newline=""), line, table)
        else:
            table.collector.add_piece(piece.ballots)
            table.collector.change(SKIP_IGNORED, piece.skipped, line + piece.first_skipped)
            _add_rows(((line + row, cells) for row, cells in piece.special), table)
        line += chunk.count(b"\n")
        on_progress(min(start + len(chunk), len(source.data)), len(source.data))


def _read_rows(text: Iterable[str], line: int, table: _Table) -> None:
    _add_rows(_parse_rows(text, line, table.header.delimiter), table)


def _parse_rows(text: Iterable[str], line: int, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    while True:
        number = line + reader.line_num
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FormatError(f"invalid row: {error}.", number) from error
        if row:
            yield number, row


def _add_rows(rows: Iterable[tuple[int, list[str]]], table: _Table) -> None:
    for number, row in rows:
        try:
            _add_row(row, number, table)
        except CountingError as error:
            table.collector.handle_malformed(error, number)


def _add_row(row: list[str], line: int, table: _Table) -> None:
    header = table.header
    if len(row) != header.width:
        raise FormatError(
            f"the row has {len(row)} cells, but the first line has {header.width}. A name that "
            f"contains {header.delimiter!r} must be in quotes.",
            line,
        )
    count = 1
    if header.count is not None:
        count = parse_number(row[header.count], line, "The count of a row")
    marks, unnamed = _parse_marks(row, line, table)
    table.collector.add_marks(marks, count, line, unnamed)


def _parse_marks(row: list[str], line: int, table: _Table) -> tuple[list[Mark], frozenset[int]]:
    header = table.header
    delimiter = table.collector.options.rules.delimiter
    by_rank: dict[int, list[str]] = {}
    unnamed: set[int] = set()
    for name, column in header.candidates.items():
        rank = _parse_rank(row[column], line, name)
        if rank is not None:
            by_rank.setdefault(rank, []).append(name)
    for rank, column in enumerate(header.ranks, start=1):
        cell = unescape_formula(row[column].strip())
        names = [name.strip() for name in cell.split(delimiter)] if delimiter else [cell]
        for name in names:
            if name.lower() in _TOO_MANY:
                unnamed.add(rank)
                by_rank.setdefault(rank, [])
            elif not _is_no_candidate(name):
                table.collector.number(name)
                by_rank.setdefault(rank, []).append(name)
    return list(by_rank.items()), frozenset(unnamed)


def _parse_rank(cell: str, line: int, name: str) -> int | None:
    """Return the rank in a candidate's cell; empty, a dash or 0 is unranked."""
    text = cell.strip()
    if text in ("", "-"):
        return None
    match = _RANK_CELL.fullmatch(text)
    if match is None:
        raise FormatError(
            f"the rank of {quote(name)} is {quote(text)}; expected 1, 2, 3 …, or empty, '-' or 0 "
            "for unranked.",
            line,
        )
    return parse_number(match[1], line, "A rank") or None


# A million ballots go through the functions below, a chunk at a time and without an object each.


@dataclass(frozen=True, slots=True)
class _Piece:
    """The ballots of a chunk, and the rows that need special treatment, with their row numbers.

    `skipped` of the ballots leave ranks out, and `first_skipped` is the row of the first.
    """

    ballots: Ballots
    skipped: int
    first_skipped: int
    special: list[tuple[int, list[str]]]


def _parse_chunk(chunk: bytes, table: _Table) -> _Piece | None:
    rules = table.collector.options.rules
    allow_gaps = rules.skipped is None
    if not table.header.ranks:
        return _parse_rank_rows(chunk, table.header, rules.overvotes == "keep", allow_gaps)
    if rules.delimiter is not None:
        return None
    return _parse_name_rows(chunk, table.header, table.numbers, allow_gaps)


def _parse_rank_rows(
    chunk: bytes, header: CsvHeader, allow_ties: bool, allow_gaps: bool
) -> _Piece | None:
    """Parse rows of rank numbers. Return None if a cell has anything but a number."""
    data, ends = find_separators(normalize_line_ends(chunk))
    parsed = parse_numbers(data, ends) if _is_table(data[ends], header) else None
    if parsed is None:
        return None
    values, lengths = (array.reshape(-1, header.width) for array in parsed)
    if header.count is not None and not lengths[:, header.count].all():
        return None
    ranks = _select_columns(values, list(header.candidates.values()))
    if int(ranks.max()) > _MAX_BIT_RANKS:
        return None
    used = np.bitwise_or.reduce(np.left_shift(np.int64(1), ranks), axis=1) & ~1
    tied = np.bitwise_count(used) != np.count_nonzero(ranks, axis=1)
    skipped = used + 2 != np.left_shift(np.int64(2), ranks.max(axis=1))
    counts = None if header.count is None else values[:, header.count].astype(np.int64)
    special = _add_zero_counts(counts, (tied & (not allow_ties)) | (skipped & (not allow_gaps)))
    kept = Ballots.from_ranks(tuple(header.candidates), _without(ranks, special))
    rows = [(row, list(map(str, values[row].tolist()))) for row in np.flatnonzero(special).tolist()]
    kept = replace(kept, strict=not (tied & ~special).any())
    return _make_piece(kept, counts, skipped, special, rows)


def _parse_name_rows(
    chunk: bytes, header: CsvHeader, numbers: _CandidateNumbers, allow_gaps: bool
) -> _Piece | None:
    """Parse rows of names. Return None if a row is longer or shorter than the header."""
    chunk = normalize_line_ends(chunk)
    data = np.frombuffer(chunk, np.uint8)
    delimiter = header.delimiter.encode()
    separators = data[(data == ord(delimiter)) | (data == _LINE_FEED)]
    # int8, the type for few candidates, has no numbers for more positions.
    if not _is_table(separators, header) or len(header.ranks) > _MAX_POSITIONS:
        return None
    cells = chunk[:-1].replace(b"\n", delimiter).split(delimiter)
    size = len(cells) // header.width
    counts = None
    if header.count is not None:
        count_cells = cells[header.count :: header.width]
        if not all(cell.isdigit() and len(cell) <= MAX_INT64_DIGITS for cell in count_cells):
            return None
        counts = np.fromiter(map(int, count_cells), np.int64, size)
    orders = np.empty((size, len(header.ranks)), np.int16)
    for position, column in enumerate(header.ranks):
        candidates = map(numbers.__getitem__, cells[column :: header.width])
        orders[:, position] = np.fromiter(candidates, np.int16, size)
    if not numbers.names():
        return None
    skipped = _find_gaps(orders)
    special = _add_zero_counts(counts, _find_unclear(orders) | (skipped & (not allow_gaps)))
    ballots = Ballots.from_orders(numbers.names(), _without(orders, special))
    rows = [
        (row, [cell.decode() for cell in cells[row * header.width : (row + 1) * header.width]])
        for row in np.flatnonzero(special).tolist()
    ]
    return _make_piece(ballots, counts, skipped, special, rows)


def _is_table(separators: NDArray[np.uint8], header: CsvHeader) -> bool:
    """Return whether each row has as many cells as the header."""
    # An empty line is not a row, but in a table with one column it would look like one.
    if header.width == 1 or len(separators) % header.width:
        return False
    rows = separators.reshape(-1, header.width)
    delimiter = ord(header.delimiter)
    return bool((rows[:, -1] == _LINE_FEED).all() and (rows[:, :-1] == delimiter).all())


def _select_columns(
    values: NDArray[np.int16 | np.int64], columns: list[int]
) -> NDArray[np.int16 | np.int64]:
    """Return the columns of candidates, without a copy if they are adjacent."""
    if columns == list(range(columns[0], columns[-1] + 1)):
        return values[:, columns[0] : columns[-1] + 1]
    return values[:, columns]


def _find_gaps(orders: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Mark rows with an empty position before one that is not."""
    empty = orders < 0
    gaps: NDArray[np.bool_] = np.any(empty[:, :-1] & ~empty[:, 1:], axis=1)
    return gaps


def _find_unclear(orders: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Mark rows that name a candidate twice or contain a word for too many."""
    in_order = np.sort(orders, axis=1)
    twice = (in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] >= 0)
    unclear: NDArray[np.bool_] = np.any(twice, axis=1) | np.any(orders == _UNCLEAR, axis=1)
    return unclear


def _add_zero_counts(
    counts: NDArray[np.int64] | None, special: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Mark rows that stand for no ballots as well."""
    return special if counts is None else special | (counts == 0)


def _without(rows: NDArray[T], special: NDArray[np.bool_]) -> NDArray[T]:
    return rows[~special] if special.any() else rows


def _make_piece(
    ballots: Ballots,
    counts: NDArray[np.int64] | None,
    skipped: NDArray[np.bool_],
    special: NDArray[np.bool_],
    rows: list[tuple[int, list[str]]],
) -> _Piece:
    first = int((skipped & ~special).argmax())
    if counts is not None:
        counts = _without(counts, special)
        ballots = ballots if (counts == 1).all() else replace(ballots, counts=counts)
    return _Piece(ballots, ballots.count_rows(_without(skipped, special)), first, rows)


def write_csv(ballots: Ballots) -> str:
    """Write a column of counts and one for each candidate, with an empty cell for unranked."""
    rankings = ballots.ranking_counts()
    check_writable(CSV, ballots.candidates, rankings)
    rows: list[list[object]] = []
    for ranking, count in rankings:
        ranks = {name: at for at, level in enumerate(ranking.levels, 1) for name in level}
        rows.append([count, *(ranks.get(name, "") for name in ballots.candidates)])
    return _format_table(["count", *map(_escape_title, ballots.candidates)], rows)


def write_csv_ranks(ballots: Ballots) -> str:
    """Write a column of counts and one for each rank; candidates are known by being ranked."""
    rankings = ballots.ranking_counts()
    check_writable(CSV_RANKS, ballots.candidates, rankings)
    ranked = {name for ranking, _ in rankings for name in ranking.names}
    for name in ballots.candidates:
        if name not in ranked or name.lower() in _NO_CANDIDATE | _TOO_MANY:
            why = "it is a word for no candidate" if name in ranked else "no ballot ranks them"
            raise WriteError(
                f"The format csv-ranks cannot represent the candidate {name!r}: {why}. Use csv."
            )
    positions = max((len(ranking.levels) for ranking, _ in rankings), default=1)
    rows: list[list[object]] = [
        [count, *map(escape_formula, ranking.names), *[""] * (positions - len(ranking.names))]
        for ranking, count in rankings
    ]
    return _format_table(["count", *(f"rank {at}" for at in range(1, positions + 1))], rows)


def _format_table(header: list[str], rows: Iterable[list[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
