"""Observers that report what calls of a store cost to monitoring systems."""

from singletable.telemetry.opentelemetry import OpenTelemetryObserver as OpenTelemetryObserver
from singletable.telemetry.prometheus import PrometheusObserver as PrometheusObserver
from singletable.telemetry.stats import CallStats as CallStats
from singletable.telemetry.stats import PatternMatcher as PatternMatcher
from singletable.telemetry.stats import PatternStats as PatternStats
