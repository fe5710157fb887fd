"""Count ranked ballots: our implementation and other libraries."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness.measurement import (
    Missing,
    Scale,
    expect,
    run_peer_program,
    show_progress,
    temporary_folder,
)
from benchmarks.harness.report import ReportTable, Target, format_milliseconds, format_ratio
from benchmarks.programs.counting import ROUNDS
from ranked_ballots import Ballots, Result, count_pairs, instant_runoff, schulze

CLAIM = "counting a million ballots is at least a hundred times as fast as with other libraries"
RATIO = Target(at_least=100)
BARE = Target(at_most=3)
CANDIDATES = 20
NAMES = [f"c{number}" for number in range(CANDIDATES)]
METHODS: dict[str, Callable[[Ballots], Result]] = {
    "Schulze": schulze,
    "instant runoff": instant_runoff,
}
_BLOCK = 1 << 16
_SEED = 12345


@dataclass(frozen=True, slots=True)
class CountResult:
    """The duration of a count from raw rows, and the number of the winner."""

    seconds: float
    winner: int


@dataclass(frozen=True, slots=True)
class CountingLibrary:
    """A library, its package, and how many ballots it gets."""

    name: str
    package: str
    ballots: int

    def count(self, rows: NDArray[np.int8]) -> dict[str, CountResult]:
        """Return the results by method, or raise Missing."""
        with temporary_folder() as folder:
            file = folder / "rows"
            file.write_bytes(rows.tobytes())
            results: dict[str, tuple[float, int]] = run_peer_program(
                self.package, file, str(CANDIDATES)
            )
        return {method: CountResult(*result) for method, result in results.items()}


def libraries(scale: Scale) -> list[CountingLibrary]:
    """Return the libraries of a run, each with as many ballots as it can count in a short time."""
    known = [
        CountingLibrary("pref_voting", "pref_voting", scale.stored),
        CountingLibrary("pyrankvote", "pyrankvote", scale.stored),
        CountingLibrary("VoteKit", "votekit", scale.counted),
    ]
    return [library for library in known if scale.includes(library.name)]


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure the time from raw rows to the result; then pairwise counts of ready columns."""
    rows = _random_rows(scale.many)
    yield _from_raw_rows(rows, scale)
    yield _ready_columns(Ballots.from_orders(NAMES, rows))


def _random_rows(ballots: int) -> NDArray[np.int8]:
    """Return ballots that rank all candidates by number; every order is equally likely.

    The first rows are the same for any number of ballots.
    """
    generator = np.random.default_rng(_SEED)
    return np.argsort(generator.random((ballots, CANDIDATES)), axis=1).astype(np.int8)


def _from_raw_rows(rows: NDArray[np.int8], scale: Scale) -> ReportTable:
    ours = {method: _count(rows, method) for method in METHODS}
    theirs: dict[CountingLibrary, dict[str, CountResult]] = {}
    notes = [
        f"{CANDIDATES} candidates, every order equally likely. Other libraries get fewer ballots, "
        f"and their time is scaled to {len(rows):,}."
    ]
    for library in libraries(scale):
        show_progress(f"{library.name}, {library.ballots:,} ballots")
        subset = rows[: library.ballots]
        try:
            theirs[library] = library.count(subset)
        except Missing as reason:
            notes.append(f"{library.name} is missing: {reason}.")
            continue
        for method, result in theirs[library].items():
            expect(result.winner, _count(subset, method).winner)
    scaled = {
        (library.name, method): result.seconds * len(rows) / library.ballots
        for library, results in theirs.items()
        for method, result in results.items()
    }
    table: list[list[str]] = []
    for method, own in ours.items():
        table.append([f"singletable, {method}", *_cells(len(rows), own.seconds), "", ""])
        fastest = min((time for (_, by), time in scaled.items() if by == method), default=None)
        for library, results in theirs.items():
            if method in results:
                seconds = scaled[library.name, method]
                ratio = seconds / own.seconds
                verdict = RATIO.verdict(ratio) if seconds == fastest else ""
                cells = [*_cells(library.ballots, seconds), format_ratio(ratio), verdict]
                table.append([f"{library.name}, {method}", *cells])
    columns = ["raw rows to result", "ballots", "seconds", "ratio", "target for the fastest"]
    return ReportTable(f"{len(rows):,} ballots: seconds", columns, table, notes)


def _ready_columns(ballots: Ballots) -> ReportTable:
    show_progress("pairwise counts of ready columns")
    ours, bare = _shortest(lambda: count_pairs(ballots)), _shortest(lambda: _bare_pairwise(ballots))
    ratio = ours / bare
    rows = [
        ["bare NumPy", format_milliseconds(bare), "", ""],
        ["singletable", format_milliseconds(ours), format_ratio(ratio), BARE.verdict(ratio)],
    ]
    title = f"{ballots.rows:,} ballots as columns of ranks: all pairwise counts"
    return ReportTable(title, ["pairs", "milliseconds", "ratio", "target"], rows)


def _count(rows: NDArray[np.int8], method: str) -> CountResult:
    show_progress(f"singletable, {method}, {len(rows):,} ballots")
    results: list[Result] = []

    def count() -> None:
        results.append(METHODS[method](Ballots.from_orders(NAMES, rows)))

    seconds = _shortest(count)
    # With few ballots there may be a tie; the first winner then stands for all.
    return CountResult(seconds, NAMES.index(results[-1].winners[0]))


def _shortest(work: Callable[[], object]) -> float:
    """Return the shortest of a few durations: other load can only make one longer."""
    return min(_durations(work))


def _durations(work: Callable[[], object]) -> Iterator[float]:
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        yield time.perf_counter() - started


def _bare_pairwise(ballots: Ballots) -> NDArray[np.int64]:
    """Do the least that NumPy must do for complete ballots without ties."""
    counts = np.zeros((CANDIDATES, CANDIDATES), np.int64)
    for first in range(0, ballots.rows, _BLOCK):
        block = ballots.columns[:, first : first + _BLOCK]
        for a in range(CANDIDATES):
            for b in range(a):
                counts[a, b] += np.count_nonzero(block[a] < block[b])
    return counts


def _cells(ballots: int, seconds: float) -> list[str]:
    return [f"{ballots:,}", f"{seconds:,.2f}"]
