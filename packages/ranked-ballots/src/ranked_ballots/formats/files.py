"""Read a ballot file in any format, detecting the format by its content; write ballots."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from ranked_ballots.ballots import Ballots
from ranked_ballots.errors import FormatError, UnknownFormat, WriteError
from ranked_ballots.formats.abif import read_abif, write_abif
from ranked_ballots.formats.blt import read_blt, write_blt
from ranked_ballots.formats.cef import read_cef, write_cef
from ranked_ballots.formats.collector import BallotFile, ReadOptions
from ranked_ballots.formats.csv import (
    parse_header,
    read_csv,
    write_csv,
    write_csv_ranks,
)
from ranked_ballots.formats.cvr import read_cvr, write_cvr
from ranked_ballots.formats.numbers import quote
from ranked_ballots.formats.preflib import read_preflib, write_preflib
from ranked_ballots.formats.registry import FORMATS, PREFLIB
from ranked_ballots.formats.rules import BallotRules
from ranked_ballots.formats.source import (
    JsonMembers,
    ProgressCallback,
    Source,
    decode_json,
    open_source,
)

# Returns why the source does not have the format, or None if it may have it. The text is the
# beginning of the file.
Detector: TypeAlias = Callable[[Source, str], str | None]

_HEAD_SIZE = 1 << 16
_PREFLIB = re.compile(r"(?m)^#\s*(?:NUMBER ALTERNATIVES|ALTERNATIVE NAME [0-9]+)\s*:")
_OLD_PREFLIB = re.compile(r"[0-9]++[^\S\n]*+\n\s*+1\s*+,[^\n]+\n")
_ABIF_VOTE = re.compile(r"[0-9]+\s*:.*")
# Tags may contain commas and semicolons; a ranking never does.
_CEF_VOTE = re.compile(r"(?:.*\|\|)?+[^>=,;]+(?:[>=][^>=,;]+)+|/EMPTY/.*", re.IGNORECASE)
_BLT_HEADER = re.compile(r"[0-9]+\s+[0-9]+\s*(?:#.*)?")
_CEF_PARAMETER = re.compile("(?m)^#/")

_READERS: dict[str, Callable[[Source, ReadOptions], BallotFile]] = {
    "cef": read_cef,
    "abif": read_abif,
    "csv": read_csv,
    "csv-ranks": read_csv,
    "cvr": read_cvr,
    "blt": read_blt,
}


def read_ballots(
    file: Path | str | bytes,
    format: str | None = None,  # noqa: A002 (the name that callers expect)
    *,
    rules: BallotRules | None = None,
    contest: str | None = None,
    on_progress: ProgressCallback | None = None,
) -> BallotFile:
    """Read the ballots of a file, given its path or its bytes; the format is detected by default.

    `contest` selects one contest of cast vote records, by name or id. `on_progress` is called from
    time to time with the number of bytes read so far and the total.
    """
    source = open_source(file)
    name = detect_format(source) if format is None else _check_format(format)
    options = ReadOptions(rules or BallotRules(), contest, on_progress or _ignore_progress)
    options.on_progress(0, len(source.data))
    if name == "preflib" or name in PREFLIB:
        return read_preflib(source, options, None if name == "preflib" else name)
    if name == "rctab":
        raise FormatError(
            "This is a tabulation by RCTab: it has the votes of each round, but no ballots. Read "
            "it with read_rounds, or use the cast vote records it was made from."
        )
    return _READERS[name](source, options)


def write_ballots(
    ballots: Ballots,
    format: str,  # noqa: A002
    *,
    title: str = "",
    when: datetime | None = None,
    seats: int = 1,
) -> bytes:
    """Return the ballots in a format; "preflib" chooses the narrowest of its kinds.

    `when` is required for cast vote records, which contain the time of the report. BLT files
    contain the number of `seats`.
    """
    match _check_format(format):
        case "cef":
            text = write_cef(ballots, title)
        case "abif":
            text = write_abif(ballots, title)
        case "csv":
            text = write_csv(ballots)
        case "csv-ranks":
            text = write_csv_ranks(ballots)
        case "cvr":
            text = write_cvr(ballots, title, when)
        case "blt":
            text = write_blt(ballots, title, seats)
        case "rctab":
            raise WriteError(
                "RCTab's format has rounds, not ballots: count the ballots with instant_runoff and "
                "write the result with write_rounds."
            )
        case name:
            kind = _narrowest_preflib(ballots) if name == "preflib" else name
            text = write_preflib(ballots, title, FORMATS[kind])
    return text.encode()


def _narrowest_preflib(ballots: Ballots) -> str:
    rankings = [ranking for ranking, _ in ballots.ranking_counts()]
    ties = any(len(level) > 1 for ranking in rankings for level in ranking.levels)
    partial = any(len(ranking.names) < len(ballots.candidates) for ranking in rankings)
    return ("to" if ties else "so") + ("i" if partial else "c")


def _check_format(name: str) -> str:
    if name != "preflib" and name not in FORMATS:
        known = ", ".join((*FORMATS, "preflib"))
        raise FormatError(f"There is no format '{name}'. Formats: {known}.")
    return name


def _ignore_progress(_done: int, _total: int) -> None:
    pass


def detect_format(source: Source) -> str:
    """Return the name of the format, "preflib" for all of its kinds.

    The content decides; the file extension only decides between several that match.
    """
    head = source.data[:_HEAD_SIZE].decode(errors="ignore").replace("\r\n", "\n")
    tried: dict[str, str] = {}
    matching: list[str] = []
    for name, find_problem in _DETECTORS.items():
        problem = find_problem(source, head)
        if problem is None:
            matching.append(name)
        else:
            tried[name] = problem
    if not matching:
        reasons = "".join(f"\n  {name}: {why}" for name, why in tried.items())
        raise UnknownFormat(
            f"No format matches.{reasons}\nName the format if you know it, or correct the line.",
            tried,
        )
    by_extension = [name for name in matching if source.extension in _extensions(name)]
    return (by_extension or matching)[0]


def _extensions(name: str) -> tuple[str, ...]:
    return PREFLIB if name == "preflib" else FORMATS[name].extensions


def _cvr_problem(source: Source, head: str) -> str | None:
    members = _json_members(source, head)
    if isinstance(members, str):
        return members
    return None if members.is_cvr else "it has no member 'Election' with contests"


def _rctab_problem(source: Source, head: str) -> str | None:
    members = _json_members(source, head)
    if isinstance(members, str):
        return members
    return None if members.is_rctab else "it has no members 'config' and 'results'"


def _json_members(source: Source, head: str) -> JsonMembers | str:
    """Return the members, or why the source is not a JSON object."""
    if not head.lstrip().startswith("{"):
        return f"line 1: expected '{{', found {_first_line(head)}"
    try:
        return decode_json(source.data, JsonMembers)
    except FormatError as error:
        return str(error)


def _preflib_problem(_source: Source, head: str) -> str | None:
    if _CEF_PARAMETER.search(head):
        return "it has parameters of CEF, which start with '#/'"
    if _PREFLIB.search(head) or _OLD_PREFLIB.match(head):
        return None
    return (
        "line 1: expected metadata like '# NUMBER ALTERNATIVES: 3' before the orders, found "
        f"{_first_line(head)}"
    )


def _cef_problem(_source: Source, head: str) -> str | None:
    if _CEF_PARAMETER.search(head):
        return None
    line, text = _first_content_line(head, ("#",))
    if _CEF_VOTE.fullmatch(text.partition("#")[0].strip()) and not _ABIF_VOTE.fullmatch(text):
        return None
    return (
        f"line {line}: expected '#/Candidates: …' or a vote like 'A > B = C * 2', found "
        f"{quote(text)}"
    )


def _abif_problem(_source: Source, head: str) -> str | None:
    if head.startswith("ABIF"):
        return None
    line, text = _first_content_line(head, ("#", "{"))
    if _ABIF_VOTE.fullmatch(text) or re.fullmatch("=[^:]*:.*", text):
        return None if not _PREFLIB.search(head) else "it has metadata of PrefLib"
    return f"line {line}: expected '=token:[Name]' or a vote like '2:A>B=C', found {quote(text)}"


def _csv_problem(source: Source, head: str) -> str | None:
    line, text = _first_content_line(head, ())
    if text.startswith(("#", "{", "=", "[")):
        return f"line {line}: expected names of columns, found {quote(text)}"
    try:
        header = parse_header(source.data)
    except FormatError as error:
        return str(error)
    if header.width < 2:
        return (
            "line 1: expected several names of columns separated by commas, found "
            f"{_first_line(head)}"
        )
    return None


def _blt_problem(_source: Source, head: str) -> str | None:
    line, text = _first_content_line(head, ("#",))
    if _BLT_HEADER.fullmatch(text):
        return None
    return f"line {line}: expected numbers of candidates and seats, as '4 2', found {quote(text)}"


def _first_line(head: str) -> str:
    return quote(head.partition("\n")[0])


def _first_content_line(head: str, comments: tuple[str, ...]) -> tuple[int, str]:
    """Return the number and text of the first line that is neither empty nor a comment."""
    lines = [text.strip() for text in head.split("\n")]
    for line, text in enumerate(lines, start=1):
        if text and not (comments and text.startswith(comments)):
            return line, text
    return 1, lines[0]


# In order of precedence, if several match and the file extension does not decide.
_DETECTORS: dict[str, Detector] = {
    "cvr": _cvr_problem,
    "rctab": _rctab_problem,
    "preflib": _preflib_problem,
    "abif": _abif_problem,
    "cef": _cef_problem,
    "csv": _csv_problem,
    "blt": _blt_problem,
}
