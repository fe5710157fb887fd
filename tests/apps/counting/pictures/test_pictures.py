"""What holds for every picture, whatever it shows and whoever stands."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest

from singletable_apps.counting import METHODS, borda, instant_runoff, schulze
from singletable_apps.counting.pictures import (
    STYLESHEET,
    Picture,
    draw_pictures,
    render_pairwise_table,
)
from singletable_apps.counting.pictures.colours import DARK, LIGHT
from singletable_apps.counting.pictures.labels import distinct, shortened, width, wrapped
from tests.apps.counting.pictures.elections import ELECTIONS, HOSTILE
from tests.apps.counting.pictures.reading import SVG, classes, parsed

every_election = pytest.mark.parametrize("name", ELECTIONS)
_DRAWN = {"svg", "title", "desc", "g", "rect", "path", "circle", "text", "tspan"}


def _pictures(name: str) -> Iterator[Picture]:
    ballots = ELECTIONS[name]
    yield from draw_pictures(schulze(ballots)).values()
    yield from draw_pictures(instant_runoff(ballots)).values()


# Whoever may name a candidate may not write into the page: names are only ever text.
@every_election
def test_there_is_nothing_but_shapes_and_words(name: str) -> None:
    for picture in _pictures(name):
        assert {element.tag.removeprefix(SVG) for element in parsed(picture).iter()} <= _DRAWN
        assert ET.fromstring(picture.file()).tag == f"{SVG}svg"


# A page whose policy has no 'unsafe-inline' shows them all the same; and two on a page do not meet.
@every_election
def test_there_are_no_inline_styles_no_handlers_and_no_ids(name: str) -> None:
    for picture in _pictures(name):
        for element in parsed(picture).iter():
            assert not {"style", "id", "href"} & set(element.attrib)
            assert not [key for key in element.attrib if key.startswith("on")]
    assert " style=" not in render_pairwise_table(schulze(ELECTIONS[name]))


@every_election
def test_it_is_an_image_with_a_name_and_a_description(name: str) -> None:
    for picture in _pictures(name):
        root = parsed(picture)
        assert root.get("role") == "img"
        assert root[0].tag == f"{SVG}title"
        assert root[0].text == root.get("aria-label") == picture.title
        assert root[1].tag == f"{SVG}desc"
        assert root[1].text
        assert picture.text


@every_election
def test_the_same_result_gives_the_same_bytes(name: str) -> None:
    assert list(_pictures(name)) == list(_pictures(name))


# Names that are cut are still to be had: by pointing at them, and in the words.
def test_a_long_name_is_cut_and_told_in_full() -> None:
    for picture in _pictures("hostile names"):
        tips = {title.text for title in parsed(picture).iter(f"{SVG}title")}
        assert HOSTILE[-1] in tips
        assert HOSTILE[-1] in picture.text
        shown = {text.text for text in parsed(picture).iter(f"{SVG}text")}
        assert HOSTILE[-1] not in shown


# One alike for another would be worse than any cut.
def test_names_that_begin_alike_stay_apart_when_they_are_cut() -> None:
    names = [f"The honourable member for ward {ward} of the city" for ward in range(50)]
    cut = distinct(names, 110)
    assert len(set(cut.values())) == len(names)
    assert all(width(label) <= 112 for label in cut.values())


@pytest.mark.parametrize(
    ("name", "room", "cut"),
    [
        ("Ada", 100, "Ada"),
        ("Ada Lovelace of London", 70, "Ada Love…"),
        ("漢字漢字漢字漢字", 60, "漢字漢…"),
        ("Ada Lovelace", 0, "…"),
    ],
)
def test_a_name_is_cut_to_the_room_there_is(name: str, room: float, cut: str) -> None:
    assert shortened(name, room) == cut


def test_captions_are_broken_between_words() -> None:
    lines = wrapped("one two three four", 60)
    assert " ".join(lines) == "one two three four"
    assert len(lines) > 1


@every_election
def test_a_figure_has_the_picture_and_its_words(name: str) -> None:
    for picture in _pictures(name):
        figure = picture.figure()
        assert picture.svg in figure
        assert figure.count("<li>") == len(picture.text.splitlines())
        ET.fromstring(figure)


def test_points_alone_have_no_picture() -> None:
    assert draw_pictures(borda(ELECTIONS["cycle"])) == {}
    assert [list(draw_pictures(method(ELECTIONS["cycle"]))) for method in METHODS.values()] == [
        ["pairs", "paths"],
        ["pairs"],
        ["rounds", "transfers"],
        [],
        ["pairs"],
        [],
    ]


def _styled() -> set[str]:
    return set(re.findall(r"\.([a-z][\w-]*)", STYLESHEET))


# A class that no rule knows is a mark that is drawn black on black in the dark.
@every_election
def test_every_shape_has_a_colour_by_light_and_by_dark(name: str) -> None:
    for picture in _pictures(name):
        for element in parsed(picture).iter():
            if element.tag in {f"{SVG}rect", f"{SVG}path", f"{SVG}circle"}:
                assert classes(element) & _styled(), ET.tostring(element)
    assert set(LIGHT) == set(DARK)
    assert set(re.findall(r"var\(--count-([\w-]+)\)", STYLESHEET)) == set(LIGHT)


def _brightness(colour: str) -> float:
    """The relative luminance that WCAG defines."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(a: str, b: str) -> float:
    bright, dim = sorted((_brightness(a), _brightness(b)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


_GROUNDS = [f"{sign}-{step}" for sign in ("win", "lose") for step in range(1, 6)]


# WCAG 2.2 asks for 4.5 between words and their ground, and 3 for shapes that carry a meaning.
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_words_and_shapes_stand_out(theme: dict[str, str]) -> None:
    for ground in ("paper", "level", *_GROUNDS):
        assert _contrast(theme["ink"], theme[ground]) >= 4.5, ground
    assert _contrast(theme["quiet"], theme["paper"]) >= 4.5
    assert _contrast(theme["quiet"], theme["level"]) >= 4.5
    for line in ("there", "back"):
        assert _contrast(theme["on-path"], theme[line]) >= 4.5, line
    for shape in ("there", "back", "bar-wins", "exhausted", "link"):
        assert _contrast(theme[shape], theme["paper"]) >= 3, shape
