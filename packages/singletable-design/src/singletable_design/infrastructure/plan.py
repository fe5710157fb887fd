"""The resources to deploy for some tables, as values that each output format is rendered from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from dynamodb_engine.operations import CreateTable, OnDemandThroughput, ProvisionedThroughput
from singletable.schema import Table, create_operation
from singletable.tables.names import resolve_table_names
from singletable_design.infrastructure.alarms import Alarm, account_alarms, max_units, table_alarms
from singletable_design.infrastructure.deployment import Deployment
from singletable_design.infrastructure.planned_load import DIRECTIONS, Direction, table_sides


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
class DeploymentPlan:
    """Some tables, and the alarms of their account."""

    tables: tuple[TablePlan, ...]
    account_alarms: tuple[Alarm, ...]
    deployment: Deployment


def create_plan(tables: Sequence[Table], deployment: Deployment) -> DeploymentPlan:
    """Plan the resources for `tables`."""
    resolve_table_names(tables, deployment.names)
    return DeploymentPlan(
        tuple(_plan_table(table, deployment) for table in tables),
        tuple(account_alarms(tables, deployment)),
        deployment,
    )


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
            on_demand_throughput=_max_throughput(table, None, deployment),
            global_secondary_indexes=indexes
            and [
                replace(
                    index,
                    provisioned_throughput=throughput,
                    on_demand_throughput=_max_throughput(table, index.index_name, deployment),
                )
                for index in indexes
            ],
        ),
        table.ttl,
        tuple(_scaled_capacities(table, deployment)),
        tuple(table_alarms(table, deployment)),
    )


def _max_throughput(
    table: Table, index: str | None, deployment: Deployment
) -> OnDemandThroughput | None:
    read, write = (max_units(deployment, table, index, direction) for direction in DIRECTIONS)
    return None if read is None and write is None else OnDemandThroughput(read, write)


def _scaled_capacities(table: Table, deployment: Deployment) -> list[ScaledCapacity]:
    capacity, scaling = deployment.capacity_of(table), deployment.scaling
    if capacity is None or scaling is None:
        return []
    factor, percent = scaling.max_factor, scaling.target_percent
    return [
        ScaledCapacity(side, index, units, units * factor, percent)
        for side, index in table_sides(table)
        for units in [capacity.read if side == "Read" else capacity.write]
    ]


def capacity_arguments(units: ProvisionedThroughput | None) -> dict[str, int]:
    """Return provisioned capacity as Terraform names it."""
    if units is None:
        return {}
    return {
        "read_capacity": units.read_capacity_units,
        "write_capacity": units.write_capacity_units,
    }


def max_throughput_arguments(maximum: OnDemandThroughput | None) -> dict[str, int | None]:
    """Return the maximum throughput on demand as Terraform names it."""
    if maximum is None:
        return {}
    return {
        "max_read_request_units": maximum.max_read_request_units,
        "max_write_request_units": maximum.max_write_request_units,
    }
