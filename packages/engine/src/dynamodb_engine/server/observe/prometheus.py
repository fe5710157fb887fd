"""Write metrics in Prometheus's text format, version 0.0.4."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Literal

from dynamodb_engine.server.observe.access_log import AccessLog
from dynamodb_engine.server.observe.metrics import BUCKETS, Histogram, Metrics, Traffic

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_LABEL_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_HELP_ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n"})


@dataclass(frozen=True, slots=True)
class Sample:
    """One line: a value, its labels, and a suffix to the family's name."""

    value: float
    labels: Mapping[str, str]
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class MetricFamily:
    """Samples that share a name."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    samples: Iterable[Sample]


def metrics_page(metrics: Metrics, traffic: Traffic | None, log: AccessLog | None) -> bytes:
    """Return the page that Prometheus scrapes."""
    families = [
        *_process(metrics),
        *_operations(metrics),
        *_consumed_units(metrics),
        *_requests(metrics),
    ]
    if traffic is not None:
        families += _sockets(traffic)
    if log is not None:
        families += _access_log(log)
    return write_exposition(families)


def write_exposition(families: Iterable[MetricFamily]) -> bytes:
    """Return the families in the text format."""
    return "".join(line for family in families for line in _lines(family)).encode()


def _lines(family: MetricFamily) -> Iterator[str]:
    yield f"# HELP {family.name} {family.help.translate(_HELP_ESCAPES)}\n"
    yield f"# TYPE {family.name} {family.kind}\n"
    for sample in family.samples:
        yield f"{family.name}{sample.suffix}{_labels(sample.labels)} {sample.value!r}\n"


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{k}="{v.translate(_LABEL_ESCAPES)}"' for k, v in labels.items()) + "}"


def _single(name: str, text: str, value: float) -> MetricFamily:
    """Return a family of one sample: a counter if its name says so."""
    kind: Literal["counter", "gauge"] = "counter" if name.endswith("_total") else "gauge"
    return MetricFamily(name, kind, text, [Sample(value, {})])


def _histogram_samples(histogram: Histogram, labels: Mapping[str, str]) -> Iterator[Sample]:
    """Return the samples of a histogram; each bucket counts all faster ones too."""
    bounds = [*(repr(bound) for bound in BUCKETS), "+Inf"]
    counts = list(accumulate(histogram.counts))
    for bound, count in zip(bounds, counts, strict=True):
        yield Sample(count, {**labels, "le": bound}, "_bucket")
    yield Sample(histogram.total, labels, "_sum")
    yield Sample(counts[-1], labels, "_count")


@cache
def _build() -> dict[str, str]:
    from importlib.metadata import version  # slow to import, and only this page needs it

    return {"version": version("dynamodb-engine"), "python": platform.python_version()}


def _process(metrics: Metrics) -> Iterator[MetricFamily]:
    text = "The version of dynamodb-engine; the value is always 1."
    yield MetricFamily("singletable_build_info", "gauge", text, [Sample(1, _build())])
    text = "Start time of the endpoint, in seconds since 1970."
    yield _single("process_start_time_seconds", text, metrics.started)


def _operations(metrics: Metrics) -> Iterator[MetricFamily]:
    yield MetricFamily(
        "singletable_operations_total",
        "counter",
        'Operations by name and outcome: "ok", or the code of the error.',
        [
            Sample(count, {"operation": name, "outcome": outcome})
            for (name, outcome), count in metrics.outcomes().items()
        ],
    )
    yield MetricFamily(
        "singletable_operation_duration_seconds",
        "histogram",
        "Time from the arrival of a request to its response.",
        [
            sample
            for name, duration in metrics.durations.items()
            for sample in _histogram_samples(duration, {"operation": name})
        ],
    )
    yield MetricFamily(
        "singletable_errors_total",
        "counter",
        "Errors by code, including requests that name no operation.",
        [Sample(count, {"code": code}) for code, count in metrics.errors.items()],
    )
    yield MetricFamily(
        "singletable_throttles_total",
        "counter",
        "Throttled operations, by each table they name.",
        [
            Sample(count, {"operation": name, "table": table})
            for (name, table), count in metrics.throttles.items()
        ],
    )


def _consumed_units(metrics: Metrics) -> Iterator[MetricFamily]:
    for kind, counts in metrics.units.items():
        yield MetricFamily(
            f"singletable_consumed_{kind}_units_total",
            "counter",
            f"Capacity units consumed by successful {kind}s; the index is empty for the table.",
            [
                Sample(amount, {"table": table, "index": index})
                for (table, index), amount in counts.items()
            ],
        )


def _requests(metrics: Metrics) -> Iterator[MetricFamily]:
    yield MetricFamily(
        "singletable_responses_total",
        "counter",
        "HTTP responses by status, including health checks and malformed requests.",
        [Sample(count, {"status": str(status)}) for status, count in metrics.responses.items()],
    )
    text = "Requests without a response yet, including this one."
    yield _single("singletable_requests_in_flight", text, metrics.in_flight)


def _sockets(traffic: Traffic) -> Iterator[MetricFamily]:
    for name, text, value in (
        ("connections", "Open connections.", traffic.connections),
        ("connections_total", "Connections opened since the start.", traffic.connected),
        ("received_bytes_total", "Bytes read from connections.", traffic.received),
        ("sent_bytes_total", "Bytes written to connections.", traffic.sent),
    ):
        yield _single(f"singletable_{name}", text, value)


def _access_log(log: AccessLog) -> Iterator[MetricFamily]:
    yield MetricFamily(
        "singletable_access_log_lines_total",
        "counter",
        "Lines of the access log: written, or dropped because the log could not keep up.",
        [Sample(log.written, {"state": "written"}), Sample(log.dropped, {"state": "dropped"})],
    )
