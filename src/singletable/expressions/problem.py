"""What is wrong with an expression, in DynamoDB's words; its parameter is put in front later."""

from __future__ import annotations


class Problem(Exception):
    """One thing wrong with one expression. Never leaves this room: see parse.py."""


class Findings:
    """Problems noted on the way. One is reported: of the gravest kind, the first in the text."""

    __slots__ = ("_worst",)

    def __init__(self) -> None:
        self._worst: tuple[int, str] | None = None

    def note(self, rank: int, text: str) -> None:
        """Remember a problem; the lower the rank, the sooner it is reported."""
        if self._worst is None or rank < self._worst[0]:
            self._worst = (rank, text)

    def report(self) -> None:
        """Raise the problem to report, if there is one."""
        if self._worst is not None:
            raise Problem(self._worst[1])
