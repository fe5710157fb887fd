"""Figures as people read them: two or three digits that mean something."""

from __future__ import annotations


def rate(a_second: float) -> str:
    """How often a second."""
    return f"{_digits(a_second)}/s"


def times(ratio: float) -> str:
    """How many times as much."""
    return f"{_digits(ratio)}×"


def milliseconds(seconds: float) -> str:
    """A short time, without its unit."""
    return _digits(seconds * 1_000)


def microseconds(seconds: float) -> str:
    """A very short time."""
    return f"{_digits(seconds * 1_000_000)} µs"


def megabytes(size: float) -> str:
    """A size in memory."""
    return f"{size / 1_000_000:,.0f} MB"


def _digits(figure: float) -> str:
    if figure >= 10:
        return f"{figure:,.0f}"
    return f"{figure:.1f}" if figure >= 1 else f"{figure:.2g}"
