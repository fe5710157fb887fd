"""The methods there are, by name."""

from __future__ import annotations

from typing import Protocol

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.borda import borda
from singletable_apps.counting.copeland import copeland
from singletable_apps.counting.plurality import plurality
from singletable_apps.counting.ranked_pairs import ranked_pairs
from singletable_apps.counting.result import Result
from singletable_apps.counting.runoff import instant_runoff
from singletable_apps.counting.schulze import schulze


class CountingMethod(Protocol):
    """What counts ballots, by rules of its own that it has defaults for."""

    def __call__(self, ballots: Ballots, /, *, seed: str | None = None) -> Result:
        """The result, with ties broken by the seed if there is one."""
        ...


METHODS: dict[str, CountingMethod] = {
    "schulze": schulze,
    "ranked pairs": ranked_pairs,
    "instant runoff": instant_runoff,
    "borda": borda,
    "copeland": copeland,
    "plurality": plurality,
}
