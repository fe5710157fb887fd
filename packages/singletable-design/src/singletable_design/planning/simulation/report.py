"""The report of a simulation: its tables as text, a page with charts, and files for a spreadsheet.

The command line prints the same tables, so that all reports say the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from singletable.text_table import TextTable, format_csv
from singletable_design.planning.charts import (
    Bar,
    HeatRow,
    Line,
    bar_chart,
    format_latency,
    format_number,
    format_percent,
    heat_map,
    html_page,
    html_table,
    line_chart,
    paragraph,
)
from singletable_design.planning.simulation.result import (
    BusyKey,
    PartitionHeat,
    SimulationResult,
    ThrottlePoint,
    WhatIf,
)

# A capacity line is left out if it is so far above the load that nothing else could be seen.
_CAPACITY_IN_SIGHT = 8
# Partitions in a heat map: the hottest ones.
_HEAT_ROWS = 16
_TICKS = 5


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """What a report shows: the simulation, where throttling begins, and what changes would do."""

    name: str
    result: SimulationResult
    throttle_point: ThrottlePoint
    what_ifs: tuple[WhatIf, ...] = ()
    # What had to be assumed, in sentences.
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The most important facts, in sentences."""
        result = self.result
        period = f"{format_period(result.seconds)} from {format_clock(result, 0)} UTC"
        text = f"{period}: {result.calls:,} calls, {_describe_throttling(result)}."
        return f"{text} {describe_throttle_point(self.throttle_point)}"

    def tables(self) -> list[TextTable]:
        """Return all tables of the report; empty ones are left out."""
        result = self.result
        tables = [
            _resource_table(result),
            _pattern_table(result),
            _key_table(result),
            _split_table(result),
            _what_if_table(self),
        ]
        return [table for table in tables if table.rows]


def describe_throttle_point(point: ThrottlePoint) -> str:
    """Say where throttling begins."""
    if point.factor is None:
        return f"Nothing is throttled up to {point.searched_to:,.0f} times the peak load."
    text = f"Throttling begins at {format_number(point.factor)} times the peak load"
    return f"{text}, in {point.limited_by}."


def format_clock(result: SimulationResult, second: int) -> str:
    """Format a moment of a simulation as the time of day."""
    minutes = result.start_hour * 60 + second // 60
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def format_period(seconds: int) -> str:
    """Format a number of seconds as minutes or hours."""
    hours, rest = divmod(seconds, 3600)
    if rest or not hours:
        minutes = seconds // 60
        return "1 minute" if minutes == 1 else f"{minutes:,} minutes"
    return "1 hour" if hours == 1 else f"{hours:,} hours"


def report_page(report: SimulationReport) -> str:
    """Return the report as one self-contained HTML page with charts."""
    result = report.result
    tables = {table.title: table for table in report.tables()}
    sections: list[tuple[str, list[str]]] = [
        ("Load", [*_load_charts(result), _html(tables.get(RESOURCES))]),
        ("Partitions", [*_heat_maps(result), _html(tables.get(SPLITS))]),
        ("Busiest keys", [_key_chart(result.busy_keys), _html(tables.get(KEYS))]),
        ("Latency", [_latency_chart(result), _html(tables.get(PATTERNS))]),
        ("What if", [_html(tables.get(WHAT_IFS))] if report.what_ifs else []),
        ("About these figures", [paragraph(note, css_class="note") for note in _notes(report)]),
    ]
    title = f"Simulation of {report.name}"
    return html_page(title, report.summary, [one for one in sections if "".join(one[1])])


