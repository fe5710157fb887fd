"""A scale for tests: as short as possible, and without peers."""

from __future__ import annotations

from benchmarks.harness.measurement import Scale

TINY = Scale(
    seconds=0.02,
    counted=100,
    few=300,
    many=600,
    stored=500,
    starts=1,
    connections=(2,),
    warm=False,
    peers=frozenset(),
)
