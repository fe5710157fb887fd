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
    table_sides,
)

LEAST_CALLS = 1.0
_CALLS_TOTAL = "singletable_calls_total"
_UNITS_TOTAL = "singletable_consumed_capacity_units_total"
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
        for direction, index in table_sides(table)
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
class _Row:
    """A rule in words, with `%(name)s` for what differs between patterns and tables."""

    name: str
    minutes: int
    expression: str
    summary: str
    description: str

    def rule(self, labels: dict[str, str] | None = None, /, **words: object) -> AlertRule:
        expression, summary, description = (
            text % words for text in (self.expression, self.summary, self.description)
        )
        return AlertRule(self.name, expression, self.minutes, summary, description, labels or {})


_CALLS = _Row(
    "AccessPatternCallsAbovePlan", 15, "sum(rate(%(calls)s[5m])) > %(limit)s",
    "%(title)s is called more often than planned.",
    "{{ $value | humanize }} calls a second for 15 minutes. Planned: %(plan)s. First: look for a "
    "retry loop or a client that polls. If the load is real, declare the new rate and generate the "
    "rules again.",
)  # fmt: skip
_CALL_UNITS = _Row(
    "AccessPatternUnitsAbovePlan", 15,
    "sum(rate(%(units)s[15m])) / sum(rate(%(calls)s[15m])) > %(limit)s",
    "%(title)s consumes more %(kind)s units than planned.",
    "A call consumes {{ $value | humanize }} %(kind)s units. Planned: %(plan)s. First: compare the "
    "size and the number of its items with what is declared; a partition or an item may have "
    "grown.",
)  # fmt: skip
_TABLE_UNITS = _Row(
    "TableUnitsAbovePlan", 15, "sum(rate(%(units)s[5m])) > %(limit)s",
    "More %(kind)s units of %(resource)s are consumed than planned.",
    "{{ $value | humanize }} %(kind)s units a second for 15 minutes. Planned: at most %(plan)s. "
    "First: find the access pattern that consumes more than planned on the dashboard.",
)  # fmt: skip
_STORE_ERRORS = _Row(
    "StoreErrors", 0, "sum by (outcome) (increase(%(errors)s[5m])) > %(limit)d",
    "Too many calls of the store fail with {{ $labels.outcome }}.",
    "{{ $value | humanize }} calls failed within five minutes. Planned: at most %(plan)s; "
    "%(limit_text)s failures are too many. First: read the message of the error in the log of the "
    "application.",
)  # fmt: skip
_STORE_RETRIES = _Row(
    "StoreRetries", 0, "sum by (pattern) (increase(%(retries)s[5m])) > %(limit)d",
    "Requests of {{ $labels.pattern }} are throttled or fail, and are sent again.",
    "{{ $value | humanize }} retries within five minutes; %(limit_text)s are too many. First: look "
    "at the throttles of the table. If there are none, check the connection.",
)  # fmt: skip
_STORE_LATENCY = _Row(
    "StoreLatency", 10,
    "histogram_quantile(0.99, sum by (le, pattern) (rate(%(buckets)s[5m]))) > %(limit)s",
    "Calls of {{ $labels.pattern }} are slow.",
    "The p99 latency is {{ $value | humanizeDuration }}, including retries. Planned: below "
    "%(milliseconds)d ms. First: look for retries, then for large items and large pages.",
)  # fmt: skip
_UNDECLARED_CALLS = _Row(
    "UndeclaredCalls", 0, "sum(increase(%(calls)s[15m])) > 0",
    "The application makes calls that no access pattern declares.",
    "{{ $value | humanize }} calls within 15 minutes. Planned: none. First: find them with an "
    "observer that logs calls without a pattern, and declare the pattern or remove the call. The "
    "plan does not include their units.",
)  # fmt: skip
_METRICS_MISSING = _Row(
    "StoreMetricsMissing", 15, "absent(%(calls)s)",
    "There are no metrics of the store.",
    "Planned: at least one call a second. First: check that the application runs, has a "
    "PrometheusObserver, and is scraped.",
)  # fmt: skip
_ENDPOINT_THROTTLES = _Row(
    "EndpointThrottles", 0,
    "sum by (table) (increase(singletable_throttles_total[5m])) > %(limit)d",
    "Requests to {{ $labels.table }} are throttled.",
    "{{ $value | humanize }} throttles within five minutes; %(limit_text)s are too many. First: "
    "compare the consumed units with the plan.",
)  # fmt: skip
_ENDPOINT_ERRORS = _Row(
    "EndpointErrors", 0, "sum by (code) (increase(%(errors)s[5m])) > %(limit)d",
    "The endpoint rejects too many requests with {{ $labels.code }}.",
    "{{ $value | humanize }} errors within five minutes; %(limit_text)s are too many. First: look "
    "for invalid requests or missing permissions in the access log.",
)  # fmt: skip
_INTERNAL_ERRORS = _Row(
    "EndpointInternalErrors", 0, "sum(increase(%(errors)s[5m])) > 0",
    "The endpoint fails with internal errors.",
    "{{ $value | humanize }} within five minutes. Planned: none. First: read the log of the "
    "endpoint, and check its disk.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Rules:
    planned: PlannedLoad
    thresholds: AlarmThresholds
    matchers: dict[str, str]

    def of_pattern(self, pattern: PlannedPattern) -> Iterator[AlertRule]:
        of_pattern = {"pattern": pattern.id}
        words = {"title": _title(pattern), "calls": self._select(_CALLS_TOTAL, of_pattern)}
        peak, factor = pattern.peak, self.thresholds.peak_factor
        if peak is not None:
            plan = format_rate(pattern.calls or 0.0, "call")
            if peak != pattern.calls:
                plan += f", {format_rate(peak, 'call')} at the busiest moment"
            limit = format_number(max(LEAST_CALLS, factor * peak))
            yield _CALLS.rule(of_pattern, limit=limit, plan=plan, **words)
        if pattern.bulk:  # its pages are counted long after its call
            return
        for direction in DIRECTIONS:
            typical, most = pattern.units(direction)
            if most:
                labels = {**of_pattern, "kind": direction.lower()}
                units = self._select(_UNITS_TOTAL, labels)
                limit, plan = format_number(max(factor * typical, most)), _range(typical, most)
                words |= {"kind": labels["kind"], "units": units}
                yield _CALL_UNITS.rule(labels, limit=limit, plan=plan, **words)

    def table_units(
        self, name: str, declared: str, index: str | None, direction: Direction
    ) -> AlertRule:
        kind, use = direction.lower(), self.planned.use(declared, index)
        indexes = self.planned.index_labels(declared, index)
        labels = {"table": name, "kind": kind, **self.matchers}
        return _TABLE_UNITS.rule(
            {"table": name, "index": index or "", "kind": kind},
            units=selector(_UNITS_TOTAL, labels, index=indexes),
            limit=format_number(planned_units(self.thresholds, use, direction)),
            kind=kind,
            resource=name if index is None else f"index {index} of {name}",
            plan=format_rate(use.units(direction), f"{kind} unit"),
        )

    def of_all_calls(self) -> Iterator[AlertRule]:
        patterns, all_ = self.planned.patterns, self.matchers
        calls = sum(pattern.peak or 0.0 for pattern in patterns)
        errors = selector(_CALLS_TOTAL, all_, without={"outcome": EXPECTED_OUTCOMES})
        limit = _limit(planned_user_errors(self.thresholds, calls))
        yield _STORE_ERRORS.rule(errors=errors, plan=format_rate(calls, "call"), **limit)
        retries = selector("singletable_retries_total", all_, reason=("unavailable", "unprocessed"))
        limit = _limit(planned_throttles(self.thresholds, self.planned.requests))
        yield _STORE_RETRIES.rule(retries=retries, **limit)
        bulk = tuple(pattern.id for pattern in patterns if pattern.bulk)
        duration = "singletable_call_duration_seconds_bucket"
        milliseconds = self.thresholds.latency_ms
        yield _STORE_LATENCY.rule(
            buckets=selector(duration, all_, without={"pattern": bulk}),
            limit=format_number(milliseconds / 1000),
            milliseconds=milliseconds,
        )
        yield _UNDECLARED_CALLS.rule(calls=self._select(_CALLS_TOTAL, {"pattern": "undeclared"}))
        if sum(pattern.calls or 0.0 for pattern in patterns) >= LEAST_CALLS:
            yield _METRICS_MISSING.rule(calls=selector(_CALLS_TOTAL, all_))

    def of_endpoint(self) -> Iterator[AlertRule]:
        requests, metric = self.planned.requests, "singletable_errors_total"
        yield _ENDPOINT_THROTTLES.rule(**_limit(planned_throttles(self.thresholds, requests)))
        errors = selector(metric, {}, without={"code": EXPECTED_CODES})
        limit = _limit(planned_user_errors(self.thresholds, requests))
        yield _ENDPOINT_ERRORS.rule(errors=errors, **limit)
        yield _INTERNAL_ERRORS.rule(errors=selector(metric, {"code": "InternalServerError"}))

    def _select(self, metric: str, labels: dict[str, str]) -> str:
        return selector(metric, labels | self.matchers)


def _limit(limit: int) -> dict[str, object]:
    return {"limit": limit, "limit_text": f"{limit:,}"}


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
