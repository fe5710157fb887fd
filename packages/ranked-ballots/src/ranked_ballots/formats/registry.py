"""The formats as data: their names, file extensions and capabilities; and checks before writing."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ranked_ballots.errors import WriteError
from ranked_ballots.ranking import Ranking

_MAX_DIGITS = 1_000


@dataclass(frozen=True, slots=True)
class Format:
    """A format, and whether it supports ties, partial and blank ballots, counts and any name.

    Without `counts`, each ballot is written by itself. A name must not contain `reserved` text;
    with `any_name`, it may even be empty or have several lines. `is_writable` is False for formats
    without ballots. `alternatives` are suggested in errors.
    """

    name: str
    description: str
    extensions: tuple[str, ...]
    ties: bool = True
    partial: bool = True
    blank: bool = True
    counts: bool = True
    any_name: bool = False
    reserved: tuple[str, ...] = ()
    is_writable: bool = True
    alternatives: str = "csv, cvr or toi"


CEF = Format(
    "cef",
    "Condorcet Election Format",
    ("cvotes",),
    reserved=(">", "=", ";", ",", "#", "/", "<", "*", "^", "|"),
)
ABIF = Format("abif", "Aggregated Ballot Information Format", ("abif",), reserved=("[", "]"))
SOC = Format(
    "soc", "PrefLib, strict and complete orders", ("soc",), ties=False, partial=False, blank=False
)
SOI = Format("soi", "PrefLib, strict orders", ("soi",), ties=False, blank=False)
TOC = Format("toc", "PrefLib, complete orders with ties", ("toc",), partial=False, blank=False)
TOI = Format("toi", "PrefLib, orders with ties", ("toi",), blank=False)
CSV = Format("csv", "a column for each candidate, with rank numbers", ("csv", "tsv"))
CSV_RANKS = Format("csv-ranks", "a column for each rank, with names", ("csv",), ties=False)
CVR = Format(
    "cvr",
    "NIST SP 1500-103 cast vote records in JSON",
    ("json",),
    counts=False,
    any_name=True,
)
BLT = Format("blt", "the format of STV programs, with the number of seats", ("blt",))
RCTAB = Format(
    "rctab",
    "the rounds of an instant runoff as RCTab writes and RCVis reads them; no ballots",
    ("json",),
    any_name=True,
    is_writable=False,
)

FORMATS: dict[str, Format] = {
    form.name: form for form in (CEF, ABIF, SOC, SOI, TOC, TOI, CSV, CSV_RANKS, CVR, BLT, RCTAB)
}
PREFLIB = (SOC.name, SOI.name, TOC.name, TOI.name)


def check_writable(
    form: Format, candidates: Sequence[str], rankings: Iterable[tuple[Ranking, int]]
) -> None:
    """Raise WriteError for the first name or ballot that the format cannot represent."""
    for name in candidates:
        check_name(form, name)
    for number, (ranking, count) in enumerate(rankings, start=1):
        why = _ballot_problem(form, candidates, ranking, count)
        if why is not None:
            raise WriteError(
                f"The format {form.name} cannot represent "
                f"{_describe_ballot(ranking, count, number)}: {why}. "
                f"Use another format: {form.alternatives}."
            )


def check_name(form: Format, name: str) -> None:
    """Raise WriteError unless the name would be read back unchanged."""
    why = _name_problem(form, name)
    if why is not None:
        raise WriteError(
            f"The format {form.name} cannot represent the candidate {name!r}: {why}. "
            f"Rename the candidate or use another format: {form.alternatives}."
        )


def _name_problem(form: Format, name: str) -> str | None:
    # UTF-8 cannot encode half of a surrogate pair.
    if any(unicodedata.category(letter) == "Cs" for letter in name):
        return "it contains half of a surrogate pair, which is not a character"
    if form.any_name:
        return None
    if not name:
        return "a name must not be empty"
    if name != name.strip():
        return "white space at its ends would be lost"
    if any(unicodedata.category(letter) == "Cc" for letter in name):
        return "it contains a control character"
    for mark in form.reserved:
        if mark in name:
            return f"'{mark}' has a special meaning in this format"
    return None


def _ballot_problem(
    form: Format, candidates: Sequence[str], ranking: Ranking, count: int
) -> str | None:
    if ranking.is_blank and not form.blank:
        return "it is blank"
    if not form.ties and any(len(level) > 1 for level in ranking.levels):
        return "it ranks several candidates equally"
    if not form.partial and len(ranking.names) < len(candidates):
        return "it does not rank all candidates"
    if count.bit_length() > 3 * _MAX_DIGITS:
        return f"its count has more than about {_MAX_DIGITS:,} digits"
    return None


def _describe_ballot(ranking: Ranking, count: int, number: int) -> str:
    ballot = "a blank ballot" if ranking.is_blank else f"the ballot '{ranking}'"
    times = "" if count.bit_length() > 60 else f" (×{count:,})"
    return f"{ballot}{times}, number {number:,} when sorted by count"
