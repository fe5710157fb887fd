"""The partition keys with the highest expected load, by table and index.

A partition accepts 3,000 read units and 1,000 write units per second, so a key with more load than
that is throttled unless DynamoDB can divide its items. `simulate` shows what then happens.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from singletable.patterns import Distribution
from singletable_design.planning.formats import format_units
from singletable_design.planning.workload import KeySpace, Workload

READ_LIMIT = 3_000
WRITE_LIMIT = 1_000
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
    """The load of the most frequent partition key of a kind, in units per second at peak.

    `patterns` are the ids of the patterns that use it, those with most load first. `divisible`
    says that its load spreads over many sort keys, so that DynamoDB can divide its items.
    """

    resource: str
    key: KeySpace
    read: float
    write: float
    patterns: tuple[str, ...]
    divisible: bool
    how: str
    loads: tuple[KeyLoad, ...] = ()

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
    loads: dict[tuple[str, KeySpace], list[KeyLoad]] = defaultdict(list)
    for pattern in workload.patterns:
        for placed in pattern.units:
            share = _share(placed.key, pattern.skew)
            # Shards divide the load of a key, unless a call reads all of them.
            touched = min(1.0, placed.partitions * share / placed.key.shards)
            units, peak = touched * placed.units, pattern.rate.peak_per_second
            how = (
                f"{pattern.id}: {peak:,.4g} calls/s at peak × {touched:.3g} for this key × "
                f"{format_units(placed.units, placed.kind)}"
            )
            load = KeyLoad(
                pattern.id,
                placed.kind,
                units * peak,
                units * pattern.rate.per_second,
                placed.sort_keys == "many",
                how,
            )
            loads[placed.resource, placed.key].append(load)
    keys = [_hot_key(resource, key, parts) for (resource, key), parts in loads.items()]
    return sorted(keys, key=lambda key: -key.share)


def _hot_key(resource: str, key: KeySpace, loads: list[KeyLoad]) -> HotKey:
    ranked = tuple(sorted(loads, key=lambda load: -load.peak))
    fixed = [load for load in ranked if not load.is_spread]
    return HotKey(
        resource,
        key,
        _peak(ranked, "read"),
        _peak(ranked, "write"),
        tuple(dict.fromkeys(load.pattern for load in ranked)),
        max(_peak(fixed, "read") / READ_LIMIT, _peak(fixed, "write") / WRITE_LIMIT) < _MINOR_SHARE,
        "; ".join(load.how for load in ranked),
        ranked,
    )


def _peak(loads: Iterable[KeyLoad], kind: Literal["read", "write"]) -> float:
    return math.fsum(load.peak for load in loads if load.kind == kind)


def _share(key: KeySpace, skew: float | None) -> float:
    """Return the share of calls that are about the most frequent partition key."""
    if not key.domains:
        return 1.0
    if skew is not None:
        values = math.prod(domain.distribution.values for domain in key.domains)
        return Distribution(values, skew).share(1)
    return math.prod(domain.distribution.share(1) for domain in key.domains)
