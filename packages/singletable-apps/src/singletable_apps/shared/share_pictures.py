"""Draw the picture that chats show beside a link (Open Graph), as a PNG of 1200 × 630 pixels.

Chats draw no SVG, so this is a picture of pixels. The fonts have Latin letters only: a text in
another script is replaced by `otherwise`, because boxes in place of letters help no one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

SIZE = (1200, 630)
MAX_BARS = 4
_FONTS = Path(__file__).parent / "pages" / "static" / "fonts"
_PAPER, _INK, _QUIET, _ACCENT, _TRACK = "#faf7f0", "#221d16", "#6b6253", "#1e5a48", "#e0d8c8"
_LEFT, _RIGHT = 72, SIZE[0] - 72
_TITLE_LINES = 2


@dataclass(frozen=True, slots=True)
class ShareBar:
    """A row of the picture: a name, a share from 0 to 1 that is drawn, and what it says."""

    name: str
    share: float = 0.0
    label: str = ""


@lru_cache(maxsize=64)
def draw_share_picture(
    title: str, lead: str, bars: tuple[ShareBar, ...], footer: str, otherwise: str = "A poll"
) -> bytes:
    """Return a PNG with a title, a sentence, up to four bars, and a line at the bottom."""
    image = Image.new("RGB", SIZE, _PAPER)
    draw = ImageDraw.Draw(image)
    top = 64
    for line in _wrap(title if _can_draw(title) else otherwise, _font("newsreader", 60)):
        _write(draw, (_LEFT, top), line, "newsreader", 60, _INK)
        top += 68
    if _can_draw(lead):
        _write(draw, (_LEFT, top + 8), _fit(lead, 32, _RIGHT - _LEFT), "inter", 32, _QUIET)
    top = max(top + 78, 250)
    for number, bar in enumerate(bars[:MAX_BARS], 1):
        _draw_bar(draw, top, bar, number)
        top += 66
    if len(bars) > MAX_BARS:
        _write(draw, (_LEFT, SIZE[1] - 58), f"and {len(bars) - MAX_BARS} more", "inter", 26, _QUIET)
    draw.rectangle((0, SIZE[1] - 12, SIZE[0], SIZE[1]), _ACCENT)
    width = _font("inter", 26).getlength(footer)
    _write(draw, (_RIGHT - width, SIZE[1] - 58), footer, "inter", 26, _QUIET)
    file = BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_bar(draw: ImageDraw.ImageDraw, top: int, bar: ShareBar, number: int) -> None:
    label = bar.label if _can_draw(bar.label) else ""
    width = _font("inter", 28).getlength(label)
    name = bar.name if _can_draw(bar.name) else f"Option {number}"
    _write(draw, (_LEFT, top), _fit(name, 28, _RIGHT - _LEFT - width - 40), "inter", 28, _INK)
    _write(draw, (_RIGHT - width, top), label, "inter", 28, _QUIET)
    if bar.label:
        draw.rounded_rectangle((_LEFT, top + 40, _RIGHT, top + 50), 5, _TRACK)
    if bar.share > 0:
        end = max(_LEFT + 10, _LEFT + round((_RIGHT - _LEFT) * min(bar.share, 1)))
        draw.rounded_rectangle((_LEFT, top + 40, end, top + 50), 5, _ACCENT)


def _font(name: str, size: int, part: str = "latin") -> ImageFont.FreeTypeFont:
    file = {"inter": "inter", "newsreader": "newsreader-display"}[name]
    return _load_font(str(_FONTS / f"{file}-{part}.woff2"), size)


@lru_cache(maxsize=16)
def _load_font(path: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size)


def _part(letter: str) -> str:
    """Return the font file that has a letter, or an empty string."""
    code = ord(letter)
    if code < 0x100 or 0x2010 <= code <= 0x203A or letter in "€™−ıŒœ":
        return "latin"
    return "latin-ext" if 0x100 <= code < 0x250 or 0x1E00 <= code < 0x1F00 else ""


def _can_draw(text: str) -> bool:
    return all(map(_part, text))


def _write(
    draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, font: str, size: int, color: str
) -> None:
    """Write a line; letters from both parts of a font share a baseline."""
    left, top = at
    ascent, _ = _font(font, size).getmetrics()
    for part, run in _runs(text):
        face = _font(font, size, part)
        draw.text((left, top + ascent), run, color, face, anchor="ls")
        left += face.getlength(run)


def _runs(text: str) -> Iterator[tuple[str, str]]:
    run = ""
    for letter in text:
        if run and _part(letter) != _part(run[0]):
            yield _part(run[0]), run
            run = ""
        run += letter
    if run:
        yield _part(run[0]), run


def _fit(text: str, size: int, width: float) -> str:
    """Return the text, shortened to a width."""
    font = _font("inter", size)
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _wrap(text: str, font: ImageFont.FreeTypeFont) -> list[str]:
    """Return the text in at most two lines."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= _RIGHT - _LEFT or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    shown = lines[:_TITLE_LINES]
    if len(lines) > _TITLE_LINES:
        shown[-1] += "…"
    while font.getlength(shown[-1]) > _RIGHT - _LEFT:
        shown[-1] = f"{shown[-1].rstrip('…')[:-1]}…"
    return shown
