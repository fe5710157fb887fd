"""Simulate the load of a design: our simulator, SimPy, and bare NumPy."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from benchmarks.harness.measurement import (
    Missing,
    Scale,
    expect,
    run_peer_program,
    show_progress,
)
from benchmarks.harness.report import ReportTable, Target, format_ratio
from singletable.patterns import Distribution, per_second
from singletable_design.planning import Domain, KeySpace, PatternLoad, PlacedUnits, Workload
from singletable_design.planning.simulation import SimulationResult, SimulationSettings, simulate
from singletable_design.planning.simulation.call_source import key_positions

CLAIM = (
    "a million writes are simulated in seconds, at least ten times as fast as with SimPy, and a "
    "million transactions with many retries in less than half a minute"
)
RATIO = Target(at_least=10)
BARE = Target(at_most=15)
RETRIES = Target(at_most=30, unit=" s")
SKILLS = Distribution(200, 1.1)
KEY = KeySpace("SKILL#{skill}", (Domain("skill", SKILLS),))
IDS = Domain("id", Distribution(100_000))
PARTITIONS, LIMIT = 4, 1_000
# Shares of throttled calls may differ by this: the arrivals are random.
_TOLERANCE = 0.05


@dataclass(frozen=True, slots=True)
class SimulatedLoad:
    """Writes at a rate, to keys that are as uneven as skills are; or transactions of them."""

    name: str
    rate: float
    items: int = 1


LOADS = (SimulatedLoad("nothing is throttled", 1_200), SimulatedLoad("throttled", 3_000))
# Almost all of them fail after ten attempts.
TRANSACTIONS = SimulatedLoad("transactions of four items, ten times too many", 5_000, items=4)


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure the seconds for many calls; SimPy gets fewer, and its time is scaled."""
    rows: list[list[str]] = []
    notes = [
        f"Writes to {SKILLS.values} keys by Zipf's law in {PARTITIONS} partitions. SimPy gets "
        f"{scale.stored:,} calls, and its time is scaled. Bare NumPy only draws arrivals and keys, "
        "and adds up the units of each partition and second. Transactions spread over many keys; "
        "nine of ten are throttled ten times. All times are processor time of one core."
    ]
    for load in LOADS:
        show_progress(f"{scale.many:,} calls, {load.name}")
        seconds, result = _simulate(load, scale.many)
        per_call = seconds / result.calls
        rows.append([f"singletable, {load.name}", _cell(per_call), "", ""])
        bare = _time_bare(load, scale.many) / scale.many
        ratio = per_call / bare
        cells = [_cell(bare), format_ratio(ratio), BARE.verdict(ratio)]
        rows.append([f"bare NumPy, {load.name}", *cells])
        if not scale.includes("SimPy"):
            continue
        show_progress(f"SimPy, {scale.stored:,} calls, {load.name}")
        try:
            theirs, throttled = _simulate_with_simpy(load, scale.stored)
        except Missing as reason:
            notes.append(f"SimPy is missing: {reason}.")
            continue
        same = math.isclose(throttled / scale.stored, result.throttled_share, abs_tol=_TOLERANCE)
        expect((load.name, same), (load.name, True))
        ratio = theirs / scale.stored / per_call
        cells = [_cell(theirs / scale.stored), format_ratio(ratio), RATIO.verdict(ratio)]
        rows.append([f"SimPy, {load.name}", *cells])
    show_progress(f"{scale.many:,} {TRANSACTIONS.name}")
    seconds, result = _simulate(TRANSACTIONS, scale.many)
    per_call = seconds / result.calls
    verdict = RETRIES.verdict(per_call * 1e6)
    rows.append([f"singletable, {TRANSACTIONS.name}", _cell(per_call), "", verdict])
    columns = ["simulator", "seconds per million calls", "ratio", "target"]
    yield ReportTable(f"Simulation of {scale.many:,} calls", columns, rows, notes)


def _cell(per_call: float) -> str:
    return f"{per_call * 1e6:.2f}"


def _simulate(load: SimulatedLoad, calls: int) -> tuple[float, SimulationResult]:
    minutes = max(1, round(calls / load.rate / 60))
    rate = per_second(calls / minutes / 60 if calls < load.rate * 60 else load.rate)
    units = [PlacedUnits("t", None, "write", 1.0, KEY)]
    if load.items > 1:
        keys = [KeySpace(f"K{at}#{{id}}", (IDS,)) for at in range(load.items)]
        units = [PlacedUnits("t", None, "write", 2.0, key, in_transaction=True) for key in keys]
    workload = Workload((PatternLoad("W1", "Write", rate, tuple(units)),))
    results: list[SimulationResult] = []
    settings = SimulationSettings(minutes=minutes)
    return _shortest(lambda: results.append(simulate(workload, settings))), results[0]


def _time_bare(load: SimulatedLoad, calls: int) -> float:
    return _shortest(lambda: _bare(load, calls))


def _bare(load: SimulatedLoad, calls: int) -> None:
    """Do the least that a simulation must do, in batches of a minute as ours."""
    random = np.random.default_rng(1)
    sums = np.cumsum(np.arange(1.0, SKILLS.values + 1) ** -SKILLS.exponent)
    partitions = np.array(_partitions())
    minute = int(load.rate * 60)
    for start in range(0, calls, minute):
        count = min(minute, calls - start)
        seconds = random.integers(60, size=count)
        ranks = np.searchsorted(sums, random.random(count) * sums[-1])
        np.bincount(seconds * PARTITIONS + partitions[ranks], minlength=60 * PARTITIONS)


def _simulate_with_simpy(load: SimulatedLoad, calls: int) -> tuple[float, int]:
    described = {
        "calls": calls,
        "rate": load.rate,
        "limit": LIMIT,
        "partitions": _partitions(),
        "weights": [rank**-SKILLS.exponent for rank in range(1, SKILLS.values + 1)],
    }
    seconds, throttled = run_peer_program("simpy", json.dumps(described))
    return float(seconds), int(throttled)


def _partitions() -> list[int]:
    """Return the partition of each key, by rank."""
    positions = key_positions(KEY.template, [np.arange(SKILLS.values)])
    return [int(position) for position in positions * PARTITIONS]


def _shortest(work: Callable[[], object], rounds: int = 3) -> float:
    """Return the shortest processor time of some rounds: other load makes a round longer."""
    durations: list[float] = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        durations.append(time.process_time() - started)
    return min(durations)
