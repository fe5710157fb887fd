"""Colors: the contrast of two, and the lightness, chroma and hue that people see (OKLCH).

Colors are written as `#rrggbb`. See https://bottosson.github.io/posts/oklab/ for OKLCH.
"""

from __future__ import annotations

import math
from typing import TypeAlias

Rgb: TypeAlias = tuple[float, float, float]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colors as WCAG 2 defines it, 1 to 21."""
    light, dark = sorted((_luminance(_parse(one)), _luminance(_parse(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def to_oklch(color: str) -> tuple[float, float, float]:
    """Return the lightness (0 to 1), chroma (0 to 0.4) and hue (in radians) of a color."""
    red, green, blue = (_linear(part) for part in _parse(color))
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    lightness = 0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short
    a = 1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short
    b = 0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short
    return lightness, math.hypot(a, b), math.atan2(b, a)


def from_oklch(lightness: float, chroma: float, hue: float) -> str:
    """Return the color, with as much of the chroma as a screen can show."""
    while True:
        rgb = _oklch_to_linear(lightness, chroma, hue)
        if chroma <= 0 or all(-0.0001 <= part <= 1.0001 for part in rgb):
            parts = (_gamma(min(1.0, max(0.0, part))) for part in rgb)
            return "#" + "".join(f"{round(255 * part):02x}" for part in parts)
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


def _parse(color: str) -> Rgb:
    return (int(color[1:3], 16) / 255, int(color[3:5], 16) / 255, int(color[5:7], 16) / 255)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _gamma(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def _luminance(rgb: Rgb) -> float:
    red, green, blue = (_linear(part) for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
