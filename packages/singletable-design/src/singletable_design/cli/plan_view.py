"""Print the report of a plan, and the comparison of two, for a terminal of any width."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Literal

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from singletable.cli.output import escape_controls, pluralize, print_trimmed
from singletable_design.planning.charts import format_number
from singletable_design.planning.comparison import Comparison, Difference
from singletable_design.planning.formats import (
    format_bytes,
    format_change,
    format_difference,
    format_dollars,
    format_rate,
)
from singletable_design.planning.report import PatternFigures, PlanReport, ResourceFigures

# Names are wrapped to this width; then columns that matter less are left out.
_NAME_WIDTH = 18
_MARKS = {"added": "+", "removed": "−", "changed": "~", "same": ""}
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
    _print_patterns(console, report)
    if show_how:
        for pattern in report.patterns:
            _how(console, f"{pattern.code}  {pattern.title}", pattern.how)
    _heading(console, "Tables and indexes")
    _print_resources(console, report.resources)
    _print_hot_keys(console, report)
    if show_how:
        for resource in report.resources:
            hottest = (
                []
                if resource.hottest is None
                else [f"hottest key, {resource.hottest.key}: {resource.hottest.how}"]
            )
            _how(console, resource.name, (*resource.how, *hottest))
    _heading(console, "Billing modes")
    _print_modes(console, report)
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
    title = f"{escape_controls(report.name)}: {format_dollars(report.cost)} a month"
    print_trimmed(console, Text.assemble((title, "bold"), f" {report.mode_name}"))
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


def _print_patterns(console: Console, report: PlanReport) -> None:
    columns: Sequence[str]
    columns = ("", "pattern", "calls", "at peak", "units/call", "units/s", "$/month", "share")
    rows = [_pattern_row(pattern) for pattern in report.patterns]
    blank = [""] * 4
    if report.other_costs > _ROUNDING:
        share = f"{100 * report.other_costs / report.cost:.0f} %"
        rows.append(["", "storage and the rest", *blank, _amount(report.other_costs), share])
    load = _load(report.total("read", "average"), report.total("write", "average"))
    rows.append(["", "all", *blank[1:], load, _amount(report.cost), ""])
    optional = ["share", "at peak", "units/s", "units/call", "calls"]
    if all(one.peak_calls == one.calls for one in report.patterns):
        columns, rows = _without("at peak", columns, rows)
    _print_table(console, columns, rows, name=1, optional=optional, bold={len(rows) - 1})


def _pattern_row(pattern: PatternFigures) -> list[str]:
    rated = pattern.calls is not None
    return [
        pattern.code,
        escape_controls(pattern.title),
        format_rate(pattern.calls),
        format_rate(pattern.peak_calls),
        _load(pattern.read_per_call, pattern.write_per_call),
        _load(pattern.read, pattern.write) if rated else "",
        _amount(pattern.cost) if rated else "",
        f"{100 * pattern.share:.0f} %" if rated else "",
    ]


def _print_resources(console: Console, resources: Sequence[ResourceFigures]) -> None:
    columns = (
        "table or index", "units/s", "at peak", "items", "stored", "hottest key", "$/month",
    )  # fmt: skip
    rows = [
        [
            one.name,
            _load(one.read.average, one.write.average),
            _load(one.read.peak, one.write.peak),
            f"{one.items:,.0f}",
            format_bytes(one.bytes),
            "" if one.hottest is None else _percent(one.hottest.share),
            _amount(one.cost),
        ]
        for one in resources
    ]
    optional = ["items", "at peak", "stored", "hottest key", "units/s"]
    _print_table(console, columns, rows, name=0, optional=optional)


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


def _print_modes(console: Console, report: PlanReport) -> None:
    columns = ("", "billing mode", "$/month", "upfront", "difference")
    rows = [
        [
            "✓" if mode is report.cheapest else "",
            mode.name,
            _amount(mode.cost),
            _amount(mode.upfront) if mode.upfront else "",
            "" if mode.name == report.mode_name else _signed(mode.cost - report.cost),
        ]
        for mode in report.modes
    ]
    _print_table(console, columns, rows, name=1, optional=["upfront", "difference"], bold={0})


def _print_growth(console: Console, report: PlanReport) -> None:
    if not report.growth:
        print_trimmed(
            console,
            "No growth is declared. Declare it with per_second(…, growth=0.05) and "
            "ItemCount(…, growth=0.05): 5 percent a month.",
        )
        return
    columns = ("in month", "units/s", "items", "stored", "$/month", "cheapest")
    rows = [
        [
            format_number(month.month),
            _load(month.read, month.write),
            f"{month.items:,.0f}",
            format_bytes(month.bytes),
            _amount(month.cost),
            _amount(month.cheapest_cost),
        ]
        for number, month in enumerate(report.growth)
        if number in _MONTHS
    ]
    _print_table(console, columns, rows, name=0, optional=["items", "units/s", "stored"])


def print_comparison(console: Console, comparison: Comparison) -> None:
    """Print two designs side by side."""
    after, total = comparison.after, comparison.total
    title = f"{comparison.name}: {format_difference(total.difference)} a month"
    rest = f"{_in_percent(total)}, {after.mode_name}"
    print_trimmed(console, Text.assemble((escape_controls(title), "bold"), rest))
    for note in comparison.notes:
        print_trimmed(console, note)
    for heading, differences in (
        ("Access patterns", comparison.with_other_costs()),
        ("Tables and indexes", comparison.resources),
        ("Billing modes", comparison.modes),
    ):
        _heading(console, heading)
        _print_differences(console, differences, total, heading)
    best = comparison.cheapest
    print_trimmed(
        console,
        f"The cheapest modes: {format_dollars(best.before or 0)} → "
        f"{format_dollars(best.after or 0)}{_in_percent(best)} ({best.title}).",
    )


def _print_differences(
    console: Console, differences: Sequence[Difference], total: Difference, heading: str
) -> None:
    shown = list(differences)
    rows = [_difference_row(one) for one in shown]
    if heading != "Billing modes":
        rows.append(["", "all", *_difference_row(total)[2:]])
    _print_table(
        console,
        ("", "", "before", "after", "difference", "%"),
        rows,
        name=1,
        optional=["%", "before"],
        bold={len(shown)},
        notes={number: "; ".join(one.notes) for number, one in enumerate(shown) if one.notes},
    )


def _difference_row(one: Difference) -> list[str]:
    return [
        _MARKS[one.change],
        escape_controls(" ".join(part for part in (one.name, one.title) if part)),
        "" if one.before is None else _amount(one.before),
        "" if one.after is None else _amount(one.after),
        _signed(one.difference) if one.difference else "",
        format_change(one.percent) if one.difference and one.percent is not None else "",
    ]


def _print_table(
    console: Console,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    name: int,
    optional: Sequence[str] = (),
    bold: Set[int] = frozenset(),
    notes: Mapping[int, str] | None = None,
) -> None:
    """Print rows; column number `name` is text, and those after it are numbers.

    `optional` columns are left out, the first ones first, until the others fit. `notes` are printed
    below their rows.
    """
    rest = list(optional)
    while rest and _least_width(columns, rows, name) > console.width:
        columns, rows = _without(rest.pop(0), columns, rows)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for number, column in enumerate(columns):
        justify: Literal["left", "right"] = "right" if number > name else "left"
        table.add_column(column, justify=justify, overflow="fold", no_wrap=number != name)
    for number, row in enumerate(rows):
        table.add_row(*row, style="bold" if number in bold else "")
        if notes and number in notes:
            table.add_row(*[""] * name, Text(notes[number], style="dim"))
    print_trimmed(console, table)


def _least_width(columns: Sequence[str], rows: Sequence[Sequence[str]], name: int) -> int:
    """Return the width that a table needs if the names are wrapped."""
    widths = [
        max(len(column), *(len(row[number]) for row in rows)) if rows else len(column)
        for number, column in enumerate(columns)
    ]
    widths[name] = min(widths[name], _NAME_WIDTH)
    return sum(widths) + 2 * (len(widths) - 1)


def _without(
    name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return the columns and rows without a column, if it is there."""
    kept = [number for number, column in enumerate(columns) if column != name]
    return tuple(columns[one] for one in kept), [[row[one] for one in kept] for row in rows]


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
    return "" if difference.percent is None else f" ({format_change(difference.percent)})"
