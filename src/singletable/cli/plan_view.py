"""Print the report of a plan, and the comparison of two, for a terminal of any width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from singletable.cli.output import pluralize, print_trimmed
from singletable.planning.charts import format_number
from singletable.planning.comparison import Comparison, Difference
from singletable.planning.report import (
    PlanReport,
    ResourceFigures,
    format_bytes,
    format_difference,
    format_dollars,
    format_rate,
)

# Below this width, columns that can be derived from others are left out.
_NARROW = 72
# The months of growth that are printed; the other formats have all.
_MONTHS = (0, 1, 3, 6, 12)
_FIRST_BREAK_EVENS = 2
_TOP_ADVICE = 3
# A key that needs more than this share of a partition is marked.
_WARM = 0.5
_ROUNDING = 1e-9
# Fewer units per second are not worth their digits.
_LEAST_UNITS = 0.01


def print_report(console: Console, report: PlanReport, *, show_how: bool = False) -> None:
    """Print everything that a team decides with; `show_how` adds how figures were computed."""
    _print_summary(console, report)
    _heading(console, "Access patterns")
    print_trimmed(console, _pattern_table(report, narrow=console.width < _NARROW))
    if show_how:
        for pattern in report.patterns:
            _how(console, f"{pattern.code}  {pattern.title}", pattern.how)
    _heading(console, "Tables and indexes")
    print_trimmed(console, _resource_table(report.resources, narrow=console.width < _NARROW))
    _print_hot_keys(console, report)
    if show_how:
        for resource in report.resources:
            hottest = [] if resource.hottest is None else [f"hottest key: {resource.hottest.how}"]
            _how(console, resource.name, (*resource.how, *hottest))
    _heading(console, "Billing modes")
    print_trimmed(console, _mode_table(report))
    for text in report.break_even if show_how else report.break_even[:_FIRST_BREAK_EVENS]:
        _bullet(console, text)
    if show_how:
        for mode in report.modes:
            lines = (
                f"{line.name}: {line.how} = {format_dollars(line.cost)}" for line in mode.lines
            )
            _how(console, mode.name, (*lines, *mode.notes))
    _heading(console, "Growth")
    _print_growth(console, report)
    if report.assumptions:
        _heading(console, "Assumptions")
        for text in report.assumptions:
            _bullet(console, text)
    if report.advice:
        _heading(console, "Advice")
        shown = report.advice if show_how else report.advice[:_TOP_ADVICE]
        for number, advice in enumerate(shown, 1):
            text = f"{advice.problem} {advice.change} {advice.saving_text}".rstrip()
            _bullet(console, text, mark=f"{number}.")
            if show_how and advice.how:
                print_trimmed(console, Padding(advice.how, (0, 0, 0, 3)))
        if len(report.advice) > len(shown):
            rest = pluralize(len(report.advice) - len(shown), "more suggestion")
            console.print(f"{rest}: --how, --html and --json have all.", style="dim")


def _print_summary(console: Console, report: PlanReport) -> None:
    best = report.cheapest
    console.print(
        Text.assemble(
            (f"{report.name}: {format_dollars(report.cost)} a month", "bold"),
            f" {report.mode_name}",
        )
    )
    dated = "" if report.price_date is None else f" of {report.price_date}"
    texts = [
        f"{pluralize(len(report.patterns), 'pattern')}, "
        f"{_load(report.total('read', 'average'), report.total('write', 'average'))} units/s on "
        f"average, {_load(report.total('read', 'peak'), report.total('write', 'peak'))} at peak, "
        f"{format_bytes(sum(one.bytes for one in report.resources))} stored.",
        f"Prices of {report.region}{dated}, {report.hours_per_month:,g} hours a month."
        + (f" After {pluralize(report.months, 'month')} of growth." if report.months else "")
        + (f" Scaled by {format_number(report.factor)}." if report.factor != 1 else ""),
    ]
    if best.name != report.mode_name:
        texts.append(f"The cheapest: {best.name}, {format_dollars(best.cost)} a month.")
    for text in texts:
        print_trimmed(console, text)


def _pattern_table(report: PlanReport, *, narrow: bool) -> Table:
    peaks = any(one.peak_calls != one.calls for one in report.patterns)
    table = _table("", "pattern", "calls", *(["at peak"] if peaks else []), "units/call")
    for column in ("units/s", "$/month", *([] if narrow else ["share"])):
        table.add_column(column, justify="right", no_wrap=True)
    for pattern in report.patterns:
        rated = pattern.calls is not None
        cells = [pattern.code, pattern.title, format_rate(pattern.calls)]
        cells += [format_rate(pattern.peak_calls)] if peaks else []
        cells += [
            _load(pattern.read_per_call, pattern.write_per_call),
            _load(pattern.read, pattern.write) if rated else "",
            _amount(pattern.cost) if rated else "",
            *([] if narrow else [f"{100 * pattern.share:.0f} %" if rated else ""]),
        ]
        table.add_row(*cells)
    blank = [""] * (3 if peaks else 2)
    if report.other_costs > _ROUNDING:
        share = [] if narrow else [f"{100 * report.other_costs / report.cost:.0f} %"]
        table.add_row("", "storage and the rest", *blank, "", _amount(report.other_costs), *share)
    load = _load(report.total("read", "average"), report.total("write", "average"))
    table.add_row("", "all", *blank, load, _amount(report.cost), style="bold")
    return table


def _resource_table(resources: Sequence[ResourceFigures], *, narrow: bool) -> Table:
    table = _table("table or index", "units/s", "at peak", numbers_from=1)
    for column in (*([] if narrow else ["items"]), "stored", "hottest key", "$/month"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in resources:
        hottest = one.hottest
        cells = [
            one.name,
            _load(one.read.average, one.write.average),
            _load(one.read.peak, one.write.peak),
        ]
        cells += [] if narrow else [f"{one.items:,.0f}"]
        cells += [
            format_bytes(one.bytes),
            "" if hottest is None else _percent(hottest.share),
            _amount(one.cost),
        ]
        table.add_row(*cells)
    return table


def _print_hot_keys(console: Console, report: PlanReport) -> None:
    text = "Hottest key: its share of the 3,000 read and 1,000 write units/s of a partition."
    print_trimmed(console, Text(text, style="dim"))
    for resource in report.resources:
        key = resource.hottest
        if key is None or key.share < _WARM:
            continue
        relief = "DynamoDB can divide its items." if key.divisible else "DynamoDB cannot divide it."
        over = "needs more than a partition accepts" if key.share > 1 else "is near the limit"
        _bullet(
            console,
            f"{key.key} in {resource.name} {over}: {_load(key.read, key.write)} units/s at peak, "
            f"by {', '.join(key.patterns)}. {relief}",
            mark="!",
        )


def _mode_table(report: PlanReport) -> Table:
    table = _table("", "billing mode", "$/month", "upfront", numbers_from=2)
    table.add_column("difference", justify="right", no_wrap=True)
    for mode in report.modes:
        is_best, is_selected = mode is report.cheapest, mode.name == report.mode_name
        difference = mode.cost - report.cost
        table.add_row(
            "✓" if is_best else "",
            mode.name,
            _amount(mode.cost),
            _amount(mode.upfront) if mode.upfront else "",
            "" if is_selected else _signed(difference),
            style="bold" if is_best else "",
        )
    return table


def _print_growth(console: Console, report: PlanReport) -> None:
    if not report.growth:
        print_trimmed(
            console,
            "No growth is declared. Declare it with per_second(…, growth=0.05) and "
            "ItemCount(…, growth=0.05): 5 percent a month.",
        )
        return
    table = _table("in month", "units/s", "items", "stored", "$/month", numbers_from=1)
    table.add_column("cheapest", justify="right", no_wrap=True)
    for number, month in enumerate(report.growth):
        if number in _MONTHS:
            table.add_row(
                format_number(month.month),
                _load(month.read, month.write),
                f"{month.items:,.0f}",
                format_bytes(month.bytes),
                _amount(month.cost),
                _amount(month.cheapest_cost),
            )
    print_trimmed(console, table)


def print_comparison(console: Console, comparison: Comparison) -> None:
    """Print two designs side by side."""
    before, after = comparison.before, comparison.after
    total = comparison.total
    console.print(
        Text.assemble(
            (f"{before.name} → {after.name}: ", "bold"),
            (f"{format_difference(total.difference)} a month", "bold"),
            f"{_in_percent(total)}, {after.mode_name}",
        )
    )
    for note in comparison.notes:
        print_trimmed(console, note)
    for heading, differences in (
        ("Access patterns", comparison.patterns),
        ("Tables and indexes", comparison.resources),
        ("Billing modes", comparison.modes),
    ):
        _heading(console, heading)
        print_trimmed(console, _difference_table(differences, total, heading))
    best = comparison.cheapest
    print_trimmed(
        console,
        f"The cheapest modes: {format_dollars(best.before or 0)} → "
        f"{format_dollars(best.after or 0)}{_in_percent(best)} ({best.title}).",
    )


def _difference_table(differences: Sequence[Difference], total: Difference, heading: str) -> Table:
    table = _table("", "", "before", "after", numbers_from=2)
    table.add_column("difference", justify="right", no_wrap=True)
    table.add_column("%", justify="right", no_wrap=True)
    rows = list(differences)
    if heading == "Access patterns":
        other = [
            (total.before or 0) - sum(one.before or 0 for one in rows),
            (total.after or 0) - sum(one.after or 0 for one in rows),
        ]
        if max(other) > _ROUNDING:
            rows.append(Difference("", "storage and the rest", "same", other[0], other[1]))
    if heading != "Billing modes":
        rows.append(total)
    marks = {"added": "+", "removed": "−", "changed": "~", "same": ""}
    for one in rows:
        name = " ".join(part for part in (one.name, one.title) if part)
        is_total, is_different = one is total, abs(one.difference) > _ROUNDING
        table.add_row(
            "" if is_total else marks[one.change],
            "all" if is_total else name,
            "" if one.before is None else _amount(one.before),
            "" if one.after is None else _amount(one.after),
            _signed(one.difference) if is_different else "",
            f"{one.percent:+,.0f} %" if is_different and one.percent is not None else "",
            style="bold" if is_total else "dim" if one.change == "same" else "",
        )
        if one.notes:
            table.add_row("", Text("; ".join(one.notes), style="dim"))
    return table


def _table(*columns: str, numbers_from: int = 2) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for number, column in enumerate(columns):
        if number < numbers_from:
            table.add_column(column, overflow="fold", no_wrap=number == 0 and not column)
        else:
            table.add_column(column, justify="right", no_wrap=True)
    return table


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(text, style="bold")


def _bullet(console: Console, text: str, *, mark: str = "-") -> None:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(mark, text)
    print_trimmed(console, table)


def _how(console: Console, title: str, lines: Iterable[str]) -> None:
    lines = list(lines)
    if lines:
        console.print(title, style="bold dim")
    for line in lines:
        print_trimmed(console, Padding(line, (0, 0, 0, 2)))


def _load(read: float, write: float) -> str:
    """Format read and write units: 250r, 12.5r 3w, < 0.01."""
    parts = [f"{format_number(read)}r"] if read >= _LEAST_UNITS else []
    parts += [f"{format_number(write)}w"] if write >= _LEAST_UNITS else []
    return " ".join(parts) or ("< 0.01" if read + write else "0")


def _amount(dollars: float) -> str:
    return format_dollars(dollars).replace("$", "")


def _signed(dollars: float) -> str:
    return format_difference(dollars).replace("$", "")


def _percent(share: float) -> str:
    """Format a share: 72 %, 0.4 %, < 0.1 %."""
    if 0 < share < 0.001:
        return "< 0.1 %"
    digits = 0 if share >= 0.01 or not share else 1
    return f"{100 * share:.{digits}f} %"


def _in_percent(difference: Difference) -> str:
    return "" if difference.percent is None else f" ({difference.percent:+,.0f} %)"
