"""The page of metrics: what was counted, as families that Prometheus reads."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from functools import cache

from singletable.server.observe.access_log import AccessLog
from singletable.server.observe.exposition import Family, Sample, exposition, single
from singletable.server.observe.metrics import Metrics
from singletable.server.observe.traffic import Traffic


def metrics_page(metrics: Metrics, traffic: Traffic | None, log: AccessLog | None) -> bytes:
    """Everything that was counted; of sockets and a log only where there are any."""
    families = [*_about(metrics), *_operations(metrics), *_units(metrics), *_requests(metrics)]
    if traffic is not None:
        families += _sockets(traffic)
    if log is not None:
        families += _log(log)
    return exposition(families)


@cache
def _build() -> dict[str, str]:
    from importlib.metadata import version  # it takes long to import, and few ask for the page

    return {"version": version("singletable"), "python": platform.python_version()}


def _about(metrics: Metrics) -> Iterator[Family]:
    yield single(
        "singletable_build_info",
        "gauge",
        "Which singletable this is; the value is always 1.",
        1,
        **_build(),
    )
    yield single(
        "process_start_time_seconds",
        "gauge",
        "When the endpoint was started, in seconds since 1970.",
        metrics.started,
    )


def _operations(metrics: Metrics) -> Iterator[Family]:
    yield Family(
        "singletable_operations_total",
        "counter",
        'Operations by name and outcome: "ok", or the code of the error.',
        [
            Sample(count, {"operation": name, "outcome": outcome})
            for (name, outcome), count in metrics.outcomes().items()
        ],
    )
    yield Family(
        "singletable_operation_duration_seconds",
        "histogram",
        "Time from the arrival of a request to its answer.",
        [
            sample
            for name, duration in metrics.durations.items()
            for sample in duration.samples({"operation": name})
        ],
    )
    yield Family(
        "singletable_errors_total",
        "counter",
        "Errors by code, those of requests included that named no operation.",
        [Sample(count, {"code": code}) for code, count in metrics.errors.items()],
    )
    yield Family(
        "singletable_throttles_total",
        "counter",
        "Operations that were refused because they came too fast, by each table they name.",
        [
            Sample(count, {"operation": name, "table": table})
            for (name, table), count in metrics.throttles.items()
        ],
    )


def _units(metrics: Metrics) -> Iterator[Family]:
    for kind, counts in metrics.units.items():
        yield Family(
            f"singletable_consumed_{kind}_units_total",
            "counter",
            f"Capacity units consumed by {kind}s that succeeded; a table's own have no index.",
            _by_index(counts),
        )


def _by_index(counts: Mapping[tuple[str, str], float]) -> list[Sample]:
    return [
        Sample(amount, {"table": table, "index": index})
        for (table, index), amount in counts.items()
    ]


def _requests(metrics: Metrics) -> Iterator[Family]:
    yield Family(
        "singletable_responses_total",
        "counter",
        "HTTP responses by status, to health checks and to what could not be read included.",
        [Sample(count, {"status": str(status)}) for status, count in metrics.responses.items()],
    )
    yield single(
        "singletable_requests_in_flight",
        "gauge",
        "Requests that have arrived and are not answered yet, this one included.",
        metrics.in_flight,
    )


def _sockets(traffic: Traffic) -> Iterator[Family]:
    yield single(
        "singletable_connections", "gauge", "Connections that are open.", traffic.connections
    )
    yield single(
        "singletable_connections_total",
        "counter",
        "Connections that were opened.",
        traffic.connected,
    )
    yield single(
        "singletable_received_bytes_total",
        "counter",
        "Bytes read from connections.",
        traffic.received,
    )
    yield single(
        "singletable_sent_bytes_total", "counter", "Bytes written to connections.", traffic.sent
    )


def _log(log: AccessLog) -> Iterator[Family]:
    yield Family(
        "singletable_access_log_lines_total",
        "counter",
        "Lines of the access log: those written, and those dropped when it could not keep up.",
        [Sample(log.written, {"state": "written"}), Sample(log.dropped, {"state": "dropped"})],
    )
