"""Head to head as rows of a map: both numbers, and a shade for how clear it is."""

from __future__ import annotations

from markupsafe import Markup

from singletable_apps.counting import SchulzeResult, format_number
from singletable_apps.shared.counted import in_order

# A map of more is none: it would be a million cells.
MOST = 30
_MIDDLE = 5

Row = tuple[str, list[tuple[Markup, int | None]]]


def pair_rows(result: SchulzeResult) -> list[Row]:
    """A row for each candidate, best first; at most so many as can be read."""
    names = in_order(result)[:MOST]
    at = {name: result.candidates.index(name) for name in names}
    return [
        (
            name,
            [
                (Markup("–"), None)
                if name == other
                else _cell(
                    result.preferences[at[name]][at[other]], result.preferences[at[other]][at[name]]
                )
                for other in names
            ],
        )
        for name in names
    ]


def _cell(votes: int, against: int) -> tuple[Markup, int]:
    """Both numbers, the larger one bold, and a step from 0 (lost by all) to 10 (won by all)."""
    kinds = ("strong", "span") if votes > against else ("span", "span")
    text = Markup("<{0}>{1}</{0}> : <{2}>{3}</{2}>").format(
        Markup(kinds[0]), format_number(votes), Markup(kinds[1]), format_number(against)
    )
    if votes == against:
        return text, _MIDDLE
    ahead = abs(votes - against) * _MIDDLE
    step = 1 + min(_MIDDLE - 1, ahead // (votes + against))
    return text, _MIDDLE + step if votes > against else _MIDDLE - step
