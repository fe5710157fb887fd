"""A Grafana dashboard on the metrics of PrometheusObserver and of the endpoint.

It shows each access pattern, table and index with its planned values as dashed lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from singletable.schema import Table
from singletable_design.infrastructure.dashboard import Json, JsonObject
from singletable_design.infrastructure.deployment import AlarmThresholds, Deployment
from singletable_design.infrastructure.planned_load import (
    DIRECTIONS,
    Direction,
    PlannedLoad,
    PlannedPattern,
)
from singletable_design.infrastructure.prometheus import (
    EXPECTED_OUTCOMES,
    format_number,
    required_load,
    selector,
)

# Of Grafana 11.6 and 12; newer versions migrate it.
SCHEMA_VERSION = 41
_DATASOURCE: JsonObject = {"type": "prometheus", "uid": "${datasource}"}
_JOB = 'job=~"$job"'
_WIDTH = 24
_HEIGHT = 8
_STAT_HEIGHT = 4
# Grafana rejects a longer uid.
_MAX_UID = 40


@dataclass(frozen=True, slots=True)
class Query:
    """A query of a panel, in PromQL."""

    expression: str
    legend: str


@dataclass(frozen=True, slots=True)
class Panel:
    """A graph; `unit` is one of Grafana's, and `is_stat` shows the latest value as a number."""

    title: str
    description: str
    unit: str
    queries: tuple[Query, ...]
    is_stat: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Panels under a title; a collapsed row is loaded when it is opened."""

    title: str
    panels: tuple[Panel, ...]
    columns: int
    collapsed: bool = False


def render_grafana(
    tables: Sequence[Table], deployment: Deployment, *, docs_url: str | None = None
) -> str:
    """Return the dashboard as JSON to import; panels of patterns link to `docs_url`."""
    name = deployment.name(tables[0])
    panels = _place(dashboard_rows(tables, deployment), docs_url)
    dashboard: JsonObject = {
        "id": None,
        "uid": re.sub(r"[^A-Za-z0-9_-]", "-", f"singletable-{name}")[:_MAX_UID],
        "title": f"{name}: access patterns",
        "description": "Calls and capacity units, compared with the plan. Written by singletable.",
        "tags": ["dynamodb", "singletable"],
        "timezone": "browser",
        "editable": True,
        "graphTooltip": 1,
        "refresh": "1m",
        "schemaVersion": SCHEMA_VERSION,
        "version": 1,
        "time": {"from": "now-6h", "to": "now"},
        "timepicker": {},
        "annotations": {"list": []},
        "links": _links(docs_url),
        "templating": {"list": _variables()},
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
        for index in (None, *(index.name for index in table.indexes if not index.local))
        for direction in DIRECTIONS
    ]
    return [
        Row("Overview", tuple(_overview(planned, thresholds)), 3),
        Row("Tables and indexes", tuple(units), 2),
        *(
            Row(
                f"{pattern.id}  {pattern.description}",
                tuple(_pattern_panels(pattern, thresholds)),
                4,
                collapsed=True,
            )
            for pattern in planned.patterns
        ),
        Row("Endpoint", tuple(_endpoint()), 3, collapsed=True),
    ]


def _overview(planned: PlannedLoad, thresholds: AlarmThresholds) -> Iterable[Panel]:
    peak = sum(pattern.peak or 0.0 for pattern in planned.patterns)
    calls = _select("singletable_calls_total")
    failed = _select("singletable_calls_total", without={"outcome": EXPECTED_OUTCOMES})
    undeclared = _select("singletable_calls_total", {"pattern": "undeclared"})
    yield Panel(
        "Calls a second",
        "All calls of the store, and how many are planned at the busiest moment.",
        "reqps",
        (Query(f"sum({_rate(calls)})", "calls"), _line(peak, "planned peak")),
        is_stat=True,
    )
    yield Panel(
        "Failed calls in 5 minutes",
        "Without the answers that an application expects, such as a failed condition.",
        "short",
        (Query(f"sum(increase({failed}[5m])) or vector(0)", "failed"),),
        is_stat=True,
    )
    yield Panel(
        "Undeclared calls in 15 minutes",
        "Calls that no access pattern declares, so the plan does not include them.",
        "short",
        (Query(f"sum(increase({undeclared}[15m])) or vector(0)", "undeclared"),),
        is_stat=True,
    )
    yield Panel(
        "Calls by pattern",
        "Calls a second of each access pattern.",
        "reqps",
        (Query(f"sum by (pattern) ({_rate(calls)})", "{{pattern}}"),),
    )
    yield _latency("p99 latency by pattern", thresholds)
    units = _select("singletable_consumed_capacity_units_total")
    yield Panel(
        "Capacity units by pattern",
        "Units a second of each access pattern, on all tables and indexes.",
        "suffix:units/s",
        (Query(f"sum by (pattern, kind) ({_rate(units)})", "{{pattern}} {{kind}}"),),
    )
    retries = _select("singletable_retries_total")
    yield Panel(
        "Retries by reason",
        "Requests a second that were sent again: throttled or failed (unavailable), unprocessed "
        "items of a batch, or a conflict with another write.",
        "reqps",
        (Query(f"sum by (reason) ({_rate(retries)})", "{{reason}}"),),
    )
    sent = _select("singletable_requests_total")
    yield Panel(
        "Requests by operation",
        "Requests a second to DynamoDB.",
        "reqps",
        (Query(f"sum by (operation) ({_rate(sent)})", "{{operation}}"),),
    )
    yield Panel(
        "Failed calls by error",
        "Failed calls a second, by the name of the error.",
        "reqps",
        (Query(f"sum by (outcome) ({_rate(failed)})", "{{outcome}}"),),
    )


def _resource_units(
    planned: PlannedLoad, name: str, declared: str, index: str | None, direction: Direction
) -> Panel:
    kind = direction.lower()
    local = planned.local_indexes.get(declared, ())
    indexes = ("", *local) if index is None else (index,)
    labels = {"table": name, "kind": kind}
    units = _with_job(selector("singletable_consumed_capacity_units_total", labels, index=indexes))
    resource = name if index is None else f"{name}/{index}"
    peak = planned.use(declared, index).units(direction)
    return Panel(
        f"{resource}: {kind} units",
        f"Consumed {kind} units a second, by access pattern.",
        "suffix:units/s",
        (
            Query(f"sum by (pattern) ({_rate(units)})", "{{pattern}}"),
            *([_line(peak, "planned peak")] if planned.covers(declared) else []),
        ),
    )


def _pattern_panels(pattern: PlannedPattern, thresholds: AlarmThresholds) -> Iterable[Panel]:
    calls = _select("singletable_calls_total", {"pattern": pattern.id})
    lines = [] if pattern.calls is None else [_line(pattern.calls, "planned average")]
    lines += [] if pattern.peak is None else [_line(pattern.peak, "planned peak")]
    yield Panel(
        f"{pattern.id}: calls",
        "Calls a second, and the declared rate.",
        "reqps",
        (Query(f"sum({_rate(calls)})", "calls"), *lines),
    )
    yield _latency(f"{pattern.id}: p99 latency", thresholds, pattern)
    failed = _select(
        "singletable_calls_total", {"pattern": pattern.id}, without={"outcome": ("ok",)}
    )
    yield Panel(
        f"{pattern.id}: failed calls",
        "Failed calls a second, by the name of the error.",
        "reqps",
        (Query(f"sum by (outcome) ({_rate(failed)})", "{{outcome}}"),),
    )
    queries: list[Query] = []
    for direction in DIRECTIONS:
        kind, (typical, most) = direction.lower(), pattern.units(direction)
        if most:
            units = _select(
                "singletable_consumed_capacity_units_total", {"pattern": pattern.id, "kind": kind}
            )
            queries.append(Query(f"sum({_rate(units)}) / sum({_rate(calls)})", f"{kind} units"))
            queries.append(_line(typical, f"planned {kind} units"))
    if queries:
        yield Panel(
            f"{pattern.id}: units of a call",
            "Capacity units of a call, and how many are planned for a typical one.",
            "suffix:units",
            tuple(queries),
        )


def _latency(
    title: str, thresholds: AlarmThresholds, pattern: PlannedPattern | None = None
) -> Panel:
    labels = {} if pattern is None else {"pattern": pattern.id}
    buckets = _select("singletable_call_duration_seconds_bucket", labels)
    quantile = f"histogram_quantile(0.99, sum by (le, pattern) ({_rate(buckets)}))"
    alarm = () if pattern is not None and pattern.bulk else (thresholds.latency_ms / 1000,)
    return Panel(
        title,
        "The duration that 99 percent of the calls do not exceed, including retries.",
        "s",
        (Query(quantile, "{{pattern}}"), *(_line(seconds, "alarm") for seconds in alarm)),
    )


def _endpoint() -> Iterable[Panel]:
    operations = _rate("singletable_operations_total")
    yield Panel(
        "Operations",
        "Operations a second of the endpoint, if the tables are served by singletable dynamodb.",
        "reqps",
        (Query(f"sum by (operation) ({operations})", "{{operation}}"),),
    )
    buckets = _rate("singletable_operation_duration_seconds_bucket")
    yield Panel(
        "p99 latency",
        "From the arrival of a request to its response.",
        "s",
        (Query(f"histogram_quantile(0.99, sum by (le, operation) ({buckets}))", "{{operation}}"),),
    )
    yield Panel(
        "Errors and throttles",
        "Errors a second by code, and throttles by table.",
        "reqps",
        (
            Query(f"sum by (code) ({_rate('singletable_errors_total')})", "{{code}}"),
            Query(
                f"sum by (table) ({_rate('singletable_throttles_total')})", "throttles of {{table}}"
            ),
        ),
    )
    yield Panel(
        "Consumed units",
        "Units a second by table and index.",
        "suffix:units/s",
        tuple(
            Query(
                f"sum by (table, index) ({_rate(f'singletable_consumed_{kind}_units_total')})",
                f"{kind} {{{{table}}}} {{{{index}}}}",
            )
            for kind in ("read", "write")
        ),
    )
    yield Panel(
        "Requests in flight and connections",
        "Requests without a response yet, and open connections.",
        "short",
        (
            Query("sum(singletable_requests_in_flight)", "requests"),
            Query("sum(singletable_connections)", "connections"),
        ),
    )


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


def _line(value: float, legend: str) -> Query:
    return Query(f"vector({format_number(value)})", legend)


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
            "expr": query.expression,
            "legendFormat": query.legend,
            "range": True,
        }
        for number, query in enumerate(panel.queries)
    ]
    drawn: JsonObject = {
        "type": "stat" if panel.is_stat else "timeseries",
        "title": panel.title,
        "description": panel.description,
        "datasource": _DATASOURCE,
        "targets": targets,
        "links": _links(docs_url),
    }
    defaults: JsonObject = {"unit": panel.unit, "min": 0}
    if panel.is_stat:
        drawn["fieldConfig"] = {"defaults": {**defaults, "decimals": 1}, "overrides": []}
        drawn["options"] = {
            "colorMode": "none",
            "graphMode": "area",
            "textMode": "value_and_name",
            "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        }
        return drawn
    defaults["custom"] = {"drawStyle": "line", "lineWidth": 2, "fillOpacity": 10}
    drawn["fieldConfig"] = {
        "defaults": defaults,
        "overrides": [
            _dashed(query.legend)
            for query in panel.queries
            if query.legend.startswith("planned") or query.legend == "alarm"
        ],
    }
    drawn["options"] = {
        "legend": {"showLegend": True, "displayMode": "list", "placement": "bottom", "calcs": []},
        "tooltip": {"mode": "multi", "sort": "desc"},
    }
    return drawn


def _dashed(legend: str) -> JsonObject:
    color = "red" if legend == "alarm" else "text"
    return {
        "matcher": {"id": "byName", "options": legend},
        "properties": [
            {"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [10, 10]}},
            {"id": "custom.lineWidth", "value": 1},
            {"id": "custom.fillOpacity", "value": 0},
            {"id": "color", "value": {"mode": "fixed", "fixedColor": color}},
        ],
    }


def _links(docs_url: str | None) -> list[Json]:
    if docs_url is None:
        return []
    link: JsonObject = {
        "type": "link",
        "title": "Access patterns",
        "url": docs_url,
        "icon": "doc",
        "targetBlank": True,
    }
    return [link]


def _variables() -> list[Json]:
    return [
        {
            "type": "datasource",
            "name": "datasource",
            "label": "Data source",
            "query": "prometheus",
            "refresh": 1,
            "hide": 0,
            "includeAll": False,
            "multi": False,
            "regex": "",
            "current": {},
            "options": [],
        },
        {
            "type": "query",
            "name": "job",
            "label": "Job",
            "datasource": _DATASOURCE,
            "definition": "label_values(singletable_calls_total, job)",
            "query": {
                "qryType": 1,
                "query": "label_values(singletable_calls_total, job)",
                "refId": "PrometheusVariableQueryEditor-VariableQuery",
            },
            "refresh": 2,
            "sort": 1,
            "hide": 0,
            "includeAll": True,
            "multi": True,
            "allValue": ".*",
            "regex": "",
            "current": {"text": ["All"], "value": ["$__all"]},
            "options": [],
        },
    ]