def csv_files(report: SimulationReport) -> dict[str, str]:
    """Return the files for a spreadsheet, by name."""
    result = report.result
    return {
        "units.csv": format_csv(
            ["second", "resource", "kind", "consumed", "throttled", "capacity"],
            (
                (second, one.resource, one.kind, *units)
                for one in result.series
                for second, units in enumerate(
                    zip(one.consumed, one.throttled, one.capacity, strict=True)
                )
            ),
        ),
        "partitions.csv": format_csv(
            ["minute", "resource", "partition", "share_of_limit"],
            (
                (minute, one.resource, one.number, round(share, 4))
                for one in result.partitions
                for minute, share in enumerate(one.shares)
            ),
        ),
        "keys.csv": format_csv(
            ["key", "resource", "kind", "units_per_second", "peak", "share", "partition"],
            (
                (
                    one.key,
                    one.resource,
                    one.kind,
                    round(one.units_per_second, 3),
                    round(one.peak_units_per_second, 3),
                    round(one.share, 5),
                    one.partition,
                )
                for one in result.busy_keys
            ),
        ),
        "patterns.csv": format_csv(
            [
                "pattern",
                "calls",
                "cache_hits",
                "throttled",
                "failed",
                "conflicts",
                "p50",
                "p90",
                "p99",
                "p99.9",
            ],
            (
                (
                    one.id,
                    one.calls,
                    one.cache_hits,
                    one.throttled,
                    one.failed,
                    one.conflicts,
                    *(round(seconds, 6) for seconds in (one.p50, one.p90, one.p99, one.p999)),
                )
                for one in result.patterns
            ),
        ),
        "splits.csv": format_csv(
            ["minute", "resource", "partition", "new_partition", "reason"],
            (
                (one.minute, one.resource, one.partition, one.new_partition, one.reason)
                for one in result.splits
            ),
        ),
    }


RESOURCES = "Tables and indexes, in units per second"
PATTERNS = "Access patterns"
KEYS = "Busiest partition keys"
SPLITS = "Splits of partitions"
WHAT_IFS = "What changes would do"


def _resource_table(result: SimulationResult) -> TextTable:
    rows: list[tuple[str, ...]] = []
    for one in result.series:
        throttled = sum(one.throttled)
        offered = sum(one.consumed) + throttled
        rows.append(
            (
                one.resource,
                one.kind,
                format_number(sum(one.consumed) / len(one.consumed)),
                format_number(max(one.consumed)),
                format_number(one.capacity[-1]),
                format_percent(throttled / offered),
            )
        )
    columns = ("table or index", "units", "average", "busiest", "capacity", "throttled")
    return TextTable(RESOURCES, columns, tuple(rows))


def _pattern_table(result: SimulationResult) -> TextTable:
    patterns = [one for one in result.patterns if one.calls or one.cache_hits]
    names = _pattern_names(result)
    has_hits = any(one.cache_hits for one in patterns)
    has_conflicts = any(one.conflicts for one in patterns)
    columns = ["pattern", "calls", *(["cached"] if has_hits else []), "throttled", "failed"]
    columns += [*(["conflicts"] if has_conflicts else []), "p50", "p90", "p99", "p99.9"]
    rows: list[tuple[str, ...]] = []
    for one in patterns:
        row = [names[one.id], f"{one.calls:,}"]
        row += [f"{one.cache_hits:,}"] if has_hits else []
        row += [format_percent(one.throttled_share), f"{one.failed:,}"]
        row += [f"{one.conflicts:,}"] if has_conflicts else []
        row += [format_latency(seconds) for seconds in (one.p50, one.p90, one.p99, one.p999)]
        rows.append(tuple(row))
    return TextTable(PATTERNS, tuple(columns), tuple(rows))


def _key_table(result: SimulationResult) -> TextTable:
    rows = tuple(
        (
            one.key,
            one.resource,
            f"{format_number(one.peak_units_per_second)} {one.kind}",
            format_percent(one.limit_share),
            format_percent(one.share),
        )
        for one in result.busy_keys
    )
    columns = ("partition key", "in", "units/s at peak", "of limit", "of all units")
    return TextTable(KEYS, columns, rows)


def _split_table(result: SimulationResult) -> TextTable:
    reasons = {"heat": "it was hot", "growth": "traffic grew"}
    rows = tuple(
        (
            format_clock(result, 60 * (one.minute + 1)),
            one.resource,
            f"{one.partition} → {one.partition} and {one.new_partition}",
            reasons[one.reason],
        )
        for one in result.splits
    )
    return TextTable(SPLITS, ("time", "in", "partition", "because"), rows)


def _what_if_table(report: SimulationReport) -> TextTable:
    if not report.what_ifs:
        return TextTable(WHAT_IFS, (), ())
    now = WhatIf("as it is", report.result, report.throttle_point)
    rows = tuple(
        (
            one.change,
            format_percent(one.result.throttled_share),
            f"{one.result.failed:,}",
            "–"
            if one.throttle_point.factor is None
            else f"{format_number(one.throttle_point.factor)}×",
            _hottest(one.result),
        )
        for one in (now, *report.what_ifs)
    )
    columns = ("change", "throttled", "failed", "throttles at", "hottest key, of its limit")
    return TextTable(WHAT_IFS, columns, rows)


