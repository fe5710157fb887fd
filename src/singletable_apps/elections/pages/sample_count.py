"""A count to look at before one has any of one's own: seventeen people, four places to meet."""

from __future__ import annotations

from functools import cache

from singletable_apps.counting import Ballots, Ranking, instant_runoff
from singletable_apps.counting.pictures import Picture, draw_transfers

_PLACES = ("Castle", "Garden", "Lake", "Museum")
_GROUPS = (
    (6, ("Lake", "Garden", "Museum", "Castle")),
    (5, ("Museum", "Castle", "Garden", "Lake")),
    (4, ("Garden", "Museum", "Lake")),
    (2, ("Castle", "Museum")),
)


@cache
def sample_count() -> Picture:
    """Round by round: whose ballots go where when the last one drops out."""
    groups = [(Ranking.from_levels([[name] for name in order]), many) for many, order in _GROUPS]
    return draw_transfers(instant_runoff(Ballots.from_counts(_PLACES, groups)))
