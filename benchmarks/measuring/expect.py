"""A speed counts only if the answer was right."""

from __future__ import annotations

from benchmarks.measuring.missing import WrongAnswer


def expect(found: object, expected: object) -> None:
    """Refuse an answer that is not the expected one."""
    if found != expected:
        raise WrongAnswer(f"{expected!r:.200} was expected, and {found!r:.200} came")
