"""BLT, the format of programs for STV, first described with Meek's method in 1987.

The first line has the number of candidates and of seats. A line `-2` withdraws candidate 2. Then
each line is a count, candidate numbers from the best on, and 0; `2=3` are equal, and `-` is a
skipped rank. A line with 0 ends the ballots. The names of the candidates and a title follow.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ranked_ballots.ballots import Ballots
from ranked_ballots.errors import CountingError, FormatError
from ranked_ballots.formats.collector import BallotCollector, BallotFile, ReadOptions
from ranked_ballots.formats.numbers import parse_number, quote
from ranked_ballots.formats.registry import BLT, check_writable
from ranked_ballots.formats.rules import Mark
from ranked_ballots.formats.source import Source

# After the name, some files have the party, also in quotes. A quote in a name is doubled.
_QUOTED = re.compile('"((?:[^"]|"")*)"')


@dataclass(frozen=True, slots=True)
class _Layout:
    """The parts of a file, each line with its number."""

    seats: int
    names: list[str]
    withdrawn: set[int]
    ballots: list[tuple[int, str]]
    title: str


def read_blt(source: Source, options: ReadOptions) -> BallotFile:
    """Read the ballots and the number of seats of a BLT file."""
    lines = [
        (line, text.strip())
        for line, text in enumerate(source.lines(), start=1)
        if text.strip() and not text.lstrip().startswith("#")
    ]
    layout = _read_layout(lines)
    running = [
        name for number, name in enumerate(layout.names, 1) if number not in layout.withdrawn
    ]
    collector = BallotCollector(options, running)
    for line, text in layout.ballots:
        try:
            _read_ballot(text, line, layout, collector)
        except CountingError as error:
            collector.handle_malformed(error, line)
    if len(running) < len(layout.names):
        gone = [layout.names[number - 1] for number in sorted(layout.withdrawn)]
        collector.notes.append(f"withdrawn: {', '.join(gone)}")
    options.on_progress(len(source.data), len(source.data))
    return replace(collector.finish("blt", layout.title), seats=layout.seats)


def _read_layout(lines: list[tuple[int, str]]) -> _Layout:
    first, header = lines[0] if lines else (1, "")
    numbers = header.partition("#")[0].split()
    if len(numbers) != 2:
        raise FormatError(
            f"expected the number of candidates and of seats, as '4 2', found {quote(header)}.",
            first,
        )
    size = parse_number(numbers[0], first, "The number of candidates")
    seats = parse_number(numbers[1], first, "The number of seats")
    ends = [at for at, (_, text) in enumerate(lines) if text.partition("#")[0].strip() == "0"]
    if not ends:
        raise FormatError("the ballots do not end: expected a line with only 0 after them.")
    names = [_parse_name(text) for _, text in lines[ends[0] + 1 :]]
    if not size or len(names) < size:
        raise FormatError(
            f"the file has {size} candidates, but {len(names)} names after the ballots.", first
        )
    withdrawn: set[int] = set()
    ballots: list[tuple[int, str]] = []
    for line, text in lines[1 : ends[0]]:
        if text.startswith("-"):
            withdrawn |= {_candidate(each[1:], size, line) for each in text.split()}
        else:
            ballots.append((line, text.partition("#")[0]))
    title = names[size] if len(names) > size else ""
    return _Layout(seats, names[:size], withdrawn, ballots, title)


def _parse_name(text: str) -> str:
    match = _QUOTED.match(text)
    return (match[1].replace('""', '"') if match else text).strip()


def _candidate(text: str, size: int, line: int) -> int:
    number = parse_number(text, line, "A candidate")
    if not 1 <= number <= size:
        raise FormatError(f"there is no candidate {number}; they are numbered 1 to {size}.", line)
    return number


def _read_ballot(text: str, line: int, layout: _Layout, collector: BallotCollector) -> None:
    number, *ranks = text.split()
    count = parse_number(number, line, "The number of ballots")
    if ranks and ranks[-1] == "0":
        ranks.pop()
    marks: list[Mark] = []
    is_changed = False
    for rank, level in enumerate(ranks, start=1):
        if level == "-":
            continue
        numbers = [_candidate(each, len(layout.names), line) for each in level.split("=")]
        kept = [layout.names[each - 1] for each in numbers if each not in layout.withdrawn]
        is_changed = is_changed or len(kept) < len(numbers)
        # A withdrawn candidate leaves no empty rank behind.
        marks.append((rank, kept))
    if is_changed:
        collector.change("withdrawn candidates removed", count, line)
    collector.add_marks(marks, count, line)


def write_blt(ballots: Ballots, title: str, seats: int) -> str:
    """Write a BLT file; names are quoted."""
    rankings = ballots.ranking_counts()
    check_writable(BLT, ballots.candidates, rankings)
    numbers = {name: str(at) for at, name in enumerate(ballots.candidates, start=1)}
    lines = [f"{len(numbers)} {seats}"]
    for ranking, count in rankings:
        levels = ("=".join(numbers[name] for name in level) for level in ranking.levels)
        lines.append(" ".join([str(count), *levels, "0"]))
    quoted = [name.replace('"', '""') for name in (*numbers, " ".join(title.split()))]
    return "\n".join([*lines, "0", *(f'"{name}"' for name in quoted)]) + "\n"
