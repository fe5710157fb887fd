"""The counting method that decides elections, as people read about it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CountingMethod:
    """A counting method: its key in `counting.METHODS`, its title, one sentence, and a link."""

    key: str
    title: str
    summary: str
    url: str


METHOD = CountingMethod(
    "schulze",
    "Schulze method",
    "A candidate who beats every other one head to head wins; if there is none, the strongest "
    "chains of wins decide.",
    "https://en.wikipedia.org/wiki/Schulze_method",
)
