"""Observers that report what calls of a store cost to monitoring systems."""

from singletable.telemetry.opentelemetry import OpenTelemetryObserver
from singletable.telemetry.prometheus import PrometheusObserver
from singletable.telemetry.stats import CallStats, PatternMatcher, PatternStats

__all__ = [
    "CallStats",
    "OpenTelemetryObserver",
    "PatternMatcher",
    "PatternStats",
    "PrometheusObserver",
]
