"""Alerting rules for Prometheus, on the metrics of PrometheusObserver and of the endpoint.

The rules of an access pattern compare its calls and units with the plan. A pattern is not expected
to be called less than once a second before its calls are too many.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from singletable.errors import DeclarationError
from singletable.schema import Table
from singletable.tables.names import resolve_table_names
from singletable_design.infrastructure.alarms import (
    planned_throttles,
    planned_units,
    planned_user_errors,
)
from singletable_design.infrastructure.deployment import AlarmThresholds, Deployment
from singletable_design.infrastructure.planned_load import (
    DIRECTIONS,
    Direction,
    PlannedLoad,
    PlannedPattern,
    format_rate,
)

LEAST_CALLS = 1.0
# Outcomes that an application expects: the answer is no.
EXPECTED_OUTCOMES = (
    "ok",
    "AlreadyExists",
    "ConditionFailed",
    "NotFound",
    "ReadLimitReached",
    "VersionConflict",
)
# Codes of the endpoint that are not the client's mistake; throttles have a metric of their own.
EXPECTED_CODES = (
    "ConditionalCheckFailedException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionCanceledException",
)
_GENERATED = """\
# Alerting rules written by singletable. Generate them again when the access patterns change.
"""


@dataclass(frozen=True, slots=True)
class AlertRule:
    """An alerting rule; it fires when `expression` has been true for `minutes`."""

    name: str
    expression: str
    minutes: int
    summary: str
    description: str
    labels: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules that Prometheus evaluates together."""

    name: str
    rules: tuple[AlertRule, ...]


def render_prometheus(
    tables: Sequence[Table], deployment: Deployment, *, job: str | None = None
) -> str:
    """Return alerting rules in YAML; `job` selects the metrics of one scrape job."""
    return _GENERATED + "\n".join(_yaml(rule_groups(tables, deployment, job=job))) + "\n"


def rule_groups(
    tables: Sequence[Table], deployment: Deployment, *, job: str | None = None
) -> list[RuleGroup]:
    """Return the rules for access patterns, for tables, and for the endpoint."""
    planned = required_load(tables, deployment)
    thresholds = deployment.alarms or AlarmThresholds()
    rules = _Rules(planned, thresholds, {} if job is None else {"job": job})
    name = deployment.name(tables[0])
    units = [
        rules.table_units(deployment.name(table), table.name, index, direction)
        for table in tables
        if planned.covers(table.name)
        for index in (None, *(index.name for index in table.indexes if not index.local))
        for direction in DIRECTIONS
    ]
    patterns = [rule for pattern in planned.patterns for rule in rules.of_pattern(pattern)]
    groups = [
        RuleGroup(f"{name}: access patterns", tuple(patterns)),
        RuleGroup(f"{name}: tables and indexes", tuple(units)),
        RuleGroup(f"{name}: all calls", tuple(rules.of_all_calls())),
        RuleGroup(f"{name}: endpoint", tuple(rules.of_endpoint())),
    ]
    return [group for group in groups if group.rules]


def required_load(tables: Sequence[Table], deployment: Deployment) -> PlannedLoad:
    """Return the planned load of a deployment; raise if it has none, or renames another table."""
    resolve_table_names(tables, deployment.names)
    if deployment.planned is None:
        raise DeclarationError(
            "The deployment has no planned load. Set planned=planned_load(create_plan(catalogs))."
        )
    return deployment.planned


