"""Show a load test: as a report, and as files for spreadsheets and programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from singletable.text_table import TextTable, format_csv
from singletable_design.planning.charts import Bar, bar_chart
from singletable_design.planning.formats import format_latency, format_number
from singletable_design.planning.load_test import LoadOutcome, PatternOutcome, Targets, busiest_keys
from singletable_design.planning.report import Chart, Report, Sentences, make_report


def show_load_test(
    name: str, outcome: LoadOutcome, targets: Targets, notes: Iterable[str] = ()
) -> Report:
    """Return the report of a load test, with remarks in sentences."""
    missed = tuple(outcome.missed(targets))
    slowest = sorted(outcome.patterns, key=lambda one: -one.latency(0.99))
    bars = [
        Bar(_title(one), one.latency(0.99) * 1000, format_latency(one.latency(0.99)))
        for one in slowest
        if one.succeeded
    ]
    return make_report(
        f"Load test of {name}",
        [_summary(outcome, len(missed))],
        [
            ("Missed targets", [Sentences(missed, "warning")]),
            ("Calls", [_latency_chart(bars), _call_table(outcome)]),
            ("Units of a call", [_unit_table(outcome)]),
            ("Throttled keys", [_key_table(outcome)]),
            ("Remarks", [Sentences(tuple(notes), "note")]),
        ],
        is_good=not missed,
    )


def _title(one: PatternOutcome) -> str:
    return f"{one.pattern.code} {one.pattern.description}"


def _summary(outcome: LoadOutcome, missed: int) -> str:
    text = (
        f"{outcome.arrived:,} calls in {outcome.seconds:,.1f} seconds: planned "
        f"{outcome.planned_rate:,.1f} a second, {outcome.succeeded / outcome.seconds:,.1f} "
        "succeeded."
    )
    text += " The test was interrupted." if outcome.interrupted else ""
    if not missed:
        return f"{text} All targets were reached."
    return f"{text} {missed} {'target was' if missed == 1 else 'targets were'} missed."


def _latency_chart(bars: list[Bar]) -> Chart | None:
    return Chart(bar_chart("99 of 100 calls were faster than", bars)) if bars else None


def _call_table(outcome: LoadOutcome) -> TextTable:
    rows = tuple(
        (
            _title(one),
            format_number(one.planned_rate),
            format_number(one.succeeded / outcome.seconds),
            format_latency(one.latency(0.5)),
            format_latency(one.latency(0.99)),
            _problems(one),
        )
        for one in outcome.patterns
        if one.arrived
    )
    columns = ("pattern", "planned/s", "succeeded/s", "p50", "p99", "problems")
    return TextTable("Calls", columns, rows)


def _problems(one: PatternOutcome) -> str:
    counts = {
        "failed": one.failed,
        "throttled": one.throttles,
        "retried": one.retries,
        "conflicts": one.conflicts,
    }
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "none"


def _unit_table(outcome: LoadOutcome) -> TextTable:
    rows = tuple(
        (
            _title(one),
            _units(one.planned_units),
            _units(one.units),
            f"{100 * one.deviation:+.0f} %".replace("+0 %", "0 %").replace("-0 %", "0 %"),
        )
        for one in outcome.patterns
        if one.deviation is not None
    )
    return TextTable("Units of a call", ("pattern", "planned", "consumed", "deviation"), rows)


def _units(pair: tuple[float, float]) -> str:
    kinds = zip(pair, ("read", "write"), strict=True)
    return ", ".join(f"{format_number(one)} {kind}" for one, kind in kinds if one) or "0"


def _key_table(outcome: LoadOutcome) -> TextTable:
    rows = tuple((key, f"{count:,}") for key, count in busiest_keys(outcome.patterns))
    return TextTable("Throttled keys", ("key", "throttled requests"), rows)


def load_csv(outcome: LoadOutcome) -> str:
    """Return one line for each pattern, as CSV."""
    figures = list(_figures(outcome))
    return format_csv(list(figures[0]), (one.values() for one in figures))


def load_json(outcome: LoadOutcome, targets: Targets, notes: Iterable[str] = ()) -> str:
    """Return all figures as JSON."""
    missed = outcome.missed(targets)
    figures = {
        "summary": _summary(outcome, len(missed)),
        "seconds": outcome.seconds,
        "interrupted": outcome.interrupted,
        "missed": missed,
        "patterns": list(_figures(outcome)),
        "throttled_keys": dict(busiest_keys(outcome.patterns)),
        "notes": list(notes),
    }
    return json.dumps(figures, indent=2)


def _figures(outcome: LoadOutcome) -> Iterator[Mapping[str, object]]:
    for one in outcome.patterns:
        yield {
            "pattern": one.pattern.id,
            "description": one.pattern.description,
            "planned_per_second": one.planned_rate,
            "arrived": one.arrived,
            "succeeded": one.succeeded,
            "failed": one.failed,
            "throttled": one.throttles,
            "retried": one.retries,
            "conflicts": one.conflicts,
            "p50_seconds": one.latency(0.5),
            "p99_seconds": one.latency(0.99),
            "planned_read_units": one.planned_units[0],
            "planned_write_units": one.planned_units[1],
            "read_units": one.units[0],
            "write_units": one.units[1],
        }
