"""A CloudWatch dashboard of some tables, with the planned values as lines.

CloudWatch has no metric of the number of items in a table, so the panel of items shows how many a
query returns, and how many expire.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from singletable.schema import Table
from singletable_design.infrastructure.alarms import planned_units
from singletable_design.infrastructure.deployment import AlarmThresholds, Deployment
from singletable_design.infrastructure.planned_load import (
    DIRECTIONS,
    Direction,
    PlannedLoad,
    format_rate,
)

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = dict[str, Json]

# Each format replaces it by its expression for the region of the deployment.
REGION = "{region}"

_NAMESPACE = "AWS/DynamoDB"
_WIDTH = 24
_HEIGHT = 6
_TEXT_HEIGHT = 2


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A dashboard; its body is in CloudWatch's format, with REGION instead of the region."""

    name: str
    body: JsonObject


def create_dashboard(
    tables: Sequence[Table], deployment: Deployment, planned: PlannedLoad
) -> Dashboard:
    """Return the dashboard of these tables, with their planned load."""
    rows: list[list[JsonObject]] = []
    for table in tables:
        rows += _TablePanels(table, deployment, planned).rows()
    widgets: list[Json] = []
    y = 0
    for row in rows:
        width = _WIDTH // len(row)
        height = _TEXT_HEIGHT if row[0]["type"] == "text" else _HEIGHT
        for number, panel in enumerate(row):
            widgets.append({**panel, "x": number * width, "y": y, "width": width, "height": height})
        y += height
    name = re.sub(r"[^A-Za-z0-9_-]", "-", deployment.name(tables[0]))
    return Dashboard(f"{name}-dynamodb", {"periodOverride": "inherit", "widgets": widgets})


@dataclass(frozen=True, slots=True)
class _TablePanels:
    """The panels of one table and its global indexes."""

    table: Table
    deployment: Deployment
    planned: PlannedLoad

    @property
    def _name(self) -> str:
        return self.deployment.name(self.table)

    @property
    def _is_planned(self) -> bool:
        return self.planned.covers(self.table.name)

    @property
    def _indexes(self) -> list[str | None]:
        return [None, *(index.name for index in self.table.indexes if not index.local)]

    @property
    def _operations(self) -> tuple[str, ...]:
        return self.planned.operations.get(self.table.name, self._thresholds.operations)

    @property
    def _thresholds(self) -> AlarmThresholds:
        return self.deployment.alarms or AlarmThresholds()

    def rows(self) -> list[list[JsonObject]]:
        return [
            [_text(f"# {self._name}\n{self._summary()}")],
            *(
                [self._units(index, direction) for direction in DIRECTIONS]
                for index in self._indexes
            ),
            [self._throttles(), self._latency()],
            [self._errors(), self._items()],
        ]

    def _summary(self) -> str:
        if not self._is_planned:
            return "No access pattern is planned for this table."
        use = self.planned.use(self.table.name, None)
        return (
            f"Planned at the busiest moment: {format_rate(use.read_units, 'read unit')} and "
            f"{format_rate(use.write_units, 'write unit')}. Written by singletable from the "
            "access patterns; changes made here are lost with the next deployment."
        )

    def _units(self, index: str | None, direction: Direction) -> JsonObject:
        use = self.planned.use(self.table.name, index)
        consumed = f"Consumed{direction}CapacityUnits"
        metrics: list[Json] = [
            [{"id": "rate", "expression": "units / PERIOD(units)", "label": "consumed"}],
            self._metric(consumed, index, id="units", stat="Sum", visible=False),
        ]
        lines: dict[str, float] = {}
        if self._is_planned:
            lines["planned peak"] = round(use.units(direction), 3)
        if self.deployment.capacity_of(self.table) is None:
            if self._is_planned:
                lines["alarm"] = round(planned_units(self._thresholds, use, direction), 3)
        else:
            provisioned = f"Provisioned{direction}CapacityUnits"
            metrics.append(
                self._metric(provisioned, index, stat="Average", period=300, label="provisioned")
            )
        title = f"{self._name}{_of(index)}: {direction.lower()} units a second"
        return _graph(title, metrics, "units a second", lines)

    def _throttles(self) -> JsonObject:
        metrics: list[Json] = [
            self._metric(f"{direction}{cause}ThrottleEvents", index, stat="Sum", label=label)
            for cause, what in (("", ""), ("KeyRangeThroughput", ", hot partition"))
            for index in self._indexes
            for direction in DIRECTIONS
            for label in [f"{direction.lower()}s{_of(index)}{what}"]
        ]
        return _graph(f"{self._name}: throttles in a minute", metrics, "throttled events")

    def _latency(self) -> JsonObject:
        metrics: list[Json] = [
            self._metric("SuccessfulRequestLatency", operation=operation, stat="p99")
            for operation in self._operations
        ]
        return _graph(
            f"{self._name}: p99 latency",
            metrics,
            "milliseconds",
            {"alarm": self._thresholds.latency_ms},
        )

    def _errors(self) -> JsonObject:
        metrics: list[Json] = [
            self._metric("SystemErrors", operation=operation, stat="Sum", label=label)
            for operation in self._operations
            for label in [f"system errors of {operation}"]
        ]
        options: JsonObject = {"stat": "Sum", "label": "user errors of the account"}
        account: list[Json] = [_NAMESPACE, "UserErrors", options]
        metrics += [
            self._metric("ConditionalCheckFailedRequests", stat="Sum", label="failed conditions"),
            self._metric("TransactionConflict", stat="Sum", label="transaction conflicts"),
            account,
        ]
        return _graph(f"{self._name}: errors in a minute", metrics, "requests")

    def _items(self) -> JsonObject:
        metrics: list[Json] = [
            self._metric("ReturnedItemCount", operation=operation, stat="Average", label=label)
            for operation in self._operations
            if operation in ("Query", "Scan")
            for label in [f"returned by a {operation}"]
        ]
        metrics.append(
            self._metric("TimeToLiveDeletedItemCount", stat="Sum", label="expired in a minute")
        )
        return _graph(f"{self._name}: items", metrics, "items")

    def _metric(
        self, name: str, index: str | None = None, *, operation: str | None = None, **options: Json
    ) -> list[Json]:
        metric: list[Json] = [_NAMESPACE, name, "TableName", self._name]
        if index is not None:
            metric += ["GlobalSecondaryIndexName", index]
        if operation is not None:
            metric += ["Operation", operation]
            options.setdefault("label", operation)
        return [*metric, options]


def _graph(
    title: str, metrics: list[Json], unit: str, lines: dict[str, float] | None = None
) -> JsonObject:
    properties: JsonObject = {
        "title": title,
        "view": "timeSeries",
        "region": REGION,
        "period": 60,
        "metrics": metrics,
        "yAxis": {"left": {"min": 0, "label": unit, "showUnits": False}},
    }
    if lines:
        horizontal: list[Json] = [{"label": label, "value": lines[label]} for label in lines]
        properties["annotations"] = {"horizontal": horizontal}
    return {"type": "metric", "properties": properties}


def _text(markdown: str) -> JsonObject:
    return {"type": "text", "properties": {"markdown": markdown}}


def _of(index: str | None) -> str:
    return "" if index is None else f" of {index}"
