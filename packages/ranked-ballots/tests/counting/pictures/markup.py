"""Read the content of a picture back from its markup."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from xml.etree.ElementTree import Element

from ranked_ballots.pictures import Picture

NUMBER = r"([\d,]+(?:\.\d+| \d+/\d+)?|\d+/\d+)"
SVG = "{http://www.w3.org/2000/svg}"


@cache
def parsed(picture: Picture) -> Element:
    """Parse the drawing; raise if it is not XML."""
    return ET.fromstring(picture.svg)


def marked(picture: Picture, pattern: str) -> Iterator[tuple[Element, re.Match[str]]]:
    """Yield each element whose tooltip matches the whole pattern, with the match."""
    for element in parsed(picture).iter():
        tip = element.find(f"{SVG}title")
        if tip is not None and (found := re.fullmatch(pattern, tip.text or "", re.DOTALL)):
            yield element, found


def written_in(element: Element) -> str:
    """Return the visible text of an element, without tooltips."""
    words = element.text or ""
    for inner in element:
        if inner.tag != f"{SVG}title":
            words += written_in(inner)
        words += inner.tail or ""
    return words.strip()


def value(shown: str | int) -> Fraction:
    """Parse a number such as "1,234 1/2" or "1.5", or "7/2" in a JSON result."""
    whole, _, rest = str(shown).replace(",", "").partition(" ")
    return Fraction(whole) + Fraction(rest or 0)


def classes(element: Element) -> set[str]:
    """Return the classes of an element."""
    return set(element.get("class", "").split())
