"""What is said first about a count."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Headline:
    """What is said first: a word above, the line itself, why it is so, and how close it is.

    `said` is read out while the count is live: it is another only when the outcome is.
    """

    eyebrow: str
    title: str
    why: str
    margin: str = ""

    @property
    def said(self) -> str:
        """The outcome without the numbers."""
        return f"{self.eyebrow}: {self.title}"
