"""Advice about the billing mode and the table class."""

from __future__ import annotations

from collections.abc import Iterator

from singletable_design.planning.advice.advice import Advice
from singletable_design.planning.advice.design_facts import Design
from singletable_design.planning.bill_lines import BillingMode
from singletable_design.planning.cost import MonthlyCost, compare_costs, monthly_cost
from singletable_design.planning.formats import format_dollars
from singletable_design.planning.resource_load import CostOptions, loads_of


def advise_billing(design: Design) -> Iterator[Advice]:
    """Yield advice if another billing mode or table class is cheaper without a commitment."""
    loads = loads_of(design.plan)
    declared = {table.capacity is not None for table in design.tables}
    if len(declared) > 1:  # some tables have a reason
        return
    # Provisioned capacity is cheaper for a load that is the same all day, but few are. Without
    # hours or peaks in the rates, nothing is known about that.
    is_even = all(
        one.rate is None or (one.rate.by_hour is None and one.rate.peak is None)
        for one in design.plan.patterns
    )
    mode: BillingMode = "fixed" if declared == {True} else "on-demand"
    now = monthly_cost(loads, design.prices, mode)
    others: list[BillingMode] = [] if is_even else ["on-demand"]
    if not is_even and _can_scale(design):
        others.append("auto-scaled")
    best, *_ = compare_costs(loads, design.prices, modes=tuple(dict.fromkeys((mode, *others))))
    saved = now.cost - best.cost
    if not design.is_worth(saved, question=True):
        return
    yield Advice(
        "billing-mode",
        "low",
        ", ".join(table.name for table in design.tables),
        f"The tables cost {format_dollars(now.cost)} a month {now.name.split(',')[0]}, and "
        f"{format_dollars(best.cost)} {best.name}.",
        _change(now, best),
        saves_dollars=saved,
        how=f"{now.name}: {format_dollars(now.cost)}; {best.name}: {format_dollars(best.cost)}",
    )


def _can_scale(design: Design) -> bool:
    """Return whether the capacity of the busiest hour is enough for the peaks.

    Auto scaling takes minutes to add more, in which requests are throttled.
    """
    target = CostOptions().target_utilization
    demands = [demand for one in design.plan.resources for demand in (one.read, one.write)]
    return all(demand.peak <= max(demand.hourly) / target for demand in demands)


def _change(now: MonthlyCost, best: MonthlyCost) -> str:
    if best.mode == now.mode:
        return "Deploy the tables with the class Standard-IA: they store much and are read little."
    return (
        "Will the load have the declared hours and peaks? Then deploy the tables that way. On "
        "demand is simpler, and follows a load that is higher than planned."
        if best.mode == "auto-scaled"
        else "Leave out capacity=… of the tables: on demand, you pay only for what is used."
    )


RULES = (advise_billing,)