@dataclass(frozen=True, slots=True)
class _Rules:
    planned: PlannedLoad
    thresholds: AlarmThresholds
    matchers: dict[str, str]

    def of_pattern(self, pattern: PlannedPattern) -> Iterator[AlertRule]:
        if pattern.peak is not None:
            yield self._calls(pattern, pattern.calls or 0.0, pattern.peak)
        if pattern.bulk:  # its pages are counted long after its call
            return
        for direction in DIRECTIONS:
            typical, most = pattern.units(direction)
            if most:
                yield self._units_per_call(pattern, direction, typical, most)

    def _calls(self, pattern: PlannedPattern, calls: float, peak: float) -> AlertRule:
        limit = max(LEAST_CALLS, self.thresholds.peak_factor * peak)
        at_peak = "" if peak == calls else f", {format_rate(peak, 'call')} at the busiest moment"
        return AlertRule(
            "AccessPatternCallsAbovePlan",
            f"sum(rate({self._calls_of(pattern)}[5m])) > {format_number(limit)}",
            15,
            f"{_title(pattern)} is called more often than planned.",
            "{{ $value | humanize }} calls a second for 15 minutes. Planned: "
            f"{format_rate(calls, 'call')}{at_peak}. First: look for a retry loop or a client that "
            "polls. If the load is real, declare the new rate and generate the rules again.",
            {"pattern": pattern.id},
        )

    def _units_per_call(
        self, pattern: PlannedPattern, direction: Direction, typical: float, most: float
    ) -> AlertRule:
        kind = direction.lower()
        limit = max(self.thresholds.peak_factor * typical, most)
        units = selector(
            "singletable_consumed_capacity_units_total",
            {"pattern": pattern.id, "kind": kind, **self.matchers},
        )
        return AlertRule(
            "AccessPatternUnitsAbovePlan",
            f"sum(rate({units}[15m])) / sum(rate({self._calls_of(pattern)}[15m])) "
            f"> {format_number(limit)}",
            15,
            f"{_title(pattern)} consumes more {kind} units than planned.",
            f"A call consumes {{{{ $value | humanize }}}} {kind} units. Planned: "
            f"{_range(typical, most)}. First: compare the size and the "
            "number of its items with what is declared; a partition or an item may have grown.",
            {"pattern": pattern.id, "kind": kind},
        )

    def table_units(
        self, name: str, declared: str, index: str | None, direction: Direction
    ) -> AlertRule:
        kind, use = direction.lower(), self.planned.use(declared, index)
        resource = name if index is None else f"index {index} of {name}"
        local = self.planned.local_indexes.get(declared, ())
        indexes = ("", *local) if index is None else (index,)
        labels = {"table": name, "kind": kind, **self.matchers}
        units = selector("singletable_consumed_capacity_units_total", labels, index=indexes)
        planned = format_rate(use.units(direction), f"{kind} unit")
        return AlertRule(
            "TableUnitsAbovePlan",
            f"sum(rate({units}[5m])) > "
            f"{format_number(planned_units(self.thresholds, use, direction))}",
            15,
            f"More {kind} units of {resource} are consumed than planned.",
            f"{{{{ $value | humanize }}}} {kind} units a second for 15 minutes. Planned: at most "
            f"{planned}. First: find the access pattern that consumes more than planned "
            "on the dashboard.",
            {"table": name, "index": index or "", "kind": kind},
        )

    def of_all_calls(self) -> Iterator[AlertRule]:
        calls = sum(pattern.peak or 0.0 for pattern in self.planned.patterns)
        errors = selector(
            "singletable_calls_total", self.matchers, without={"outcome": EXPECTED_OUTCOMES}
        )
        limit = planned_user_errors(self.thresholds, calls)
        yield AlertRule(
            "StoreErrors",
            f"sum by (outcome) (increase({errors}[5m])) > {limit}",
            0,
            "Too many calls of the store fail with {{ $labels.outcome }}.",
            f"{{{{ $value | humanize }}}} calls failed within five minutes. Planned: at most "
            f"{format_rate(calls, 'call')}; {limit:,} failures are too many. First: read the "
            "message of the error in the log of the application.",
        )
        retries = selector(
            "singletable_retries_total", self.matchers, reason=("unavailable", "unprocessed")
        )
        limit = planned_throttles(self.thresholds, self.planned.requests)
        yield AlertRule(
            "StoreRetries",
            f"sum by (pattern) (increase({retries}[5m])) > {limit}",
            0,
            "Requests of {{ $labels.pattern }} are throttled or fail, and are sent again.",
            f"{{{{ $value | humanize }}}} retries within five minutes; {limit:,} are too many. "
            "First: look at the throttles of the table. If there are none, check the connection.",
        )
        bulk = tuple(pattern.id for pattern in self.planned.patterns if pattern.bulk)
        buckets = selector(
            "singletable_call_duration_seconds_bucket", self.matchers, without={"pattern": bulk}
        )
        milliseconds = self.thresholds.latency_ms
        yield AlertRule(
            "StoreLatency",
            f"histogram_quantile(0.99, sum by (le, pattern) (rate({buckets}[5m]))) "
            f"> {format_number(milliseconds / 1000)}",
            10,
            "Calls of {{ $labels.pattern }} are slow.",
            f"The p99 latency is {{{{ $value | humanizeDuration }}}}, including retries. Planned: "
            f"below {milliseconds} ms. First: look for retries, then for large items and large "
            "pages.",
        )
        undeclared = selector("singletable_calls_total", {"pattern": "undeclared", **self.matchers})
        yield AlertRule(
            "UndeclaredCalls",
            f"sum(increase({undeclared}[15m])) > 0",
            0,
            "The application makes calls that no access pattern declares.",
            "{{ $value | humanize }} calls within 15 minutes. Planned: none. First: find them with "
            "an observer that logs calls without a pattern, and declare the pattern or remove the "
            "call. The plan does not include their units.",
        )
        if sum(pattern.calls or 0.0 for pattern in self.planned.patterns) >= LEAST_CALLS:
            yield AlertRule(
                "StoreMetricsMissing",
                f"absent({selector('singletable_calls_total', self.matchers)})",
                15,
                "There are no metrics of the store.",
                "Planned: at least one call a second. First: check that the application runs, has "
                "a PrometheusObserver, and is scraped.",
            )

    def of_endpoint(self) -> Iterator[AlertRule]:
        limit = planned_throttles(self.thresholds, self.planned.requests)
        yield AlertRule(
            "EndpointThrottles",
            f"sum by (table) (increase(singletable_throttles_total[5m])) > {limit}",
            0,
            "Requests to {{ $labels.table }} are throttled.",
            f"{{{{ $value | humanize }}}} throttles within five minutes; {limit:,} are too many. "
            "First: compare the consumed units with the plan.",
        )
        errors = selector("singletable_errors_total", {}, without={"code": EXPECTED_CODES})
        limit = planned_user_errors(self.thresholds, self.planned.requests)
        yield AlertRule(
            "EndpointErrors",
            f"sum by (code) (increase({errors}[5m])) > {limit}",
            0,
            "The endpoint rejects too many requests with {{ $labels.code }}.",
            f"{{{{ $value | humanize }}}} errors within five minutes; {limit:,} are too many. "
            "First: look for invalid requests or missing permissions in the access log.",
        )
        internal = selector("singletable_errors_total", {"code": "InternalServerError"})
        yield AlertRule(
            "EndpointInternalErrors",
            f"sum(increase({internal}[5m])) > 0",
            0,
            "The endpoint fails with internal errors.",
            "{{ $value | humanize }} within five minutes. Planned: none. First: read the log of "
            "the endpoint, and check its disk.",
        )

    def _calls_of(self, pattern: PlannedPattern) -> str:
        return selector("singletable_calls_total", {"pattern": pattern.id, **self.matchers})


