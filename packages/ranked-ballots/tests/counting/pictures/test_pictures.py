"""Properties of all pictures: markup, accessibility, colors, and names that are cut."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from functools import cache

import pytest

from ranked_ballots import METHODS, borda, instant_runoff, meek_stv, schulze, scottish_stv
from ranked_ballots.pictures import (
    STYLESHEET,
    Picture,
    draw_pictures,
    render_pairwise_table,
)
from ranked_ballots.pictures.style import DARK, LIGHT
from ranked_ballots.pictures.svg import shorten, shorten_names, text_width, wrap_text
from tests.counting.pictures.elections import ELECTIONS, HOSTILE
from tests.counting.pictures.markup import SVG, classes, parsed

every_election = pytest.mark.parametrize("name", ELECTIONS)
_DRAWN = {"svg", "title", "desc", "g", "rect", "path", "circle", "text", "tspan"}


def _draw(name: str) -> list[Picture]:
    ballots = ELECTIONS[name]
    one = (schulze(ballots), instant_runoff(ballots))
    results = (*one, *(count(ballots, seats=2, seed="s") for count in (scottish_stv, meek_stv)))
    return [picture for result in results for picture in draw_pictures(result).values()]


_pictures = cache(_draw)


# Names of candidates are text, never markup.
@every_election
def test_pictures_contain_only_shapes_and_text(name: str) -> None:
    for picture in _pictures(name):
        assert {element.tag.removeprefix(SVG) for element in parsed(picture).iter()} <= _DRAWN
        assert ET.fromstring(picture.to_file()).tag == f"{SVG}svg"


# Pages can forbid inline styles, and two pictures on a page do not share ids.
@every_election
def test_pictures_have_no_inline_styles_handlers_or_ids(name: str) -> None:
    for picture in _pictures(name):
        for element in parsed(picture).iter():
            assert not {"style", "id", "href"} & set(element.attrib)
            assert not [key for key in element.attrib if key.startswith("on")]
    assert " style=" not in render_pairwise_table(schulze(ELECTIONS[name]))


@every_election
def test_pictures_are_images_with_a_name_and_a_description(name: str) -> None:
    for picture in _pictures(name):
        root = parsed(picture)
        assert root.get("role") == "img"
        assert root[0].tag == f"{SVG}title"
        assert root[0].text == root.get("aria-label") == picture.title
        assert root[1].tag == f"{SVG}desc"
        assert root[1].text
        assert picture.text


@pytest.mark.parametrize("name", [name for name in ELECTIONS if name != "fifty"])
def test_same_result_gives_the_same_picture(name: str) -> None:
    assert _draw(name) == _pictures(name)


# Names that are cut are complete in tooltips and in the text.
def test_long_names_are_cut_but_complete_in_tooltips_and_text() -> None:
    for picture in _pictures("hostile names"):
        tips = {title.text for title in parsed(picture).iter(f"{SVG}title")}
        assert HOSTILE[-1] in tips
        assert HOSTILE[-1] in picture.text
        shown = {text.text for text in parsed(picture).iter(f"{SVG}text")}
        assert HOSTILE[-1] not in shown


def test_shorten_names_keeps_names_distinct() -> None:
    names = [f"The honorable member for ward {ward} of the city" for ward in range(50)]
    cut = shorten_names(names, 110)
    assert len(set(cut.values())) == len(names)
    assert all(text_width(label) <= 112 for label in cut.values())


@pytest.mark.parametrize(
    ("name", "room", "cut"),
    [
        ("Ada", 100, "Ada"),
        ("Ada Lovelace of London", 70, "Ada Love…"),
        ("漢字漢字漢字漢字", 60, "漢字漢…"),
        ("Ada Lovelace", 0, "…"),
    ],
)
def test_shorten_fits_the_room(name: str, room: float, cut: str) -> None:
    assert shorten(name, room) == cut


def test_wrap_text_breaks_between_words() -> None:
    lines = wrap_text("one two three four", 60)
    assert " ".join(lines) == "one two three four"
    assert len(lines) > 1


@every_election
def test_html_has_the_picture_and_its_text(name: str) -> None:
    for picture in _pictures(name):
        figure = picture.to_html()
        assert picture.svg in figure
        assert figure.count("<li>") == len(picture.text.splitlines())
        ET.fromstring(figure)


def test_results_with_scores_alone_have_no_pictures() -> None:
    assert draw_pictures(borda(ELECTIONS["cycle"])) == {}
    assert [list(draw_pictures(method(ELECTIONS["cycle"]))) for method in METHODS.values()] == [
        ["pairs", "paths"],
        ["pairs"],
        ["rounds", "transfers"],
        [],
        ["pairs"],
        [],
    ]


_STYLED = set(re.findall(r"\.([a-z][\w-]*)", STYLESHEET))


# A shape without a known class would be black, also on a dark background.
@every_election
def test_every_shape_has_a_light_and_a_dark_color(name: str) -> None:
    for picture in _pictures(name):
        for element in parsed(picture).iter():
            if element.tag in {f"{SVG}rect", f"{SVG}path", f"{SVG}circle"}:
                assert classes(element) & _STYLED, ET.tostring(element)
    assert set(LIGHT) == set(DARK)
    assert set(re.findall(r"var\(--count-([\w-]+)\)", STYLESHEET)) == set(LIGHT)


def _luminance(color: str) -> float:
    """Return the relative luminance that WCAG defines."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(a: str, b: str) -> float:
    bright, dim = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


_COLORS = [f"color-{at}" for at in range(8)]
_BACKGROUNDS = [f"{sign}-{step}" for sign in ("win", "lose") for step in range(1, 6)]


# WCAG 2.2 requires a contrast of 4.5 for text and 3 for shapes that have a meaning.
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_shapes_have_enough_contrast(theme: dict[str, str]) -> None:
    for ground in ("paper", "level", *_BACKGROUNDS):
        assert _contrast(theme["ink"], theme[ground]) >= 4.5, ground
    assert _contrast(theme["quiet"], theme["paper"]) >= 4.5
    assert _contrast(theme["quiet"], theme["level"]) >= 4.5
    for line in ("there", "back"):
        assert _contrast(theme["on-path"], theme[line]) >= 4.5, line
    for shape in ("there", "back", "exhausted", "link", *_COLORS):
        assert _contrast(theme[shape], theme["paper"]) >= 3, shape
