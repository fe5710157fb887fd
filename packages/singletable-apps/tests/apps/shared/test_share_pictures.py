"""Pictures for previews of links: any text gives a picture, without boxes in place of letters."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from singletable_apps.shared.share_pictures import ShareBar, draw_share_picture

BARS = (ShareBar("Łódź", 1.0, "3 votes"), ShareBar("日本", 0.0, "0 votes"))


@pytest.mark.parametrize("title", ["Lunch?", "Where " * 60, "x" * 300, "¿Qué? Škoda"])
def test_every_title_fits_into_the_picture(title: str) -> None:
    picture = Image.open(BytesIO(draw_share_picture(title, title, BARS * 30, "example.org/x")))
    assert (picture.format, picture.size) == ("PNG", (1200, 630))
    margin = picture.crop((1150, 0, 1200, 560)).getcolors()
    assert margin is not None
    assert len(margin) == 1


def test_text_that_the_fonts_cannot_draw_is_replaced() -> None:
    replaced = draw_share_picture("昼食は？", "", (ShareBar("寿司"),), "x")
    assert replaced == draw_share_picture("A poll", "", (ShareBar("Option 1"),), "x")
    assert replaced != draw_share_picture("Lunch?", "", (ShareBar("Option 1"),), "x")
