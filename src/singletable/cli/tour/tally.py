"""What a chapter of the tour amounted to."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.cli.tour.consumed import consumed_by, is_read, units_of
from singletable.operations import Operation


@dataclass(slots=True)
class Tally:
    """Sums that grow with each operation."""

    title: str
    items: int = 0
    requests: int = 0
    refused: int = 0
    read_units: float = 0
    write_units: float = 0

    def add(self, operation: Operation[object], answer: object) -> None:
        """Count in what the operation consumed."""
        units = units_of(consumed_by(answer))
        if is_read(operation):
            self.read_units += units
        else:
            self.write_units += units
