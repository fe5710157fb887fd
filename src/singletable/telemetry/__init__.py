"""What calls cost, told to monitoring systems."""

from singletable.telemetry.naming import Recognises
from singletable.telemetry.opentelemetry import OpenTelemetryObserver
from singletable.telemetry.prometheus import PrometheusObserver
from singletable.telemetry.tally import Figures, Tally

__all__ = ["Figures", "OpenTelemetryObserver", "PrometheusObserver", "Recognises", "Tally"]
