"""Counting ranked ballots: ours, and the libraries that people use for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.expect import expect
from benchmarks.measuring.missing import Missing
from benchmarks.measuring.progress import progress
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.table import Table
from benchmarks.voting.given import ROUNDS
from benchmarks.voting.program import Counted, Program, programs
from benchmarks.voting.rows import CANDIDATES, names, raw_rows
from singletable_apps.shared.counting import (
    Ballots,
    Result,
    ballots_of_orders,
    instant_runoff,
    pairwise,
    schulze,
)

CLAIM = "a million ballots are counted a hundred times as fast as by other libraries, or faster"
RATIO = Bar(at_least=100)
BARE = Bar(at_most=3)
_BLOCK = 1 << 16
METHODS: dict[str, Callable[[Ballots], Result]] = {
    "Schulze": schulze,
    "instant runoff": instant_runoff,
}


def measure(scale: Scale) -> Iterable[Table]:
    """The time from raw rows to the result, ours and others'; then pairs on ready columns."""
    rows = raw_rows(scale.many)
    yield _from_raw_rows(rows, scale)
    yield _ready_columns(ballots_of_orders(names(), rows))


def _from_raw_rows(rows: NDArray[np.int8], scale: Scale) -> Table:
    ours = {method: _ours(rows, method) for method in METHODS}
    theirs: dict[Program, dict[str, Counted]] = {}
    notes = [
        f"{CANDIDATES} candidates, every order equally likely. Others are given fewer ballots, and "
        f"their time is scaled to {len(rows):,}."
    ]
    for program in programs(scale):
        progress(f"{program.name}, {program.ballots:,} ballots")
        given = rows[: program.ballots]
        try:
            theirs[program] = program.counts(given)
        except Missing as reason:
            notes.append(f"{program.name} is missing: {reason}.")
            continue
        for method, counted in theirs[program].items():
            expect(counted.winner, _ours(given, method).winner)
    scaled = {
        (program.name, method): counted.seconds * len(rows) / program.ballots
        for program, counts in theirs.items()
        for method, counted in counts.items()
    }
    table: list[list[str]] = []
    for method, mine in ours.items():
        table.append([f"singletable, {method}", *_times(len(rows), mine.seconds), "", ""])
        fastest = min((each for (_, by), each in scaled.items() if by == method), default=None)
        for program, counts in theirs.items():
            if method in counts:
                whole = scaled[program.name, method]
                ratio = whole / mine.seconds
                verdict = RATIO.verdict(ratio) if whole == fastest else ""
                cells = [*_times(program.ballots, whole), units.times(ratio), verdict]
                table.append([f"{program.name}, {method}", *cells])
    columns = ["from raw rows to the result", "ballots", "seconds", "ratio", "bar for the fastest"]
    return Table(f"{len(rows):,} ballots: seconds", columns, table, notes)


def _ready_columns(ballots: Ballots) -> Table:
    progress("pairs on ready columns")
    mine, bare = _shortest(lambda: pairwise(ballots)), _shortest(lambda: _bare(ballots))
    ratio = mine / bare
    rows = [
        ["bare NumPy", units.milliseconds(bare), "", ""],
        ["singletable", units.milliseconds(mine), units.times(ratio), BARE.verdict(ratio)],
    ]
    title = f"{ballots.rows:,} ballots as columns of ranks: every pair counted"
    return Table(title, ["pairs", "milliseconds", "ratio", "bar"], rows)


def _ours(rows: NDArray[np.int8], method: str) -> Counted:
    progress(f"ours, {method}, {len(rows):,} ballots")
    results: list[Result] = []

    def count() -> None:
        results.append(METHODS[method](ballots_of_orders(names(), rows)))

    seconds = _shortest(count)
    # A few ballots may tie; whoever is first then stands for all.
    return Counted(seconds, names().index(results[-1].winners[0]))


def _shortest(act: Callable[[], object]) -> float:
    """The shortest of a few times: what disturbs can only make it longer."""
    return min(_timed(act))


def _timed(act: Callable[[], object]) -> Iterator[float]:
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        act()
        yield time.perf_counter() - begun


def _bare(ballots: Ballots) -> NDArray[np.int64]:
    """The least that NumPy must do if ballots are complete and nobody stands level."""
    found = np.zeros((CANDIDATES, CANDIDATES), np.int64)
    for first in range(0, ballots.rows, _BLOCK):
        block = ballots.columns[:, first : first + _BLOCK]
        for a in range(CANDIDATES):
            for b in range(a):
                found[a, b] += np.count_nonzero(block[a] < block[b])
    return found


def _times(ballots: int, seconds: float) -> list[str]:
    return [f"{ballots:,}", f"{seconds:,.2f}"]
