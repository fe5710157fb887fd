"""Advice in plain words: what a plan shows to be a problem, what to change, and what it saves.

Each rule is a function of the design that yields advice; `RULES` lists them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from singletable.prices import RegionPrices, region_prices
from singletable_design.planning.advice.advice import KINDS, Advice, Kind, Severity
from singletable_design.planning.advice.billing import advise_billing
from singletable_design.planning.advice.busy_keys import (
    advise_collections,
    advise_contention,
    advise_hot_keys,
)
from singletable_design.planning.advice.declarations import (
    advise_growth,
    advise_missing,
    advise_missing_values,
)
from singletable_design.planning.advice.design_facts import Design
from singletable_design.planning.advice.indexes import (
    advise_moving_keys,
    advise_projections,
    advise_sparse,
    advise_unused,
)
from singletable_design.planning.advice.reads import (
    advise_consistency,
    advise_filters,
    advise_joined_reads,
    advise_large_queries,
    advise_scans,
)
from singletable_design.planning.advice.writes import (
    advise_large_items,
    advise_large_updates,
    advise_transactions,
)
from singletable_design.planning.plan import Plan

__all__ = ["KINDS", "Advice", "Kind", "Severity", "advise"]

RULES: tuple[Callable[[Design], Iterator[Advice]], ...] = (
    advise_hot_keys,
    advise_contention,
    advise_collections,
    advise_unused,
    advise_sparse,
    advise_projections,
    advise_moving_keys,
    advise_filters,
    advise_scans,
    advise_large_queries,
    advise_consistency,
    advise_joined_reads,
    advise_large_items,
    advise_large_updates,
    advise_transactions,
    advise_missing,
    advise_missing_values,
    advise_growth,
    advise_billing,
)

_SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")


def advise(plan: Plan, prices: RegionPrices | None = None) -> list[Advice]:
    """Return advice about a plan: what fails at its load first, then what saves most.

    `prices` are those of a region, us-east-1 without them; savings are at on-demand prices.
    """
    design = Design(plan, prices or region_prices())
    return sorted((advice for rule in RULES for advice in rule(design)), key=_order)


def _order(advice: Advice) -> tuple[bool, float, int, str, str]:
    return (
        advice.severity != "high",
        -advice.saves_dollars,
        _SEVERITIES.index(advice.severity),
        advice.kind,
        advice.subject,
    )