def _hottest(result: SimulationResult) -> str:
    if not result.busy_keys:
        return "–"
    key = result.busy_keys[0]
    return f"{format_percent(key.limit_share)} {key.key}"


def _describe_throttling(result: SimulationResult) -> str:
    if not result.throttled:
        return "none of them throttled"
    text = f"{format_percent(result.throttled_share)} of them throttled"
    return f"{text}, and {result.failed:,} failed after all retries" if result.failed else text


def _load_charts(result: SimulationResult) -> list[str]:
    charts: list[str] = []
    for one in result.series:
        consumed = Line("consumed", one.consumed, "area")
        throttled = Line("throttled", one.throttled, "bad")
        capacity = Line("capacity", one.capacity, "limit")
        lines = [consumed, *([throttled] if any(one.throttled) else [])]
        highest = max(*one.consumed, *one.throttled)
        note = ""
        if max(one.capacity) <= _CAPACITY_IN_SIGHT * highest:
            lines.append(capacity)
        else:
            note = f" (capacity: {format_number(one.capacity[-1])})"
        charts.append(
            line_chart(
                f"{one.resource}: {one.kind} units{note}",
                lines,
                ticks=_ticks(result),
                unit=f"{one.kind} units a second",
            )
        )
    return charts


def _heat_maps(result: SimulationResult) -> list[str]:
    maps: list[str] = []
    for resource in dict.fromkeys(one.resource for one in result.partitions):
        partitions = [one for one in result.partitions if one.resource == resource]
        hottest = sorted(partitions, key=lambda one: -max(one.shares))[:_HEAT_ROWS]
        shown = sorted(hottest, key=lambda one: one.number)
        of_all = f" (the {len(shown)} hottest of {len(partitions)})"
        maps.append(
            heat_map(
                f"Partitions of {resource}{of_all if len(shown) < len(partitions) else ''}",
                [HeatRow(_partition_name(one), one.shares) for one in shown],
                ticks=_ticks(result),
                note="share of 3,000 read or 1,000 write units a second, whichever is larger",
            )
        )
    return maps


def _partition_name(partition: PartitionHeat) -> str:
    return f"no. {partition.number}"


def _key_chart(keys: Sequence[BusyKey]) -> str:
    bars = [
        Bar(
            f"{one.key} in {one.resource}",
            one.limit_share,
            f"{format_number(one.peak_units_per_second)} {one.kind}/s, "
            f"{format_percent(one.limit_share)}",
            is_bad=one.limit_share >= 1,
        )
        for one in keys
    ]
    if not bars:
        return ""
    return bar_chart("Units at peak, and their share of a partition's limit", bars, limit=1.0)


def _latency_chart(result: SimulationResult) -> str:
    names = _pattern_names(result)
    bars = [
        Bar(
            f"{names[one.id]} {one.description}",
            one.p99,
            f"p50 {format_latency(one.p50)}, p99 {format_latency(one.p99)}",
            is_bad=one.throttled_share > 0,
        )
        for one in result.patterns
        if one.calls
    ]
    if not bars:
        return ""
    return bar_chart("Latency of calls, 99th percentile; red if throttled", bars)


def _pattern_names(result: SimulationResult) -> dict[str, str]:
    """Return short names of patterns: without their catalog, if there is only one."""
    catalogs = {one.id.rpartition(":")[0] for one in result.patterns}
    shorten = len(catalogs) == 1
    return {one.id: one.id.rpartition(":")[2] if shorten else one.id for one in result.patterns}


def _ticks(result: SimulationResult) -> list[str]:
    seconds = [result.seconds * number // (_TICKS - 1) for number in range(_TICKS)]
    return [format_clock(result, second) for second in seconds]


def _notes(report: SimulationReport) -> Iterable[str]:
    yield from report.notes
    yield (
        "This is a model of DynamoDB's documented behavior, with random arrivals "
        f"(seed {report.result.seed}). Latencies are assumptions: DynamoDB publishes none. "
        "A load test on a real table is the proof."
    )


def _html(table: TextTable | None) -> str:
    return "" if table is None else html_table(table.title, table.columns, table.rows)
