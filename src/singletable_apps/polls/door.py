"""How polls are shown at the front, and opened there."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime

from singletable_apps.counting import Ballots, Ranking, instant_runoff
from singletable_apps.counting.pictures import STYLESHEET, draw_transfers
from singletable_apps.polls.sample import POLLS, fill
from singletable_apps.polls.site import secret_in, site_on
from singletable_apps.shared.doors import Door, Opened, Opening
from singletable_apps.shared.serving.addresses import driver_at
from singletable_apps.shared.serving.drafting import drafted
from singletable_apps.shared.serving.progress import bar

_FILE, _SECRET = "polls.db", "secret.key"


def door() -> Door:
    """Where the votes go, round by round, of those whose favourite has left."""
    asked = POLLS[0]
    groups = [(Ranking.from_levels(order.split(" > ")), many) for many, order in asked.votes]
    ballots = Ballots.from_counts(list(asked.draft.candidates), groups)
    picture = draw_transfers(instant_runoff(ballots, look_back=True, seed="sample"))
    return Door(
        name="Polls",
        about=(
            "Anybody makes a poll; whoever has the link ranks the options; an instant runoff "
            "counts them live, round by round, and other methods stand beside it."
        ),
        address="/polls",
        picture=picture.svg,
        picture_words=picture.text,
        picture_style=STYLESHEET,
    )


@contextmanager
def opened(site: Opening) -> Generator[Opened]:
    """The whole app; a sample is made first where one is wished."""
    if site.wants_sample:
        with (
            drafted(site.folder) as draft,
            driver_at(f"file:{draft / _FILE}") as driver,
            bar("Filling polls") as told,
        ):
            fill(driver, secret_in(draft / _SECRET), datetime.now(UTC), told)
    with site.connected(_FILE) as driver:
        yield site_on(driver, site.address(_FILE), site.folder / _SECRET, site.public)
