"""Simulate the load of a design: partitions, hot keys, throttling and latency."""

from singletable_design.planning.simulation.call_source import Cache
from singletable_design.planning.simulation.partitions import Split
from singletable_design.planning.simulation.result import (
    PartitionHeat,
    PatternResult,
    Series,
    SimulationResult,
    ThrottleCause,
    ThrottlePoint,
    WhatIf,
)
from singletable_design.planning.simulation.simulator import SimulationSettings, simulate
from singletable_design.planning.simulation.what_if import (
    PeakResult,
    find_throttle_point,
    shard_key,
    simulate_peak,
)

__all__ = [
    "Cache",
    "PartitionHeat",
    "PatternResult",
    "PeakResult",
    "Series",
    "SimulationResult",
    "SimulationSettings",
    "Split",
    "ThrottleCause",
    "ThrottlePoint",
    "WhatIf",
    "find_throttle_point",
    "shard_key",
    "simulate",
    "simulate_peak",
]  # fmt: skip
