"""Advice in plain words: a problem of the design, the change, and its saving.

Each rule is a function of the design that yields advice; `RULES` lists them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from singletable.prices import RegionPrices, region_prices
from singletable_design.planning.advice import (
    billing,
    busy_keys,
    declarations,
    indexes,
    reads,
    writes,
)
from singletable_design.planning.advice.advice import KINDS, Advice, Kind, Severity
from singletable_design.planning.advice.design_facts import Design
from singletable_design.planning.plan import Plan

__all__ = ["KINDS", "Advice", "Kind", "Severity", "advise"]

RULES: tuple[Callable[[Design], Iterator[Advice]], ...] = (
    *busy_keys.RULES,
    *indexes.RULES,
    *reads.RULES,
    *writes.RULES,
    *declarations.RULES,
    *billing.RULES,
)

_SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")


def advise(plan: Plan, prices: RegionPrices | None = None) -> list[Advice]:
    """Return advice about a plan: failures at its load first, then the largest savings.

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
