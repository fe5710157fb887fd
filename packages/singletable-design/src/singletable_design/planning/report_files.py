"""Write a report or a comparison as an HTML page with charts, and as CSV for spreadsheets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias

from singletable.text_table import format_csv
from singletable_design.planning.charts import (
    Bar,
    Line,
    bar_chart,
    format_number,
    html_page,
    html_table,
    key_figures,
    line_chart,
    paragraph,
)
from singletable_design.planning.comparison import Comparison, Difference
from singletable_design.planning.formats import (
    format_bytes,
    format_change,
    format_difference,
    format_dollars,
    format_rate,
)
from singletable_design.planning.report import PlanReport, ResourceFigures

# The page charts the most expensive patterns; the table below the chart has all.
_CHARTED_PATTERNS = 12
_HOUR_TICKS = ("0:00", "6:00", "12:00", "18:00", "24:00 UTC")

_FIRST_BREAK_EVENS = 2

Section: TypeAlias = tuple[str, Iterable[str]]


def report_page(report: PlanReport) -> str:
    """Return a self-contained page with the charts and tables of a report."""
    return html_page(f"The plan of {report.name}", _summary(report), _sections(report))


def _summary(report: PlanReport) -> str:
    best = report.cheapest
    dated = "" if report.price_date is None else f" of {report.price_date}"
    sentences = [f"{format_dollars(report.cost)} a month {report.mode_name}"]
    if best.name != report.mode_name:
        sentences[0] += f", or {format_dollars(best.cost)} {best.name}"
    sentences[0] += f", at the prices of {report.region}{dated}."
    if report.months:
        sentences.append(f"After {report.months:g} months of growth.")
    if report.factor != 1:
        sentences.append(f"All rates and item counts times {format_number(report.factor)}.")
    return " ".join(sentences)


def _sections(report: PlanReport) -> Iterable[Section]:
    yield "At a glance", [key_figures(_key_figures(report))]
    if report.advice:
        yield "Advice", _advice(report)
    yield "Access patterns", _patterns(report)
    yield "Billing modes", _modes(report)
    yield "Tables and indexes", _resources(report)
    yield "Load by hour of day", _hours(report)
    if report.growth:
        yield "Growth", _growth(report)
    if report.assumptions:
        yield "Assumptions", [_list(report.assumptions)]
    yield "How it was computed", _how(report)


def _key_figures(report: PlanReport) -> Iterable[tuple[str, str, str]]:
    best = report.cheapest
    yield report.mode_name, format_dollars(report.cost), "a month"
    if best.name != report.mode_name:
        yield f"cheapest: {best.name}", format_dollars(best.cost), "a month"
    for kind in ("read", "write"):
        average, peak = report.total(kind, "average"), report.total(kind, "peak")
        yield f"{kind} units/s", format_number(average), f"{format_number(peak)} at peak"
    items = sum(one.items for one in report.resources if one.index is None)
    size = sum(one.bytes for one in report.resources)
    yield "stored", format_bytes(size), f"{items:,.0f} items"
    hottest = max((one.hottest.share for one in report.resources if one.hottest), default=0.0)
    yield "hottest key", f"{hottest:.1%}", "of what a partition accepts"


def _advice(report: PlanReport) -> Iterable[str]:
    for advice in report.advice:
        title = f"{advice.subject}: {advice.kind.replace('-', ' ')}"
        yield f"<h3>{escape(title)}</h3>"
        yield paragraph(f"{advice.problem} {advice.change}")
        if advice.saving_text:
            yield paragraph(f"{advice.saving_text} {advice.how}", css_class="note")


def _modes(report: PlanReport) -> Iterable[str]:
    yield bar_chart(
        "Dollars per month by billing mode and table class",
        [
            Bar(
                f"{mode.name}{' (cheapest)' if mode is report.cheapest else ''}",
                mode.cost,
                format_dollars(mode.cost),
            )
            for mode in report.modes
        ],
    )
    first, rest = report.break_even[:_FIRST_BREAK_EVENS], report.break_even[_FIRST_BREAK_EVENS:]
    yield _list(first)
    if rest:
        yield _details("Where the other ways to pay break even", rest)


def _patterns(report: PlanReport) -> Iterable[str]:
    ranked = sorted(report.patterns, key=lambda one: -one.cost)
    charted = [one for one in ranked if one.cost][:_CHARTED_PATTERNS]
    bars = [
        Bar(
            f"{one.code}  {one.title}",
            one.cost,
            f"{format_dollars(one.cost)}, {one.share:.0%}",
        )
        for one in charted
    ]
    rest = report.cost - sum(one.cost for one in charted)
    if rest > 0.005:
        bars.append(Bar("Storage and the rest", rest, format_dollars(rest)))
    yield bar_chart(f"Dollars per month by pattern, {report.mode_name}", bars)
    columns = ("pattern", "calls", "at peak", "units per call", "units/s", "$/month", "share")
    yield html_table(
        "All access patterns",
        columns,
        (
            (
                f"{one.code}  {one.title}",
                format_rate(one.calls),
                format_rate(one.peak_calls),
                _load(one.read_per_call, one.write_per_call),
                "" if one.calls is None else _load(one.read, one.write),
                "" if one.calls is None else format_dollars(one.cost),
                "" if one.calls is None else f"{one.share:.1%}",
            )
            for one in report.patterns
        ),
    )


def _resources(report: PlanReport) -> Iterable[str]:
    columns = ("table or index", "units/s", "at peak", "items", "stored", "$/month")
    yield html_table(
        "Load, storage and cost",
        columns,
        (
            (
                one.name,
                _load(one.read.average, one.write.average),
                _load(one.read.peak, one.write.peak),
                f"{one.items:,.0f}",
                format_bytes(one.bytes),
                format_dollars(one.cost),
            )
            for one in report.resources
        ),
    )
    hottest = [(one, one.hottest) for one in report.resources if one.hottest is not None]
    if hottest:
        yield bar_chart(
            "Hottest partition keys at peak, as a share of what a partition accepts",
            [
                Bar(
                    f"{key.key} in {resource.name}",
                    key.share,
                    f"{key.share:.1%}",
                    is_bad=key.share > 1,
                )
                for resource, key in hottest
            ],
            limit=max(1.0, *(key.share for _, key in hottest)),
        )
    if any(one.bytes for one in report.resources):
        yield bar_chart(
            "Storage",
            [Bar(one.name, one.bytes, format_bytes(one.bytes)) for one in report.resources],
        )


def _hours(report: PlanReport) -> Iterable[str]:
    yield line_chart(
        "Units per second by hour of day",
        [
            Line("read units", _by_hour(report.resources, "read"), "area"),
            Line("write units", _by_hour(report.resources, "write"), "area"),
        ],
        ticks=_HOUR_TICKS,
        unit="units/s, average of each hour",
    )
    yield paragraph(
        f"At the busiest moment: "
        f"{_load(report.total('read', 'peak'), report.total('write', 'peak'))} units/s.",
        css_class="note",
    )


def _by_hour(resources: Sequence[ResourceFigures], kind: str) -> list[float]:
    """Return the units of each hour as steps: at its start and at its end."""
    loads = [one.read.hourly if kind == "read" else one.write.hourly for one in resources]
    totals = [sum(hour) for hour in zip(*loads, strict=True)]
    return [total for total in totals for _ in range(2)]


def _growth(report: PlanReport) -> Iterable[str]:
    months = report.growth
    ticks = [f"month {one.month:g}" for one in months if (one.month - months[0].month) % 3 == 0]
    yield line_chart(
        "Dollars per month",
        [
            Line(report.mode_name, [one.cost for one in months], "area"),
            Line("cheapest billing mode", [one.cheapest_cost for one in months]),
        ],
        ticks=ticks,
        unit="$ per month",
    )
    yield line_chart(
        "Storage",
        [Line("tables and indexes", [one.bytes / 2**30 for one in months], "area")],
        ticks=ticks,
        unit="GB",
    )


def _how(report: PlanReport) -> Iterable[str]:
    for pattern in report.patterns:
        if pattern.how:
            yield _details(f"{pattern.code}  {pattern.title}", pattern.how)
    for resource in report.resources:
        hottest = (
            []
            if resource.hottest is None
            else [f"hottest key, {resource.hottest.key}: {resource.hottest.how}"]
        )
        yield _details(resource.name, (*resource.how, *hottest))
    for mode in report.modes:
        lines = [f"{line.name}: {line.how} = {format_dollars(line.cost)}" for line in mode.lines]
        yield _details(f"{mode.name}, {format_dollars(mode.cost)}", (*lines, *mode.notes))


def comparison_page(comparison: Comparison) -> str:
    """Return a self-contained page that shows two designs side by side."""
    before, after, total = comparison.before, comparison.after, comparison.total
    percent = "" if total.percent is None else f" ({format_change(total.percent)})"
    summary = (
        f"{format_dollars(before.cost)} → {format_dollars(after.cost)} a month{percent}, "
        f"{after.mode_name}."
    )
    bars = [
        Bar(
            name if comparison.name == report.name else f"{name}: {report.name}",
            report.cost,
            format_dollars(report.cost),
        )
        for name, report in (("before", before), ("after", after))
    ]
    return html_page(
        comparison.name,
        summary,
        [
            ("Total", [bar_chart("Dollars per month", bars), _list(comparison.notes)]),
            (
                "Access patterns",
                [_difference_table("pattern", comparison.with_other_costs(), total)],
            ),
            (
                "Tables and indexes",
                [_difference_table("table or index", comparison.resources, total)],
            ),
            ("Billing modes", [_difference_table("billing mode", comparison.modes)]),
        ],
    )


def _difference_table(
    name: str, differences: Sequence[Difference], total: Difference | None = None
) -> str:
    columns = [name, "before", "after", "difference", "%"]
    # The modes are in both designs, and cost more or less in all of them.
    columns += ["change", "details"] if total is not None else []
    rows = [_difference_cells(one)[: len(columns)] for one in differences]
    if total is not None:
        rows.append(["all", *_difference_cells(total)[1:-2], "", ""])
    return html_table(f"Dollars per month by {name}", columns, rows)


def _difference_cells(one: Difference) -> list[str]:
    return [
        " ".join(part for part in (one.name, one.title) if part),
        "" if one.before is None else format_dollars(one.before),
        "" if one.after is None else format_dollars(one.after),
        format_difference(one.difference) if one.difference else "",
        "" if one.percent is None or not one.difference else format_change(one.percent),
        one.change,
        "; ".join(one.notes),
    ]


def _load(read: float, write: float) -> str:
    parts = [f"{format_number(read)} read"] if read else []
    parts += [f"{format_number(write)} write"] if write else []
    return " + ".join(parts) or "0"


def _list(sentences: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(one)}</li>" for one in sentences)
    return f"<ul>{items}</ul>" if items else ""


def _details(title: str, lines: Iterable[str]) -> str:
    return f"<details><summary>{escape(title)}</summary>{_list(lines)}</details>"


def csv_files(report: PlanReport, comparison: Comparison | None = None) -> dict[str, str]:
    """Return CSV files by name, with numbers as a spreadsheet reads them."""
    files = {
        "patterns.csv": _csv(
            "code,title,kind,calls_per_second,peak_calls_per_second,read_units_per_call,"
            "write_units_per_call,read_units_per_second,write_units_per_second,dollars_per_month,"
            "share",
            (
                (
                    one.code,
                    one.title,
                    one.kind,
                    one.calls,
                    one.peak_calls,
                    one.read_per_call,
                    one.write_per_call,
                    one.read,
                    one.write,
                    one.cost,
                    one.share,
                )
                for one in report.patterns
            ),
        ),
        "tables.csv": _csv(
            "name,table,index,read_units_per_second,write_units_per_second,peak_read_units,"
            "peak_write_units,items,bytes,hottest_key,hottest_key_share,dollars_per_month",
            (
                (
                    one.name,
                    one.table,
                    one.index,
                    one.read.average,
                    one.write.average,
                    one.read.peak,
                    one.write.peak,
                    one.items,
                    one.bytes,
                    None if one.hottest is None else one.hottest.key,
                    None if one.hottest is None else one.hottest.share,
                    one.cost,
                )
                for one in report.resources
            ),
        ),
        "costs.csv": _csv(
            "billing_mode,table_class,line,resource,dollars_per_month,how",
            (
                (mode.mode, mode.table_class, line.name, line.resource, line.cost, line.how)
                for mode in report.modes
                for line in mode.lines
            ),
        ),
        "growth.csv": _csv(
            "month,read_units_per_second,write_units_per_second,items,bytes,dollars_per_month,"
            "cheapest_mode,cheapest_dollars_per_month",
            (
                (
                    one.month,
                    one.read,
                    one.write,
                    one.items,
                    one.bytes,
                    one.cost,
                    one.cheapest,
                    one.cheapest_cost,
                )
                for one in report.growth
            ),
        ),
    }
    if comparison is not None:
        files["comparison.csv"] = _csv(
            "what,name,title,change,before,after,difference",
            (
                (what, one.name, one.title, one.change, one.before, one.after, one.difference)
                for what, differences in (
                    ("pattern", comparison.patterns),
                    ("table", comparison.resources),
                    ("mode", comparison.modes),
                    ("total", (comparison.total,)),
                )
                for one in differences
            ),
        )
    return files


def _csv(columns: str, rows: Iterable[Sequence[object]]) -> str:
    return format_csv(columns.split(","), rows)
