"""Unique resource names for generated templates."""

from __future__ import annotations

import re
from collections.abc import Callable

_WORDS = re.compile(r"[A-Za-z0-9]+")


def pascal_case(text: str) -> str:
    """Convert `vote_data` to `VoteData`, with letters and digits only."""
    return "".join(word[0].upper() + word[1:] for word in _WORDS.findall(text)) or "Table"


def snake_case(text: str) -> str:
    """Convert `GSI-1` to `gsi_1`, starting with a letter."""
    joined = "_".join(_WORDS.findall(text)).lower()
    return joined if joined[:1].isalpha() else f"t_{joined}"


class ResourceNames:
    """Turn texts into unique identifiers; a number is appended where two would collide."""

    def __init__(self, convert: Callable[[str], str]) -> None:
        self._convert = convert
        self._names: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        """Return the identifier for `text`, the same on every call."""
        if text not in self._names:
            base = name = self._convert(text)
            number = 1
            while name in self._names.values():
                number += 1
                name = f"{base}{number}"
            self._names[text] = name
        return self._names[text]
