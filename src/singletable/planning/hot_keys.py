"""The partition keys with the highest expected load, by table and index.

A partition accepts 3,000 read units and 1,000 write units per second, so a key with more load than
that is throttled unless DynamoDB can divide its items. `simulate` shows what then happens.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from singletable.patterns import Distribution
from singletable.planning.workload import KeySpace, PatternLoad, Workload

READ_LIMIT = 3_000
WRITE_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class HotKey:
    """The load of the most frequent partition key of a kind, in units per second at peak.

    `patterns` are the ids of the patterns that use it, those with most load first. `divisible`
    says that its items have many sort keys, so that DynamoDB can spread them over partitions.
    """

    resource: str
    key: KeySpace
    read: float
    write: float
    patterns: tuple[str, ...]
    divisible: bool
    how: str

    @property
    def text(self) -> str:
        """The partition key, with a number in place of each value: SKILL#{skill}-1."""
        return self.key.text([1] * len(self.key.domains))

    @property
    def share(self) -> float:
        """The share of a partition's limit that the key needs; 1 is all of it."""
        return max(self.read / READ_LIMIT, self.write / WRITE_LIMIT)


def hot_keys(workload: Workload) -> list[HotKey]:
    """Return the most frequent key of each kind in each table and index, the hottest first."""
    loads: dict[tuple[str, KeySpace], list[tuple[PatternLoad, str, float, str]]] = defaultdict(list)
    divisible: dict[tuple[str, KeySpace], bool] = {}
    for pattern in workload.patterns:
        for placed in pattern.units:
            place = placed.resource, placed.key
            share = _share(placed.key, pattern.skew)
            # Shards divide the load of a key, unless a call reads all of them.
            touched = min(1.0, placed.partitions * share / placed.key.shards)
            units = pattern.rate.peak_per_second * touched * placed.units
            how = (
                f"{pattern.id}: {pattern.rate.peak_per_second:,.4g} calls/s at peak × "
                f"{touched:.3g} for this key × {placed.units:,.4g} {placed.kind} units"
            )
            loads[place].append((pattern, placed.kind, units, how))
            spread = placed.sort_keys == "many"
            divisible[place] = divisible.get(place, True) and spread
    keys = [_hot_key(*place, parts, divisible[place]) for place, parts in loads.items()]
    return sorted(keys, key=lambda key: -key.share)


def _hot_key(
    resource: str,
    key: KeySpace,
    parts: list[tuple[PatternLoad, str, float, str]],
    divisible: bool,
) -> HotKey:
    ranked = sorted(parts, key=lambda part: -part[2])
    return HotKey(
        resource,
        key,
        math.fsum(units for _, kind, units, _ in parts if kind == "read"),
        math.fsum(units for _, kind, units, _ in parts if kind == "write"),
        tuple(dict.fromkeys(pattern.id for pattern, *_ in ranked)),
        divisible,
        "; ".join(how for *_, how in ranked),
    )


def _share(key: KeySpace, skew: float | None) -> float:
    """Return the share of calls that are about the most frequent partition key."""
    if not key.domains:
        return 1.0
    if skew is not None:
        values = math.prod(domain.distribution.values for domain in key.domains)
        return Distribution(values, skew).share(1)
    return math.prod(domain.distribution.share(1) for domain in key.domains)
