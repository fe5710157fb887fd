"""Report calls of a store to Prometheus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from singletable.store import Call
from singletable.telemetry.stats import (
    PatternMatcher,
    check_installed,
    outcome_of,
    pattern_of,
    units_of,
)

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

# From a get in memory to a transaction that conflicted with others.
_MILLISECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
BUCKETS = tuple(bound / 1000 for bound in _MILLISECONDS)


class PrometheusObserver:
    """An observer that counts calls, durations, units, retries and conflicts by pattern.

    Without `registry` the metrics are registered with the default one.
    """

    def __init__(
        self, *catalogs: PatternMatcher, registry: CollectorRegistry | None = None
    ) -> None:
        check_installed("prometheus_client", "prometheus", "PrometheusObserver")
        from prometheus_client import REGISTRY, Counter, Histogram

        target = REGISTRY if registry is None else registry
        self._catalogs: Sequence[PatternMatcher] = catalogs
        self._calls = Counter(
            "singletable_calls_total",
            "Calls of the store, by access pattern and outcome.",
            ["pattern", "outcome"],
            registry=target,
        )
        self._seconds = Histogram(
            "singletable_call_duration_seconds",
            "Duration of calls, including retries.",
            ["pattern"],
            buckets=BUCKETS,
            registry=target,
        )
        self._units = Counter(
            "singletable_consumed_capacity_units_total",
            "Capacity units consumed, by table and index (empty for the table itself).",
            ["pattern", "table", "index", "kind"],
            registry=target,
        )
        self._requests = Counter(
            "singletable_requests_total",
            "Requests sent to DynamoDB.",
            ["pattern", "operation"],
            registry=target,
        )
        self._retries = Counter(
            "singletable_retries_total",
            "Retried requests, by reason: unavailable, unprocessed, conflict.",
            ["pattern", "reason"],
            registry=target,
        )

    def __call__(self, call: Call) -> None:
        """Count a call."""
        pattern = pattern_of(self._catalogs, call)
        # Further pages belong to the call that read the first one, unless they fail.
        if not call.continued or call.error is not None:
            self._calls.labels(pattern, outcome_of(call)).inc()
        self._seconds.labels(pattern).observe(call.seconds)
        for sent in call.requests:
            self._requests.labels(pattern, type(sent.operation).__name__).inc()
        for units in units_of(call):
            labels = pattern, units.table, units.index, units.kind
            self._units.labels(*labels).inc(units.units)
        for reason in call.pauses:
            self._retries.labels(pattern, reason).inc()
