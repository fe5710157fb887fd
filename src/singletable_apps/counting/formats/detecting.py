"""Which format a file has, by its content; the end of its name decides only where two fit."""

from __future__ import annotations

import re
from collections.abc import Callable

from singletable_apps.counting.errors import FormatError, UnknownFormat
from singletable_apps.counting.formats.csv.header import header_of
from singletable_apps.counting.formats.digits import shown
from singletable_apps.counting.formats.json import Members, decoded
from singletable_apps.counting.formats.source import Source
from singletable_apps.counting.formats.table import FORMATS, PREFLIB

_HEAD = 1 << 16
_PREFLIB = re.compile(r"(?m)^#\s*(?:NUMBER ALTERNATIVES|ALTERNATIVE NAME [0-9]+)\s*:")
_OLD_PREFLIB = re.compile(r"[0-9]+\s*\n\s*1\s*,[^\n]+\n")
_ABIF_VOTE = re.compile(r"[0-9]+\s*:.*")
# Commas and semicolons may stand in tags, and never in a ranking.
_CEF_VOTE = re.compile(r"(?:.*\|\|)?[^>=,;]+(?:[>=][^>=,;]+)+|/EMPTY/.*", re.IGNORECASE)
_CEF_PARAMETER = re.compile("(?m)^#/")


def detect(source: Source) -> str:
    """The name of the format; "preflib" for all of its kinds."""
    head = source.data[:_HEAD].decode(errors="ignore").replace("\r\n", "\n")
    tried: dict[str, str] = {}
    fitting: list[str] = []
    for name, look in _LOOKS.items():
        why = look(source, head)
        if why is None:
            fitting.append(name)
        else:
            tried[name] = why
    if not fitting:
        reasons = "".join(f"\n  {name}: {why}" for name, why in tried.items())
        raise UnknownFormat(
            f"No format fits.{reasons}\nName the format if you know it, or correct the line.",
            tried,
        )
    named = [name for name in fitting if source.extension in _extensions(name)]
    return (named or fitting)[0]


def _extensions(name: str) -> tuple[str, ...]:
    return PREFLIB if name == "preflib" else FORMATS[name].extensions


def _json(member: str) -> Callable[[Source, str], str | None]:
    def look(source: Source, head: str) -> str | None:
        if not head.lstrip().startswith("{"):
            return f"line 1: JSON begins with '{{', and {_first(head)} came"
        try:
            members = decoded(source.data, Members)
        except FormatError as error:
            return str(error)
        if member == "cvr":
            return None if members.is_cvr else "it has no member 'Election', where contests are"
        return None if members.is_rctab else "it has no members 'config' and 'results'"

    return look


def _preflib(_source: Source, head: str) -> str | None:
    if _CEF_PARAMETER.search(head):
        return "it has the parameters of CEF, which begin with '#/'"
    if _PREFLIB.search(head) or _OLD_PREFLIB.match(head):
        return None
    return (
        "line 1: metadata like '# NUMBER ALTERNATIVES: 3' was expected before the orders, "
        f"and {_first(head)} came"
    )


def _cef(_source: Source, head: str) -> str | None:
    if _CEF_PARAMETER.search(head):
        return None
    line, text = _first_that_counts(head, ("#",))
    if _CEF_VOTE.fullmatch(text.partition("#")[0].strip()) and not _ABIF_VOTE.fullmatch(text):
        return None
    return f"line {line}: '#/Candidates: …' or a vote like 'A > B = C * 2' was expected, and " + (
        f"{shown(text)} came"
    )


def _abif(_source: Source, head: str) -> str | None:
    if head.startswith("ABIF"):
        return None
    line, text = _first_that_counts(head, ("#", "{"))
    if _ABIF_VOTE.fullmatch(text) or re.fullmatch("=.*:.*", text):
        return None if not _PREFLIB.search(head) else "it has the metadata of PrefLib"
    return (
        f"line {line}: '=token:[Name]' or a vote like '2:A>B=C' was expected, and {shown(text)} "
        "came"
    )


def _csv(source: Source, head: str) -> str | None:
    line, text = _first_that_counts(head, ())
    if text.startswith(("#", "{", "=", "[")):
        return f"line {line}: names of columns were expected, and {shown(text)} came"
    try:
        header = header_of(source.data)
    except FormatError as error:
        return str(error)
    if header.width < 2:
        return "line 1: several names of columns with commas between were expected, and " + (
            f"{_first(head)} came"
        )
    return None


def _first(head: str) -> str:
    return shown(head.partition("\n")[0])


def _first_that_counts(head: str, passed_over: tuple[str, ...]) -> tuple[int, str]:
    """The first line that is neither empty nor begins with one of these, and its number."""
    lines = [text.strip() for text in head.split("\n")]
    for line, text in enumerate(lines, start=1):
        if text and not (passed_over and text.startswith(passed_over)):
            return line, text
    return 1, lines[0]


# In this order where several fit and the name of the file says nothing.
_LOOKS: dict[str, Callable[[Source, str], str | None]] = {
    "cvr": _json("cvr"),
    "rctab": _json("rctab"),
    "preflib": _preflib,
    "abif": _abif,
    "cef": _cef,
    "csv": _csv,
}
