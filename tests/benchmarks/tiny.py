"""A run that is as short as it can be, and asks no server of others."""

from __future__ import annotations

from benchmarks.measuring.scale import Scale

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
