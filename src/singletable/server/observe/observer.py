"""Whoever watches requests being answered, to measure them, to log them, or both."""

from __future__ import annotations

import time
from typing import TypeAlias

from singletable.server.address import is_loopback
from singletable.server.observe.access_log import AccessLog
from singletable.server.observe.exchange import Exchange
from singletable.server.observe.exposition import CONTENT_TYPE
from singletable.server.observe.line import line_of, line_of_refusal
from singletable.server.observe.metrics import Metrics
from singletable.server.observe.page import metrics_page
from singletable.server.observe.traffic import Traffic
from singletable.wire import HttpRequest, HttpResponse

METRICS = "/metrics"
# When a request arrived, by a clock that never jumps and by the one on the wall.
Began: TypeAlias = tuple[float, float]
NOT_FROM_HERE = b"Metrics are told to this machine alone.\n"
_READS = ("GET", "HEAD")


class Observer:
    """Counts requests if there are metrics to count them in, and logs them if there is a log."""

    def __init__(self, metrics: Metrics | None = None, log: AccessLog | None = None) -> None:
        self.metrics = metrics
        self.log = log
        # Set by the listener, where there is one.
        self.traffic: Traffic | None = None

    def began(self) -> Began:
        """Note that a request has arrived."""
        if self.metrics is not None:
            self.metrics.in_flight += 1
        return (time.perf_counter(), 0.0 if self.log is None else self.log.clock())

    def ended(self, began: Began, exchange: Exchange, response: HttpResponse | None) -> None:
        """Tell all that is to be told of a request; of one that was given up, only that."""
        seconds = time.perf_counter() - began[0]
        if self.metrics is not None:
            self.metrics.in_flight -= 1
        if response is None:
            return
        if self.metrics is not None:
            self.metrics.count(exchange, response.status, seconds)
        if self.log is not None:
            self.log.add(line_of(exchange, response, began[1], seconds))

    def refused(self, client: str, status: int) -> None:
        """Tell of what was refused before it was a request."""
        if self.metrics is not None:
            self.metrics.responses[status] += 1
        if self.log is not None:
            self.log.add(line_of_refusal(client, status, self.log.clock()))

    def page(self, request: HttpRequest) -> HttpResponse | None:
        """What Prometheus asks for; None if this is not what the request is about."""
        if self.metrics is None or request.target != METRICS or request.method not in _READS:
            return None
        # They name tables, and Prometheus cannot sign a request as DynamoDB's clients do.
        if not is_loopback(request.client):
            return HttpResponse(403, {"content-type": "text/plain"}, NOT_FROM_HERE)
        body = metrics_page(self.metrics, self.traffic, self.log)
        return HttpResponse(200, {"content-type": CONTENT_TYPE}, body)
