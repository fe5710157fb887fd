"""A Grafana dashboard on the metrics of PrometheusObserver and of the endpoint.

It shows each access pattern, table and index with its planned values as dashed lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from singletable.schema import Table
from singletable_design.infrastructure.dashboard import Json, JsonObject
from singletable_design.infrastructure.deployment import AlarmThresholds, Deployment
from singletable_design.infrastructure.planned_load import (
    DIRECTIONS,
    Direction,
    PlannedLoad,
    PlannedPattern,
    table_sides,
)
from singletable_design.infrastructure.prometheus import (
    EXPECTED_OUTCOMES,
    format_number,
    required_load,
    selector,
)

# The parts that never change, for Grafana 11.6 and 12; newer versions migrate them.
_TEMPLATE = Path(__file__).with_name("grafana.json")
_DATASOURCE: JsonObject = {"type": "prometheus", "uid": "${datasource}"}
_JOB = 'job=~"$job"'
_WIDTH = 24
_HEIGHT = 8
_STAT_HEIGHT = 4
# Grafana rejects a longer uid.
_MAX_UID = 40
_CALLS = "singletable_calls_total"
_UNITS = "singletable_consumed_capacity_units_total"


@dataclass(frozen=True, slots=True)
class Panel:
    """A graph; `unit` is one of Grafana's, and `is_stat` shows the latest value as a number.

    `queries` are in PromQL, by their legends.
    """

    title: str
    unit: str
    description: str
    queries: dict[str, str]
    is_stat: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under a title; a collapsed row is loaded when it is opened."""

    title: str
    panels: list[Panel]
    columns: int
    collapsed: bool = False


@cache
def _template(name: str) -> Any:
    return json.loads(_TEMPLATE.read_bytes())[name]


