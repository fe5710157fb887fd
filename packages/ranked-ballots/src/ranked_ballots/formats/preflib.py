"""The order files of PrefLib: soc, soi, toc and toi.

Metadata lines start with # and come before the orders. Files from before 2022 have none: they start
with the number of candidates, a line for each of them, and a line with three totals. Their orders
have a comma after the count instead of a colon.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranked_ballots.ballots import Ballots, rank_type
from ranked_ballots.errors import CountingError, FormatError
from ranked_ballots.formats.collector import BallotCollector, BallotFile, ReadOptions
from ranked_ballots.formats.numbers import (
    find_separators,
    normalize_line_ends,
    parse_number,
    parse_numbers,
    quote,
    split_chunks,
)
from ranked_ballots.formats.registry import FORMATS, PREFLIB, Format, check_writable
from ranked_ballots.formats.source import Source
from ranked_ballots.ranking import Ranking

_NAME = "ALTERNATIVE NAME"
_LEVEL = re.compile(r"\s*+(?:\{([^{}]*+)\}|([^{},]*+))\s*+(,|$)")
_COLON, _COMMA, _LINE_FEED, _OPEN, _CLOSE = (ord(mark) for mark in ":,\n{}")
_MAX_CACHED_ORDERS = 1 << 16


@dataclass(frozen=True, slots=True)
class PreflibHeader:
    """The metadata before the orders, which start at byte `start` on line `line`."""

    candidates: tuple[str, ...]
    kind: str
    voters: int | None
    title: str
    start: int
    line: int
    is_old: bool = False


@dataclass(frozen=True, slots=True)
class _Orders:
    header: PreflibHeader
    form: Format
    known: dict[str, Ranking]


def read_preflib(source: Source, options: ReadOptions, form: str | None) -> BallotFile:
    """Read the ballots of a PrefLib file; `form` is one of its kinds, or None to detect it."""
    header = _parse_header(source.data)
    orders = _Orders(header, FORMATS[form or _detect_kind(header, source)], {})
    collector = BallotCollector(options, header.candidates)
    line = header.line
    for start, chunk in split_chunks(source.data, header.start):
        if header.is_old:
            chunk = re.sub(rb"(?m)^([^,\n]*),", rb"\1:", chunk)
        piece = _parse_chunk(chunk, header.candidates, orders.form)
        if piece is not None:
            collector.add_piece(piece)
        else:
            _read_lines(chunk, line, orders, collector)
        line += chunk.count(b"\n")
        options.on_progress(min(start + len(chunk), len(source.data)), len(source.data))
    if header.voters is not None and header.voters != collector.total:
        raise FormatError(
            f"The header says {header.voters:,} voters, but the orders have {collector.total:,}. "
            "Correct NUMBER VOTERS, or download the file again if lines are missing."
        )
    return collector.finish(orders.form.name, header.title)


def _detect_kind(header: PreflibHeader, source: Source) -> str:
    for kind in (header.kind, source.extension):
        if kind in PREFLIB:
            return kind
    if header.kind:
        raise FormatError(
            f"The header says DATA TYPE {quote(header.kind)}; expected one of {', '.join(PREFLIB)}."
        )
    return "toi"


def _parse_header(data: bytes) -> PreflibHeader:
    return _parse_new_header(data) if data.startswith(b"#") else _parse_old_header(data)


def _parse_new_header(data: bytes) -> PreflibHeader:
    names: dict[int, str] = {}
    values: dict[str, str] = {}
    at, line = 0, 1
    while data.startswith(b"#", at):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        key, _, value = data[at + 1 : end].decode().partition(":")
        key, value = key.strip(), value.strip()
        if key.startswith(_NAME):
            _add_name(names, key.removeprefix(_NAME), value, line)
        else:
            values[key] = value
        at, line = end + 1, line + 1
    if not names:
        raise FormatError(
            "the header has no names; it needs '# ALTERNATIVE NAME 1: …' for each candidate.", line
        )
    if values.get("NUMBER ALTERNATIVES", "") not in ("", str(len(names))):
        raise FormatError(
            f"The header says {quote(values['NUMBER ALTERNATIVES'])} alternatives but names "
            f"{len(names)}."
        )
    voters = values.get("NUMBER VOTERS", "")
    return PreflibHeader(
        _in_order(names),
        values.get("DATA TYPE", "").lower(),
        parse_number(voters, line - 1, "NUMBER VOTERS") if voters else None,
        values.get("TITLE", ""),
        at,
        line,
    )


def _parse_old_header(data: bytes) -> PreflibHeader:
    first, _, rest = data.partition(b"\n")
    number = parse_number(first.decode(), 1, "The number of candidates")
    names: dict[int, str] = {}
    lines = rest.split(b"\n", number + 1) if number < len(data) else []
    if len(lines) < number + 1:
        raise FormatError(f"the file ends before all {number:,} candidates are named.", 1)
    for line, text in enumerate(lines[:number], start=2):
        at, _, name = text.decode().partition(",")
        _add_name(names, at.strip(), name.strip(), line)
    voters = lines[number].decode().partition(",")[0]
    start = len(data) - (len(lines[number + 1]) if len(lines) > number + 1 else 0)
    return PreflibHeader(
        _in_order(names),
        "",
        parse_number(voters, number + 2, "The number of voters"),
        "",
        start,
        number + 3,
        is_old=True,
    )


def _add_name(names: dict[int, str], number: str, name: str, line: int) -> None:
    at = parse_number(number, line, "The number of an alternative")
    if at in names:
        raise FormatError(f"alternative {at} already has the name {quote(names[at])}.", line)
    if not name:
        raise FormatError(f"alternative {at} has no name.", line)
    names[at] = name


def _in_order(names: dict[int, str]) -> tuple[str, ...]:
    for number in range(1, len(names) + 1):
        if number not in names:
            raise FormatError(
                f"There are {len(names)} alternatives, but none has the number {number}; number "
                "them from 1."
            )
    return tuple(names[number] for number in range(1, len(names) + 1))


def _parse_chunk(chunk: bytes, candidates: tuple[str, ...], form: Format) -> Ballots | None:
    """Parse a chunk without an object per ballot; None unless every line is valid.

    For None, read the chunk line by line to find the error.
    """
    chunk = normalize_line_ends(chunk).replace(b": ", b":").replace(b", ", b",")
    data, ends = find_separators(chunk)
    kinds = data[ends]
    parsed = parse_numbers(data, ends)
    if parsed is None:
        return None
    values, has_number = parsed[0], parsed[1] > 0
    ties = b"{" in chunk or b"}" in chunk
    depth = _brace_depth(kinds) if ties else np.zeros(1, np.int8)
    if (ties and not form.ties) or not _is_valid_syntax(kinds, has_number, depth):
        return None
    colon, last = kinds == _COLON, kinds == _LINE_FEED
    # A comma outside of braces starts the next level.
    step = (kinds == _COMMA) & (depth == 0)
    steps = np.cumsum(step, dtype=np.int32)
    row = np.cumsum(last, dtype=np.int32) - last
    level = steps - step - steps[colon][row] + 1
    ranked = has_number & ~colon
    counts = values[colon].astype(np.int64)
    columns = _make_columns(values[ranked] - 1, row[ranked], level[ranked], candidates, len(counts))
    if columns is None or not counts.all():
        return None
    if not form.partial and int(np.bincount(row[ranked]).min()) < len(candidates):
        return None
    all_single = bool((counts == 1).all())
    return Ballots(candidates, columns, None if all_single else counts, not ties)


def _is_valid_syntax(
    kinds: NDArray[np.uint8], has_number: NDArray[np.bool_], depth: NDArray[np.int8]
) -> bool:
    """Return whether separators and numbers are in a valid order.

    `depth` is shorter than `kinds` if there are no braces.
    """
    colon, comma, last = kinds == _COLON, kinds == _COMMA, kinds == _LINE_FEED
    # The first separator on each line is a colon, and there is no other colon.
    if not colon[0] or not np.array_equal(colon[1:], last[:-1]):
        return False
    if len(depth) < len(kinds):
        return bool(has_number.all() and (colon | comma | last).all())
    opened, closed = kinds == _OPEN, kinds == _CLOSE
    after = np.zeros_like(closed)
    after[1:] = closed[:-1]
    return bool(
        (colon | comma | last | opened | closed).all()
        # A brace opens after a colon or comma; after it closes, a comma or the line's end follows.
        and (colon | comma)[:-1][opened[1:]].all()
        and (comma | last)[1:][closed[:-1]].all()
        and ((depth == 0) | (depth == 1)).all()
        and not depth[colon | last].any()
        # A number is before each separator, except before a brace opens or after it closes.
        and np.array_equal(has_number, ~(opened | after))
    )


def _brace_depth(kinds: NDArray[np.uint8]) -> NDArray[np.int8]:
    """Return how many braces are open after each separator."""
    step = (kinds == _OPEN).astype(np.int8) - (kinds == _CLOSE).astype(np.int8)
    return np.cumsum(step, dtype=np.int8)


def _make_columns(
    ranked: NDArray[np.int16 | np.int64],
    row: NDArray[np.int32],
    level: NDArray[np.int32],
    candidates: tuple[str, ...],
    rows: int,
) -> NDArray[np.int8 | np.int16] | None:
    width = len(candidates)
    if int(ranked.min()) < 0 or int(ranked.max()) >= width or int(level.max()) > width:
        return None
    ranks = rank_type(width)
    columns: NDArray[np.int8 | np.int16] = np.full((width, rows), np.iinfo(ranks).max, ranks)
    columns[ranked, row] = level
    # A candidate who is ranked twice on a line fills only one cell.
    if np.count_nonzero(columns != np.iinfo(ranks).max) != len(ranked):
        return None
    return columns


def _read_lines(chunk: bytes, line: int, orders: _Orders, collector: BallotCollector) -> None:
    for number, text in enumerate(chunk.decode().split("\n")[:-1], start=line):
        if not text.strip():
            continue
        try:
            count, colon, order = text.partition(":")
            if not colon:
                raise FormatError(
                    f"expected an order as 'count: 2,{{1,3}}', found no colon in {quote(text)}.",
                    number,
                )
            ballots = parse_number(count, number, "The count before the colon")
            collector.add(_parse_order(order, number, orders), ballots)
        except CountingError as error:
            collector.handle_malformed(error, number)


def _parse_order(order: str, line: int, orders: _Orders) -> Ranking:
    order = order.strip()
    if order in orders.known:
        return orders.known[order]
    levels: list[list[str]] = []
    at = 0
    while at < len(order) or (at and order.endswith(",")):
        match = _LEVEL.match(order, at)
        if match is None or match.end() == at:
            raise FormatError(
                "expected numbers of candidates separated by commas, equal ones in { }, found "
                f"{quote(order[at:])}.",
                line,
            )
        inside = match[2] if match[1] is None else match[1]
        levels.append([_candidate_name(text, line, orders.header) for text in inside.split(",")])
        at = match.end()
    ranking = Ranking.from_levels(levels)
    _check_kind(ranking, line, orders)
    if len(orders.known) < _MAX_CACHED_ORDERS:
        orders.known[order] = ranking
    return ranking


def _candidate_name(text: str, line: int, header: PreflibHeader) -> str:
    number = parse_number(text, line, "A candidate in an order")
    if not 1 <= number <= len(header.candidates):
        raise FormatError(
            f"candidate {number} is ranked, but there are {len(header.candidates)}.", line
        )
    return header.candidates[number - 1]


def _check_kind(ranking: Ranking, line: int, orders: _Orders) -> None:
    form = orders.form
    if not form.ties and any(len(level) > 1 for level in ranking.levels):
        raise FormatError(f"a {form.name} file has no ties. Read it as toc or toi.", line)
    if not form.partial and len(ranking.names) < len(orders.header.candidates):
        raise FormatError(
            f"a {form.name} file ranks all candidates on each line. Read it as soi or toi.", line
        )


def write_preflib(ballots: Ballots, title: str, form: Format) -> str:
    """Write a PrefLib file of one of the four kinds."""
    rankings = ballots.ranking_counts()
    check_writable(form, ballots.candidates, rankings)
    number = {name: str(at) for at, name in enumerate(ballots.candidates, start=1)}
    metadata = {
        "FILE NAME": f"ballots.{form.name}",
        "TITLE": " ".join(title.split()),
        "DESCRIPTION": "",
        "DATA TYPE": form.name,
        "MODIFICATION TYPE": "original",
        "RELATES TO": "",
        "RELATED FILES": "",
        "PUBLICATION DATE": "",
        "MODIFICATION DATE": "",
        "NUMBER ALTERNATIVES": len(number),
        "NUMBER VOTERS": ballots.cast,
        "NUMBER UNIQUE ORDERS": len(rankings),
    }
    metadata |= {f"ALTERNATIVE NAME {at}": name for name, at in number.items()}
    lines = [f"# {key}: {value}".rstrip() for key, value in metadata.items()]
    for ranking, count in rankings:
        levels = [[number[name] for name in level] for level in ranking.levels]
        order = ",".join(
            level[0] if len(level) == 1 else f"{{{','.join(level)}}}" for level in levels
        )
        lines.append(f"{count}: {order}")
    return "\n".join(lines) + "\n"
