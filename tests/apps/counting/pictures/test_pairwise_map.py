"""The map of pairs shows the numbers of the JSON result, in the order of the result."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

from singletable_apps.counting import Ballots, copeland, ranked_pairs, schulze
from singletable_apps.counting.pictures import draw_pairwise_matrix, render_pairwise_table
from singletable_apps.counting.pictures.pairs import PairsResult, in_order
from tests.apps.counting.pictures.elections import ELECTIONS, HOSTILE, written
from tests.apps.counting.pictures.reading import SVG, classes, marked, value, written_in

_CELL = r"(.*) against (.*): (\S+) to (\S+)"
_PLAIN = [name for name in ELECTIONS if name != "hostile names"]


def _expected(result: PairsResult) -> dict[tuple[str, str], tuple[int, int]]:
    """Every pair of the JSON result, with the votes for and against."""
    told = json.loads(result.to_json())
    names, matrix = told["candidates"], told["preferences"]
    return {
        (a, b): (matrix[i][j], matrix[j][i])
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if a != b
    }


@pytest.mark.parametrize("name", _PLAIN)
def test_each_cell_shows_the_number_of_the_result(name: str) -> None:
    result = schulze(ELECTIONS[name])
    shown: dict[tuple[str, str], tuple[int, int]] = {}
    for cell, found in marked(draw_pairwise_matrix(result), _CELL):
        a, b, votes, against = found.groups()
        shown[a, b] = int(value(votes)), int(value(against))
        figure = next(text for text in cell.iter(f"{SVG}text") if written_in(text) != "=")
        assert written_in(figure) == votes
    assert shown == _expected(result)


# Who sees no colours, or prints on paper, has the corner, the weight and the sign.
@pytest.mark.parametrize("name", _PLAIN)
def test_who_wins_is_told_by_more_than_colour(name: str) -> None:
    for cell, found in marked(draw_pairwise_matrix(schulze(ELECTIONS[name])), _CELL):
        votes, against = value(found[3]), value(found[4])
        kinds = {kind for inner in cell.iter() for kind in classes(inner)}
        assert ("corner" in kinds) == ("strong" in kinds) == (votes > against)
        assert ("=" in written_in(cell)) == (votes == against)


@pytest.mark.parametrize(
    ("votes", "shade"),
    [(50, "level"), (51, "win-1"), (60, "win-2"), (75, "win-3"), (89, "win-4"), (100, "win-5")],
)
def test_a_larger_share_has_a_deeper_shade(votes: int, shade: str) -> None:
    ballots = written(f"{votes} Ada > Ben", f"{100 - votes} Ben > Ada")
    shades = {
        (found[1], found[2]): classes(next(cell.iter(f"{SVG}rect")))
        for cell, found in marked(draw_pairwise_matrix(schulze(ballots)), _CELL)
    }
    assert shades["Ada", "Ben"] == {shade}
    assert shades["Ben", "Ada"] == {shade.replace("win", "lose")}


def test_rows_and_columns_are_in_the_order_of_the_result() -> None:
    result = schulze(ELECTIONS["cycle"])
    rows = list(dict.fromkeys(found[1] for _, found in marked(draw_pairwise_matrix(result), _CELL)))
    assert rows == list(in_order(result)) == ["E", "A", "C", "B", "D"]


@pytest.mark.parametrize("name", _PLAIN)
def test_the_words_have_every_pair(name: str) -> None:
    result = schulze(ELECTIONS[name])
    words = draw_pairwise_matrix(result).text.splitlines()
    for (a, b), (votes, against) in _expected(result).items():
        if votes > against:
            assert f"{a} beats {b} {votes:,} to {against:,}." in words
        elif votes == against:
            said = f"are level, {votes:,} to {against:,}."
            assert f"{a} and {b} {said}" in words or f"{b} and {a} {said}" in words


def test_every_method_that_looks_at_pairs_has_the_map() -> None:
    ballots = ELECTIONS["cycle"]
    for result in (schulze(ballots), ranked_pairs(ballots), copeland(ballots)):
        assert len(list(marked(draw_pairwise_matrix(result), _CELL))) == 20


class _Table(HTMLParser):
    """The cells of a table, as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.scopes: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        if tag == "th":
            self.scopes.append(dict(attrs).get("scope"))

    def handle_data(self, data: str) -> None:
        if self.rows:
            self.rows[-1][-1] += data


def _read(ballots: Ballots) -> tuple[_Table, PairsResult]:
    result = schulze(ballots)
    table = _Table()
    table.feed(render_pairwise_table(result))
    return table, result


@pytest.mark.parametrize("name", _PLAIN)
def test_the_table_has_the_numbers_of_the_result(name: str) -> None:
    table, result = _read(ELECTIONS[name])
    names, expected = in_order(result), _expected(result)
    for a, (_, *cells) in zip(names, table.rows[1:], strict=True):
        for b, cell in zip(names, cells, strict=True):
            if a == b:
                assert cell == "–"
                continue
            sign, votes, _, against = cell.split()
            assert [value(votes), value(against)] == [*expected[a, b]]
            ahead = value(votes) - value(against)
            assert sign == ("▲" if ahead > 0 else "▽" if ahead < 0 else "=")


# A screen reader says the heads of row and column with each cell: both must be known as heads.
def test_every_head_of_the_table_says_what_it_heads() -> None:
    table, _ = _read(ELECTIONS["cycle"])
    assert table.scopes == ["col"] * 6 + ["row"] * 5


def test_hostile_names_stay_names_in_the_table() -> None:
    table, result = _read(ELECTIONS["hostile names"])
    assert table.tags == {"table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "abbr"}
    assert table.rows[0][1 + in_order(result).index(HOSTILE[0])] == HOSTILE[0]
