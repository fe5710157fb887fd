"""The partition keys with the highest expected load, by table and index.

Plans, advice and simulations use the same figures: the expected units of a key are the rate of each
pattern times the share of its calls that are about the key, by the declared values. A partition
accepts 3,000 read and 1,000 write units per second, so a key with more load than that is throttled
unless DynamoDB can divide its items.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from singletable.patterns import Distribution
from singletable_design.planning.formats import format_units
from singletable_design.planning.workload import (
    READ_LIMIT,
    WRITE_LIMIT,
    Domain,
    KeySpace,
    PatternLoad,
    PlacedUnits,
    Workload,
)

# A key is divisible if what is not, such as one item, needs less than this share of the limit.
_MINOR_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class KeyLoad:
    """The units per second of one request of a pattern under a partition key.

    `is_spread` says that its items have many sort keys; others are one item, or at the end.
    """

    pattern: str
    kind: Literal["read", "write"]
    peak: float
    average: float
    is_spread: bool
    how: str


@dataclass(frozen=True, slots=True)
class HotKey:
    """The expected load of a partition key, in units per second; the largest loads are first."""

    text: str
    key: KeySpace
    resource: str
    loads: tuple[KeyLoad, ...]

    @property
    def read(self) -> float:
        """The read units per second at peak."""
        return _peak(self.loads, "read")

    @property
    def write(self) -> float:
        """The write units per second at peak."""
        return _peak(self.loads, "write")

    @property
    def share(self) -> float:
        """The share of a partition's limit that the key needs at peak; 1 is all of it."""
        return max(self.read / READ_LIMIT, self.write / WRITE_LIMIT)

    @property
    def patterns(self) -> tuple[str, ...]:
        """The ids of the patterns that use it."""
        return tuple(dict.fromkeys(load.pattern for load in self.loads))

    @property
    def divisible(self) -> bool:
        """Whether its load spreads over many sort keys, so that DynamoDB can divide its items."""
        fixed = [load for load in self.loads if not load.is_spread]
        needed = max(_peak(fixed, "read") / READ_LIMIT, _peak(fixed, "write") / WRITE_LIMIT)
        return needed < _MINOR_SHARE

    @property
    def how(self) -> str:
        """How the load was computed."""
        return "; ".join(load.how for load in self.loads)


def _peak(loads: Iterable[KeyLoad], kind: Literal["read", "write"]) -> float:
    return math.fsum(load.peak for load in loads if load.kind == kind)


def hot_keys(
    workload: Workload,
    *,
    rates: Mapping[str, tuple[float, float]] | None = None,
    skew: float | None = None,
    hit_shares: Mapping[str, Callable[[float], float]] | None = None,
    most: int = 1,
) -> list[HotKey]:
    """Return the most frequent keys of each template in each table and index, the hottest first.

    `rates` has the calls per second by pattern, on average and at peak; without it, those of a day.
    `skew` replaces the exponents of all distributions. `hit_shares` has the caches by pattern: the
    share of calls that they answer, by how often a result is asked for. `most` is the number of
    keys of each template.
    """
    uses: dict[tuple[str, KeySpace], list[tuple[PatternLoad, PlacedUnits]]] = defaultdict(list)
    for pattern in workload.patterns:
        for placed in pattern.units:
            uses[placed.resource, placed.key].append((pattern, placed))
    keys: list[HotKey] = []
    for (resource, key), parts in uses.items():
        for ranks in _first_ranks(key, most):
            loads = [
                _load(pattern, placed, ranks, rates or {}, skew, (hit_shares or {}).get(pattern.id))
                for pattern, placed in parts
            ]
            loads.sort(key=lambda load: -load.peak)
            keys.append(HotKey(key.text(ranks), key, resource, tuple(loads)))
    return sorted(keys, key=lambda one: -one.share)


def _first_ranks(key: KeySpace, most: int) -> Iterator[tuple[int, ...]]:
    """Yield the ranks of the values of the most frequent keys, the most frequent first."""
    choices = [range(1, min(domain.distribution.values, most) + 1) for domain in key.domains]
    ranked = sorted(product(*choices), key=lambda ranks: -_share(key.domains, ranks, None))
    yield from ranked[:most]


def _load(
    pattern: PatternLoad,
    placed: PlacedUnits,
    ranks: Sequence[int],
    rates: Mapping[str, tuple[float, float]],
    skew: float | None,
    hit_share: Callable[[float], float] | None,
) -> KeyLoad:
    exponent = pattern.skew if skew is None else skew
    share = _share(placed.key.domains, ranks, exponent)
    # Shards divide the load of a key, unless a call reads all of them.
    touched = placed.partitions * share / placed.key.shards
    average, peak = rates.get(pattern.id, (pattern.rate.per_second, pattern.rate.peak_per_second))
    if hit_share is not None:
        result = share / _other_values(pattern, placed)
        average *= 1 - hit_share(average * result)
        peak *= 1 - hit_share(peak * result)
    units = touched * placed.units
    how = (
        f"{pattern.id}: {peak:,.4g} calls/s at peak × {touched:.3g} for this key × "
        f"{format_units(placed.units, placed.kind)}"
    )
    is_spread = placed.sort_keys == "many"
    return KeyLoad(pattern.id, placed.kind, units * peak, units * average, is_spread, how)


def _share(domains: Sequence[Domain], ranks: Sequence[int], exponent: float | None) -> float:
    """Return the share of calls that are about the values of these ranks."""
    shares = 1.0
    for domain, rank in zip(domains, ranks, strict=True):
        one = domain.distribution
        shares *= (one if exponent is None else Distribution(one.values, exponent)).share(rank)
    return shares


def _other_values(pattern: PatternLoad, placed: PlacedUnits) -> int:
    """Return over how many values of other key fields the calls about a key spread."""
    domains = {domain for part in pattern.units for domain in part.key.domains}
    return math.prod(one.distribution.values for one in domains - set(placed.key.domains))
