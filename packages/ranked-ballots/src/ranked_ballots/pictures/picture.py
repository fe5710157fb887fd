"""A picture: an SVG drawing and the same content as text."""

from __future__ import annotations

from dataclasses import dataclass

from ranked_ballots.pictures.style import STYLESHEET
from ranked_ballots.pictures.svg import element, escape_text, format_length, wrap_text

HEADING = 17
MARGIN = 14
_MAX_FITTING_WIDTH = 480  # up to this width a picture shrinks to the screen; a wider one scrolls
_MAX_CAPTION_WIDTH = 340  # a caption can be read on a phone without scrolling
_MIN_CAPTION_WIDTH = 300  # with few candidates, the caption does not become a narrow column


@dataclass(frozen=True, slots=True)
class Picture:
    """`svg` is for pages that link STYLESHEET; `text` has the numbers of the drawing in lines."""

    title: str
    svg: str
    text: str

    def to_file(self) -> str:
        """Return the drawing as an SVG file that includes its stylesheet."""
        opening, closed, rest = self.svg.partition(">")
        return f"{opening}{closed}<style>{STYLESHEET}</style>{rest}\n"

    def to_html(self) -> str:
        """Return a figure that scrolls on narrow screens and has the text below."""
        scrolling = element(
            "div",
            self.svg,
            class_="count-scroll",
            tabindex="0",
            role="group",
            aria_label=self.title,
        )
        lines = (element("li", escape_text(line)) for line in self.text.splitlines())
        details = element(
            "details",
            element("summary", escape_text(f"{self.title} as text")),
            element("ul", *lines),
        )
        return element("figure", scrolling, details, class_="count-figure")


@dataclass(frozen=True, slots=True)
class Canvas:
    """The shapes below the heading, and their size."""

    width: float
    height: float
    shapes: tuple[str, ...]


def compose(title: str, caption: tuple[str, ...], canvas: Canvas, text: str) -> Picture:
    """Put the canvas below its title and caption; screen readers get these as a description."""
    width = max(canvas.width, _MIN_CAPTION_WIDTH)
    room = min(width, _MAX_CAPTION_WIDTH)
    lines = [line for sentence in caption for line in wrap_text(sentence, room)]
    top = MARGIN + HEADING + 14 + 16 * len(lines)
    total_width, total_height = round(width + 2 * MARGIN), round(top + canvas.height + MARGIN)
    heading = [
        element("text", escape_text(title), class_="heading", x=MARGIN, y=MARGIN + HEADING - 3)
    ]
    heading += [
        element(
            "text",
            escape_text(line),
            class_="caption",
            x=MARGIN,
            y=MARGIN + HEADING + 17 + 16 * at,
        )
        for at, line in enumerate(lines)
    ]
    left = MARGIN + (width - canvas.width) / 2
    svg = element(
        "svg",
        element("title", escape_text(title)),
        element("desc", escape_text(" ".join(caption))),
        element("rect", class_="paper", width=total_width, height=total_height, rx=8),
        *heading,
        element("g", *canvas.shapes, transform=f"translate({format_length(left)} {top})"),
        xmlns="http://www.w3.org/2000/svg",
        class_="count-picture fits" if total_width <= _MAX_FITTING_WIDTH else "count-picture",
        role="img",
        aria_label=title,
        viewBox=f"0 0 {total_width} {total_height}",
        width=total_width,
        height=total_height,
    )
    return Picture(title, svg, text)
