"""A scale for tests: as short as possible, and without peers."""

from __future__ import annotations

from benchmarks.harness.measurement import Scale

TINY = Scale(
    seconds=0.02,
    items=100,
    counted=100,
    few=300,
    many=600,
    stored=500,
    clients=30,
    starts=1,
    connections=(2,),
    warm=False,
    max_requests=50,
    peers=frozenset(),
)
