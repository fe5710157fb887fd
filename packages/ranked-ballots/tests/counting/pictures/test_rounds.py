"""Round bars and the Sankey diagram: their sizes are the votes of the JSON result."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from ranked_ballots import RunoffResult, StvResult, instant_runoff, meek_stv, scottish_stv
from ranked_ballots.pictures import (
    STYLESHEET,
    Picture,
    color_classes,
    draw_round_bars,
    draw_transfers,
)
from tests.counting.pictures.elections import ELECTIONS
from tests.counting.pictures.markup import (
    NUMBER,
    SVG,
    classes,
    marked,
    parsed,
    value,
    written_in,
)

_VOTES = rf"Round (\d+): (?!.* to )(.*?) {NUMBER}"
_MOVE = rf"Round (\d+): (.*) to (.*?) {NUMBER}"
RoundsResult = RunoffResult | StvResult
Draw = Callable[[RoundsResult], Picture]
_COUNTED = ["two", "one candidate", "dead heat", "cycle", "split votes", "beyond 64 bits"]
_SEATS = ["cycle for seats", "split votes for seats", "beyond 64 bits for seats"]
_EMPTY = ["no ballots", "only blank ballots"]


@cache
def _result(name: str) -> RoundsResult:
    if name in _SEATS:
        ballots = ELECTIONS[name.removesuffix(" for seats")]
        return scottish_stv(ballots, seats=2, equal_ranks="skip", seed="2026-11-15")
    return instant_runoff(ELECTIONS[name], seed="2026-11-15")


def _tallies(result: RoundsResult) -> dict[tuple[int, str], Fraction]:
    """Return the votes of every round in the JSON result, including exhausted ones."""
    rounds: list[dict[str, Any]] = json.loads(result.to_json())["rounds"]
    votes = {
        (each["number"], name): value(votes)
        for each in rounds
        for name, votes in each["tally"].items()
    }
    for each in rounds:
        gone = sum((value(votes) for votes in each["exhausted"].values()), Fraction(0))
        votes[each["number"], "Exhausted"] = gone
    return votes


def _read(found: re.Match[str]) -> tuple[tuple[int, str], Fraction]:
    number, name, votes = found.groups()
    return (int(number), name), value(votes)


@pytest.mark.parametrize("name", [*_COUNTED, *_SEATS, "fifty"])
@pytest.mark.parametrize("draw", [draw_round_bars, draw_transfers])
def test_pictures_show_every_tally(name: str, draw: Draw) -> None:
    result = _result(name)
    assert dict(_read(found) for _, found in marked(draw(result), _VOTES)) == _tallies(result)


@pytest.mark.parametrize("name", _COUNTED)
def test_bar_widths_are_proportional_to_votes(name: str) -> None:
    result = _result(name)
    lengths = {
        _read(found): float(bar.get("width", "nan"))
        for bar, found in marked(draw_round_bars(result), _VOTES)
        if bar.tag == f"{SVG}rect"
    }
    (_, most), longest = max(lengths.items(), key=lambda entry: entry[0][1])
    for (_, votes), length in lengths.items():
        assert length == pytest.approx(float(longest * votes / most), abs=0.11)


@pytest.mark.parametrize("name", _COUNTED)
def test_winner_and_eliminated_are_marked_by_more_than_color(name: str) -> None:
    result = _result(name)
    words = [written_in(text) for text in parsed(draw_round_bars(result)).iter(f"{SVG}text")]
    marks = "".join(word[-1] for word in words if word.endswith(("✓", "✕")))
    assert sorted(marks) == sorted("✕" * (len(result.rounds) - 1) + "✓")


def test_unbroken_tie_is_marked() -> None:
    picture = draw_round_bars(instant_runoff(ELECTIONS["dead heat"]))
    words = [written_in(text) for text in parsed(picture).iter(f"{SVG}text")]
    assert words.count("5 =") == 2
    assert "Ada and Ben are tied, and no rule breaks the tie." in picture.text


@pytest.mark.parametrize("name", _COUNTED)
def test_half_of_each_round_is_shown(name: str) -> None:
    result = _result(name)
    words = [written_in(text) for text in parsed(draw_round_bars(result)).iter(f"{SVG}text")]
    for each in result.rounds:
        at = words.index(f"Round {each.number}")
        assert value(words[at + 1]) == Fraction(each.continuing, 2)


def test_quota_and_everyone_elected_are_shown() -> None:
    result = meek_stv(ELECTIONS["cycle"], seats=2)
    words = [written_in(text) for text in parsed(draw_round_bars(result)).iter(f"{SVG}text")]
    assert sum(word.endswith("✓") for word in words) == 2
    for each in result.rounds:
        at = words.index(f"Round {each.number}")
        assert value(words[at + 1]) == round(Fraction(each.quota), 5)


def _moves(picture: Picture) -> dict[tuple[int, str, str], Fraction]:
    return {
        (int(found[1]), found[2], found[3]): value(found[4])
        for stream, found in marked(picture, _MOVE)
        if "moves" in classes(stream)
    }


@pytest.mark.parametrize("name", [*_COUNTED, *_SEATS, "fifty"])
def test_every_transfer_is_a_flow(name: str) -> None:
    result = _result(name)
    expected: dict[tuple[int, str, str], Fraction] = {}
    for each in json.loads(result.to_json())["rounds"]:
        for move in each["transfers"]:
            way = each["number"], move["source"], move["target"] or "Exhausted"
            expected[way] = expected.get(way, Fraction(0)) + value(move["votes"])
    assert _moves(draw_transfers(result)) == expected


# No vote appears from nowhere, and none is lost.
@pytest.mark.parametrize("name", [*_COUNTED, *_SEATS, "fifty"])
def test_flows_into_a_node_add_up_to_its_votes(name: str) -> None:
    result = _result(name)
    arrived: dict[tuple[int, str], Fraction] = {}
    for _, found in marked(draw_transfers(result), _MOVE):
        there = int(found[1]) + 1, found[3]
        arrived[there] = arrived.get(there, Fraction(0)) + value(found[4])
    for there, votes in _tallies(result).items():
        assert there[0] == 1 or arrived.get(there, 0) == votes


@pytest.mark.parametrize("name", [*_COUNTED, *_SEATS])
def test_text_has_all_tallies(name: str) -> None:
    result = _result(name)
    words = draw_round_bars(result).text
    assert words == draw_transfers(result).text
    lines = [line for line in words.splitlines() if line.startswith("Round ")]
    for (round_, name_), votes in _tallies(result).items():
        pattern = rf"{name_} {NUMBER}[,.]"
        if name_ == "Exhausted":
            pattern = rf"; {NUMBER} (?:is|are) exhausted"
        assert [value(shown) for shown in re.findall(pattern, lines[round_ - 1])] == [votes]


@pytest.mark.parametrize("name", _EMPTY)
def test_pictures_of_blank_ballots_say_so(name: str) -> None:
    result = _result(name)
    for picture in (draw_round_bars(result), draw_transfers(result)):
        assert picture.text == "No ballot ranks a candidate, so there are no rounds."
        assert picture.text in written_in(parsed(picture))


# A page uses the same classes for its own bars.
def test_candidates_have_the_same_color_in_all_pictures_of_a_result() -> None:
    result = _result("cycle")
    colors = color_classes(result)
    assert set(colors) == set(result.candidates)
    for picture in (draw_round_bars(result), draw_transfers(result), draw_transfers(result, 2)):
        for element, found in marked(picture, _VOTES):
            if element.tag == f"{SVG}rect" and found[2] in colors:
                assert classes(element) == {colors[found[2]]}
    for color in colors.values():
        assert f".{color}{{--count-color:" in STYLESHEET
