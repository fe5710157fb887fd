"""What a pattern asks of DynamoDB, from its declaration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from singletable.cli.tour.plain import several
from singletable.cli.trimmed import print_trimmed
from singletable.patterns import FeedPattern, Pattern, ScanPattern, estimate, planned_requests


def show_plan(console: Console, pattern: Pattern, sizes: Mapping[type, int]) -> None:
    """What it is, each request that it makes, and what a call is reckoned to consume."""
    console.print(Text.assemble((pattern.code, "bold cyan"), "  ", (pattern.description, "bold")))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="green", no_wrap=True)
    grid.add_column(overflow="fold")
    for request, count in Counter(planned_requests(pattern)).items():
        times = f"{count} × " if count > 1 else ""
        place = request.table.name
        if request.index is not None:
            place += f" / {request.index.name}"
        words = [f"{place}: {request.condition}"]
        words += ["in one transaction"] if request.in_transaction else []
        words += ["perhaps"] if request.conditional else []
        words += ["consistent"] if request.consistent or pattern.expected.consistent else []
        grid.add_row(f"{times}{request.action}", Text(", ".join(words)))
    if isinstance(pattern, ScanPattern):
        grid.add_row("because", Text(pattern.reason))
    if not isinstance(pattern, FeedPattern):
        grid.add_row("expected", Text(_expected(pattern, sizes)))
    print_trimmed(console, grid)
    console.print()


def _expected(pattern: Pattern, sizes: Mapping[type, int]) -> str:
    cost = estimate(pattern, sizes)
    kinds = (("read unit", cost.read), ("write unit", cost.write))
    units = [several(count, kind) for kind, count in kinds if count]
    said = f"at most {' and '.join(units) or 'nothing'} a call"
    said += f", for {several(pattern.expected.items, 'item')}"
    if cost.assumed:
        said += " of an assumed size"
    rate = pattern.expected.rate
    return said if rate is None else f"{said}; {rate}"
