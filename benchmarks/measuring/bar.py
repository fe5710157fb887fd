"""What we want of a figure, and whether it is so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure that must not be below `at_least`, or not above `at_most`."""

    at_least: float | None = None
    at_most: float | None = None
    unit: str = "×"

    def verdict(self, figure: float) -> str:
        """The bar in words, and whether it is met; one that is missed cannot be overlooked."""
        if self.at_least is not None:
            words, met = f"at least {self.at_least:g}{self.unit}", figure >= self.at_least
        else:
            assert self.at_most is not None
            words, met = f"at most {self.at_most:g}{self.unit}", figure <= self.at_most
        return f"{words}: {'met' if met else '**missed**'}"
