"""Measure and log the requests of an endpoint."""

from singletable.server.observe.access_log import AccessLog
from singletable.server.observe.exchange import Exchange, execute_metered
from singletable.server.observe.metrics import Metrics, Traffic
from singletable.server.observe.observer import METRICS_PATH, Observer

__all__ = [
    "METRICS_PATH",
    "AccessLog",
    "Exchange",
    "Metrics",
    "Observer",
    "Traffic",
    "execute_metered",
]
