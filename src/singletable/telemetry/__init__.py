"""What calls cost, told to monitoring systems."""

from singletable.telemetry.naming import PatternMatcher
from singletable.telemetry.opentelemetry import OpenTelemetryObserver
from singletable.telemetry.prometheus import PrometheusObserver
from singletable.telemetry.tally import CallStats, PatternStats

__all__ = [
    "CallStats",
    "OpenTelemetryObserver",
    "PatternMatcher",
    "PatternStats",
    "PrometheusObserver",
]
