"""All that is made on AWS for some tables, as values that every kind of text is written from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from singletable.infrastructure.alarm import Alarm, Direction
from singletable.infrastructure.alarms import account_alarms, table_alarms
from singletable.infrastructure.deployment import Deployment
from singletable.infrastructure.real_names import real_names
from singletable.operations import CreateTable, ProvisionedThroughput
from singletable.schema import Table, create_operation


@dataclass(frozen=True, slots=True)
class ScaledCapacity:
    """Capacity of a table or an index that follows its load."""

    direction: Direction
    index: str | None
    least: int
    most: int
    target_percent: int


@dataclass(frozen=True, slots=True)
class TablePlan:
    """One table, with what watches it and what makes it grow."""

    create: CreateTable
    ttl: str | None
    scaled: tuple[ScaledCapacity, ...]
    alarms: tuple[Alarm, ...]

    @property
    def name(self) -> str:
        """The table's name on AWS."""
        return self.create.table_name


@dataclass(frozen=True, slots=True)
class Plan:
    """Some tables and the account they are in."""

    tables: tuple[TablePlan, ...]
    account_alarms: tuple[Alarm, ...]
    deployment: Deployment


def plan_of(tables: Sequence[Table], deployment: Deployment) -> Plan:
    """What is made for the tables."""
    real_names(tables, deployment.names)
    return Plan(
        tuple(_table_plan(table, deployment) for table in tables),
        tuple(account_alarms(list(tables), deployment)),
        deployment,
    )


def planned_operation(table: Table, deployment: Deployment) -> CreateTable:
    """CreateTable for the table, with the capacity and the name that are deployed."""
    create = create_operation(table, deployment.name(table))
    capacity = deployment.capacity_of(table)
    throughput = None if capacity is None else ProvisionedThroughput(capacity.read, capacity.write)
    indexes = create.global_secondary_indexes
    return replace(
        create,
        billing_mode="PAY_PER_REQUEST" if throughput is None else "PROVISIONED",
        provisioned_throughput=throughput,
        global_secondary_indexes=indexes
        and [replace(index, provisioned_throughput=throughput) for index in indexes],
    )


def _table_plan(table: Table, deployment: Deployment) -> TablePlan:
    return TablePlan(
        planned_operation(table, deployment),
        table.ttl,
        tuple(_scaled(table, deployment)),
        tuple(table_alarms(table, deployment)),
    )


def _scaled(table: Table, deployment: Deployment) -> list[ScaledCapacity]:
    capacity, scaling = deployment.capacity_of(table), deployment.scaling
    if capacity is None or scaling is None:
        return []
    ways: tuple[tuple[Direction, int], ...] = (("Read", capacity.read), ("Write", capacity.write))
    return [
        ScaledCapacity(way, index, least, least * scaling.most, scaling.target_percent)
        for index in (None, *(one.name for one in table.indexes if not one.local))
        for way, least in ways
    ]
