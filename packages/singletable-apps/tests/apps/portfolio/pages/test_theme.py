"""Whichever accent an owner picks, all text can be read in light and dark mode."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.portfolio.entities import Font, SiteSettings
from singletable_apps.portfolio.pages.theme import palettes, theme_stylesheet
from singletable_apps.shared.colors import contrast

COLORS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")
BACKGROUNDS = ("paper", "surface", "sunk")


# WCAG 2.2, 1.4.3 for text and 1.4.11 for the borders of fields.
@given(COLORS)
def test_every_accent_is_readable_on_every_background(accent: str) -> None:
    for palette in palettes(accent):
        for text in ("accent", "quiet", "ink-soft", "ink"):
            assert min(contrast(palette[text], palette[each]) for each in BACKGROUNDS) >= 4.5
        assert contrast(palette["line-strong"], palette["surface"]) >= 3


def test_contrast_is_as_wcag_defines_it() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#0f6b4f", "#0f6b4f") == 1


def test_readable_accent_is_kept() -> None:
    light, dark = palettes("#0f6b4f")
    assert light["accent"] == "#0f6b4f"
    assert dark["accent"] != light["accent"]
    assert palettes("#ffe100")[1]["accent"] == "#ffe100"


# Gray accents must not turn the paper pink or green.
@pytest.mark.parametrize("accent", ["#000000", "#808080", "#ffffff"])
def test_gray_accent_gives_a_gray_background(accent: str) -> None:
    for palette in palettes(accent):
        assert all(color[1:3] == color[3:5] == color[5:7] for color in palette.values())


@pytest.mark.parametrize("font", list(Font))
def test_stylesheet_sets_colors_and_fonts(font: Font) -> None:
    settings = SiteSettings(
        font=font, accent="#ff0088", updated_at=datetime(2026, 1, 1, tzinfo=UTC)
    )
    text = theme_stylesheet(settings)
    assert text.startswith(":root {\n  --paper: light-dark(#")
    assert "--accent: light-dark(#" in text
    family = {"serif": "Source Serif", "sans": "Inter Text", "mono": "JetBrains Mono"}[font.value]
    assert f'--text: "{family}"' in text
