"""An alarm as a value: what is measured, and from where on it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Direction: TypeAlias = Literal["Read", "Write"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of DynamoDB: of one table or of the account, narrowed to an index or operation."""

    name: str
    statistic: Literal["Sum", "Average", "Maximum", "p99"]
    of_table: bool = True
    index: str | None = None
    operation: str | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """How much of its capacity a table or an index consumes, in percent."""

    direction: Direction
    index: str | None = None

    @property
    def consumed(self) -> Metric:
        """The units that were consumed in a period."""
        return Metric(f"Consumed{self.direction}CapacityUnits", "Sum", index=self.index)

    @property
    def provisioned(self) -> Metric:
        """The units a second that there are."""
        return Metric(f"Provisioned{self.direction}CapacityUnits", "Average", index=self.index)

    @property
    def expression(self) -> str:
        """The share in CloudWatch's metric math, which knows the period's seconds."""
        return "100 * consumed / PERIOD(consumed) / provisioned"


@dataclass(frozen=True, slots=True)
class Alarm:
    """Told when `measured` reaches `threshold` in `breaches` of the last `periods`.

    `name` is in words, such as "read throttles of by-level", and unique among a table's.
    """

    name: str
    description: str
    measured: Metric | Share
    threshold: int
    seconds: int
    periods: int
    breaches: int
