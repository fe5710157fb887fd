"""Names for the resources of a document: readable, allowed there, and each once."""

from __future__ import annotations

import re
from collections.abc import Callable

_WORDS = re.compile(r"[A-Za-z0-9]+")


def in_capitals(text: str) -> str:
    """`vote_data` as `VoteData`: letters and digits alone."""
    return "".join(word[0].upper() + word[1:] for word in _WORDS.findall(text)) or "Table"


def in_snake_case(text: str) -> str:
    """`GSI-1` as `gsi_1`; a letter comes first."""
    joined = "_".join(_WORDS.findall(text)).lower()
    return joined if joined[:1].isalpha() else f"t_{joined}"


class Names:
    """Gives each text a name; two texts that would have the same are told apart by a number."""

    def __init__(self, shape: Callable[[str], str]) -> None:
        self._shape = shape
        self._given: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """The name for a text: the same every time."""
        if text not in self._given:
            plain = name = self._shape(text)
            number = 1
            while name in self._given.values():
                number += 1
                name = f"{plain}{number}"
            self._given[text] = name
        return self._given[text]
