"""Report requests to the metrics and the access log."""

from __future__ import annotations

import time
from typing import TypeAlias

from dynamodb_engine.server.loopback import is_loopback
from dynamodb_engine.server.observe.access_log import AccessLog, log_entry, rejection_entry
from dynamodb_engine.server.observe.exchange import Exchange
from dynamodb_engine.server.observe.metrics import Metrics, Traffic
from dynamodb_engine.server.observe.prometheus import CONTENT_TYPE, metrics_page
from dynamodb_engine.wire import HttpRequest, HttpResponse

METRICS_PATH = "/metrics"
# The start of a request: monotonic, to measure its duration, and as a timestamp for the log.
StartTimes: TypeAlias = tuple[float, float]
METRICS_FORBIDDEN = b"Metrics are available on this machine only.\n"
_READ_METHODS = ("GET", "HEAD")


class Observer:
    """Counts requests in `metrics` and writes them to `log`; either may be None."""

    def __init__(self, metrics: Metrics | None = None, log: AccessLog | None = None) -> None:
        self.metrics = metrics
        self.log = log
        # Set by the listener; None under another ASGI server.
        self.traffic: Traffic | None = None

    def request_started(self) -> StartTimes:
        """Record the arrival of a request."""
        if self.metrics is not None:
            self.metrics.in_flight += 1
        return (time.perf_counter(), 0.0 if self.log is None else self.log.clock())

    def request_finished(
        self, started: StartTimes, exchange: Exchange, response: HttpResponse | None
    ) -> None:
        """Record the end of a request. A canceled one has no `response`."""
        seconds = time.perf_counter() - started[0]
        if self.metrics is not None:
            self.metrics.in_flight -= 1
        if response is None:
            return
        if self.metrics is not None:
            self.metrics.count(exchange, response.status, seconds)
        if self.log is not None:
            self.log.add(log_entry(exchange, response, started[1], seconds))

    def request_rejected(self, client: str, status: int) -> None:
        """Record a malformed request, which never reached the app."""
        if self.metrics is not None:
            self.metrics.responses[status] += 1
        if self.log is not None:
            self.log.add(rejection_entry(client, status, self.log.clock()))

    def metrics_page(self, request: HttpRequest) -> HttpResponse | None:
        """Return the page for Prometheus, or None if the request is for something else."""
        if self.metrics is None or request.target != METRICS_PATH:
            return None
        if request.method not in _READ_METHODS:
            return None
        # Metrics name tables, and Prometheus cannot sign requests as DynamoDB's clients do.
        if not is_loopback(request.client):
            return HttpResponse(403, {"content-type": "text/plain"}, METRICS_FORBIDDEN)
        body = metrics_page(self.metrics, self.traffic, self.log)
        return HttpResponse(200, {"content-type": CONTENT_TYPE}, body)
