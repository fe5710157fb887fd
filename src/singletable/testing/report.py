"""What the calls of each pattern came to over all tests, shown at the end of a run."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import asdict, fields, replace
from typing import Any, cast

import pytest

from singletable.patterns import PatternCatalog
from singletable.store.calls import observe_all_stores
from singletable.telemetry import CallStats, PatternStats

_SENT = "singletable_figures"
# Of these the largest of all workers is told; others are added up.
_LARGEST = ("median", "p95", "p99", "slowest")


class Report:
    """Counts calls while tests run, and shows the figures; workers send theirs."""

    def __init__(self, catalogs: Sequence[PatternCatalog]) -> None:
        self._catalogues = catalogs
        self._tally = CallStats(*catalogs)
        self._received: list[PatternStats] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, object, object]:
        """Count the calls of a test."""
        with observe_all_stores(self._tally):
            return (yield)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Send the figures, if this is a worker of pytest-xdist."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_SENT] = [asdict(one) for one in self._tally.snapshot()]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Receive the figures of a worker."""
        sent = cast("list[dict[str, Any]]", getattr(node, "workeroutput", {}).get(_SENT, []))
        self._received += [PatternStats(**one) for one in sent]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show what there is."""
        found = merged([*self._tally.snapshot(), *self._received])
        terminalreporter.section("access patterns")
        for line in _lines(found, self._what()):
            terminalreporter.write_line(line)

    def _what(self) -> dict[str, str]:
        return {pattern.id: pattern.description for one in self._catalogues for pattern in one}


def merged(figures: Sequence[PatternStats]) -> list[PatternStats]:
    """The figures of several workers, by pattern."""
    found: dict[str, PatternStats] = {}
    for one in figures:
        other = found.get(one.pattern)
        found[one.pattern] = one if other is None else _added(one, other)
    return [found[name] for name in sorted(found)]


def _added(one: PatternStats, other: PatternStats) -> PatternStats:
    changes: dict[str, Any] = {}
    for field in fields(PatternStats):
        if field.name == "pattern":
            continue
        pair = getattr(one, field.name), getattr(other, field.name)
        changes[field.name] = max(pair) if field.name in _LARGEST else sum(pair)
    return replace(one, **changes)


def _lines(figures: Sequence[PatternStats], what: dict[str, str]) -> list[str]:
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
            what.get(one.pattern, ""),
        )
        for one in figures
    ]
    never = [
        (name, "never", "", "", "", "", "", said)
        for name, said in what.items()
        if name not in {one.pattern for one in figures}
    ]
    table = [head, *rows, *never]
    widths = [max(len(row[at]) for row in table) for at in range(len(head))]
    return [_line(row, widths) for row in table]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *numbers, last = row
    cells = [first.ljust(widths[0])]
    cells += [cell.rjust(width) for cell, width in zip(numbers, widths[1:-1], strict=True)]
    return "  ".join([*cells, last]).rstrip()
