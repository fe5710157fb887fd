"""Beat paths: arrows for victories, marked paths, and a legend for long names."""

from __future__ import annotations

import re

import pytest

from ranked_ballots import Ballots, Ranking, RankingError, SchulzeResult, schulze
from ranked_ballots.pictures import Picture, draw_beat_paths
from tests.counting.pictures.elections import ELECTIONS
from tests.counting.pictures.markup import SVG, classes, marked, parsed, value, written_in

_ARROW = r"(.*) beats (.*) with strength (\S+)"
_DRAWN_WHOLE = ["two", "dead heat", "no ballots", "cycle", "split votes", "beyond 64 bits"]


def _victories(result: SchulzeResult) -> dict[tuple[str, str], int]:
    names, votes = result.candidates, result.preferences
    return {
        (a, b): votes[i][j]
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if votes[i][j] > votes[j][i]
    }


def _arrows(picture: Picture, kind: str) -> dict[tuple[str, str], int]:
    """Return the arrows of a kind: link, there or back."""
    return {
        (found[1], found[2]): int(value(found[3]))
        for arrow, found in marked(picture, _ARROW)
        if kind in classes(next(arrow.iter(f"{SVG}path")))
    }


@pytest.mark.parametrize("name", _DRAWN_WHOLE)
def test_every_victory_has_an_arrow(name: str) -> None:
    result = schulze(ELECTIONS[name])
    picture = draw_beat_paths(result)
    drawn = {**_arrows(picture, "link"), **_arrows(picture, "back"), **_arrows(picture, "there")}
    assert drawn == _victories(result)


def test_arrows_show_margins_if_these_were_counted() -> None:
    picture = draw_beat_paths(schulze(ELECTIONS["two"], strength="margins"))
    assert _arrows(picture, "there") == {("Tea", "Coffee"): 3}


@pytest.mark.parametrize("pair", [("E", "A"), ("A", "E"), ("A", "B"), ("D", "E"), ("C", "D")])
def test_paths_of_the_pair_are_marked(pair: tuple[str, str]) -> None:
    result = schulze(ELECTIONS["cycle"])
    picture = draw_beat_paths(result, pair)
    for kind, ends in (("there", pair), ("back", pair[::-1])):
        path = result.path(*ends)
        assert path is not None
        steps = zip(path.names, path.names[1:], strict=False)
        assert _arrows(picture, kind) == dict(zip(steps, path.links, strict=True))
        assert f"from {ends[0]} to {ends[1]}" in picture.text


def test_weakest_link_is_marked() -> None:
    result = schulze(ELECTIONS["cycle"])
    picture = draw_beat_paths(result, ("E", "A"))
    weakest = [
        written_in(text)
        for text in parsed(picture).iter(f"{SVG}text")
        if "on-path" in classes(text)
    ]
    assert weakest == ["25 weakest", "24 weakest"]
    assert [path.strength for ends in ("EA", "AE") if (path := result.path(*ends))] == [25, 24]


def test_default_pair_is_the_first_two() -> None:
    result = schulze(ELECTIONS["cycle"])
    assert draw_beat_paths(result) == draw_beat_paths(result, ("E", "A"))


# With fifty candidates, a thousand arrows would be a gray disc.
def test_with_many_candidates_only_the_pair_has_arrows_but_the_text_has_all() -> None:
    result = schulze(ELECTIONS["fifty"])
    picture = draw_beat_paths(result)
    pair = {*result.places[0].candidates, *result.places[1].candidates}
    assert all({a, b} & pair for a, b in _arrows(picture, "link"))
    victories = re.findall(rf"^{_ARROW}\.$", picture.text, re.MULTILINE)
    assert {(a, b): int(value(s)) for a, b, s in victories} == _victories(result)


def test_drawing_can_be_limited_to_the_best_and_the_paths() -> None:
    result = schulze(ELECTIONS["fifty"])
    first, *_, last = result.ranked_candidates
    path = result.path(first, last)
    assert path is not None
    assert result.path(last, first) is None
    picture = draw_beat_paths(result, (first, last), most=8)
    drawn = {name for pair in _arrows(picture, "link") for name in pair}
    assert "Drawn are 8 of 50 candidates." in written_in(parsed(picture))
    assert drawn >= {*path.names, *result.ranked_candidates[: 8 - len(path.names)]}
    assert len(drawn) == 8
    assert draw_beat_paths(result, most=50) == draw_beat_paths(result)


@pytest.mark.parametrize("name", ["dead heat", "no ballots", "only blank ballots"])
def test_ties_have_no_arrows(name: str) -> None:
    picture = draw_beat_paths(schulze(ELECTIONS[name]))
    assert not list(marked(picture, _ARROW))
    assert "No candidate beats another." in picture.text


@pytest.mark.parametrize(
    ("pair", "message"), [(("A", "Zoe"), "'Zoe' is not a candidate"), (("A", "A"), "'A' twice")]
)
def test_invalid_pair_is_rejected(pair: tuple[str, str], message: str) -> None:
    with pytest.raises(RankingError, match=message):
        draw_beat_paths(schulze(ELECTIONS["cycle"]), pair)


# Labels beside the circle have little room: long names get numbers and a legend instead.
def test_long_names_are_complete_in_the_legend() -> None:
    names = [f"Candidate number {at} of the association" for at in range(14)]
    result = schulze(Ballots.from_rankings(names, [Ranking.from_levels(names)]))
    root = parsed(draw_beat_paths(result))
    legend: dict[str, str] = {}
    for text in root.iter(f"{SVG}text"):
        title = text.find(f"{SVG}title")
        if title is not None and title.text:
            legend[title.text] = f"{legend.get(title.text, '')} {written_in(text)}".strip()
    assert legend == {name: name for name in names}
    assert not [text for text in root.iter(f"{SVG}text") if "…" in written_in(text)]


def test_caption_has_full_names() -> None:
    names = ["Alexandrina of the Northern Districts", "Bartholomew of the Southern Districts"]
    picture = draw_beat_paths(schulze(Ballots.from_rankings(names, [Ranking.from_levels(names)])))
    caption = [
        written_in(text)
        for text in parsed(picture).iter(f"{SVG}text")
        if "caption" in classes(text)
    ]
    assert f"from {names[0]} to {names[1]}" in " ".join(caption)
