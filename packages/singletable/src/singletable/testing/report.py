"""Report calls, errors, capacity units and latency of each access pattern after a test run."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import asdict, fields, replace
from typing import Any, cast

import pytest

from singletable.patterns import PatternCatalog
from singletable.store.calls import observe_all_stores
from singletable.telemetry import CallStats, PatternStats

_OUTPUT_KEY = "singletable_figures"
# Of these the maximum of all workers is reported; other figures are added up.
_MAXIMA = ("median", "p95", "p99", "slowest")


class PatternReport:
    """Collects statistics while tests run; workers of pytest-xdist send theirs."""

    def __init__(self, catalogs: Sequence[PatternCatalog]) -> None:
        self._catalogs = catalogs
        self._stats = CallStats(*catalogs)
        self._received: list[PatternStats] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Observe the calls of a test."""
        with observe_all_stores(self._stats):
            return (yield)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the statistics, if this is a worker of pytest-xdist."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT_KEY] = [asdict(one) for one in self._stats.snapshot()]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Receive the statistics of a worker."""
        sent = cast("list[dict[str, Any]]", getattr(node, "workeroutput", {}).get(_OUTPUT_KEY, []))
        self._received += [PatternStats(**one) for one in sent]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the report."""
        stats = merge_stats([*self._stats.snapshot(), *self._received])
        terminalreporter.section("access patterns")
        for line in _report_lines(stats, self._descriptions()):
            terminalreporter.write_line(line)

    def _descriptions(self) -> dict[str, str]:
        return {
            pattern.id: pattern.description for catalog in self._catalogs for pattern in catalog
        }


def merge_stats(stats: Sequence[PatternStats]) -> list[PatternStats]:
    """Merge the statistics of several workers by pattern."""
    merged: dict[str, PatternStats] = {}
    for one in stats:
        other = merged.get(one.pattern)
        merged[one.pattern] = one if other is None else _add(one, other)
    return [merged[name] for name in sorted(merged)]


def _add(one: PatternStats, other: PatternStats) -> PatternStats:
    changes: dict[str, Any] = {}
    for field in fields(PatternStats):
        if field.name == "pattern":
            continue
        pair = getattr(one, field.name), getattr(other, field.name)
        changes[field.name] = max(pair) if field.name in _MAXIMA else sum(pair)
    return replace(one, **changes)


def _report_lines(stats: Sequence[PatternStats], descriptions: dict[str, str]) -> list[str]:
    head = ("pattern", "calls", "errors", "read units", "write units", "p95 ms", "slowest ms", "")
    rows = [
        (
            one.pattern,
            f"{one.calls:,}",
            f"{one.errors:,}",
            f"{one.read_units:,.1f}",
            f"{one.write_units:,.1f}",
            f"{one.p95 * 1000:.2f}",
            f"{one.slowest * 1000:.2f}",
            descriptions.get(one.pattern, ""),
        )
        for one in stats
    ]
    never = [
        (name, "never", "", "", "", "", "", description)
        for name, description in descriptions.items()
        if name not in {one.pattern for one in stats}
    ]
    table = [head, *rows, *never]
    widths = [max(len(row[at]) for row in table) for at in range(len(head))]
    return [_line(row, widths) for row in table]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *numbers, last = row
    cells = [first.ljust(widths[0])]
    cells += [cell.rjust(width) for cell, width in zip(numbers, widths[1:-1], strict=True)]
    return "  ".join([*cells, last]).rstrip()
