"""The arrows are the victories of the result, and its strongest paths are marked on them."""

from __future__ import annotations

import re

import pytest

from singletable_apps.counting import RankingError, SchulzeResult, schulze
from singletable_apps.counting.pictures import Picture, draw_beat_paths
from tests.apps.counting.pictures.elections import ELECTIONS
from tests.apps.counting.pictures.reading import SVG, classes, marked, parsed, value, written_in

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
    """The arrows whose line is of a kind: link, there or back."""
    return {
        (found[1], found[2]): int(value(found[3]))
        for arrow, found in marked(picture, _ARROW)
        if kind in classes(next(arrow.iter(f"{SVG}path")))
    }


@pytest.mark.parametrize("name", _DRAWN_WHOLE)
def test_there_is_an_arrow_for_each_victory(name: str) -> None:
    result = schulze(ELECTIONS[name])
    picture = draw_beat_paths(result)
    drawn = {**_arrows(picture, "link"), **_arrows(picture, "back"), **_arrows(picture, "there")}
    assert drawn == _victories(result)


def test_margins_are_shown_where_they_were_counted() -> None:
    picture = draw_beat_paths(schulze(ELECTIONS["two"], strength="margins"))
    assert _arrows(picture, "there") == {("Tea", "Coffee"): 3}


@pytest.mark.parametrize("pair", [("E", "A"), ("A", "E"), ("A", "B"), ("D", "E"), ("C", "D")])
def test_the_paths_of_the_pair_are_those_of_the_result(pair: tuple[str, str]) -> None:
    result = schulze(ELECTIONS["cycle"])
    picture = draw_beat_paths(result, pair)
    for kind, ends in (("there", pair), ("back", pair[::-1])):
        path = result.path(*ends)
        assert path is not None
        steps = zip(path.names, path.names[1:], strict=False)
        assert _arrows(picture, kind) == dict(zip(steps, path.links, strict=True))
        assert f"from {ends[0]} to {ends[1]}" in picture.text


# A path is as strong as its weakest link: the reader should not have to look for it.
def test_the_weakest_link_is_marked_with_the_strength_of_the_path() -> None:
    result = schulze(ELECTIONS["cycle"])
    picture = draw_beat_paths(result, ("E", "A"))
    weakest = [
        written_in(text)
        for text in parsed(picture).iter(f"{SVG}text")
        if "on-path" in classes(text)
    ]
    assert weakest == ["25 weakest", "24 weakest"]
    assert [path.strength for ends in ("EA", "AE") if (path := result.path(*ends))] == [25, 24]


def test_without_a_pair_the_first_two_are_shown() -> None:
    result = schulze(ELECTIONS["cycle"])
    assert draw_beat_paths(result) == draw_beat_paths(result, ("E", "A"))


# Of fifty, a thousand arrows would be a grey disc; the words have them all.
def test_of_very_many_the_pair_alone_has_arrows_and_the_words_have_all() -> None:
    result = schulze(ELECTIONS["fifty"])
    picture = draw_beat_paths(result)
    pair = {*result.places[0].candidates, *result.places[1].candidates}
    assert all({a, b} & pair for a, b in _arrows(picture, "link"))
    told = re.findall(rf"^{_ARROW}\.$", picture.text, re.MULTILINE)
    assert {(a, b): int(value(s)) for a, b, s in told} == _victories(result)


@pytest.mark.parametrize("name", ["dead heat", "no ballots", "only blank ballots"])
def test_where_nobody_wins_there_are_no_arrows(name: str) -> None:
    picture = draw_beat_paths(schulze(ELECTIONS[name]))
    assert not list(marked(picture, _ARROW))
    assert "Nobody beats anybody." in picture.text


@pytest.mark.parametrize(
    ("pair", "said"), [(("A", "Zoe"), "'Zoe' is not a candidate"), (("A", "A"), "'A' twice")]
)
def test_a_pair_that_is_none_is_refused(pair: tuple[str, str], said: str) -> None:
    with pytest.raises(RankingError, match=said):
        draw_beat_paths(schulze(ELECTIONS["cycle"]), pair)
