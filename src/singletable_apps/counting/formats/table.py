"""The formats as data: what they are called, how their files end, and what they can hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A format: whether it has ties, partial and blank ballots, counts, and names of any kind.

    Without `counts` each ballot is written by itself. `reserved` may stand in no name; with
    `any_name` a name may even be empty or several lines. `written` is False for what only reads.
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
RCTAB = Format(
    "rctab",
    "the rounds of an instant runoff as RCTab writes and RCVis reads them; no ballots",
    ("json",),
    any_name=True,
    is_writable=False,
)

FORMATS: dict[str, Format] = {
    form.name: form for form in (CEF, ABIF, SOC, SOI, TOC, TOI, CSV, CSV_RANKS, CVR, RCTAB)
}
PREFLIB = (SOC.name, SOI.name, TOC.name, TOI.name)
