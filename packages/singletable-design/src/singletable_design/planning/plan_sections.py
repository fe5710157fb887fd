"""Show the figures of a plan, or the comparison of two, as a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from singletable.text_table import TextTable
from singletable_design.planning.charts import Bar, Line, bar_chart, line_chart
from singletable_design.planning.comparison import Comparison, Difference
from singletable_design.planning.formats import (
    format_bytes,
    format_change,
    format_difference,
    format_dollars,
    format_load,
    format_number,
    format_percent,
    format_rate,
)
from singletable_design.planning.plan_report import PatternFigures, PlanReport
from singletable_design.planning.report import (
    Chart,
    Details,
    Part,
    Report,
    Sentences,
    key_figures,
    make_report,
)

# The page charts the most expensive patterns; the table below the chart has all.
_CHARTED_PATTERNS = 12
_HOUR_TICKS = ("0:00", "6:00", "12:00", "18:00", "24:00 UTC")
# The months of growth in the table; the charts and files have all.
_MONTHS = (0, 1, 3, 6, 12)
_FIRST_BREAK_EVENS = 2
_TOP_ADVICE = 3
# A key that needs more than this share of a partition is marked.
_WARM = 0.5
_ROUNDING = 1e-9
_MARKS = {"added": "+ ", "removed": "− ", "changed": "~ ", "same": "  "}


def show_plan(report: PlanReport) -> Report:
    """Return everything that a team decides with, from the figures of a plan."""
    return make_report(
        f"The plan of {report.name}",
        _summary(report),
        [
            ("At a glance", [key_figures(_key_figures(report))]),
            ("Access patterns", _patterns(report)),
            ("Tables and indexes", _resources(report)),
            ("Billing modes", _modes(report)),
            ("Load by hour of day", _hours(report)),
            ("Growth", _growth(report)),
            ("Assumptions", [Sentences(report.assumptions)]),
            ("Advice", _advice(report)),
        ],
    )


def _summary(report: PlanReport) -> Iterator[str]:
    best = report.cheapest
    yield f"{report.name}: {format_dollars(report.cost)} a month {report.mode_name}"
    patterns = len(report.patterns)
    yield (
        f"{patterns} pattern{'' if patterns == 1 else 's'}, {_total(report, 'average')} units/s on "
        f"average, {_total(report, 'peak')} at peak, "
        f"{format_bytes(sum(one.bytes for one in report.resources))} stored."
    )
    dated = "" if report.price_date is None else f" of {report.price_date}"
    text = f"Prices of {report.region}{dated}, {report.hours_per_month:,g} hours a month."
    if report.months:
        text += f" After {report.months:g} month{'' if report.months == 1 else 's'} of growth."
    yield text + (f" Scaled by {format_number(report.factor)}." if report.factor != 1 else "")
    if best.name != report.mode_name:
        yield f"The cheapest: {best.name}, {format_dollars(best.cost)} a month."


def _key_figures(report: PlanReport) -> Iterator[tuple[str, str, str]]:
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
    yield "hottest key", format_percent(hottest), "of what a partition accepts"


def _patterns(report: PlanReport) -> Iterator[Part]:
    ranked = sorted((one for one in report.patterns if one.cost), key=lambda one: -one.cost)
    charted = ranked[:_CHARTED_PATTERNS]
    bars = [
        Bar(_title(one), one.cost, f"{format_dollars(one.cost)}, {one.share:.0%}")
        for one in charted
    ]
    rest = report.cost - sum(one.cost for one in charted)
    if rest > 0.005:
        bars.append(Bar("Storage and the rest", rest, format_dollars(rest)))
    yield Chart(bar_chart(f"Dollars per month by pattern, {report.mode_name}", bars))
    rows = [_pattern_row(one) for one in report.patterns]
    other = report.other_costs
    if other > _ROUNDING:
        share = f"{100 * other / report.cost:.0f} %"
        rows.append(("storage and the rest", "", "", "", "", _amount(other), share))
    rows.append(("all", "", "", "", _total(report, "average"), _amount(report.cost), ""))
    columns = ("pattern", "calls", "at peak", "units/call", "units/s", "$/month", "share")
    optional = ("share", "at peak", "units/s", "units/call", "calls")
    table = TextTable("All access patterns", columns, tuple(rows), optional, has_total=True)
    steady = all(one.peak_calls == one.calls for one in report.patterns)
    yield table.without("at peak") if steady else table
    yield Sentences(("r: read units, w: write units.",), "note")
    yield from (Details(_title(one), one.how) for one in report.patterns)


def _title(pattern: PatternFigures) -> str:
    return f"{pattern.code}  {pattern.title}"


def _pattern_row(one: PatternFigures) -> tuple[str, ...]:
    row = (
        _title(one),
        format_rate(one.calls),
        format_rate(one.peak_calls),
        format_load(one.read_per_call, one.write_per_call),
    )
    if one.calls is None:
        return (*row, "", "", "")
    return (*row, format_load(one.read, one.write), _amount(one.cost), f"{100 * one.share:.0f} %")


def _resources(report: PlanReport) -> Iterator[Part]:
    columns = ("table or index", "units/s", "at peak", "items", "stored", "hottest key", "$/month")
    rows = tuple(
        (
            one.name,
            format_load(one.read.average, one.write.average),
            format_load(one.read.peak, one.write.peak),
            f"{one.items:,.0f}",
            format_bytes(one.bytes),
            "" if one.hottest is None else format_percent(one.hottest.share),
            _amount(one.cost),
        )
        for one in report.resources
    )
    optional = ("items", "at peak", "stored", "hottest key", "units/s")
    yield TextTable("Load, storage and cost", columns, rows, optional)
    share = "Hottest key: its share of the 3,000 read and 1,000 write units/s of a partition."
    yield Sentences((share,), "note")
    yield Sentences(tuple(_throttling(report)), "note")
    yield Sentences(tuple(_warnings(report)), "warning")
    hottest = [(one, one.hottest) for one in report.resources if one.hottest is not None]
    bars = [
        Bar(f"{key.key} in {one.name}", key.share, format_percent(key.share), is_bad=key.share > 1)
        for one, key in hottest
    ]
    if bars:
        title = "Hottest partition keys at peak, as a share of what a partition accepts"
        yield Chart(bar_chart(title, bars, limit=max(1.0, *(bar.value for bar in bars))))
    if any(one.bytes for one in report.resources):
        sizes = [Bar(one.name, one.bytes, format_bytes(one.bytes)) for one in report.resources]
        yield Chart(bar_chart("Storage", sizes))
    for one in report.resources:
        key = () if one.hottest is None else (f"hottest key, {one.hottest.key}: {one.hottest.how}",)
        yield Details(one.name, (*one.how, *key))


def _throttling(report: PlanReport) -> Iterator[str]:
    if report.throttling is not None and not report.throttling.share:
        yield "Simulated at peak: nothing is throttled."


def _warnings(report: PlanReport) -> Iterator[str]:
    """Yield what is throttled at peak, and the keys that come near the limit of a partition."""
    if (found := report.throttling) is not None and found.share:
        yield (
            f"Simulated at peak: {format_percent(found.share)} of the calls are throttled, most by "
            f"{found.limited_by}. singletable simulate shows what would change it."
        )
    for resource in report.resources:
        key = resource.hottest
        if key is None or key.share < _WARM:
            continue
        relief = "DynamoDB can divide its items." if key.divisible else "DynamoDB cannot divide it."
        over = "needs more than a partition accepts" if key.share > 1 else "is near the limit"
        yield (
            f"{key.key} in {resource.name} {over}: {format_load(key.read, key.write)} units/s at "
            f"peak, by {', '.join(key.patterns)}. {relief}"
        )


def _modes(report: PlanReport) -> Iterator[Part]:
    title = "Dollars per month by billing mode and table class"
    bars = [Bar(mode.name, mode.cost, format_dollars(mode.cost)) for mode in report.modes]
    yield Chart(bar_chart(title, bars))
    rows = tuple(
        (
            f"{'✓' if mode is report.cheapest else ' '} {mode.name}",
            _amount(mode.cost),
            _amount(mode.upfront) if mode.upfront else "",
            "" if mode.name == report.mode_name else _signed(mode.cost - report.cost),
        )
        for mode in report.modes
    )
    columns = ("billing mode", "$/month", "upfront", "difference")
    yield TextTable(title, columns, rows, ("upfront", "difference"))
    texts = iter(report.break_even)
    yield Sentences(tuple(islice(texts, _FIRST_BREAK_EVENS)))
    yield Details("Where the other ways to pay break even", tuple(texts))
    for mode in report.modes:
        lines = [f"{line.name}: {line.how} = {format_dollars(line.cost)}" for line in mode.lines]
        yield Details(f"{mode.name}, {format_dollars(mode.cost)}", (*lines, *mode.notes))


def _hours(report: PlanReport) -> Iterator[Part]:
    lines: list[Line] = []
    for kind in ("read", "write"):
        loads = [one.read if kind == "read" else one.write for one in report.resources]
        totals = [sum(hour) for hour in zip(*(load.hourly for load in loads), strict=True)]
        # Steps: the value of an hour is at its start and at its end.
        lines.append(Line(f"{kind} units", [one for one in totals for _ in range(2)], "area"))
    title, unit = "Units per second by hour of day", "units/s, average of each hour"
    yield Chart(line_chart(title, lines, ticks=_HOUR_TICKS, unit=unit))


def _growth(report: PlanReport) -> Iterator[Part]:
    months = report.growth
    if not months:
        yield Sentences(
            (
                "No growth is declared. Declare it with per_second(…, growth=0.05) and "
                "ItemCount(…, growth=0.05): 5 percent a month.",
            ),
            "note",
        )
        return
    columns = ("in month", "units/s", "items", "stored", "$/month", "cheapest")
    rows = tuple(
        (
            format_number(one.month),
            format_load(one.read, one.write),
            f"{one.items:,.0f}",
            format_bytes(one.bytes),
            _amount(one.cost),
            _amount(one.cheapest_cost),
        )
        for number, one in enumerate(months)
        if number in _MONTHS
    )
    yield TextTable("Growth by month", columns, rows, ("items", "units/s", "stored"))
    ticks = [f"month {one.month:g}" for one in months if (one.month - months[0].month) % 3 == 0]
    costs = [
        Line(report.mode_name, [one.cost for one in months], "area"),
        Line("cheapest billing mode", [one.cheapest_cost for one in months]),
    ]
    yield Chart(line_chart("Dollars per month", costs, ticks=ticks, unit="$ per month"))
    sizes = Line("tables and indexes", [one.bytes / 2**30 for one in months], "area")
    yield Chart(line_chart("Storage", [sizes], ticks=ticks, unit="GB"))


def _advice(report: PlanReport) -> Iterator[Part]:
    texts = (f"{one.problem} {one.change} {one.saving}".rstrip() for one in report.advice)
    yield Sentences(tuple(texts), "numbered", _TOP_ADVICE)
    for number, one in enumerate(report.advice, 1):
        yield Details(f"Advice {number}, {one.subject}", (one.how,) if one.how else ())


def show_comparison(comparison: Comparison) -> Report:
    """Return two designs side by side."""
    before, after, total = comparison.before, comparison.after, comparison.total
    names = (
        name if comparison.name == report.name else f"{name}: {report.name}"
        for name, report in (("before", before), ("after", after))
    )
    bars = [
        Bar(name, report.cost, format_dollars(report.cost))
        for name, report in zip(names, (before, after), strict=True)
    ]
    best = comparison.cheapest
    cheapest = (
        f"The cheapest modes: {format_dollars(best.before or 0)} → "
        f"{format_dollars(best.after or 0)}{_in_percent(best)} ({best.title})."
    )
    return make_report(
        comparison.name,
        [
            f"{comparison.name}: {format_difference(total.difference)} a month"
            f"{_in_percent(total)}, {after.mode_name}",
            *comparison.notes,
        ],
        [
            ("Total", [Chart(bar_chart("Dollars per month", bars))]),
            ("Access patterns", [_differences("pattern", comparison.with_other_costs(), total)]),
            ("Tables and indexes", [_differences("table or index", comparison.resources, total)]),
            (
                "Billing modes",
                [_differences("billing mode", comparison.modes), Sentences((cheapest,))],
            ),
        ],
    )


def _differences(
    name: str, differences: Sequence[Difference], total: Difference | None = None
) -> TextTable:
    rows = [_difference_row(one) for one in differences]
    rows += [] if total is None else [("  all", *_difference_row(total)[1:])]
    return TextTable(
        f"Dollars per month by {name}",
        (name, "before", "after", "difference", "%"),
        tuple(rows),
        ("%", "before"),
        has_total=total is not None,
        notes={number: "; ".join(one.notes) for number, one in enumerate(differences) if one.notes},
    )


def _difference_row(one: Difference) -> tuple[str, ...]:
    return (
        _MARKS[one.change] + " ".join(part for part in (one.name, one.title) if part),
        "" if one.before is None else _amount(one.before),
        "" if one.after is None else _amount(one.after),
        _signed(one.difference) if one.difference else "",
        format_change(one.percent) if one.difference and one.percent is not None else "",
    )


def _total(report: PlanReport, figure: str) -> str:
    if figure == "peak":
        return format_load(report.total("read", "peak"), report.total("write", "peak"))
    return format_load(report.total("read", "average"), report.total("write", "average"))


def _amount(dollars: float) -> str:
    return format_dollars(dollars).replace("$", "")


def _signed(dollars: float) -> str:
    return format_difference(dollars).replace("$", "")


def _in_percent(difference: Difference) -> str:
    return "" if difference.percent is None else f" ({format_change(difference.percent)})"
