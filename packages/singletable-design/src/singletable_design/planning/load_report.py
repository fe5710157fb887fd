"""The report of a load test: sentences, tables, a page, and files for spreadsheets and programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from singletable.text_table import TextTable, format_csv
from singletable_design.planning.charts import (
    Bar,
    bar_chart,
    format_latency,
    format_number,
    html_page,
    html_table,
    paragraph,
)
from singletable_design.planning.load_test import LoadOutcome, PatternOutcome, Targets, busiest_keys


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a report shows: the outcome, the targets, and remarks in sentences."""

    name: str
    outcome: LoadOutcome
    targets: Targets
    notes: tuple[str, ...] = ()

    @property
    def missed(self) -> list[str]:
        """The targets that were missed, in sentences."""
        return self.outcome.missed(self.targets)

    @property
    def summary(self) -> str:
        """What was measured, and whether all targets were reached."""
        outcome = self.outcome
        text = (
            f"{outcome.arrived:,} calls in {outcome.seconds:,.1f} seconds: planned "
            f"{outcome.planned_rate:,.1f} a second, {outcome.succeeded / outcome.seconds:,.1f} "
            "succeeded."
        )
        if outcome.interrupted:
            text += " The test was interrupted."
        missed = len(self.missed)
        if not missed:
            return f"{text} All targets were reached."
        return f"{text} {missed} {'target was' if missed == 1 else 'targets were'} missed."

    def tables(self) -> list[TextTable]:
        """Return all tables of the report; empty ones are left out."""
        tables = [
            TextTable("Calls", CALL_COLUMNS, tuple(self._call_rows())),
            TextTable("Units of a call", UNIT_COLUMNS, tuple(self._unit_rows())),
            TextTable("Throttled keys", ("key", "throttled requests"), tuple(self._key_rows())),
        ]
        return [table for table in tables if table.rows]

    def _call_rows(self) -> Iterable[tuple[str, ...]]:
        for one in self.outcome.patterns:
            if one.arrived:
                yield (
                    f"{one.pattern.code} {one.pattern.description}",
                    format_number(one.planned_rate),
                    format_number(one.succeeded / self.outcome.seconds),
                    format_latency(one.latency(0.5)),
                    format_latency(one.latency(0.99)),
                    _problems(one),
                )

    def _unit_rows(self) -> Iterable[tuple[str, ...]]:
        for one in self.outcome.patterns:
            if one.deviation is not None:
                yield (
                    f"{one.pattern.code} {one.pattern.description}",
                    *(_units(pair) for pair in (one.planned_units, one.units)),
                    f"{100 * one.deviation:+.0f} %".replace("+0 %", "0 %").replace("-0 %", "0 %"),
                )

    def _key_rows(self) -> Iterable[tuple[str, ...]]:
        return ((key, f"{count:,}") for key, count in busiest_keys(self.outcome.patterns))


CALL_COLUMNS = ("pattern", "planned/s", "succeeded/s", "p50", "p99", "problems")
UNIT_COLUMNS = ("pattern", "planned", "consumed", "deviation")


def _problems(one: PatternOutcome) -> str:
    counts = {
        "failed": one.failed,
        "throttled": one.throttles,
        "retried": one.retries,
        "conflicts": one.conflicts,
    }
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "none"


def _units(pair: tuple[float, float]) -> str:
    read, write = pair
    parts = [f"{format_number(read)} read"] if read else []
    parts += [f"{format_number(write)} write"] if write else []
    return ", ".join(parts) or "0"


def load_page(report: LoadReport) -> str:
    """Return the report as one page of HTML."""
    slowest = sorted(report.outcome.patterns, key=lambda one: -one.latency(0.99))
    bars = [
        Bar(
            f"{one.pattern.code} {one.pattern.description}",
            one.latency(0.99) * 1000,
            format_latency(one.latency(0.99)),
        )
        for one in slowest
        if one.succeeded
    ]
    sections = [
        ("Targets", [paragraph(text, css_class="warning") for text in report.missed]),
        ("Latency", [bar_chart("99 of 100 calls were faster than", bars)] if bars else []),
        ("Figures", [html_table(one.title, one.columns, one.rows) for one in report.tables()]),
        ("Remarks", [paragraph(note) for note in report.notes]),
    ]
    shown = [(title, parts) for title, parts in sections if parts]
    return html_page(f"Load test of {report.name}", report.summary, shown)


def load_csv(report: LoadReport) -> str:
    """Return one line for each pattern, as CSV."""
    figures = _figures(report)
    return format_csv(list(figures[0]), (one.values() for one in figures))


def load_json(report: LoadReport) -> str:
    """Return all figures as JSON."""
    figures = {
        "summary": report.summary,
        "seconds": report.outcome.seconds,
        "interrupted": report.outcome.interrupted,
        "missed": report.missed,
        "patterns": _figures(report),
        "throttled_keys": dict(busiest_keys(report.outcome.patterns)),
        "notes": list(report.notes),
    }
    return json.dumps(figures, indent=2)


def _figures(report: LoadReport) -> list[dict[str, object]]:
    return [
        {
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
        for one in report.outcome.patterns
    ]
