"""How elections are shown at the front, and opened there."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from singletable_apps.counting import Ballots, Ranking, schulze
from singletable_apps.counting.pictures import STYLESHEET, draw_beat_paths
from singletable_apps.elections.sample import fill
from singletable_apps.elections.terminal.mailing import letters_for
from singletable_apps.elections.terminal.opening import Place, elections_at
from singletable_apps.elections.terminal.site import site_on
from singletable_apps.shared.doors import Door, Opened, Opening
from singletable_apps.shared.serving.drafting import drafted
from singletable_apps.shared.serving.progress import bar

_VOTES = ((4, "Lake Museum Castle"), (3, "Museum Castle Lake"), (2, "Castle Lake Museum"))
_FILE, _KEYS = "votes.db", "keys"


def door() -> Door:
    """A count of which nobody can tell the result by looking: each place is beaten by another."""
    groups = [
        (Ranking.from_levels([[name] for name in order.split()]), many) for many, order in _VOTES
    ]
    picture = draw_beat_paths(schulze(Ballots.from_counts(["Castle", "Lake", "Museum"], groups)))
    return Door(
        name="Elections",
        about=(
            "People rank candidates, openly or in secret; six methods count, and explain "
            "themselves; every voter can check that their ballot is in the signed result."
        ),
        address="/elections",
        picture=picture.svg,
        picture_words=picture.text,
        picture_style=STYLESHEET,
    )


@contextmanager
def opened(site: Opening) -> Generator[Opened]:
    """The whole app; a sample is made first where one is wished."""
    letters = letters_for(printed=site.letters, smtp=site.smtp)
    if site.wants_sample:
        with drafted(site.folder) as draft:
            place = Place(f"file:{draft / _FILE}", draft / _KEYS)
            with elections_at(place) as elections, bar("Filling elections") as told:
                fill(elections, told)
    with site.connected(_FILE) as driver:
        place = Place(site.address(_FILE), site.folder / _KEYS)
        yield site_on(driver, place, site.public, letters)
