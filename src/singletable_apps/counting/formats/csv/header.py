"""The first line of a table says what its columns are.

A column for each candidate has rank numbers below the name; a column for each rank has names below
"rank 1", "choice 2 of 5", "3rd choice" or the bare number. A column of counts goes by one of a few
well-known names, and so do columns about the ballot that say nothing of its ranking. A candidate
whose name would be taken for one of these, or by a spreadsheet for a formula, is marked by an
apostrophe before it.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from singletable_apps.counting.errors import FormatError
from singletable_apps.counting.formats.digits import shown

Kind: TypeAlias = Literal["count", "about", "rank", "candidate"]

# ruff: noqa: SIM905 (a line of words reads better than a page of quotes)
COUNTS = frozenset(
    """count counts weight weights votes ballots voters quantity multiplicity frequency
    numberofballots numberofvotes ballotcount""".split()
)
# Words that are nobody's name: a column "Ward" may be Ms Ward's.
ABOUT = frozenset(
    """id ballotid ballotnumber ballotstyle ballottype castvoterecord cvr cvrid cvrnumber recordid
    voterid precinct precinctid batchid tabulatorid timestamp email imprintedid
    countinggroup""".split()
)
_RANK = re.compile(
    r".*?(?<![^\W\d_])(?:rank|ranking|choice|preference|pref)[ _.#-]*([0-9]{1,5})"
    r"(?: of [0-9]+)?\b.*"
    r"|([0-9]{1,5})(?:st|nd|rd|th)?(?:[ _-]*(?:rank|choice|preference|pref))?",
    re.IGNORECASE | re.DOTALL,
)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_DELIMITERS = ",;\t"
_MARK = "'"
# What a spreadsheet computes, and does not show, begins with one of these.
_FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True, slots=True)
class Header:
    """The columns, and where the rows begin: byte `start`, line `line`.

    `ranks` has the column of each rank, best first; if it is empty, `candidates` has columns.
    """

    delimiter: str
    width: int
    count: int | None
    ranks: tuple[int, ...]
    candidates: dict[str, int]
    left_out: tuple[str, ...]
    start: int
    line: int


def header_of(data: bytes) -> Header:
    """What the first line says."""
    text, lines = _first_row(data)
    start = min(len(text), len(data))
    second = data[start : data.find(b"\n", start) % (len(data) + 1)].decode()
    delimiter = _delimiter(text.decode(), second)
    cells = [cell.strip() for cell in _cells(text.decode(), delimiter)]
    return _columns(cells, delimiter, start, lines + 1)


def title_of(name: str) -> str:
    """What stands over the column of a candidate: the name, marked if it would be misread."""
    return f"{_MARK}{name}" if _is_misread(name) else name


def name_in(title: str) -> str:
    """The name of the candidate whose column this is."""
    return title[1:] if _is_marked(title) else title


def _is_misread(name: str) -> bool:
    return name.startswith((*_FORMULA, _MARK)) or kind_of(name) != "candidate"


def _is_marked(title: str) -> bool:
    return title.startswith(_MARK) and _is_misread(title[1:])


def kind_of(title: str) -> Kind:
    """What a column of this title is taken for."""
    if _is_marked(title):
        return "candidate"
    plain = re.sub("[^a-z]", "", title.lower())
    if plain in COUNTS and plain == re.sub("[^a-z0-9]", "", title.lower()):
        return "count"
    if plain in ABOUT and plain == re.sub("[^a-z0-9]", "", title.lower()):
        return "about"
    return "candidate" if rank_in(title) is None else "rank"


def rank_in(name: str) -> int | None:
    """The rank that a column of this name is for."""
    first = name.strip().lower().split(maxsplit=1)
    if first and first[0] in _ORDINALS and first[1:] in ([], ["choice"], ["preference"], ["rank"]):
        return _ORDINALS.index(first[0]) + 1
    found = _RANK.fullmatch(name.strip())
    return None if found is None else int(found[1] or found[2])


def _first_row(data: bytes) -> tuple[bytes, int]:
    """The bytes of the first row and how many lines it takes: a name in quotes may be several."""
    end, lines = 0, 0
    while True:
        end = data.find(b"\n", end) + 1 or len(data)
        lines += 1
        if data.count(b'"', 0, end) % 2 == 0 or end == len(data) or lines == 100:
            return data[:end], lines


def _delimiter(first: str, second: str) -> str:
    """The one that parts both lines into equally many cells; the comma if there is one column."""
    for delimiter in _DELIMITERS:
        width = len(_cells(first, delimiter))
        if width > 1 and (not second.strip() or len(_cells(second, delimiter, 2)) == width):
            return delimiter
    return max(_DELIMITERS, key=lambda delimiter: len(_cells(first, delimiter)))


def _cells(line: str, delimiter: str, number: int = 1) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), list[str]())
    except csv.Error as error:
        raise FormatError(f"this is no row of cells: {error}.", number) from error


def _columns(cells: list[str], delimiter: str, start: int, line: int) -> Header:
    kinds = [kind_of(cell) for cell in cells]
    counts = [at for at, kind in enumerate(kinds) if kind == "count"]
    if len(counts) > 1:
        both = " and ".join(shown(cells[at]) for at in counts)
        raise FormatError(f"{both} are both counts; which one is? Rename the other.", 1)
    ranks = {rank_in(cell) or 0: at for at, cell in enumerate(cells) if kinds[at] == "rank"}
    names = [at for at, kind in enumerate(kinds) if kind == "candidate"]
    left_out = tuple(cell for cell, kind in zip(cells, kinds, strict=True) if kind == "about")
    if ranks:
        if len(ranks) < kinds.count("rank"):
            raise FormatError("two columns are for the same rank; number them 1, 2, 3 …", 1)
        left_out += tuple(cells[at] for at in names)
        names = []
    elif not names:
        raise FormatError(
            "the first line names neither candidates nor ranks. Put a name over each column of "
            "rank numbers, or 'rank 1', 'rank 2' … over columns of names.",
            1,
        )
    candidates: dict[str, int] = {}
    for at in names:
        name = name_in(cells[at])
        if not name or name in candidates:
            raise FormatError(
                f"column {at + 1} has the name {shown(cells[at])}; each column "
                "needs a name that no other has.",
                1,
            )
        candidates[name] = at
    in_order = tuple(ranks[rank] for rank in sorted(ranks))
    count = counts[0] if counts else None
    return Header(delimiter, len(cells), count, in_order, candidates, left_out, start, line)