def render_grafana(
    tables: Sequence[Table], deployment: Deployment, *, docs_url: str | None = None
) -> str:
    """Return the dashboard as JSON to import; panels of patterns link to `docs_url`."""
    name = deployment.name(tables[0])
    panels = _place(dashboard_rows(tables, deployment), docs_url)
    dashboard: JsonObject = {
        "uid": re.sub(r"[^A-Za-z0-9_-]", "-", f"singletable-{name}")[:_MAX_UID],
        "title": f"{name}: access patterns",
        **_template("dashboard"),
        "links": _links(docs_url),
    }
    # A panel in each line: shorter than with indentation, and changes are easy to review.
    head = json.dumps(dashboard, indent=2, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n".join(f"    {json.dumps(panel, ensure_ascii=False)}" for panel in panels)
    return f'{head},\n  "panels": [\n{lines}\n  ]\n}}\n'


def dashboard_rows(tables: Sequence[Table], deployment: Deployment) -> list[Row]:
    """Return the rows: an overview, tables and indexes, each pattern, and the endpoint."""
    planned = required_load(tables, deployment)
    thresholds = deployment.alarms or AlarmThresholds()
    units = [
        _resource_units(planned, deployment.name(table), table.name, index, direction)
        for table in tables
        for direction, index in table_sides(table)
    ]
    patterns = [
        Row(f"{one.id}  {one.description}", _pattern_panels(one, thresholds), 4, collapsed=True)
        for one in planned.patterns
    ]
    return [
        Row("Overview", _overview(planned, thresholds), 3),
        Row("Tables and indexes", units, 2),
        *patterns,
        Row("Endpoint", _endpoint(), 3, collapsed=True),
    ]


def _overview(planned: PlannedLoad, thresholds: AlarmThresholds) -> list[Panel]:
    peak = sum(pattern.peak or 0.0 for pattern in planned.patterns)
    calls, units = _select(_CALLS), _select(_UNITS)
    failed = _select(_CALLS, without={"outcome": EXPECTED_OUTCOMES})
    undeclared = _select(_CALLS, {"pattern": "undeclared"})
    retries, sent = _select("singletable_retries_total"), _select("singletable_requests_total")
    return [
        Panel(
            "Calls a second",
            "reqps",
            "All calls of the store, and how many are planned at the busiest moment.",
            {"calls": f"sum({_rate(calls)})", "planned peak": _line(peak)},
            is_stat=True,
        ),
        Panel(
            "Failed calls in 5 minutes",
            "short",
            "Without the answers that an application expects, such as a failed condition.",
            {"failed": f"sum(increase({failed}[5m])) or vector(0)"},
            is_stat=True,
        ),
        Panel(
            "Undeclared calls in 15 minutes",
            "short",
            "Calls that no access pattern declares, so the plan does not include them.",
            {"undeclared": f"sum(increase({undeclared}[15m])) or vector(0)"},
            is_stat=True,
        ),
        Panel(
            "Calls by pattern",
            "reqps",
            "Calls a second of each access pattern.",
            _sum_by("pattern", calls),
        ),
        _latency("p99 latency by pattern", thresholds),
        Panel(
            "Capacity units by pattern",
            "suffix:units/s",
            "Units a second of each access pattern, on all tables and indexes.",
            {"{{pattern}} {{kind}}": f"sum by (pattern, kind) ({_rate(units)})"},
        ),
        Panel(
            "Retries by reason",
            "reqps",
            "Requests a second that were sent again: throttled or failed (unavailable), "
            "unprocessed items of a batch, or a conflict with another write.",
            _sum_by("reason", retries),
        ),
        Panel(
            "Requests by operation",
            "reqps",
            "Requests a second to DynamoDB.",
            _sum_by("operation", sent),
        ),
        Panel(
            "Failed calls by error",
            "reqps",
            "Failed calls a second, by the name of the error.",
            _sum_by("outcome", failed),
        ),
    ]


def _resource_units(
    planned: PlannedLoad, name: str, declared: str, index: str | None, direction: Direction
) -> Panel:
    kind = direction.lower()
    indexes = planned.index_labels(declared, index)
    units = _with_job(selector(_UNITS, {"table": name, "kind": kind}, index=indexes))
    queries = _sum_by("pattern", units)
    if planned.covers(declared):
        queries["planned peak"] = _line(planned.use(declared, index).units(direction))
    return Panel(
        f"{name if index is None else f'{name}/{index}'}: {kind} units",
        "suffix:units/s",
        f"Consumed {kind} units a second, by access pattern.",
        queries,
    )


def _pattern_panels(pattern: PlannedPattern, thresholds: AlarmThresholds) -> list[Panel]:
    of_pattern = {"pattern": pattern.id}
    calls = _select(_CALLS, of_pattern)
    failed = _select(_CALLS, of_pattern, without={"outcome": ("ok",)})
    planned = {"planned average": pattern.calls, "planned peak": pattern.peak}
    lines = {legend: _line(one) for legend, one in planned.items() if one is not None}
    units: dict[str, str] = {}
    for direction in DIRECTIONS:
        kind, (typical, most) = direction.lower(), pattern.units(direction)
        if most:
            consumed = _select(_UNITS, of_pattern | {"kind": kind})
            units[f"{kind} units"] = f"sum({_rate(consumed)}) / sum({_rate(calls)})"
            units[f"planned {kind} units"] = _line(typical)
    panels = [
        Panel(
            f"{pattern.id}: calls",
            "reqps",
            "Calls a second, and the declared rate.",
            {"calls": f"sum({_rate(calls)})", **lines},
        ),
        _latency(f"{pattern.id}: p99 latency", thresholds, pattern),
        Panel(
            f"{pattern.id}: failed calls",
            "reqps",
            "Failed calls a second, by the name of the error.",
            _sum_by("outcome", failed),
        ),
        Panel(
            f"{pattern.id}: units of a call",
            "suffix:units",
            "Capacity units of a call, and how many are planned for a typical one.",
            units,
        ),
    ]
    return [panel for panel in panels if panel.queries]


def _latency(
    title: str, thresholds: AlarmThresholds, pattern: PlannedPattern | None = None
) -> Panel:
    labels = {} if pattern is None else {"pattern": pattern.id}
    buckets = _select("singletable_call_duration_seconds_bucket", labels)
    queries = {"{{pattern}}": _p99("pattern", _rate(buckets))}
    if pattern is None or not pattern.bulk:
        queries["alarm"] = _line(thresholds.latency_ms / 1000)
    text = "The duration that 99 percent of the calls do not exceed, including retries."
    return Panel(title, "s", text, queries)


def _endpoint() -> list[Panel]:
    return [
        Panel(
            "Operations",
            "reqps",
            "Operations a second of the endpoint, if the tables are served by singletable "
            "dynamodb.",
            _sum_by("operation", "singletable_operations_total"),
        ),
        Panel(
            "p99 latency",
            "s",
            "From the arrival of a request to its response.",
            {
                "{{operation}}": _p99(
                    "operation", _rate("singletable_operation_duration_seconds_bucket")
                )
            },
        ),
        Panel(
            "Errors and throttles",
            "reqps",
            "Errors a second by code, and throttles by table.",
            {
                **_sum_by("code", "singletable_errors_total"),
                **_sum_by("table", "singletable_throttles_total", "throttles of "),
            },
        ),
        Panel(
            "Consumed units",
            "suffix:units/s",
            "Units a second by table and index.",
            {
                f"{kind} {{{{table}}}} {{{{index}}}}": "sum by (table, index) "
                f"({_rate(f'singletable_consumed_{kind}_units_total')})"
                for kind in ("read", "write")
            },
        ),
        Panel(
            "Requests in flight and connections",
            "short",
            "Requests without a response yet, and open connections.",
            {
                "requests": "sum(singletable_requests_in_flight)",
                "connections": "sum(singletable_connections)",
            },
        ),
    ]


# PromQL


def _select(
    metric: str,
    labels: dict[str, str] | None = None,
    *,
    without: dict[str, tuple[str, ...]] | None = None,
) -> str:
    return _with_job(selector(metric, labels or {}, without=without))


def _with_job(selected: str) -> str:
    """Restrict a selector to the job that is chosen in the dashboard."""
    if selected.endswith("}"):
        return f"{selected[:-1]}, {_JOB}}}"
    return f"{selected}{{{_JOB}}}"


def _rate(selected: str) -> str:
    return f"rate({selected}[$__rate_interval])"


def _sum_by(label: str, selected: str, before: str = "") -> dict[str, str]:
    """Return the query of a rate for each value of a label, which is its legend."""
    return {f"{before}{{{{{label}}}}}": f"sum by ({label}) ({_rate(selected)})"}


def _p99(label: str, rate: str) -> str:
    return f"histogram_quantile(0.99, sum by (le, {label}) ({rate}))"


def _line(value: float) -> str:
    return f"vector({format_number(value)})"


# Grafana's JSON


def _place(rows: Iterable[Row], docs_url: str | None) -> list[Json]:
    """Return the panels with their places; panels of a collapsed row are inside it."""
    placed: list[Json] = []
    y = number = 0
    for row in rows:
        number += 1
        inside: list[Json] = []
        header: JsonObject = {
            "id": number,
            "type": "row",
            "title": row.title,
            "collapsed": row.collapsed,
            "gridPos": {"x": 0, "y": y, "w": _WIDTH, "h": 1},
            "panels": inside,
        }
        placed.append(header)
        below = y + 1
        width = _WIDTH // row.columns
        for start in range(0, len(row.panels), row.columns):
            line = row.panels[start : start + row.columns]
            height = _STAT_HEIGHT if all(panel.is_stat for panel in line) else _HEIGHT
            for column, panel in enumerate(line):
                number += 1
                place: JsonObject = {"x": column * width, "y": below, "w": width, "h": height}
                drawn = _draw(panel, docs_url)
                drawn |= {"id": number, "gridPos": place}
                (inside if row.collapsed else placed).append(drawn)
            below += height
        y = y + 1 if row.collapsed else below
    return placed


def _draw(panel: Panel, docs_url: str | None) -> JsonObject:
    targets: list[Json] = [
        {
            "refId": chr(ord("A") + number),
            "datasource": _DATASOURCE,
            "editorMode": "code",
            "expr": expression,
            "legendFormat": legend,
            "range": True,
        }
        for number, (legend, expression) in enumerate(panel.queries.items())
    ]
    kind = "stat" if panel.is_stat else "timeseries"
    defaults: JsonObject = {"unit": panel.unit, "min": 0}
    if panel.is_stat:
        defaults["decimals"] = 1
    else:
        defaults["custom"] = {"drawStyle": "line", "lineWidth": 2, "fillOpacity": 10}
    lines = [one for one in panel.queries if one.startswith("planned") or one == "alarm"]
    overrides: list[Json] = [] if panel.is_stat else [_dashed(legend) for legend in lines]
    return {
        "type": kind,
        "title": panel.title,
        "description": panel.description,
        "datasource": _DATASOURCE,
        "targets": targets,
        "links": _links(docs_url),
        "fieldConfig": {"defaults": defaults, "overrides": overrides},
        "options": _template(kind),
    }


def _dashed(legend: str) -> JsonObject:
    color: JsonObject = {"mode": "fixed", "fixedColor": "red" if legend == "alarm" else "text"}
    return {
        "matcher": {"id": "byName", "options": legend},
        "properties": [*_template("dashed"), {"id": "color", "value": color}],
    }


def _links(docs_url: str | None) -> list[Json]:
    link: JsonObject = {"type": "link", "title": "Access patterns", "icon": "doc"}
    return [] if docs_url is None else [{**link, "url": docs_url, "targetBlank": True}]
