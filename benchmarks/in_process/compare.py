"""Two contenders side by side, request by request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TypeAlias

from benchmarks.in_process.acts import ACTS
from benchmarks.in_process.contender import Contender
from benchmarks.measuring.rates import rates
from benchmarks.measuring.scale import Scale

Maker: TypeAlias = Callable[[], AbstractContextManager[Contender]]


def compare(ours: Maker, theirs: Maker, scale: Scale) -> Iterator[tuple[str, float, float]]:
    """Each request, and how often a second each can do it; both are new for each request."""
    for name, prepare in ACTS.items():
        with ours() as mine, theirs() as other:
            acts = [prepare(mine, scale), prepare(other, scale)]
            my_rate, other_rate = rates(acts, scale.seconds)
        yield name, my_rate, other_rate
