"""Head to head as an HTML table, for pages: its headings stay in sight, and are read aloud."""

from __future__ import annotations

from singletable_apps.counting.pictures.labels import distinct
from singletable_apps.counting.pictures.markup import element, text
from singletable_apps.counting.pictures.pairs import (
    Cell,
    PairsResult,
    cell,
    in_order,
    place_of,
)
from singletable_apps.counting.text import format_number

CAPTION = "Head to head: ballots that prefer the row to the column, and the other way round."
_ROOM = 240
_SIGNS = {"win": "▲", "lose": "▽", "level": "="}
_SAID = {"win": "wins", "lose": "loses", "level": "level"}


def render_pairwise_table(result: PairsResult) -> str:
    """Each two candidates with both numbers; who wins is told by a sign, by weight and by shade."""
    names = in_order(result)
    short = distinct(names, _ROOM)
    places = place_of(result)
    head = element(
        "tr",
        element("th", text("Candidate"), scope="col"),
        *(element("th", _name(name, short[name]), scope="col") for name in names),
    )
    body = (
        element(
            "tr",
            element("th", f"{places[name]}. ", _name(name, short[name]), scope="row"),
            *(_cell(cell(result, name, other)) for other in names),
        )
        for name in names
    )
    return element(
        "table",
        element("caption", text(CAPTION)),
        element("thead", head),
        element("tbody", *body),
        class_="count-table",
    )


def _name(name: str, short: str) -> str:
    """A name that does not turn round what stands beside it."""
    return element("bdi", text(short)) if short == name else element("bdi", text(short), title=name)


def _cell(pair: Cell) -> str:
    if pair.row == pair.column:
        return element("td", "–", class_="self")
    sign = element("abbr", _SIGNS[pair.sign], title=_SAID[pair.sign])
    return element(
        "td",
        f"{sign} {format_number(pair.votes)} : {format_number(pair.against)}",
        class_="level" if pair.sign == "level" else f"{_SAID[pair.sign]} {pair.shade}",
    )
