"""How an app is shown at the front: a package that has a module `door` with one is found there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Door:
    """An app's name, a sentence about it, where it begins, and a picture.

    `picture` is SVG with classes and no styles, which `picture_style` gives; `picture_words` say
    the same.
    """

    name: str
    about: str
    address: str
    picture: str
    picture_words: str
    picture_style: str = ""
