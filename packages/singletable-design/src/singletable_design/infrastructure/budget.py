"""A monthly budget for DynamoDB, from the cost of a plan.

AWS Budgets compares the bill with it several times a day. CloudWatch's billing metric would not do:
it is published for a whole account, and in one region only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from singletable.schema import Table
from singletable_design.infrastructure.deployment import Deployment

if TYPE_CHECKING:
    from singletable.prices import RegionPrices
    from singletable_design.planning import Plan

# Some more than planned is normal: traffic varies.
BUDGET_MARGIN = 1.2
# AWS Budgets notifies when the cost of the month exceeds the budget, and when it will.
BUDGET_NOTIFICATIONS = ("ACTUAL", "FORECASTED")


@dataclass(frozen=True, slots=True)
class Budget:
    """A monthly budget in US dollars for DynamoDB, or for what has a tag (its key and value)."""

    name: str
    dollars: int
    tag: tuple[str, str] | None

    @property
    def cost_filters(self) -> dict[str, str]:
        """The filters by name, as AWS Budgets writes them."""
        filters = {"Service": "Amazon DynamoDB"}
        if self.tag is not None:
            filters["TagKeyValue"] = f"user:{self.tag[0]}${self.tag[1]}"
        return filters


def create_budget(tables: Sequence[Table], deployment: Deployment) -> Budget | None:
    """Return the budget for the planned cost, or None if it is not known or alarms are off."""
    planned = deployment.planned
    if planned is None or planned.monthly_cost is None or deployment.alarms is None:
        return None
    dollars = max(1, math.ceil(planned.monthly_cost * BUDGET_MARGIN))
    tag = next(iter(deployment.tags.items()), None)
    return Budget(f"{deployment.name(tables[0])}-dynamodb", dollars, tag)


def planned_cost(
    plan: Plan, tables: Sequence[Table], deployment: Deployment, prices: RegionPrices
) -> float:
    """Return the US dollars per month of tables as they are deployed, with their indexes."""
    # Commands that only create tables start faster without it.
    from singletable_design.planning import CostOptions, loads_of, monthly_cost

    scaling = deployment.scaling
    options = CostOptions(
        pitr=deployment.recovery_days is not None,
        target_utilization=0.7 if scaling is None else scaling.target_percent / 100,
    )
    loads = loads_of(plan, table_classes=dict.fromkeys(tables, deployment.table_class))
    total = 0.0
    for table in tables:
        own = [load for load in loads if load.table == table.name]
        if deployment.capacity_of(table) is None:
            mode = monthly_cost(own, prices, "on-demand", options=options)
        elif scaling is None:
            mode = monthly_cost(own, prices, "fixed", options=options)
        else:
            mode = monthly_cost(own, prices, "auto-scaled", options=options)
        total += mode.cost
    return total
