"""Report calls of a store to OpenTelemetry: a span for each, and metrics.

Attributes follow its semantic conventions for database clients and for DynamoDB; those that they
do not define start with `singletable.`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from singletable.store import Call, SentRequest
from singletable.telemetry.stats import (
    PatternMatcher,
    check_installed,
    outcome_of,
    pattern_of,
    units_of,
)

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider
    from opentelemetry.util.types import Attributes

SYSTEM = "aws.dynamodb"
NAME = "singletable"
NANOSECONDS = 1_000_000_000


class OpenTelemetryObserver:
    """An observer that creates a span for each call, and metrics by pattern.

    Without arguments it uses the global providers. A span starts when its call started, as a child
    of the current span.
    """

    def __init__(
        self,
        *catalogs: PatternMatcher,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        check_installed("opentelemetry.trace", "opentelemetry", "OpenTelemetryObserver")
        from opentelemetry.metrics import get_meter
        from opentelemetry.trace import get_tracer

        self._catalogs: Sequence[PatternMatcher] = catalogs
        self._tracer = get_tracer(NAME, tracer_provider=tracer_provider)
        meter = get_meter(NAME, meter_provider=meter_provider)
        self._seconds = meter.create_histogram(
            "db.client.operation.duration", "s", "Duration of calls, including retries."
        )
        self._units = meter.create_counter(
            "singletable.consumed_capacity", "{unit}", "Capacity units consumed."
        )
        self._retries = meter.create_counter(
            "singletable.retries", "{request}", "Retried requests, by reason."
        )

    def __call__(self, call: Call) -> None:
        """Report a call."""
        pattern = pattern_of(self._catalogs, call)
        self._trace(call, pattern)
        self._measure(call, pattern)

    def _trace(self, call: Call, pattern: str) -> None:
        from opentelemetry.trace import SpanKind, Status, StatusCode

        ended = time.time_ns()
        began = ended - int(call.seconds * NANOSECONDS)
        span = self._tracer.start_span(
            _summary(call, pattern),
            kind=SpanKind.CLIENT,
            attributes=_attributes(call, pattern),
            start_time=began,
        )
        for reason in call.pauses:
            span.add_event("dynamodb_engine.retry", {"singletable.reason": reason}, ended)
        if call.error is not None:
            span.set_attribute("error.type", outcome_of(call))
            span.set_status(Status(StatusCode.ERROR, str(call.error)))
        span.end(ended)

    def _measure(self, call: Call, pattern: str) -> None:
        attributes = _shared_attributes(call, pattern)
        if call.error is not None:
            attributes["error.type"] = outcome_of(call)
        self._seconds.record(call.seconds, attributes)
        for units in units_of(call):
            self._units.add(
                units.units,
                {
                    "singletable.pattern": pattern,
                    "db.collection.name": units.table,
                    "aws.dynamodb.index_name": units.index,
                    "singletable.kind": units.kind,
                },
            )
        for reason in call.pauses:
            self._retries.add(1, {"singletable.pattern": pattern, "singletable.reason": reason})


def _summary(call: Call, pattern: str) -> str:
    return f"{call.shape.method} {pattern}"


def _shared_attributes(call: Call, pattern: str) -> dict[str, str]:
    """Return the attributes that spans and metrics share."""
    attributes = {
        "db.system.name": SYSTEM,
        "db.query.summary": _summary(call, pattern),
        "singletable.pattern": pattern,
    }
    names = dict.fromkeys(type(sent.operation).__name__ for sent in call.requests)
    if names:
        attributes["db.operation.name"] = (
            next(iter(names)) if len(names) == 1 else call.shape.method
        )
    tables = _tables(call.requests)
    if len(tables) == 1:
        attributes["db.collection.name"] = tables[0]
    return attributes


def _attributes(call: Call, pattern: str) -> Attributes:
    consumed = [
        msgspec.json.encode(one).decode() for sent in call.requests for one in sent.consumed
    ]
    more: dict[str, str | bool | float | Sequence[str]] = {
        "singletable.method": call.shape.method,
        "singletable.continued": call.continued,
        "singletable.read_units": call.read_units,
        "singletable.write_units": call.write_units,
        "aws.dynamodb.table_names": _tables(call.requests),
        "aws.dynamodb.consumed_capacity": consumed,
        "aws.dynamodb.consistent_read": call.shape.consistent,
    }
    indexes = {getattr(sent.operation, "index_name", None) for sent in call.requests} - {None}
    if len(indexes) == 1:
        more["aws.dynamodb.index_name"] = str(indexes.pop())
    return {**_shared_attributes(call, pattern), **more}


def _tables(requests: Sequence[SentRequest]) -> list[str]:
    """Return the tables that the requests named or consumed capacity of."""
    names: dict[str, None] = {}
    for request in requests:
        named = getattr(request.operation, "table_name", None)
        found = [named] if named else [consumed.table_name for consumed in request.consumed]
        names.update(dict.fromkeys(found))
    return list(names)
