"""Workloads for the tests of the simulation."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from singletable.patterns import Distribution, Rate, per_second
from singletable_design.planning import Domain, KeySpace, PatternLoad, PlacedUnits, Workload
from singletable_design.planning.workload import SortKeys


def keys(values: int, exponent: float = 0.0, *, name: str = "user") -> KeySpace:
    domain = Domain(name, Distribution(values, exponent))
    return KeySpace(f"{name.upper()}#{{{name}}}", (domain,))


def units(
    key: KeySpace,
    kind: Literal["read", "write"] = "write",
    size: float = 1.0,
    *,
    index: str | None = None,
    sort_keys: SortKeys = "one",
) -> PlacedUnits:
    return PlacedUnits("shop", index, kind, size, key, sort_keys=sort_keys)


def in_transaction(part: PlacedUnits) -> PlacedUnits:
    return replace(part, in_transaction=True)


def workload(*parts: PlacedUnits, rate: Rate | float, name: str = "W1") -> Workload:
    given = rate if isinstance(rate, Rate) else per_second(rate)
    return Workload((PatternLoad(name, "Write", given, parts),))


def both(*loads: Workload) -> Workload:
    return Workload(tuple(pattern for load in loads for pattern in load.patterns))
