"""Orders of a PrefLib file become ballots."""

from __future__ import annotations

import re
from dataclasses import dataclass

from singletable_apps.counting.errors import CountingError, FormatError
from singletable_apps.counting.formats.collecting import Asked, Collector
from singletable_apps.counting.formats.digits import shown, whole_number
from singletable_apps.counting.formats.preflib.fast import ballots_of_chunk
from singletable_apps.counting.formats.preflib.header import Header, header_of
from singletable_apps.counting.formats.reading import BallotFile
from singletable_apps.counting.formats.source import Source
from singletable_apps.counting.formats.table import FORMATS, PREFLIB, Format
from singletable_apps.counting.formats.tokens import chunks
from singletable_apps.counting.ranking import Ranking

_LEVEL = re.compile(r"\s*+(?:\{([^{}]*+)\}|([^{},]*+))\s*+(,|$)")


@dataclass(frozen=True, slots=True)
class _Orders:
    header: Header
    form: Format
    known: dict[str, Ranking]


def read_preflib(source: Source, asked: Asked, form: str | None) -> BallotFile:
    """The ballots of a PrefLib file; `form` is one of its kinds, if it is not to be looked up."""
    header = header_of(source.data)
    orders = _Orders(header, FORMATS[form or _kind(header, source)], {})
    collector = Collector(asked, header.candidates)
    line = header.line
    for start, chunk in chunks(source.data, header.start):
        if header.old:
            chunk = re.sub(rb"(?m)^([^,\n]*),", rb"\1:", chunk)
        piece = ballots_of_chunk(chunk, header.candidates, orders.form)
        if piece is not None:
            collector.add_piece(piece)
        else:
            _take_lines(chunk, line, orders, collector)
        line += chunk.count(b"\n")
        asked.told(min(start + len(chunk), len(source.data)), len(source.data))
    if header.voters is not None and header.voters != collector.read:
        raise FormatError(
            f"The header says {header.voters:,} voters, and the orders are of {collector.read:,}: "
            "lines are missing or too many, or the header is wrong. Correct NUMBER VOTERS, or get "
            "the file again."
        )
    return collector.reading(orders.form.name, header.title)


def _kind(header: Header, source: Source) -> str:
    for said in (header.kind, source.extension):
        if said in PREFLIB:
            return said
    if header.kind:
        raise FormatError(
            f"The header says DATA TYPE {shown(header.kind)}; orders are {', '.join(PREFLIB)}."
        )
    return "toi"


def _take_lines(chunk: bytes, line: int, orders: _Orders, collector: Collector) -> None:
    for number, text in enumerate(chunk.decode().split("\n")[:-1], start=line):
        if not text.strip():
            continue
        try:
            count, colon, said = text.partition(":")
            if not colon:
                raise FormatError(
                    f"an order is 'count: 2,{{1,3}}', and there is no colon in {shown(text)}.",
                    number,
                )
            ballots = whole_number(count, number, "The count before the colon")
            collector.add(_ranking(said, number, orders), ballots)
        except CountingError as error:
            collector.malformed(error, number)


def _ranking(said: str, line: int, orders: _Orders) -> Ranking:
    said = said.strip()
    if said in orders.known:
        return orders.known[said]
    levels: list[list[str]] = []
    at = 0
    while at < len(said) or (at and said.endswith(",")):
        found = _LEVEL.match(said, at)
        if found is None or found.end() == at:
            raise FormatError(
                f"candidates by number were expected, parted by commas, equals in {{ }}; "
                f"{shown(said[at:])} came.",
                line,
            )
        inside = found[2] if found[1] is None else found[1]
        levels.append([_name(text, line, orders.header) for text in inside.split(",")])
        at = found.end()
    ranking = Ranking.from_levels(levels)
    _check_kind(ranking, line, orders)
    # Files that repeat an order line by line are worth a memory, those that never do are not.
    if len(orders.known) < 1 << 16:
        orders.known[said] = ranking
    return ranking


def _name(text: str, line: int, header: Header) -> str:
    number = whole_number(text, line, "A candidate in an order")
    if not 1 <= number <= len(header.candidates):
        raise FormatError(
            f"candidate {number} is ranked, and there are {len(header.candidates)}.", line
        )
    return header.candidates[number - 1]


def _check_kind(ranking: Ranking, line: int, orders: _Orders) -> None:
    form = orders.form
    if not form.ties and any(len(level) > 1 for level in ranking.levels):
        raise FormatError(f"a {form.name} file has no ties. Read it as toc or toi.", line)
    if not form.partial and len(ranking.names) < len(orders.header.candidates):
        raise FormatError(
            f"a {form.name} file ranks everybody on each line. Read it as soi or toi.", line
        )
