"""The resources to deploy for some tables, as values that each output format is rendered from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from singletable.infrastructure.alarms import Alarm, account_alarms, table_alarms
from singletable.infrastructure.dashboard import Dashboard, create_dashboard
from singletable.infrastructure.deployment import Deployment
from singletable.infrastructure.names import resolve_table_names
from singletable.infrastructure.planned_load import Direction
from singletable.operations import CreateTable, ProvisionedThroughput
from singletable.schema import Table, create_operation

# A budget allows for 20 percent more than planned.
BUDGET_MARGIN = 1.2
# AWS Budgets notifies when the cost of the month exceeds the budget, and when it will.
BUDGET_NOTIFICATIONS = ("ACTUAL", "FORECASTED")


@dataclass(frozen=True, slots=True)
class ScaledCapacity:
    """Auto-scaled capacity of a table or an index."""

    direction: Direction
    index: str | None
    min_capacity: int
    max_capacity: int
    target_percent: int


@dataclass(frozen=True, slots=True)
class TablePlan:
    """One table with its auto scaling and alarms."""

    create: CreateTable
    ttl: str | None
    scaled: tuple[ScaledCapacity, ...]
    alarms: tuple[Alarm, ...]

    @property
    def name(self) -> str:
        """The deployed name of the table."""
        return self.create.table_name


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


@dataclass(frozen=True, slots=True)
class DeploymentPlan:
    """Some tables, the alarms of their account, and what follows from the planned load."""

    tables: tuple[TablePlan, ...]
    account_alarms: tuple[Alarm, ...]
    deployment: Deployment
    dashboard: Dashboard | None
    budget: Budget | None


def create_plan(tables: Sequence[Table], deployment: Deployment) -> DeploymentPlan:
    """Plan the resources for `tables`."""
    resolve_table_names(tables, deployment.names)
    planned = deployment.planned
    return DeploymentPlan(
        tuple(_plan_table(table, deployment) for table in tables),
        tuple(account_alarms(tables, deployment)),
        deployment,
        None if planned is None else create_dashboard(tables, deployment, planned),
        _create_budget(tables, deployment),
    )


def _create_budget(tables: Sequence[Table], deployment: Deployment) -> Budget | None:
    planned = deployment.planned
    if planned is None or planned.monthly_cost is None or deployment.alarms is None:
        return None
    # Some more than planned is normal: traffic varies, and prices are rounded.
    dollars = max(1, math.ceil(planned.monthly_cost * BUDGET_MARGIN))
    tag = next(iter(deployment.tags.items()), None)
    return Budget(f"{deployment.name(tables[0])}-dynamodb", dollars, tag)


def _plan_table(table: Table, deployment: Deployment) -> TablePlan:
    create = create_operation(table, deployment.name(table))
    capacity = deployment.capacity_of(table)
    throughput = None if capacity is None else ProvisionedThroughput(capacity.read, capacity.write)
    indexes = create.global_secondary_indexes
    return TablePlan(
        replace(
            create,
            billing_mode="PAY_PER_REQUEST" if throughput is None else "PROVISIONED",
            provisioned_throughput=throughput,
            global_secondary_indexes=indexes
            and [replace(index, provisioned_throughput=throughput) for index in indexes],
        ),
        table.ttl,
        tuple(_scaled_capacities(table, deployment)),
        tuple(table_alarms(table, deployment)),
    )


def _scaled_capacities(table: Table, deployment: Deployment) -> list[ScaledCapacity]:
    capacity, scaling = deployment.capacity_of(table), deployment.scaling
    if capacity is None or scaling is None:
        return []
    sides: tuple[tuple[Direction, int], ...] = (("Read", capacity.read), ("Write", capacity.write))
    return [
        ScaledCapacity(side, index, units, units * scaling.max_factor, scaling.target_percent)
        for index in (None, *(index.name for index in table.indexes if not index.local))
        for side, units in sides
    ]
