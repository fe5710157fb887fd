"""The pairwise matrix and table: they have the numbers of the JSON result, in its order."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

from ranked_ballots import Ballots, copeland, ranked_pairs, schulze
from ranked_ballots.pictures import draw_pairwise_matrix, render_pairwise_table
from ranked_ballots.pictures.pairwise import PairwiseResult
from tests.counting.pictures.elections import ELECTIONS, HOSTILE, written
from tests.counting.pictures.markup import SVG, classes, marked, value, written_in

_CELL = r"(.*) against (.*): (\S+) to (\S+)"
_PLAIN = [name for name in ELECTIONS if name != "hostile names"]


def _expected(result: PairwiseResult) -> dict[tuple[str, str], tuple[int, int]]:
    """Return every pair of the JSON result with the votes for and against."""
    content = json.loads(result.to_json())
    names, matrix = content["candidates"], content["preferences"]
    return {
        (a, b): (matrix[i][j], matrix[j][i])
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if a != b
    }


@pytest.mark.parametrize("name", _PLAIN)
def test_cells_have_the_numbers_of_the_result(name: str) -> None:
    result = schulze(ELECTIONS[name])
    shown: dict[tuple[str, str], tuple[int, int]] = {}
    for cell, found in marked(draw_pairwise_matrix(result), _CELL):
        a, b, votes, against = found.groups()
        shown[a, b] = int(value(votes)), int(value(against))
        figure = next(text for text in cell.iter(f"{SVG}text") if written_in(text) != "=")
        assert written_in(figure) == votes
    assert shown == _expected(result)


# For color blindness and for print.
@pytest.mark.parametrize("name", _PLAIN)
def test_winner_is_marked_by_more_than_color(name: str) -> None:
    for cell, found in marked(draw_pairwise_matrix(schulze(ELECTIONS[name])), _CELL):
        votes, against = value(found[3]), value(found[4])
        kinds = {kind for inner in cell.iter() for kind in classes(inner)}
        assert ("corner" in kinds) == ("strong" in kinds) == (votes > against)
        assert ("=" in written_in(cell)) == (votes == against)


@pytest.mark.parametrize(
    ("votes", "shade"),
    [(50, "level"), (51, "win-1"), (60, "win-2"), (75, "win-3"), (89, "win-4"), (100, "win-5")],
)
def test_larger_share_has_a_deeper_shade(votes: int, shade: str) -> None:
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
    assert rows == list(result.ranked_candidates) == ["E", "A", "C", "B", "D"]


@pytest.mark.parametrize("name", _PLAIN)
def test_text_has_every_pair(name: str) -> None:
    result = schulze(ELECTIONS[name])
    words = draw_pairwise_matrix(result).text.splitlines()
    for (a, b), (votes, against) in _expected(result).items():
        if votes > against:
            assert f"{a} beats {b} {votes:,} to {against:,}." in words
        elif votes == against:
            outcome = f"tie {votes:,} to {against:,}."
            assert f"{a} and {b} {outcome}" in words or f"{b} and {a} {outcome}" in words


def test_every_pairwise_method_has_the_matrix() -> None:
    ballots = ELECTIONS["cycle"]
    for result in (schulze(ballots), ranked_pairs(ballots), copeland(ballots)):
        assert len(list(marked(draw_pairwise_matrix(result), _CELL))) == 20


class _Table(HTMLParser):
    """The cells of an HTML table."""

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


def _read(ballots: Ballots) -> tuple[_Table, PairwiseResult]:
    result = schulze(ballots)
    table = _Table()
    table.feed(render_pairwise_table(result))
    return table, result


@pytest.mark.parametrize("name", _PLAIN)
def test_table_has_the_numbers_of_the_result(name: str) -> None:
    table, result = _read(ELECTIONS[name])
    names, expected = result.ranked_candidates, _expected(result)
    for a, (_, *cells) in zip(names, table.rows[1:], strict=True):
        for b, cell in zip(names, cells, strict=True):
            if a == b:
                assert cell == "–"
                continue
            sign, votes, _, against = cell.split()
            assert [value(votes), value(against)] == [*expected[a, b]]
            ahead = value(votes) - value(against)
            assert sign == ("▲" if ahead > 0 else "▽" if ahead < 0 else "=")


# A screen reader reads the headers of row and column with each cell.
def test_table_headers_have_a_scope() -> None:
    table, _ = _read(ELECTIONS["cycle"])
    assert table.scopes == ["col"] * 6 + ["row"] * 5


def test_table_escapes_hostile_names() -> None:
    table, result = _read(ELECTIONS["hostile names"])
    assert table.tags == {"table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "abbr"}
    assert table.rows[0][1 + result.ranked_candidates.index(HOSTILE[0])] == HOSTILE[0]
