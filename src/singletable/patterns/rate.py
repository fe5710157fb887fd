"""How often something is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from singletable.errors import DeclarationError

Span: TypeAlias = Literal["second", "minute", "hour", "day"]

_SECONDS: dict[Span, int] = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}

_A: dict[Span, str] = {
    "second": "a second",
    "minute": "a minute",
    "hour": "an hour",
    "day": "a day",
}


@dataclass(frozen=True, slots=True)
class Rate:
    """So many calls in a span of time, when there is much to do."""

    calls: float
    span: Span

    def __post_init__(self) -> None:
        if not 0 <= self.calls < float("inf"):
            raise DeclarationError(
                f"a rate of {self.calls!r} calls {_A[self.span]}: expected a number from 0 on."
            )

    @property
    def per_second(self) -> float:
        """The calls in a second."""
        return self.calls / _SECONDS[self.span]

    def __str__(self) -> str:
        return f"{self.calls:,.10g} {_A[self.span]}"


def per_second(calls: float) -> Rate:
    """So many calls a second."""
    return Rate(calls, "second")


def per_minute(calls: float) -> Rate:
    """So many calls a minute."""
    return Rate(calls, "minute")


def per_hour(calls: float) -> Rate:
    """So many calls an hour."""
    return Rate(calls, "hour")


def per_day(calls: float) -> Rate:
    """So many calls a day."""
    return Rate(calls, "day")
