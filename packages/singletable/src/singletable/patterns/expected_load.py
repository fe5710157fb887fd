"""The expected load of a design.

How often patterns are called, how many items there are, and how calls spread over their keys.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeAlias, TypedDict, TypeGuard, Unpack

from dynamodb_engine.values import MAX_ITEM_SIZE
from singletable.errors import DeclarationError
from singletable.schema import Path

Period: TypeAlias = Literal["second", "minute", "hour", "day"]

_SECONDS: dict[Period, int] = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
_WITH_ARTICLE: dict[Period, str] = {
    "second": "a second",
    "minute": "a minute",
    "hour": "an hour",
    "day": "a day",
}
HOURS = 24
# There may be millions of ranks; those beyond these differ little from their neighbors.
_EXACT_RANKS = 10_000

DayProfile: TypeAlias = Literal["office", "evening"]

# Relative load by hour of day, for a country in one time zone: at work from 8 to 18, or at leisure.
DAY_PROFILES: dict[DayProfile, tuple[float, ...]] = {
    "office": (1, 1, 1, 1, 1, 1, 2, 6, 16, 20, 20, 18, 12, 16, 20, 20, 18, 14, 6, 4, 3, 2, 1, 1),
    "evening": (6, 3, 2, 1, 1, 1, 2, 4, 5, 5, 5, 6, 8, 7, 6, 6, 7, 9, 12, 16, 20, 20, 16, 10),
}


@dataclass(frozen=True, slots=True)
class Rate:
    """The number of calls in a period, on average over a day.

    `peak` is the number at the busiest moment, in the same period as `calls`. `by_hour` has 24
    relative weights, from midnight to midnight UTC. `growth` is that per month: 0.05 is 5 percent.
    """

    calls: float
    period: Period
    peak: float | None = None
    by_hour: tuple[float, ...] | None = None
    growth: float = 0.0

    def __post_init__(self) -> None:
        period = _WITH_ARTICLE[self.period]
        where = f"a rate of {self.calls!r} calls {period}"
        if not _is_number(self.calls) or not 0 <= self.calls < math.inf:
            raise DeclarationError(f"{where}: expected a finite number, 0 or more.")
        if self.by_hour is not None:
            _check_hours(where, self.by_hour)
        # Rates that are multiplied may differ in the last digit.
        least = self.busiest_hour * (1 - 1e-9)
        peak = self.peak
        if peak is not None and (not _is_number(peak) or not least <= peak < math.inf):
            raise DeclarationError(
                f"{where}: peak={peak!r}: expected the calls {period} at the busiest moment, at "
                f"least the {self.busiest_hour:,.10g} of the busiest hour.{self._peak_hint}"
            )
        check_growth(where, self.growth)

    @property
    def per_second(self) -> float:
        """Calls per second, on average over a day."""
        return self.calls / _SECONDS[self.period]

    @property
    def _peak_hint(self) -> str:
        """The peak to declare if it was given per second."""
        peak = self.peak * _SECONDS[self.period] if _is_number(self.peak) else 0.0
        is_hint = self.period != "second" and self.busiest_hour <= peak < math.inf
        return (
            f" For {self.peak:,.10g} a second, write peak=per_second({self.peak:g})."
            if is_hint
            else ""
        )

    @property
    def busiest_hour(self) -> float:
        """Calls in a period, in the busiest hour."""
        weights = self.by_hour
        return self.calls if weights is None else self.calls * max(weights) * HOURS / sum(weights)

    @property
    def peak_per_second(self) -> float:
        """Calls per second at the busiest moment."""
        calls = self.busiest_hour if self.peak is None else self.peak
        return calls / _SECONDS[self.period]

    @property
    def hourly(self) -> tuple[float, ...]:
        """Calls per second in each hour of the day."""
        weights = self.by_hour or (1.0,) * HOURS
        return tuple(self.per_second * one * HOURS / sum(weights) for one in weights)

    def after(self, months: float) -> Rate:
        """Return the rate after some months of growth."""
        return self.times(math.pow(1 + self.growth, months))

    def times(self, factor: float) -> Rate:
        """Return the rate multiplied by `factor`."""
        peak = None if self.peak is None else self.peak * factor
        return Rate(self.calls * factor, self.period, peak, self.by_hour, self.growth)

    def __str__(self) -> str:
        text = f"{self.calls:,.10g} {_WITH_ARTICLE[self.period]}"
        return text if self.peak is None else f"{text}, at peak {self.peak:,.10g}"


class RateOptions(TypedDict, total=False):
    """The options of `per_second` and its siblings, which are those of Rate.

    The peak may be a rate of its own. `by_hour` may also be "office" or "evening".
    """

    peak: float | Rate | None
    by_hour: Sequence[float] | DayProfile | None
    growth: float


def per_second(calls: float, **options: Unpack[RateOptions]) -> Rate:
    """Return a rate of calls per second; see RateOptions."""
    return _rate(calls, "second", **options)


def per_minute(calls: float, **options: Unpack[RateOptions]) -> Rate:
    """Return a rate of calls per minute; see RateOptions."""
    return _rate(calls, "minute", **options)


def per_hour(calls: float, **options: Unpack[RateOptions]) -> Rate:
    """Return a rate of calls per hour; see RateOptions."""
    return _rate(calls, "hour", **options)


def per_day(calls: float, **options: Unpack[RateOptions]) -> Rate:
    """Return a rate of calls per day; see RateOptions: `per_day(9_000, peak=per_second(3))`."""
    return _rate(calls, "day", **options)


def _rate(
    calls: float,
    period: Period,
    peak: float | Rate | None = None,
    by_hour: Sequence[float] | DayProfile | None = None,
    growth: float = 0.0,
) -> Rate:
    if isinstance(peak, Rate):
        peak = peak.per_second * _SECONDS[period]
    match by_hour:
        case None:
            weights = None
        case str():
            weights = DAY_PROFILES.get(by_hour)
            if weights is None:
                raise DeclarationError(
                    f"by_hour={by_hour!r}: expected {' or '.join(map(repr, DAY_PROFILES))}, or 24 "
                    "weights from midnight to midnight UTC."
                )
        case _:
            weights = tuple(by_hour)
    return Rate(calls, period, peak, weights, growth)


@dataclass(frozen=True, slots=True)
class ItemCount:
    """How many items of an entity a table has, and their growth per month: 0.05 is 5 percent.

    `shares` says which share of them is in a sparse index, has an optional unique value or an
    optional counted one, by the name of the key, the constraint or the count: 0.1 is 10 percent.
    Without it, all items are taken to have the value or to be in the index.
    """

    items: int
    growth: float = 0.0
    shares: Mapping[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        if type(self.items) is not int or self.items < 0:
            raise DeclarationError(
                f"ItemCount({self.items!r}): expected a whole number of items, 0 or more."
            )
        check_growth(f"ItemCount({self.items:,})", self.growth)
        for name, share in self.shares.items():
            if not 0 <= share <= 1:
                raise DeclarationError(
                    f"ItemCount({self.items:,}): shares[{name!r}]={share!r}: expected a share "
                    "from 0 to 1, such as 0.1 for 10 percent."
                )

    def after(self, months: float) -> float:
        """Return the number of items after some months of growth."""
        return self.items * math.pow(1 + self.growth, months)


@dataclass(frozen=True, slots=True)
class Distribution:
    """How often the values of a field occur: the value of rank r in proportion to r ** -exponent.

    With an exponent of 0 all `values` are equally frequent. Zipf's law has an exponent of 1.
    """

    values: int
    exponent: float = 0.0

    def __post_init__(self) -> None:
        if type(self.values) is not int or self.values < 1:
            raise DeclarationError(
                f"A field has {self.values!r} different values: expected a whole number, 1 or more."
            )
        check_skew("A distribution", self.exponent)

    def share(self, rank: int) -> float:
        """Return the share of the value with this rank; the most frequent one has rank 1."""
        return math.pow(rank, -self.exponent) / _frequency_total(self.values, self.exponent)


@cache
def _frequency_total(values: int, exponent: float) -> float:
    """Return the sum of r ** -exponent for all ranks r; of the high ones, the integral."""
    exact = min(values, _EXACT_RANKS)
    total = math.fsum(math.pow(rank, -exponent) for rank in range(1, exact + 1))
    if values == exact:
        return total
    if math.isclose(exponent, 1):
        area = math.log(values / exact)
    else:
        area = (math.pow(values, 1 - exponent) - math.pow(exact, 1 - exponent)) / (1 - exponent)
    return total + area + (math.pow(values, -exponent) - math.pow(exact, -exponent)) / 2


@dataclass(frozen=True, slots=True)
class FieldValues:
    """The values of a field, made by uniform() or zipf()."""

    path: Path[Any, Any]
    distribution: Distribution


def uniform(field: Path[Any, Any], values: int) -> FieldValues:
    """Declare that a field has `values` different values, which are equally frequent."""
    return FieldValues(field, Distribution(values))


def zipf(field: Path[Any, Any], values: int, exponent: float = 1.0) -> FieldValues:
    """Declare that a field has `values` different values, the second half as frequent as the first.

    An exponent above 1 is more uneven, one below 1 is less.
    """
    return FieldValues(field, Distribution(values, exponent))


class Expectations(TypedDict, total=False):
    """Keyword arguments that declare the expected load of a pattern."""

    rate: Rate | None
    items: int
    size: int | None
    consistent: bool
    hydrate: bool | None
    scanned: int | None
    skew: float | None


@dataclass(frozen=True, slots=True)
class ExpectedLoad:
    """The expected load of a pattern; `rate` and `size` are None where they were not declared.

    One call reads or writes `items` items of `size` bytes each. `hydrate` says whether it gets them
    from the table by the keys in an index; None says that it does if the index lacks fields.
    `scanned` is the number of items that a query reads before its filter, None without a filter.
    `skew` is the exponent by which calls spread over partition keys, as in Distribution; None means
    that they spread as the values of the key's fields do.
    """

    rate: Rate | None = None
    items: int = 1
    size: int | None = None
    consistent: bool = False
    hydrate: bool | None = None
    scanned: int | None = None
    skew: float | None = None

    @property
    def items_read(self) -> int:
        """The number of items that a call reads, before a filter."""
        return self.items if self.scanned is None else self.scanned

    @classmethod
    def declared(cls, where: str, expectations: Expectations) -> ExpectedLoad:
        """Return the load after checking it; `where` names the pattern in errors."""
        load = cls(**expectations)
        if load.rate is not None and not isinstance(load.rate, Rate):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DeclarationError(
                f"{where}: rate={load.rate!r}: expected a rate, such as per_second(20)."
            )
        if type(load.items) is not int or load.items < 0:
            raise DeclarationError(
                f"{where}: items={load.items!r}: expected a whole number, 0 or more."
            )
        if load.scanned is not None and (
            type(load.scanned) is not int or load.scanned < load.items
        ):
            raise DeclarationError(
                f"{where}: scanned={load.scanned!r}: expected a whole number, at least "
                f"items={load.items}: a query reads the items that its filter leaves out, too."
            )
        if load.hydrate not in (None, True, False):
            raise DeclarationError(f"{where}: hydrate={load.hydrate!r}: expected True or False.")
        if load.size is not None:
            check_item_size(f"{where}: size", load.size)
        if load.skew is not None:
            check_skew(f"{where}: skew", load.skew)
        return load


def check_item_size(where: str, size: int) -> None:
    """Raise unless an item can have this size in bytes."""
    if type(size) is not int or not 1 <= size <= MAX_ITEM_SIZE:
        raise DeclarationError(f"{where}={size!r}: an item has 1 to {MAX_ITEM_SIZE:,} bytes.")


def _is_number(value: object) -> TypeGuard[float]:
    """Return whether `value` is a number; programs without a type checker pass texts, too."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_growth(where: str, growth: float) -> None:
    """Raise unless `growth` is a share per month."""
    if not _is_number(growth) or not -1 <= growth <= 10:
        raise DeclarationError(
            f"{where}: growth={growth!r}: expected the growth per month as a share, from -1 to 10, "
            "such as 0.05 for 5 percent."
        )


def check_skew(where: str, exponent: float) -> None:
    """Raise unless `exponent` is the exponent of a distribution."""
    if not _is_number(exponent) or not 0 <= exponent <= 10:
        raise DeclarationError(
            f"{where}: expected an exponent from 0 (all keys alike) to 10, but got {exponent!r}. "
            "Zipf's law has 1."
        )


def _check_hours(where: str, weights: tuple[float, ...]) -> None:
    valid = len(weights) == HOURS and all(
        _is_number(one) and 0 <= one < math.inf for one in weights
    )
    if not valid or not sum(weights):
        raise DeclarationError(
            f"{where}: by_hour={weights!r}: expected 24 weights from midnight to midnight UTC, "
            "0 or more and not all 0."
        )
