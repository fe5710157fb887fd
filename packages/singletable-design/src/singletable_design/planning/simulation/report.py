"""Show a simulation as a report with charts and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from singletable.text_table import TextTable
from singletable_design.planning.charts import Bar, HeatRow, Line, bar_chart, heat_map, line_chart
from singletable_design.planning.formats import (
    format_latency,
    format_load,
    format_number,
    format_percent,
)
from singletable_design.planning.report import (
    Chart,
    Part,
    Report,
    Sentences,
    make_report,
)
from singletable_design.planning.simulation.result import SimulationResult, ThrottlePoint, WhatIf

# A capacity line is left out if it is so far above the load that nothing else could be seen.
_CAPACITY_IN_SIGHT = 8
# Partitions in a heat map: the hottest ones.
_HEAT_ROWS = 16
_TICKS = 5
_REASONS = {"heat": "it was hot", "growth": "traffic grew"}


def show_simulation(
    name: str,
    result: SimulationResult,
    throttle_point: ThrottlePoint,
    what_ifs: Iterable[WhatIf] = (),
    notes: Iterable[str] = (),
) -> Report:
    """Return the report of a simulation: where throttling begins, and what changes would do.

    `notes` say what had to be assumed.
    """
    now = WhatIf("as it is", result, throttle_point)
    changes = list(what_ifs)
    about = (
        "This is a model of DynamoDB's documented behavior, with random arrivals "
        f"(seed {result.seed}). Latencies are assumptions: DynamoDB publishes none."
    )
    return make_report(
        f"Simulation of {name}",
        [_summary(result), describe_throttle_point(throttle_point)],
        [
            (
                "Tables and indexes, in units per second",
                [*_load_charts(result), _resource_table(result)],
            ),
            ("Partitions", [*_heat_maps(result), _split_table(result)]),
            ("Hottest partition keys", _keys(result)),
            ("Access patterns", _patterns(result)),
            ("What changes would do", [_what_if_table([now, *changes]) if changes else None]),
            ("About these figures", [Sentences((*notes, about), "note")]),
        ],
        is_good=not result.throttled,
    )


def _summary(result: SimulationResult) -> str:
    period = f"{format_period(result.seconds)} from {_clock(result, 0)} UTC"
    text = f"{period}: {result.calls:,} calls, "
    if not result.throttled:
        return f"{text}none of them throttled."
    text += f"{format_percent(result.throttled_share)} of them throttled"
    return f"{text}{f', and {result.failed:,} failed after all retries' if result.failed else ''}."


def describe_throttle_point(point: ThrottlePoint) -> str:
    """Say where throttling begins."""
    if point.factor is None:
        return f"Nothing is throttled up to {point.searched_to:,.0f} times the peak load."
    text = f"Throttling begins at {format_number(point.factor)} times the peak load"
    return f"{text}, in {point.limited_by}."


def _clock(result: SimulationResult, second: int) -> str:
    """Format a moment of a simulation as the time of day."""
    minutes = result.start_hour * 60 + second // 60
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def format_period(seconds: int) -> str:
    """Format a number of seconds as minutes or hours."""
    is_hours = seconds >= 3600 and not seconds % 3600
    number, unit = (seconds // 3600, "hour") if is_hours else (seconds // 60, "minute")
    return f"{number:,} {unit}{'' if number == 1 else 's'}"


def _resource_table(result: SimulationResult) -> TextTable:
    rows = tuple(
        (
            one.resource,
            one.kind,
            format_number(sum(one.consumed) / len(one.consumed)),
            format_number(max(one.consumed)),
            format_number(one.capacity[-1]),
            format_percent(sum(one.throttled) / (sum(one.consumed) + sum(one.throttled))),
        )
        for one in result.series
    )
    columns = ("table or index", "units", "average", "busiest", "capacity", "throttled")
    return TextTable("Consumed and throttled units", columns, rows)


def _load_charts(result: SimulationResult) -> Iterator[Chart]:
    for one in result.series:
        lines = [Line("consumed", one.consumed, "area"), Line("throttled", one.throttled, "bad")]
        lines = lines if any(one.throttled) else lines[:1]
        title = f"{one.resource}: {one.kind} units"
        if max(one.capacity) <= _CAPACITY_IN_SIGHT * max(*one.consumed, *one.throttled):
            lines.append(Line("capacity", one.capacity, "limit"))
        else:
            title += f" (capacity: {format_number(one.capacity[-1])})"
        unit = f"{one.kind} units a second"
        yield Chart(line_chart(title, lines, ticks=_ticks(result), unit=unit))


def _heat_maps(result: SimulationResult) -> Iterator[Chart]:
    for resource in dict.fromkeys(one.resource for one in result.partitions):
        partitions = [one for one in result.partitions if one.resource == resource]
        hottest = sorted(partitions, key=lambda one: -max(one.shares))[:_HEAT_ROWS]
        shown = sorted(hottest, key=lambda one: one.number)
        is_part = len(shown) < len(partitions)
        of_all = f" (the {len(shown)} hottest of {len(partitions)})" if is_part else ""
        yield Chart(
            heat_map(
                f"Partitions of {resource}{of_all}",
                [HeatRow(f"no. {one.number}", one.shares) for one in shown],
                ticks=_ticks(result),
                note="share of 3,000 read or 1,000 write units a second, whichever is larger",
            )
        )


def _split_table(result: SimulationResult) -> TextTable:
    rows = tuple(
        (
            _clock(result, 60 * (one.minute + 1)),
            one.resource,
            f"{one.partition} → {one.partition} and {one.new_partition}",
            _REASONS[one.reason],
        )
        for one in result.splits
    )
    return TextTable("Splits of partitions", ("time", "in", "partition", "because"), rows)


def _keys(result: SimulationResult) -> Iterator[Part]:
    bars = [
        Bar(
            f"{one.text} in {one.resource}",
            one.share,
            f"{format_load(one.read, one.write)} units/s, {format_percent(one.share)}",
            is_bad=one.share >= 1,
        )
        for one in result.hot_keys
    ]
    if bars:
        title = "Units at peak, and their share of a partition's limit"
        yield Chart(bar_chart(title, bars, limit=1.0))
    rows = tuple(
        (
            one.text,
            one.resource,
            format_load(one.read, one.write),
            format_percent(one.share),
            ", ".join(name.rpartition(":")[2] for name in one.patterns),
        )
        for one in result.hot_keys
    )
    columns = ("partition key", "in", "units/s at peak", "of limit", "used by")
    yield TextTable("Hottest partition keys", columns, rows, ("used by",))


def _patterns(result: SimulationResult) -> Iterator[Part]:
    # Codes are enough if there is only one catalog.
    shorten = len({one.id.rpartition(":")[0] for one in result.patterns}) == 1
    names = {one.id: one.id.rpartition(":")[2] if shorten else one.id for one in result.patterns}
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
    if bars:
        yield Chart(bar_chart("Latency of calls, 99th percentile; red if throttled", bars))
    percentiles = ("p50", "p90", "p99", "p99.9")
    columns = ("pattern", "calls", "cached", "throttled", "failed", "conflicts", *percentiles)
    rows = tuple(
        (
            names[one.id],
            f"{one.calls:,}",
            f"{one.cache_hits:,}",
            format_percent(one.throttled_share),
            f"{one.failed:,}",
            f"{one.conflicts:,}",
            *(format_latency(seconds) for seconds in (one.p50, one.p90, one.p99, one.p999)),
        )
        for one in result.patterns
        if one.calls or one.cache_hits
    )
    table = TextTable("Access patterns", columns, rows)
    if not any(one.cache_hits for one in result.patterns):
        table = table.without("cached")
    yield table if any(one.conflicts for one in result.patterns) else table.without("conflicts")


def _what_if_table(changes: Iterable[WhatIf]) -> TextTable:
    rows = tuple(
        (
            one.change,
            format_percent(one.result.throttled_share),
            f"{one.result.failed:,}",
            "–" if (factor := one.throttle_point.factor) is None else f"{format_number(factor)}×",
            next(
                (f"{format_percent(key.share)} {key.text}" for key in one.result.hot_keys),
                "–",
            ),
        )
        for one in changes
    )
    columns = ("change", "throttled", "failed", "throttles at", "hottest key, of its limit")
    return TextTable("What changes would do", columns, rows)


def _ticks(result: SimulationResult) -> list[str]:
    seconds = [result.seconds * number // (_TICKS - 1) for number in range(_TICKS)]
    return [_clock(result, second) for second in seconds]
