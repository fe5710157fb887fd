"""Simulate the load of a design: partitions, hot keys, throttling and latency."""

from singletable_design.planning.simulation.call_source import Cache
from singletable_design.planning.simulation.partitions import Split
from singletable_design.planning.simulation.result import (
    BusyKey,
    PartitionHeat,
    PatternResult,
    Series,
    SimulationResult,
    ThrottleCause,
    ThrottlePoint,
    WhatIf,
)
from singletable_design.planning.simulation.simulator import SimulationSettings, simulate
from singletable_design.planning.simulation.what_if import find_throttle_point, shard_key

__all__ = [
    "BusyKey", "Cache", "PartitionHeat", "PatternResult", "Series", "SimulationResult",
    "SimulationSettings", "Split", "ThrottleCause", "ThrottlePoint", "WhatIf",
    "find_throttle_point", "shard_key", "simulate",
]  # fmt: skip
