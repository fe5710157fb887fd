"""Calls of a store as Prometheus counts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from singletable.store import Call
from singletable.telemetry.extra import check_installed
from singletable.telemetry.naming import PatternMatcher, outcome_of, pattern_of
from singletable.telemetry.units import units_of

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

# From a get in memory to a transaction that met others.
BUCKETS = (
    0.0001,
    0.00025,
    0.0005,
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
)


class PrometheusObserver:
    """An observer that counts calls, times, units, retries and conflicts by pattern.

    The metrics are registered with `registry`, or with the default one.
    """

    def __init__(
        self, *catalogs: PatternMatcher, registry: CollectorRegistry | None = None
    ) -> None:
        check_installed("prometheus_client", "prometheus", "PrometheusObserver")
        from prometheus_client import REGISTRY, Counter, Histogram

        chosen = REGISTRY if registry is None else registry
        self._catalogues: Sequence[PatternMatcher] = catalogs
        self._calls = Counter(
            "singletable_calls_total",
            "Calls of the store, by access pattern and outcome.",
            ["pattern", "outcome"],
            registry=chosen,
        )
        self._seconds = Histogram(
            "singletable_call_duration_seconds",
            "How long calls took, retries included.",
            ["pattern"],
            buckets=BUCKETS,
            registry=chosen,
        )
        self._units = Counter(
            "singletable_consumed_capacity_units_total",
            "Capacity units consumed, by table and index (empty for the table itself).",
            ["pattern", "table", "index", "kind"],
            registry=chosen,
        )
        self._requests = Counter(
            "singletable_requests_total",
            "Requests sent to DynamoDB.",
            ["pattern", "operation"],
            registry=chosen,
        )
        self._repeats = Counter(
            "singletable_repeats_total",
            "Requests sent again, by reason: refused, unprocessed, conflict.",
            ["pattern", "reason"],
            registry=chosen,
        )

    def __call__(self, call: Call) -> None:
        """Count a call."""
        pattern = pattern_of(self._catalogues, call)
        # Further pages belong to the call that asked for the first, unless they fail.
        if not call.continued or call.error is not None:
            self._calls.labels(pattern, outcome_of(call)).inc()
        self._seconds.labels(pattern).observe(call.seconds)
        for sent in call.requests:
            self._requests.labels(pattern, type(sent.operation).__name__).inc()
        for units in units_of(call):
            labels = pattern, units.table, units.index, units.kind
            self._units.labels(*labels).inc(units.units)
        for reason in call.waits:
            self._repeats.labels(pattern, reason).inc()
