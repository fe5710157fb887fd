"""`singletable plan`: the load and monthly cost of a design, from its declared access patterns."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.options import PatternApp, Scale

if TYPE_CHECKING:
    from singletable_design.planning.plan_report import PlanReport

_STANDARD_OUTPUT = "-"


class Mode(Enum):
    """The billing mode of the costs of patterns and tables."""

    ON_DEMAND = "on-demand"
    AUTO_SCALED = "auto-scaled"
    FIXED = "fixed"
    RESERVED_1_YEAR = "reserved-1-year"
    RESERVED_3_YEARS = "reserved-3-years"


def plan(
    app: PatternApp,
    region: Annotated[
        str, typer.Option("--region", metavar="REGION", help="The AWS region of the prices.")
    ] = "us-east-1",
    mode: Annotated[
        Mode, typer.Option("--mode", help="The billing mode of the costs of patterns and tables.")
    ] = Mode.ON_DEMAND,
    scale: Scale = "1x",
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="OTHER",
            help="Compare with another module of access patterns, or a file saved by --json.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write a page with charts, which says how each figure was computed.",
        ),
    ] = None,
    json: Annotated[
        str | None,
        typer.Option(
            "--json", metavar="FILE", help="Write all figures as JSON; - is standard output."
        ),
    ] = None,
) -> None:
    """Show what a design costs in a month, from the expected load of its access patterns.

    Prints the units and dollars of each pattern, table and index, the hottest keys, what is
    throttled at peak, the totals of all billing modes, growth and advice. Nothing is measured and
    no account is needed: declare rates, item sizes and counts, and change them until the plan is
    what you want to pay.
    """
    from rich.console import Console

    from singletable.cli.app_loader import load_catalogs
    from singletable.cli.output import write_report
    from singletable.prices import load_prices
    from singletable_design.cli.report_view import print_report
    from singletable_design.planning.comparison import compare_reports
    from singletable_design.planning.plan_report import create_report, to_json
    from singletable_design.planning.plan_sections import show_comparison, show_plan
    from singletable_design.planning.report import report_page
    from singletable_design.planning.scale import parse_scale

    known = load_prices().region(region)

    def report_of(module: str) -> PlanReport:
        _, catalogs = load_catalogs(module)
        return create_report(
            catalogs,
            prices=known,
            mode=mode.value,
            factor=parse_scale(scale, catalogs),
        )

    report = report_of(app)
    comparison = None
    if against is not None:
        comparison = compare_reports(_other_report(against) or report_of(against), report)
    shown = show_plan(report) if comparison is None else show_comparison(comparison)
    if html is not None:
        write_report(html, report_page(shown))
    if json is not None:
        text = to_json(report if comparison is None else comparison)
        if json != _STANDARD_OUTPUT:
            write_report(Path(json), text)
        else:
            typer.echo(text, nl=False)
    if json != _STANDARD_OUTPUT:
        print_report(Console(highlight=False), shown)


def _other_report(other: str) -> PlanReport | None:
    """Return the saved report if OTHER is a file, None if it is a module."""
    from singletable_design.planning.plan_report import read_report

    path = Path(other)
    return read_report(path) if path.suffix == ".json" or path.is_file() else None
