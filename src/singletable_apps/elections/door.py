"""How elections are shown at the front."""

from __future__ import annotations

from singletable_apps.shared.counting import Ranking, ballots_of_groups, schulze
from singletable_apps.shared.counting.pictures import STYLE, beat_paths
from singletable_apps.shared.doors import Door

_VOTES = ((4, "Lake Museum Castle"), (3, "Museum Castle Lake"), (2, "Castle Lake Museum"))


def door() -> Door:
    """A count of which nobody can tell the result by looking: each place is beaten by another."""
    groups = [
        (Ranking.of_levels([[name] for name in order.split()]), many) for many, order in _VOTES
    ]
    picture = beat_paths(schulze(ballots_of_groups(["Castle", "Lake", "Museum"], groups)))
    return Door(
        name="Elections",
        about=(
            "People rank candidates, openly or in secret; six methods count, and explain "
            "themselves; every voter can check that their ballot is in the signed result."
        ),
        address="/elections",
        picture=picture.svg,
        picture_words=picture.text,
        picture_style=STYLE,
    )
