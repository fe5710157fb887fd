"""A picture: something to see, and the same in words."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.counting.pictures.labels import wrapped
from singletable_apps.counting.pictures.markup import element, length, text
from singletable_apps.counting.pictures.style import STYLESHEET

HEADING = 17
MARGIN = 14
_FITS = 480  # up to this width a picture shrinks to the screen; a wider one is scrolled
_LINE = 340  # a caption is read on a phone without scrolling
_NARROWEST = 300  # a caption is not broken into single words, however few candidates there are


@dataclass(frozen=True, slots=True)
class Picture:
    """`svg` goes into a page that has STYLE; `text` has the numbers of the drawing in sentences."""

    title: str
    svg: str
    text: str

    def file(self) -> str:
        """The drawing as a file of its own, with its stylesheet inside."""
        opening, closed, rest = self.svg.partition(">")
        return f"{opening}{closed}<style>{STYLESHEET}</style>{rest}\n"

    def figure(self) -> str:
        """The drawing in a page: it scrolls where the screen is narrow, and has its words below."""
        sentences = (element("li", text(line)) for line in self.text.splitlines())
        scrolled = element(
            "div",
            self.svg,
            class_="count-scroll",
            tabindex="0",
            role="group",
            aria_label=self.title,
        )
        words = element(
            "details",
            element("summary", text(f"{self.title}, in words")),
            element("ul", *sentences),
        )
        return element("figure", scrolled, words, class_="count-figure")


@dataclass(frozen=True, slots=True)
class Canvas:
    """What is drawn below a heading, and how much room it takes."""

    width: float
    height: float
    marks: tuple[str, ...]


def drawn(title: str, caption: tuple[str, ...], canvas: Canvas, words: str) -> Picture:
    """The canvas on paper, under its title and its caption, which screen readers are told too."""
    room = max(canvas.width, _NARROWEST)
    lines = [line for sentence in caption for line in wrapped(sentence, min(room, _LINE))]
    top = MARGIN + HEADING + 14 + 16 * len(lines)
    across, down = round(room + 2 * MARGIN), round(top + canvas.height + MARGIN)
    heading = [element("text", text(title), class_="heading", x=MARGIN, y=MARGIN + HEADING - 3)]
    heading += [
        element("text", text(line), class_="caption", x=MARGIN, y=MARGIN + HEADING + 17 + 16 * at)
        for at, line in enumerate(lines)
    ]
    left = MARGIN + (room - canvas.width) / 2
    svg = element(
        "svg",
        element("title", text(title)),
        element("desc", text(" ".join(caption))),
        element("rect", class_="paper", width=across, height=down, rx=8),
        *heading,
        element("g", *canvas.marks, transform=f"translate({length(left)} {top})"),
        xmlns="http://www.w3.org/2000/svg",
        class_="count-picture fits" if across <= _FITS else "count-picture",
        role="img",
        aria_label=title,
        viewBox=f"0 0 {across} {down}",
        width=across,
        height=down,
    )
    return Picture(title, svg, words)
