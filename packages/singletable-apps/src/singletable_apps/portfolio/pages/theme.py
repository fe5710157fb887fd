"""The colors of the site, derived from its accent color, and the stylesheet that sets them.

Paper, ink and lines have a trace of the accent's hue. Text in the accent color has a contrast of at
least 4.5 on every background, in light and dark mode, whichever color the owner picks. Colors are
computed in OKLCH (https://bottosson.github.io/posts/oklab/), where lightness is what people see.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from singletable_apps.portfolio.entities import Font, SiteSettings
from singletable_apps.shared.colors import contrast, from_oklch, to_oklch

# Of text in the accent color. On dark paper, a brighter shade than WCAG requires is easier to read.
MIN_CONTRAST, MIN_CONTRAST_DARK = 4.5, 6.5
Palette: TypeAlias = dict[str, str]

# Lightness and chroma of each token: light mode, dark mode.
_TOKENS: Mapping[str, tuple[tuple[float, float], tuple[float, float]]] = MappingProxyType(
    {
        "paper": ((0.988, 0.0022), (0.188, 0.005)),
        "surface": ((1.0, 0.0), (0.222, 0.008)),
        "sunk": ((0.964, 0.004), (0.25, 0.008)),
        "line": ((0.905, 0.006), (0.315, 0.011)),
        "line-strong": ((0.64, 0.014), (0.55, 0.014)),
        "quiet": ((0.5, 0.016), (0.705, 0.014)),
        "ink-soft": ((0.38, 0.016), (0.81, 0.012)),
        "ink": ((0.235, 0.014), (0.925, 0.008)),
    }
)
# The chroma at which a color is colorful enough to tint the paper fully.
_COLORFUL = 0.08
_SANS = '"Inter Text", "Inter Text fallback", system-ui, sans-serif'
_MONO = '"JetBrains Mono", "JetBrains Mono fallback", ui-monospace, monospace'
# The fonts of text and headings, the weight of headings, and the size of text: at the same size,
# the letters of Inter and JetBrains Mono look larger than those of Source Serif.
_FONTS: Mapping[Font, tuple[str, str, int, float]] = MappingProxyType(
    {
        Font.SERIF: (
            '"Source Serif", "Source Serif fallback", "Iowan Old Style", Georgia, serif',
            '"Source Serif Display", "Source Serif Display fallback", Georgia, serif',
            440,
            1,
        ),
        Font.SANS: (_SANS, _SANS, 600, 0.94),
        Font.MONO: (_MONO, _MONO, 600, 0.86),
    }
)


def palettes(accent: str) -> tuple[Palette, Palette]:
    """Return the colors for light and dark mode, by token as `#rrggbb`."""
    _, chroma, hue = to_oklch(accent)
    tint = min(1.0, chroma / _COLORFUL)
    modes: list[Palette] = []
    for mode in (0, 1):
        colors = {
            name: from_oklch(values[mode][0], tint * values[mode][1], hue)
            for name, values in _TOKENS.items()
        }
        backgrounds = [colors[name] for name in ("paper", "surface", "sunk")]
        colors["accent"] = readable_shade(accent, backgrounds, is_dark=bool(mode))
        modes.append(colors)
    return modes[0], modes[1]


def readable_shade(accent: str, backgrounds: list[str], *, is_dark: bool) -> str:
    """Return the accent, darkened or lightened as little as needed to be readable."""
    lightness, chroma, hue = to_oklch(accent)
    step, end = (0.005, 1.0) if is_dark else (-0.005, 0.0)
    wanted = MIN_CONTRAST_DARK if is_dark else MIN_CONTRAST
    while True:
        shade = from_oklch(lightness, chroma, hue)
        if all(contrast(shade, each) >= wanted for each in backgrounds):
            return shade
        if lightness == end:
            return "#ffffff" if is_dark else "#000000"
        lightness = min(1.0, max(0.0, lightness + step))


def theme_stylesheet(settings: SiteSettings) -> str:
    """Return the stylesheet with the colors and the font of the site."""
    light, dark = palettes(settings.accent)
    rules = [f"--{name}: light-dark({light[name]}, {dark[name]});" for name in light]
    text, display, weight, scale = _FONTS[settings.font]
    rules += [f"--text: {text};", f"--display: {display};"]
    rules += [f"--heading: {weight};", f"--scale: {scale};"]
    return ":root {\n  " + "\n  ".join(rules) + "\n}\n"