def _range(typical: float, most: float) -> str:
    return f"{typical:,.3g}" if typical == most else f"{typical:,.3g}, at most {most:,.3g}"


def _title(pattern: PlannedPattern) -> str:
    # Prometheus would expand a template in the description.
    return f"{pattern.id} ({pattern.description})".replace("{{", '{{ "{{" }}')


# PromQL


def selector(
    metric: str,
    labels: dict[str, str],
    *,
    without: dict[str, tuple[str, ...]] | None = None,
    **one_of: tuple[str, ...],
) -> str:
    """Return the selector of a metric's series by their labels.

    `without` excludes values of labels; a keyword selects series with any of some values.
    """
    matchers = [f"{name}={_quote(value)}" for name, value in labels.items()]
    for name, values in one_of.items():
        if len(values) == 1:
            matchers.append(f"{name}={_quote(values[0])}")
        else:
            matchers.append(f"{name}=~{_quote(_any_of(values))}")
    matchers += [
        f"{name}!~{_quote(_any_of(values))}" for name, values in (without or {}).items() if values
    ]
    return f"{metric}{{{', '.join(matchers)}}}" if matchers else metric


def format_number(value: float) -> str:
    """Format a number for PromQL, with four significant digits."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def _any_of(values: Iterable[str]) -> str:
    return "|".join(map(re.escape, values))


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


# YAML text


def _yaml(groups: Iterable[RuleGroup]) -> Iterator[str]:
    yield "groups:"
    for group in groups:
        yield f"  - name: {_single_quote(group.name)}"
        yield "    rules:"
        for rule in group.rules:
            yield f"      - alert: {rule.name}"
            yield f"        expr: {_single_quote(rule.expression)}"
            if rule.minutes:
                yield f"        for: {rule.minutes}m"
            yield "        labels:"
            for name, value in {"severity": "warning", **rule.labels}.items():
                yield f"          {name}: {_single_quote(value)}"
            yield "        annotations:"
            yield f"          summary: {_single_quote(rule.summary)}"
            yield f"          description: {_single_quote(rule.description)}"


def _single_quote(text: str) -> str:
    """Return a YAML string; a text in several lines needs escapes, which double quotes allow."""
    return "'" + text.replace("'", "''") + "'" if text.isprintable() else json.dumps(text)
