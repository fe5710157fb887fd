"""The colors of the site, derived from its accent color, and the stylesheet that sets them.

Paper, ink and lines have a trace of the accent's hue. Text in the accent color has a contrast of at
least 4.5 on every background, in light and dark mode, whichever color the owner picks. Colors are
computed in OKLCH (https://bottosson.github.io/posts/oklab/), where lightness is what people see.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from singletable_apps.portfolio.entities import Font, SiteSettings

# Of text in the accent color. On dark paper, a brighter shade than WCAG requires is easier to read.
MIN_CONTRAST, MIN_CONTRAST_DARK = 4.5, 6.5
Palette: TypeAlias = dict[str, str]
Rgb: TypeAlias = tuple[float, float, float]

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
        Font.SANS: (
            *('"Inter Text", "Inter Text fallback", system-ui, sans-serif',) * 2,
            600,
            0.94,
        ),
        Font.MONO: (
            *('"JetBrains Mono", "JetBrains Mono fallback", ui-monospace, monospace',) * 2,
            600,
            0.86,
        ),
    }
)


def palettes(accent: str) -> tuple[Palette, Palette]:
    """Return the colors for light and dark mode, by token as `#rrggbb`."""
    _, chroma, hue = _to_oklch(_parse(accent))
    tint = min(1.0, chroma / _COLORFUL)
    modes: list[Palette] = []
    for mode in (0, 1):
        colors = {
            name: _format(_from_oklch(values[mode][0], tint * values[mode][1], hue))
            for name, values in _TOKENS.items()
        }
        backgrounds = [colors[name] for name in ("paper", "surface", "sunk")]
        colors["accent"] = readable_shade(accent, backgrounds, is_dark=bool(mode))
        modes.append(colors)
    return modes[0], modes[1]


def readable_shade(accent: str, backgrounds: list[str], *, is_dark: bool) -> str:
    """Return the accent, darkened or lightened as little as needed to be readable."""
    lightness, chroma, hue = _to_oklch(_parse(accent))
    step, end = (0.005, 1.0) if is_dark else (-0.005, 0.0)
    wanted = MIN_CONTRAST_DARK if is_dark else MIN_CONTRAST
    while True:
        shade = _format(_from_oklch(lightness, chroma, hue))
        if all(contrast(shade, each) >= wanted for each in backgrounds):
            return shade
        if lightness == end:
            return "#ffffff" if is_dark else "#000000"
        lightness = min(1.0, max(0.0, lightness + step))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colors as WCAG 2 defines it, 1 to 21."""
    light, dark = sorted((_luminance(_parse(one)), _luminance(_parse(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def theme_stylesheet(settings: SiteSettings) -> str:
    """Return the stylesheet with the colors and the font of the site."""
    light, dark = palettes(settings.accent)
    rules = [f"--{name}: light-dark({light[name]}, {dark[name]});" for name in light]
    text, display, weight, scale = _FONTS[settings.font]
    rules += [f"--text: {text};", f"--display: {display};"]
    rules += [f"--heading: {weight};", f"--scale: {scale};"]
    return ":root {\n  " + "\n  ".join(rules) + "\n}\n"


def _parse(color: str) -> Rgb:
    return (int(color[1:3], 16) / 255, int(color[3:5], 16) / 255, int(color[5:7], 16) / 255)


def _format(rgb: Rgb) -> str:
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, part))):02x}" for part in rgb)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _gamma(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def _luminance(rgb: Rgb) -> float:
    red, green, blue = (_linear(part) for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _to_oklch(rgb: Rgb) -> tuple[float, float, float]:
    red, green, blue = (_linear(part) for part in rgb)
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    return lightness, math.hypot(a, b), math.atan2(b, a)


def _from_oklch(lightness: float, chroma: float, hue: float) -> Rgb:
    """Return the color, with as much of the chroma as a screen can show."""
    while True:
        rgb = _oklch_to_linear(lightness, chroma, hue)
        if chroma <= 0 or all(-0.0001 <= part <= 1.0001 for part in rgb):
            red, green, blue = (_gamma(min(1.0, max(0.0, part))) for part in rgb)
            return red, green, blue
        chroma = max(0.0, chroma - 0.004)


def _oklch_to_linear(lightness: float, chroma: float, hue: float) -> Rgb:
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
